"""Design parameters, chosen with the motion, against closed forms."""

import numpy as np
import pytest

from arms.loads import ANGLE, ARM, CHEAP, MOTOR, at, hinge, standing, twisted_by
from flexblocks import optim


def test_spring_that_does_all_the_work():
    """On a spring of stiffness I pi^2 / T^2 the body swings from one side to the other in T by itself."""
    dae = hinge(spring=5.0, symbolic=("spring1.stiffness",))
    problem = optim.Problem(
        at(-0.4), (optim.Phase("swing", at(0.4), 0.8),), CHEAP, design={"spring1.stiffness": (0.5, 50.0)}
    )
    plan = optim.plan(dae, problem, intervals=12, inputs="linear")
    stiffness = 0.3 * np.pi**2 / 0.8**2
    assert plan.p == {"spring1.stiffness": pytest.approx(stiffness, rel=1e-4)}
    assert plan.objective < 1e-9
    assert plan.trajectory.p == plan.p
    # It rests at the ends only under torques that depend on what is designed.
    assert plan.pyomo_model.start_inputs["motor1.torque"].value == pytest.approx(-0.4 * stiffness, rel=1e-4)
    assert plan.pyomo_model.goal_inputs["motor1.torque"].value == pytest.approx(0.4 * stiffness, rel=1e-4)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert abs(replay.energy_left) < 1e-4
    held = optim.plan(dae, optim.Problem(at(-0.4), problem.phases, CHEAP), intervals=12, inputs="linear")
    assert held.objective > 5e-3


def test_design_under_gravity_rests_in_its_own_equilibrium():
    problem = optim.Problem(
        {MOTOR: 0.0},
        (optim.Phase("lift", {MOTOR: 0.9}, 0.7),),
        optim.Effort() + 50 * optim.Vibration(),
        input_ends="holding",
        design={"joint1.spring.stiffness": (30.0, 200.0)},
    )
    plan = optim.plan(standing(["joint1.spring.stiffness"]), problem, intervals=60)
    stiffness = plan.p["joint1.spring.stiffness"]
    assert 81.0 < stiffness <= 200.0 + 1e-5
    for place, k in ((0.0, 0), (0.9, 60)):
        found = plan.pyomo_model.q[k, ANGLE].value
        assert place - found == pytest.approx(twisted_by(0.6, found, stiffness), rel=1e-6)
        torque = plan.inputs["joint1.motor.torque"](plan.duration * (k > 0) * (1 - 1e-12))
        assert torque == pytest.approx(0.6 * 9.81 * ARM * np.cos(found), rel=1e-6)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert abs(replay.energy_left) < 1e-4
