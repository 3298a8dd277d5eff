"""Plans against a script written by hand in CasADi: another derivation of the arm, another collocation code."""

from __future__ import annotations

import math
from functools import cache

import pytest

from arms.library import subudhi_morris
from benchmarks.collocation_by_hand import plan_by_hand
from flexblocks import optim


@cache
def least_effort(intervals: int) -> optim.Plan:
    problem = optim.RestToRest(
        {"joint1.angle": 0.0, "joint2.angle": 0.0},
        {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6},
        duration=2.0,
        limits={"motor1.torque": 4.0, "motor2.torque": 2.0},
    )
    return optim.plan(subudhi_morris(), problem, intervals=intervals, quasi_static=False)


@pytest.mark.slow
def test_least_effort_is_that_of_a_script_written_by_hand() -> None:
    by_hand = plan_by_hand(20, "states")
    assert by_hand.status == "Solve_Succeeded"
    assert least_effort(20).objective == pytest.approx(by_hand.objective, abs=1e-6)
