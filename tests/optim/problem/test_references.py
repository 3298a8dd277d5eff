"""Plans of servos and closed loops: a reference and its rates are one signal."""

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, optim

REFERENCE, RATE = "servo.reference", "servo.reference_rate"


@cache
def servo_arm(gravity=0.0, kp=100.0, kd=10.0, length=1.0, mass=3.0):
    model = fb.Model("servo arm", gravity=(0.0, -gravity, 0.0))
    hinge, rod = model.add(fb.Revolute("hinge")), model.add(fb.RigidLink("rod", length=length, mass=mass))
    load = model.add(fb.Payload("load", mass=0.1 * mass))
    model.connect(model.add(fb.Ground("ground")).frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    model.connect(model.add(fb.PDServo("servo", kp, kd)).flange_b, hinge.axis)
    return fb.assemble(model, symbolic=("load.mass",))


def swing(duration=1.0, **more):
    return optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 1.0}, duration, **more)


def rigid_arm():
    return subudhi_morris(modes=0, joints="rigid")


def is_one_signal(plan, dae):
    """Whether each rate is the derivative of its reference, in the plan's inputs and its trajectory."""
    t = np.linspace(0.0, plan.duration, 200)[:-1]
    for name, lower in zip(dae.u.names, dae.u.derivative_of, strict=True):
        if lower is not None:
            size = np.abs(plan.inputs[name](t)).max() + 1e-9
            np.testing.assert_allclose(plan.inputs[lower].derivative()(t), plan.inputs[name](t), atol=1e-12 * size)
            planned = plan.trajectory[lower]
            np.testing.assert_allclose(planned, plan.inputs[lower](np.minimum(plan.trajectory.t, plan.duration)))
    return True


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("ends", "size", "gains"),
    [
        ("free", (1.0, 3.0), (100.0, 10.0)),
        ("holding", (1.0, 3.0), (100.0, 10.0)),
        pytest.param("free", (30.0, 2e3), (3e7, 3e6), marks=SLOW),
    ],
)
def test_reference_and_rate_of_a_servo_are_one_signal(ends, size, gains):
    """A servo that derives the rate from the planned reference arrives at rest, held where gravity pulls."""
    dae = servo_arm(9.81, *gains, *size)
    duration = np.sqrt(size[0])
    plan = optim.plan(dae, swing(duration, input_ends=ends), intervals=20)
    assert plan.status == "converged"
    assert is_one_signal(plan, dae)
    motion = fb.simulate(dae, (0.0, plan.duration), u={REFERENCE: plan.inputs[REFERENCE]}, x0=plan.trajectory.x[0])
    assert motion["hinge.angle"][-1] == pytest.approx(1.0, abs=1e-4)
    assert motion["der(hinge.angle)"][-1] == pytest.approx(0.0, abs=1e-3 / duration)
    for k, angle in ((0, 0.0), (-1, 1.0)):
        holding = fb.equilibrium(dae, {"hinge.angle": angle})
        assert plan.trajectory[REFERENCE][k] == pytest.approx(holding[REFERENCE], abs=1e-6)
        if ends == "holding":
            assert plan.trajectory[RATE][k] == pytest.approx(0.0, abs=1e-9)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4 * size[0]
    assert replay.trajectory.names["u"] == dae.u.names
    assert replay.trajectory.names["x"] == plan.trajectory.names["x"] == dae.x.names


def test_limits_hold_for_references_and_rates_by_either_name():
    dae = servo_arm()
    limits = {REFERENCE: (-0.2, 1.1), RATE: 2.5, f"der({RATE})": 60.0}
    plan = optim.plan(dae, swing("free", objective="time", limits=limits), intervals=20)
    assert plan.trajectory[REFERENCE].max() < 1.1 + 1e-6
    assert np.abs(plan.trajectory[RATE]).max() == pytest.approx(2.5, abs=1e-6)
    limits[f"der({REFERENCE})"] = limits.pop(RATE)
    (again,) = optim.pyomo_model(dae, swing("free", objective="time", limits=limits), intervals=20).transcribed.first
    assert np.array_equal(again.limits.u, plan.transcription.limits.u)


