"""Goals that the inputs cannot meet: too few values of the inputs, momenta that scenarios have in common."""

import re
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.optim.infeasibility.diagnose import remarks

LIGHT, HEAVY = {"payload.mass": 0.2}, {"payload.mass": 1.4}


@cache
def drive(**more):
    """A payload, turned by a motor through a spring, on request with one to the ground or a servo."""
    model = fb.Model("drive", gravity=(0.0, -more.get("gravity", 0.0), 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    motor = fb.PDServo("motor1", kp=20.0, kd=1.5) if more.get("servo") else fb.TorqueSource("motor1")
    motor, rotor = model.add(motor), model.add(fb.Rotor("rotor1", inertia=0.1))
    spring = model.add(fb.TorsionalSpring("spring1", stiffness=more.get("stiffness", 50.0), damping=0.1))
    load = model.add(fb.Payload("payload", mass=1.0, inertia=0.05, center=(0.5, 0.0, 0.0)))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    if "return_spring" in more:
        wall, back = model.add(fb.Fixed("wall")), model.add(fb.TorsionalSpring("back", stiffness=more["return_spring"]))
        model.connect(wall.flange_b, back.flange_a)
        model.connect(back.flange_b, joint.axis)
    return fb.assemble(model, symbolic=("payload.mass",))


def swing(angle=0.8, scenarios=(LIGHT, HEAVY), **phase):
    return optim.Problem({"joint1.angle": 0.0}, (optim.Phase("swing", {"joint1.angle": angle}, 2.0, **phase),),
                         objective=optim.Effort(rate_weight=0.0), scenarios=scenarios)  # fmt: skip


def test_one_torque_for_two_inertias_is_refused_by_name():
    """The integral of the integral of the torque is I times the angle: one of them only."""
    with pytest.raises(optim.ProblemError, match=r"0: payload\.mass = 0\.2; 1: payload\.mass = 1\.4 to the goal") as e:
        optim.pyomo_model(drive(), swing(), intervals=20)
    assert "servos (fb.PDServo)" in str(e.value)


@pytest.mark.parametrize(
    ("arm", "problem"),
    [
        ({}, swing(angle=0.0)),  # nowhere to go
        ({"return_spring": 5.0}, swing()),
        ({"servo": True}, swing()),
        ({}, swing(leeway=100.0)),
    ],
    ids=["no way", "spring to the ground", "servo", "leeway"],
)
def test_what_can_be_met_is_not_refused(arm, problem):
    plan = optim.solve(optim.pyomo_model(drive(**arm), problem, intervals=20))
    assert plan.status == "converged"
    found = [motion["joint1.angle"][-1] for motion in plan.trajectories]
    np.testing.assert_allclose(found, problem.phases[0].goal["joint1.angle"], atol=1e-7)


def test_inertia_that_changes_with_the_posture_is_left_to_the_solver():
    """Deflections move the centre of a beam, and momenta are no longer sums of angles."""
    arm = fb.assemble(models.subudhi_morris_2002(links=1), symbolic=("payload.mass",))
    m = optim.pyomo_model(arm, swing(scenarios=({"payload.mass": 0.0}, {"payload.mass": 0.3})), intervals=20)
    assert len(m.scenario) == 2


@pytest.mark.parametrize(
    ("inputs", "ends", "enough"), [("linear", "free", 3), ("linear", "holding", 5), ("cubic", "free", 1)]
)
def test_as_many_values_as_conditions(inputs, ends, enough):
    """Four states are to be at rest; K + 1 values, less two that hold, twice as many with rates."""
    arm = drive(stiffness=20.0)  # its mode has less than two periods in half a second
    problem = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 0.5}, 1.0, input_ends=ends)
    optim.pyomo_model(arm, problem, intervals=enough, inputs=inputs)
    if enough > 1:
        with pytest.raises(optim.ProblemError, match=r"4 conditions, and the inputs on \d intervals have 3 values"):
            optim.pyomo_model(arm, problem, intervals=enough - 1, inputs=inputs)


def test_more_scenarios_need_more_values():
    """Angles and rates of two shafts in three scenarios, and the reference that they share, which is at the goal, too.

    Its rate is the input: on one interval two values and two slopes.
    """
    masses = tuple({"payload.mass": mass} for mass in (0.2, 0.4, 0.8))
    arm, problem = drive(servo=True), swing(scenarios=masses)
    with pytest.raises(optim.ProblemError, match="13 conditions, and the inputs on 1 intervals have 4") as error:
        optim.pyomo_model(arm, problem, intervals=1)
    assert re.search(r"3 scenarios \(0: payload\.mass = 0\.2; .*; 2: payload\.mass = 0\.8\)", str(error.value))
    assert "more intervals, fewer scenarios" in str(error.value)
    assert optim.solve(optim.pyomo_model(arm, problem, intervals=20)).status == "converged"


def test_where_the_inertia_changes_the_report_tells_of_the_scenarios():
    """A beam that bends changes the inertia a little: not refused, but reported where no motion is found."""
    arm = fb.assemble(models.subudhi_morris_2002(links=1), symbolic=("payload.mass",))
    masses = ({"payload.mass": 0.0}, {"payload.mass": 0.3})
    m = optim.pyomo_model(arm, swing(scenarios=masses), intervals=20)
    same = optim.pyomo_model(arm, swing(angle=0.0, scenarios=masses), intervals=20)
    (told,) = (remark for remark in remarks(m.transcribed) if "scenarios" in remark)
    assert "0: payload.mass = 0; 1: payload.mass = 0.3 to the goal together" in told
    assert not any("scenarios" in remark for remark in remarks(same.transcribed))
