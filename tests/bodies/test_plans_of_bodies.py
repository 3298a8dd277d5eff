"""Plans of arms with flexible bodies of any shape: they end at rest, and an independent simulation ends there, too."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.flexible_bodies import angle, arm
from flexblocks import optim

pytest.importorskip("skfem")


def planned(**options) -> optim.Plan:
    """Return the plan of an arm with an L of two modes over half a radian."""
    dae = fb.assemble(arm(fb.ReducedBody("link", body=angle(), modes=2, damping_ratio=0.005)))
    problem = optim.RestToRest(start={"joint1.angle": 0.0}, goal={"joint1.angle": 0.5}, **options)
    return optim.plan(dae, problem, intervals=20)


def check(plan: optim.Plan) -> None:
    """Hold that the replay ends at the goal and at rest."""
    assert plan.status == "converged"
    run = plan.replay().trajectory
    assert run["joint1.angle"][-1] == pytest.approx(0.5, abs=1e-5)
    assert np.abs(run["link.frame_b_deflection_y"]).max() > 1e-5
    for name in ("link.frame_b_deflection_y", "der(joint1.angle)", "der(link.mode[2])"):
        assert abs(run[name][-1]) < 0.01 * np.abs(run[name]).max()


def test_a_turn_with_least_effort_ends_at_rest():
    check(planned(duration=1.0, limits={"motor1.torque": 3.0}))


@pytest.mark.slow
def test_a_turn_in_the_shortest_time_ends_at_rest():
    limits = {"motor1.torque": 3.0, "der(motor1.torque)": 40.0}
    plan = planned(duration="free", objective="time", limits=limits)
    assert plan.duration < 1.0
    check(plan)
