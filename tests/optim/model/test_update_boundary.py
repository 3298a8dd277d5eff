"""Another start and goal on a model that stands, beside planning from nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

import flexblocks as fb
from arms.library import subudhi_morris
from arms.one_link import joint_arm
from flexblocks import optim
from flexblocks.optim import Phase, PlanWarning, Problem, ProblemError, RestToRest


@cache
def arm(symbolic: tuple[str, ...] = ()) -> fb.DAE:
    """A link under gravity, elastic joint and beam, so that every posture of rest is bent otherwise."""
    model = joint_arm(
        beam=fb.FlexibleBeam("beam", 0.8, 0.5, 8.0, fb.AssumedModes(1, tip="auto")),
        payload=fb.Payload("payload", 0.3),
        rotor=fb.Rotor("rotor", inertia=0.02),
        spring=fb.TorsionalSpring("spring", stiffness=60.0),
        drive=(fb.TorqueSource("motor"),),
    )
    return fb.assemble(model, symbolic=symbolic)


@pytest.fixture(scope="module")
def dae() -> fb.DAE:
    return arm()


PROBLEM = RestToRest({"joint.angle": 0.0}, {"joint.angle": 1.0}, 1.0, input_ends="holding")


def solved_again(dae: fb.DAE, problem: Problem | RestToRest, other: Problem | RestToRest) -> optim.Plan:
    """Plan the one problem, pose the other on its model, and solve that with what is there."""
    m = optim.pyomo_model(dae, problem, intervals=20)
    solver = SolverFactory("casadi_persistent")
    solver.solve(m)
    optim.repose(m, other)
    results = solver.solve(m, warm_start=True)
    assert results.extra_info.rebuilt is None
    return optim.Plan.from_model(m, results)


@pytest.mark.parametrize("ends", ["holding", "free"])
def test_start_and_goal_elsewhere(dae: fb.DAE, ends: str) -> None:
    problem = replace(PROBLEM, input_ends=ends)
    other = replace(problem, start={"joint.angle": -0.2}, goal={"joint.angle": 1.3})
    found, expected = solved_again(dae, problem, other), optim.plan(dae, other, intervals=20)
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)
    replay = found.replay()
    assert replay.end_error["joint.angle"] == pytest.approx(expected.replay().end_error["joint.angle"], abs=1e-6)
    assert replay.tip_miss < 1e-3
    assert found.trajectory["joint.angle"][[0, -1]] == pytest.approx([-0.2, 1.3])
    assert "from -0.2 to 1.3" in found.summary()
    if ends == "holding":
        for where, k in (("start", 0), ("goal", -1)):
            point = fb.equilibrium(dae, x=getattr(other, where))
            assert found.trajectory["motor.torque"][k] == pytest.approx(point["motor.torque"])


@pytest.mark.slow
def test_phases_and_scenarios() -> None:
    """A place to stop at on the way, and two payloads under torques of their own."""
    dae = arm(symbolic=("payload.mass",))
    problem = Problem(
        {"joint.angle": 0.0},
        (Phase("out", {"joint.angle": 0.8}, 1.0), Phase("on", {"joint.angle": 1.2}, 1.0, p={"payload.mass": 0.5})),
    )
    out, on = problem.phases
    other = replace(problem, phases=(replace(out, goal={"joint.angle": 0.9}), replace(on, goal={"joint.angle": 1.4})))
    found, expected = solved_again(dae, problem, other), optim.plan(dae, other, intervals=20)
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)
    for arrival, meant in zip(found.replay().arrivals, expected.replay().arrivals, strict=True):
        assert arrival.end_error["joint.angle"] == pytest.approx(meant.end_error["joint.angle"], abs=1e-6)


def test_what_is_moved_by_hand_is_told(dae: fb.DAE) -> None:
    m = optim.pyomo_model(dae, PROBLEM, intervals=10)
    with pytest.raises(ProblemError, match="has no values yet; solve it first"):
        optim.Plan.from_model(m)
    m.q[10, "joint.angle"].fix(1.1)
    SolverFactory("casadi").solve(m)
    with pytest.warns(PlanWarning, match=r"joint\.angle is 1\.1 and not 1 at the goal.*optim\.repose"):
        optim.Plan.from_model(m)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (replace(PROBLEM, limits={"motor.torque": 9.0}), r"another limits than the model; build a new model"),
        (replace(PROBLEM, duration=2.0), r"another duration of phase 'motion'"),
        (replace(PROBLEM, goal={"joint.angel": 0.5}), r"joint\.angel.*joint\.angle"),
        ({"goal": {"joint.angle": 1.0}}, r"must be an optim\.RestToRest"),
    ],
)
def test_refusals_leave_the_model_as_it_is(dae: fb.DAE, other, words: str) -> None:
    m = optim.pyomo_model(dae, PROBLEM, intervals=10)
    before = [variable.value for variable in m.q.values()]
    transcribed = m.transcribed
    with pytest.raises(fb.FlexblocksError, match=words):
        optim.repose(m, other)
    assert m.transcribed is transcribed
    assert [variable.value for variable in m.q.values()] == before


def test_a_goal_that_is_found_with_the_motion_is_none_to_move() -> None:
    dae = subudhi_morris(modes=1)
    problem = RestToRest(dict.fromkeys(("joint1.angle", "joint2.angle"), 0.0), {"payload.x": 0.6}, 2.0)
    with pytest.raises(ProblemError, match=r"the goal of phase 'motion' is not a known equilibrium"):
        optim.repose(optim.pyomo_model(dae, problem, intervals=10), replace(problem, goal={"payload.x": 0.5}))


def test_no_model_of_the_planner() -> None:
    with pytest.raises(ProblemError, match="was not made by"):
        optim.repose(object(), PROBLEM)
