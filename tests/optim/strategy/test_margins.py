"""Plans that stay off limits by margins, given or found where a replay exceeds the limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import optim

RATE, DEFLECTION = "der(joint1.angle)", "link1.tip_deflection_y"


def turn(**limits: float) -> optim.RestToRest:
    start, goal = ({"joint1.angle": a, "joint2.angle": b} for a, b in ((0.0, 0.0), (1.2, 0.5)))
    return optim.RestToRest(start, goal, 2.0, limits=limits)


@pytest.mark.parametrize(
    ("name", "limit", "margin"), [(RATE, 0.9, 0.05), pytest.param(DEFLECTION, 0.012, 0.002, marks=pytest.mark.slow)]
)
def test_a_plan_stays_within_its_limits_by_the_margins(name: str, limit: float, margin: float, tmp_path: Path) -> None:
    plan = optim.plan(subudhi_morris(), turn(**{name: limit}), intervals=20, margins={name: margin})
    assert plan.status == "converged"
    assert f"off limits: {name} by {margin:g}" in plan.summary()
    # It touches the limit less the margin. What it is judged by is the limit itself: its replay keeps that.
    assert np.abs(plan.trajectory[name]).max() == pytest.approx(limit - margin, rel=1e-6)
    replay = plan.replay()
    assert np.abs(replay.trajectory[name]).max() > limit - margin
    assert not replay.excesses
    plan.save(tmp_path / "plan.nc")
    assert fb.load(tmp_path / "plan.nc").transcribed.options.margins == {name: margin}


@pytest.mark.parametrize(
    ("margins", "message"),
    [
        ({"der(joint1.angel)": 0.1}, r"'der\(joint1.angel\)' is no limit .*\. Did you mean der\(joint1.angle\)\?"),
        ({"motor1.torque": 0.1}, r"'motor1.torque' is no limit of a state"),
        ({RATE: 1.0}, r"margins: der\(joint1.angle\) = 1; must be at most 0.9, half of its range"),
        ({RATE: -0.1}, "must be numbers >= 0 by the names of limits"),
        ({RATE: "0.1"}, "must be numbers >= 0 by the names of limits"),
        (0.1, "must be numbers >= 0 by the names of limits"),
    ],
)
def test_margins_are_of_limits(margins: object, message: str) -> None:
    with pytest.raises(optim.ProblemError, match=message):
        optim.plan(subudhi_morris(), turn(**{RATE: 0.9, "motor1.torque": 2.0}), intervals=5, margins=margins)


@pytest.mark.slow
def test_limits_that_a_replay_exceeds_are_kept_by_margins() -> None:
    """Of an output, which is a path value: the replay swings beyond it by 2 % where it arrives."""
    limits = {DEFLECTION: 0.005}
    plan = optim.plan(subudhi_morris(), turn(**limits), intervals=20, refine=True)
    assert plan.status == "optimal"
    margins, before = plan.transcribed.options.margins, plan.attempts[-2]
    assert margins
    assert set(margins) <= set(limits)
    assert "within limits exceeded by the replay" in plan.attempts[-1].what
    # The mesh is that of the plan before, which arrived as well.
    assert plan.attempts[-1].intervals == before.intervals
    assert before.tip_miss < 1e-4
    for name, limit in limits.items():
        assert np.abs(plan.replay().trajectory[name]).max() < 1.01 * limit
