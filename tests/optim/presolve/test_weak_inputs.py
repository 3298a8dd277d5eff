"""Inputs too weak by far are named before anything is solved, where other inputs have no limit."""

import pytest

import flexblocks as fb
from flexblocks import models, optim

START, GOAL = {"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": 1.57, "joint2.angle": 0.52}


@pytest.mark.parametrize("scale", [1.0, 1e-2])
def test_a_weak_motor_beside_a_free_one_is_named(scale: float) -> None:
    """Only the first motor changes the angular momentum about its axis: the turn takes about 4 I angle / T^2 of it."""
    dae = fb.assemble(models.subudhi_morris_2002())
    slow = 0.05 / scale**0.5  # the torque goes with 1/T^2
    problem = optim.RestToRest(START, GOAL, slow, limits={"motor1.torque": 0.01 * scale})
    with pytest.raises(optim.ProblemError, match=r"motor1\.torque is at most .* rigid arm needs .* of it at least"):
        optim.pyomo_model(dae, problem)


def test_what_is_only_hard_is_left_to_the_solver() -> None:
    dae = fb.assemble(models.subudhi_morris_2002())
    problem = optim.RestToRest(START, GOAL, 0.5, limits={"motor1.torque": 0.5})  # a fifth of what the quintic takes
    optim.pyomo_model(dae, problem)
