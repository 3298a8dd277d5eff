"""Modes that the mesh does not resolve: what the goal leaves open, how little that is, what it costs to prescribe."""

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import FourBar
from benchmarks.real_plans.random_arm import random_arm
from benchmarks.real_plans.tasks import TASKS
from flexblocks import optim
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture
from flexblocks.optim.model.ends.reached_state import left_at_goal
from flexblocks.optim.presolve.quasi_static_modes import unresolved_modes
from flexblocks.optim.strategy.warm_start import start_from
from flexblocks.optim.verification.arrivals import outputs_at

HOME, GOAL = ({"joint1.angle": a, "joint2.angle": b} for a, b in ((0.0, 0.0), (np.pi / 2, np.pi / 6)))
# Of least effort in 2 s on 400 intervals, which resolve all modes (docs/benchmarks/planning.md)
EFFORT = 0.189935


def two_links(**more) -> optim.Problem:
    return optim.RestToRest(HOME, GOAL, 2.0, input_ends="holding", **more)


@pytest.mark.parametrize("intervals", [20, 40])
def test_the_goal_is_at_rest_and_the_last_interval_ends_there_but_for_unresolved_modes(intervals):
    plan = optim.plan(subudhi_morris(), two_links(), intervals=intervals)
    m, t, n = plan.pyomo_model, plan.transcription, 8
    goal = np.array([[var[intervals, name].value for name in m.coordinates] for var in (m.q, m.v)]).ravel()
    np.testing.assert_array_equal(goal, t.goal.x)
    np.testing.assert_array_equal(plan.trajectory.x[-1], goal)
    left = left_at_goal(m, t).reshape(2, n)
    assert np.abs(left).max() > 1e-7
    np.testing.assert_allclose(left @ t.unresolved.moving(n).T, 0.0, atol=1e-8 * np.abs(left).max())
    M = mass_at_posture(t.dae.tree, *t.dae.posture(t.goal.x, t.goal.z, t.p))
    assert left[1] @ M @ left[1] / 2 < 1e-6 * plan.trajectory.energy[:, 0].max()
    # A point of the motion that is re-integrated ends there, too
    assert plan.mesh_errors is not None


def test_a_warm_start_ends_where_the_last_plan_did_and_at_its_goal():
    """On twice the intervals nothing of the plan is lost: equations hold but for the points in between."""
    dae = subudhi_morris()
    place = outputs_at(dae, fb.equilibrium(dae, GOAL))
    task = optim.RestToRest(HOME, {name: place[name] for name in ("payload.x", "payload.y")}, 2.0, input_ends="holding")
    plan = optim.plan(dae, task, intervals=20)
    finer = optim.pyomo_model(dae, task, intervals=40)
    start_from(finer, plan.pyomo_model)
    for old, new in ((plan.pyomo_model.q, finer.q), (plan.pyomo_model.v, finer.v)):
        for name in dae.q_names:
            assert new[40, name].value == pytest.approx(old[20, name].value, abs=1e-15)
    left, before = left_at_goal(finer, finer.transcription), left_at_goal(plan.pyomo_model, plan.transcription)
    assert np.abs(before).max() > 1e-7
    np.testing.assert_allclose(left, before, rtol=1e-9, atol=1e-9 * np.abs(before).max())


def test_rest_of_unresolved_modes_costs_effort_that_no_motion_needs():
    dae = subudhi_morris()
    left_open = optim.plan(dae, two_links(), intervals=40)
    assert left_open.objective == pytest.approx(EFFORT, rel=0.015)
    asked = optim.plan(dae, two_links(), intervals=40, quasi_static=False)
    assert asked.objective > 1.04 * EFFORT
    assert left_open.replay().tip_miss < 1e-4
    assert left_open.replay().energy_left < 1e-4 * left_open.trajectory.energy[:, 0].max()


