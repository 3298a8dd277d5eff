"""The planning examples run, replay and draw."""

from __future__ import annotations

import runpy

import matplotlib as mpl
import numpy as np
import pytest

from flexblocks import optim
from flexblocks.optim.presolve.postures.values_at_rest import values_at_rest
from repository import OPTIM_EXAMPLES


@pytest.fixture
def run(tmp_path):
    def plan(name):
        mpl.use("Agg")
        picture = tmp_path / "picture.png"
        namespace = runpy.run_path(str(OPTIM_EXAMPLES / f"{name}.py"))
        found = namespace["main"](str(picture))
        assert picture.stat().st_size > 10_000
        assert found.status in ("converged", "optimal")
        replay = found.replay()
        assert replay.tip_miss < 1e-4
        assert abs(replay.energy_left) < 1e-4
        return namespace, found, replay

    return plan


@pytest.mark.slow
def test_obstacle(run):
    """The tip and the elbow of the simulated arm keep their distances, to a millimetre."""
    _, plan, replay = run("obstacle")
    assert all(excess.amount < 1e-3 for excess in replay.excesses)
    motion = replay.trajectory
    tip = np.hypot(motion["payload.x"] - 0.40, motion["payload.y"] - 0.48)
    assert 0.06 + 0.02 - 1e-3 < tip.min() < 0.06 + 0.02 + 2e-3
    assert len(plan.attempts) > 1


@pytest.mark.slow
def test_gravity(run):
    """From static equilibrium through the via point to static equilibrium."""
    _, plan, replay = run("gravity")
    t, motion = plan.transcription, replay.trajectory
    # Statics of the whole arm about the shoulder: the first motor holds all weights.
    weights = {"link1.station(0.3)": 1.2 * 0.6, "link2.station(0.3)": 0.8 * 0.6, "payload": 1.0}
    for end in (t.start, t.goal):
        x = values_at_rest(t.dae, end, [f"{place}.x" for place in weights])
        moment = 9.81 * sum(mass * x[f"{place}.x"] for place, mass in weights.items())
        assert end["joint1.motor.torque"] == pytest.approx(moment, rel=2e-3)
    for name, value in {"payload.x": 0.8, "payload.y": 0.6}.items():
        assert np.interp(0.75, motion.t, motion[name]) == pytest.approx(value, abs=5e-4)
    assert motion["payload.x"][-1] == pytest.approx(-0.3, abs=1e-4)


@pytest.mark.slow
def test_tip_goal(run):
    """The posture at the goal is better than the one that is merely nearest."""
    _, plan, replay = run("tip_goal")
    assert replay.trajectory["payload.x"][-1] == pytest.approx(0.2, abs=1e-4)
    assert replay.trajectory["payload.y"][-1] == pytest.approx(0.9, abs=1e-4)
    t = plan.transcription
    goal = {name: t.goal[name] for name in ("joint1.angle", "joint2.angle", "joint3.angle")}
    held = optim.plan(t.dae, optim.RestToRest(t.problem.start, goal, 2.0, input_ends="holding"), intervals=20)
    assert plan.objective < held.objective - 1e-4
