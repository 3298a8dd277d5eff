"""Arrivals of replays: under the parameters of their own phase, and at rest where closed loops follow."""

import numpy as np
import pytest

import flexblocks as fb
from arms.linkages import RIGID
from arms.loads import CHEAP, LIGHT, at, hinge, inertia
from flexblocks import optim


@pytest.mark.parametrize(("balance", "tool"), [("own", 0.4), ("next", 0.5)])
def test_a_longer_tool_in_the_next_phase_moves_no_target_of_this_one(balance, tool):
    """The tip arrives at its place with the tool of its phase; the next phase begins 0.1 m further out."""
    arm, height = hinge(symbolic=("link.length",)), (-0.1, tool * np.sin(0.5) + 1e-3)
    phases = (
        optim.Phase("fetch", at(0.5), 0.5, p={"link.length": 0.4}, balance=balance, limits={"payload.y": height}),
        optim.Phase("work", at(1.2), 0.5, p={"link.length": 0.5}),
    )
    plan = optim.plan(arm, optim.Problem(at(0.0), phases), intervals=10, refine=True)
    assert plan.status == "optimal"
    assert len(plan.attempts) == 1
    replay = plan.replay()
    assert [max(arrival.misses.values()) for arrival in replay.arrivals] == pytest.approx([0.0, 0.0], abs=1e-6)
    # The motion itself has the longer tool from there on.
    assert np.hypot(replay.trajectory["payload.x"], replay.trajectory["payload.y"])[[0, -1]] == pytest.approx(
        [0.4, 0.5]
    )
    figures = plan.audit(finer=arm).replay
    assert figures.tip_miss < 1e-6
    assert figures.beyond_limits["payload.y"] == 0.0


@pytest.mark.slow
def test_energy_left_of_a_linkage_that_is_designed_is_that_of_the_same_linkage_given():
    dae = fb.assemble(RIGID.model(), symbolic=("rocker.mass",))
    start, goal, design = {"crank_joint.angle": 0.8}, {"crank_joint.angle": 2.0}, {"rocker.mass": (0.4, 0.9)}
    problem = optim.Problem(start, (optim.Phase("turn", goal, 0.6),), design=design)
    designed = optim.plan(dae, problem, intervals=20)
    mass = designed.p["rocker.mass"]
    given = optim.plan(dae, optim.RestToRest(start, goal, 0.6), intervals=20, p={"rocker.mass": mass})
    left = [plan.replay().energy_left for plan in (designed, given)]
    # An angle off by e at the goal leaves the energy of the weight's moment times e: both are rounding, and numbers.
    assert np.isfinite(left).all()
    assert left[0] == pytest.approx(left[1], abs=1e-9)
    assert designed.audit(finer=dae).coast > 0


def test_an_input_that_jumps_beyond_the_limit_of_the_phase_before_keeps_its_own():
    """Slowly there and fast back: 6 I d / T^2 at the beginning is ten times what the first phase allows."""
    arm, allowed = hinge(), 6 * inertia(LIGHT) * 0.2 / 1.0**2 * 1.01
    phases = (
        optim.Phase("there", at(0.2), 1.0, p=LIGHT, limits={"motor1.torque": allowed}),
        optim.Phase("back", at(0.0), 0.3, p=LIGHT, input_jump=True),
    )
    plan = optim.plan(arm, optim.Problem(at(0.0), phases, CHEAP), intervals=6, inputs="linear")
    assert abs(plan.inputs["motor1.torque"](1.0)) > 5 * allowed
    assert plan.audit(finer=arm).replay.beyond_limits["motor1.torque"] == pytest.approx(0.0, abs=1e-6)