def test_modes_are_left_open_by_their_periods_in_the_last_interval():
    """Not in a free time, with a leeway, by a scheme without damping, or in closed loops; but the slowest never."""
    dae, count = subudhi_morris(), []
    for intervals in (5, 10, 20, 40, 400):
        t = optim.pyomo_model(dae, two_links(), intervals=intervals).transcription
        count.append(len(t.unresolved))
        assert t.unresolved.names == unresolved_modes(dae, t.goal, 2.0 / intervals).names
    assert count == sorted(count, reverse=True)
    assert count[-1] == 0
    fine_end = optim.pyomo_model(dae, two_links(), intervals=12, spacing=[[0.2] * 9 + [0.19, 0.008, 0.002]])
    assert not fine_end.transcription.unresolved.names
    modes = unresolved_modes(dae, t.goal, 1e3)
    assert len(modes) == 6  # two of eight are rigid
    # The constraints of the two independent coordinates are two, also where nothing is bent in the slow modes
    rest = modes.moving(8)[modes.independent(8)]
    assert np.linalg.matrix_rank(rest / np.linalg.norm(rest, axis=1, keepdims=True)) == 2
    limits = {"motor1.torque": 4.0, "motor2.torque": 2.0}
    for options, problem in (
        ({}, optim.RestToRest(HOME, GOAL, "free", objective="time", limits=limits, input_ends="holding")),
        ({"scheme": "lobatto", "degree": 4}, two_links()),
        ({}, optim.Problem(HOME, (optim.Phase("near", GOAL, 2.0, leeway=1e-3),))),
        ({"quasi_static": "auto"}, two_links()),
        ({"quasi_static": False}, two_links()),
    ):
        model = optim.pyomo_model(dae, problem, intervals=20, **options)
        assert not model.transcription.unresolved.names
        assert model.component("reached_q") is None


def test_a_goal_that_moves_and_one_that_is_found_with_the_motion():
    dae = subudhi_morris()
    rates = {"der(joint1.angle)": 0.3, "der(joint2.angle)": -0.2}
    moving = optim.plan(dae, optim.RestToRest(HOME, GOAL | rates, 2.0), intervals=20)
    for name, rate in rates.items():
        assert moving.trajectory[name][-1] == pytest.approx(rate, abs=1e-12)
    place = optim.plan(dae, optim.RestToRest(HOME, {"payload.x": 0.3, "payload.y": 0.7}, 2.0), intervals=20)
    found = [place.trajectory[f"payload.{axis}"][-1] for axis in "xy"]
    assert found == pytest.approx([0.3, 0.7], abs=1e-8)
    for plan in (moving, place):
        assert plan.transcription.unresolved.names
        assert sum(attempt.iterations for attempt in plan.attempts) <= 10


def test_closed_loops_leave_modes_of_their_independent_coordinates_open():
    """A crank of 10 cm with a coupler that bends: the goal is closed, and what depends on others ends there."""
    dae = fb.assemble(FourBar(rigidity=50.0).model())
    start, goal = ({"crank_joint.angle": angle} for angle in (1.0, 1.8))
    plan = optim.plan(dae, optim.RestToRest(start, goal, 1.0, input_ends="holding"), intervals=15)
    m, t, n = plan.pyomo_model, plan.transcription, dae.tree.size
    assert t.unresolved.names
    dependent = [i for i in range(n) if not np.any(t.unresolved.directions(n)[i])]
    assert len(dependent) >= 2
    left = left_at_goal(m, t).reshape(2, n)
    np.testing.assert_allclose(left[:, dependent], 0.0, atol=1e-10)
    assert 0 < np.abs(left).max() < 1e-3
    assert plan.trajectory["crank_joint.angle"][-1] == pytest.approx(1.8, abs=1e-12)
    closed = fb.equilibrium(dae, goal)
    np.testing.assert_allclose(plan.trajectory.x[-1, :n], closed.x[:n], atol=1e-4)


@pytest.mark.slow
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(1000, 1200))
def test_random_arms_come_to_rest(seed):
    """From joints to joints: what is left at the goal is a small share of the motion's energy."""
    arm = random_arm(seed)
    task = TASKS["joints"](arm)
    model = optim.pyomo_model(arm.assembled(), task.problem, intervals=20)
    t, n = model.transcription, model.transcription.dae.tree.size
    assume(model.component("reached_q") is not None)
    try:
        plan = optim.solve(model, solver_options={"max_iter": 60})
    except optim.PlanError:
        reject()
    rates = left_at_goal(model, t)[n:]
    M = mass_at_posture(t.dae.tree, *t.dae.posture(t.goal.x, t.goal.z, t.p))
    assert rates @ M @ rates / 2 < 1e-3 * plan.trajectory.energy[:, 0].max()
