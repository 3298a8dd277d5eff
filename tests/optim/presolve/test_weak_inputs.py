"""Inputs too weak by far are named before anything is solved, where other inputs have no limit."""

import numpy as np
import pytest

from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.presolve.rigid_motion.bent_motion import STEP, BentMotion

START, GOAL = {"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": 1.57, "joint2.angle": 0.52}


@pytest.mark.parametrize("scale", [1.0, 1e-2])
def test_a_weak_motor_beside_a_free_one_is_named(scale: float) -> None:
    """Only the first motor changes the angular momentum about its axis: the turn takes about 4 I angle / T^2 of it."""
    dae = subudhi_morris()
    slow = 0.05 / scale**0.5  # the torque goes with 1/T^2
    problem = optim.RestToRest(START, GOAL, slow, limits={"motor1.torque": 0.01 * scale})
    with pytest.raises(optim.ProblemError, match=r"motor1\.torque is at most .* rigid arm needs .* of it at least"):
        optim.pyomo_model(dae, problem)


def test_what_is_only_hard_is_left_to_the_solver() -> None:
    dae = subudhi_morris()
    problem = optim.RestToRest(START, GOAL, 0.5, limits={"motor1.torque": 0.5})  # a fifth of what the quintic takes
    optim.pyomo_model(dae, problem)


def test_inputs_after_a_step_of_each_posture_are_those_to_the_first_order() -> None:
    """A spring in each joint and two modes a link; finite differences of whole motions agree to 1e-5."""
    dae = subudhi_morris()
    t = transcribed_problem(optim.pyomo_model(dae, optim.RestToRest(START, GOAL, 1.0), intervals=5)).first[0]
    motion = BentMotion(dae, t.start, START, t.waypoints, 1.0)
    c = np.random.default_rng(0).normal(0.0, 0.3, motion.count)
    by_steps, at_once = motion.inputs(motion.steps(c)), motion.inputs_of_steps(c)
    np.testing.assert_allclose(at_once[0], by_steps[0], rtol=1e-12)
    slopes, near = ((u[1:] - u[0]) / STEP for u in (by_steps, at_once))
    np.testing.assert_allclose(near, slopes, atol=1e-5 * np.abs(slopes).max())
    assert np.abs(slopes).max() > 1.0
