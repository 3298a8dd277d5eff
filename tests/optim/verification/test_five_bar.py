"""Replays and audits of a parallel robot, whose places are reached in several assemblies."""

import pytest

import flexblocks as fb
from arms.five_bar import five_bar
from flexblocks import optim


@pytest.fixture(scope="module")
def plan():
    dae = fb.assemble(five_bar(), symbolic=("tool.mass",))
    places = {"tool.x": 0.3, "tool.y": 0.4}, {"tool.x": 0.15, "tool.y": 0.5}
    return optim.plan(dae, optim.RestToRest(*places, 0.6, input_ends="holding"), intervals=30)


@pytest.mark.slow
def test_a_replay_of_a_scenario_begins_in_the_assembly_of_the_plan(plan):
    """A path from a posture to itself is all rounding: taken for one that does not arrive, it began 2.4 rad off."""
    replay = plan.replay({"tool.mass": 0.5})
    begins = {name: float(replay.trajectory[name][0]) for name in ("left.angle", "right.angle")}
    assert begins == pytest.approx({name: float(plan.trajectory[name][0]) for name in begins}, abs=1e-6)
    assert replay.tip_miss == pytest.approx(plan.replay().tip_miss, abs=1e-6)


@pytest.mark.slow
def test_an_audit_does_not_fail_for_its_regulator(plan):
    """Errors grow along the way, and the regulator of the plan may swing up modes that only the finer arm has."""
    audit = plan.audit(fb.AssumedModes(4, tip="pinned"))
    assert audit.passed
    assert audit.is_alone
    assert "with feedback" not in audit.verdict