@pytest.mark.parametrize(("kp", "kd"), [(100.0, 0.0), (0.0, 10.0)])
def test_what_a_servo_does_not_use_follows(kp, kd):
    dae = servo_arm(kp=kp, kd=kd)
    plan = optim.plan(dae, swing(), intervals=20)
    assert is_one_signal(plan, dae)
    assert plan.replay().tip_miss < 1e-4


def test_a_reference_and_its_acceleration_have_a_rate_between_them():
    closed = control.close_loop(rigid_arm(), control.ComputedTorque(25.0, 0.0))
    assert closed.u.names[:3] == tuple(
        f"{name}reference.joint1.angle{end}" for name, end in (("", ""), ("der(", ")"), ("der(", ",2)"))
    )
    assert closed.u.derivative_of[1:3] == closed.u.names[:2]


LOOPS = {
    "computed torque": lambda arm, loops: control.ComputedTorque(25.0, 10.0),
    "stiffness alone": lambda arm, loops: control.ComputedTorque(25.0, 0.0),
    "PD": lambda arm, loops: control.PD(loops, kp=20.0, kd=3.0),
    "PID": lambda arm, loops: control.PID(loops, kp=20.0, kd=3.0, ki=5.0),
}


@pytest.mark.parametrize("law", ["computed torque", "stiffness alone", pytest.param("PID", marks=SLOW)])
def test_references_of_closed_loops_are_one_signal(law):
    """Up to accelerations; with computed torque, an arm on its references has a goal for these alone."""
    arm = rigid_arm()
    goal = {"joint1.angle": 1.0, "joint2.angle": 0.5}
    loops = {name: f"motor{i}.torque" for i, name in enumerate(goal, 1)}
    closed = control.close_loop(arm, LOOPS[law](arm, loops))
    task = optim.RestToRest(dict.fromkeys(goal, 0.0), goal, 2.0, input_ends="holding")
    plan = optim.plan(closed, task, intervals=15)
    assert plan.status == "converged"
    assert is_one_signal(plan, closed)
    for name, angle in goal.items():
        assert plan.trajectory[f"reference.{name}"][-1] == pytest.approx(angle, abs=1e-6)
        assert plan.trajectory[f"der(reference.{name})"][-1] == pytest.approx(0.0, abs=1e-6)
    assert plan.replay().tip_miss < 2e-3


def test_scenarios_are_told_the_same():
    dae = servo_arm(9.81)
    masses = (0.1, 1.0)
    problem = optim.Problem(
        {"hinge.angle": 0.0},
        (optim.Phase("swing", {"hinge.angle": 1.0}, 1.0),),
        scenarios=[{"load.mass": mass} for mass in masses],
    )
    plan = optim.plan(dae, problem, intervals=20)
    first, second = plan.trajectories
    np.testing.assert_allclose(first[REFERENCE], second[REFERENCE], atol=1e-9)
    for motion in plan.trajectories:
        assert motion["hinge.angle"][-1] == pytest.approx(1.0, abs=1e-9)
    assert plan.replay().tip_miss < 1e-3
    with pytest.raises(optim.ProblemError, match=rf"{REFERENCE} holds them at the start"):
        optim.pyomo_model(
            dae, optim.Problem(problem.start, problem.phases, scenarios=problem.scenarios, input_ends="holding")
        )


@pytest.mark.slow
def test_plans_with_references_are_saved(tmp_path):
    dae = servo_arm(9.81)
    plan = optim.plan(dae, swing(input_ends="holding"), intervals=10)
    plan.save(tmp_path / "plan.nc")
    loaded = fb.load(tmp_path / "plan.nc")
    assert np.array_equal(loaded.trajectory.u, plan.trajectory.u)
    assert loaded.trajectory.names["u"] == dae.u.names
    tracked = plan.replay(law="tracking")
    assert tracked.trajectory.names["u"] == dae.u.names
    assert tracked.tip_miss < 1e-3


def test_an_arm_that_starts_in_motion_is_led_from_anywhere():
    dae = servo_arm()
    task = optim.RestToRest({"hinge.angle": 0.0, "der(hinge.angle)": 1.0}, {"hinge.angle": 1.0}, 1.0)
    plan = optim.plan(dae, task, intervals=20)
    assert plan.trajectory["der(hinge.angle)"][0] == 1.0
    assert abs(plan.trajectory[REFERENCE][0]) > 0.01
    assert plan.replay().tip_miss < 1e-4
