"""Plans of linkages with closed loops, replayed and followed in minimal coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexblocks as fb
from arms.linkages import FourBar
from flexblocks import optim

MOVE = {"start": {"crank_joint.angle": 0.5}, "goal": {"crank_joint.angle": 2.5}}


@pytest.mark.parametrize("rigidity", [None, pytest.param(5.0, marks=pytest.mark.slow)], ids=["rigid", "flexible"])
def test_least_effort_from_rest_to_rest(rigidity):
    four_bar = FourBar(rigidity=rigidity)
    dae = fb.assemble(four_bar.model())
    plan = optim.plan(dae, optim.RestToRest(**MOVE, duration=1.0), intervals=200 if rigidity else 80)
    assert plan.status == "converged"
    assert plan.statistics.iterations <= 15
    assert np.abs(dae.constraint(plan.trajectory.x[:, : dae.tree.size].T, []).full()).max() < 1e-6
    torque = plan.inputs["motor.torque"]
    modes = 2 if rigidity else 0
    lagrange = four_bar.lagrange(modes)

    def rates(t, y):
        q, v = np.split(y, 2)
        return np.concatenate([v, lagrange(q, v, float(torque(min(t, 1.0))))[0].full().ravel()])

    rest = fb.equilibrium(dae, x=MOVE["start"]).x
    start = np.concatenate([rest[[0, *range(2, 2 + modes)]], np.zeros(1 + modes)])
    end = solve_ivp(rates, (0.0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-13, max_step=5e-3).y[:, -1]
    assert end[0] == pytest.approx(2.5, abs=1e-4 if rigidity is None else 5e-4)
    # The linkage passes above its feet, where errors grow by e in 0.1 s.
    replay = plan.replay(law=None, rtol=1e-11, atol=1e-13)
    assert replay.trajectory["crank_joint.angle"][-1] == pytest.approx(end[0], abs=1e-5)


@pytest.mark.slow
def test_a_finer_mesh_replays_better_and_costs_the_same():
    dae = fb.assemble(FourBar().model())
    problem = optim.RestToRest(**MOVE, duration=1.0, objective=optim.Effort(rate_weight=0.01))
    coarse, fine = (optim.plan(dae, problem, intervals=count) for count in (20, 40))
    assert fine.objective == pytest.approx(coarse.objective, rel=1e-5)
    miss = [abs(plan.replay().trajectory["crank_joint.angle"][-1] - 2.5) for plan in (coarse, fine)]
    assert miss[1] < 0.1 * miss[0] < 1e-3


@pytest.mark.slow
def test_shortest_time():
    dae = fb.assemble(FourBar(rigidity=5.0).model())
    limits = {"motor.torque": 1.5, "der(motor.torque)": 30.0}
    problem = optim.RestToRest(**MOVE, duration="free", objective="time", limits=limits)
    plan = optim.plan(dae, problem, intervals=40)
    assert plan.status == "converged"
    assert plan.duration == pytest.approx(0.2329, abs=5e-4)
    assert abs(plan.replay().trajectory["crank_joint.angle"][-1] - 2.5) < 1e-4


@pytest.mark.slow
def test_a_limited_force_at_the_pin():
    """The force that keeps the loop closed is limited like any output; the plan takes another way to the goal."""
    dae = fb.assemble(FourBar().model())
    free = optim.plan(dae, optim.RestToRest(**MOVE, duration=0.5), intervals=40)
    most = np.abs(free.trajectory["elbow.loop_force_x"]).max()
    limits = {"elbow.loop_force_x": 0.7 * most}
    held = optim.plan(dae, optim.RestToRest(**MOVE, duration=0.5, limits=limits), intervals=40)
    assert held.status == "converged"
    assert held.objective > free.objective
    replayed = held.replay().trajectory
    assert np.abs(replayed["elbow.loop_force_x"]).max() == pytest.approx(0.7 * most, rel=0.01)
