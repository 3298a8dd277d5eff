"""Planning ends when its time is over, with the best there is, in its own words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms.library import subudhi_morris
from arms.turns import hinge, swing
from flexblocks import optim
from flexblocks.optim.errors import PlanError
from flexblocks.optim.problem.problem import Problem
from flexblocks.optim.results.attempt import Attempt
from flexblocks.optim.strategy.best_so_far import best_so_far
from flexblocks.optim.strategy.solver import Budget

LIMITS = {"motor1.torque": 2.0, "der(motor1.torque)": 40.0}


def test_no_time_returns_the_first_guess_and_what_it_misses():
    """The miss is that of an independent simulation of the returned inputs, on a machine that has the time for it."""
    arm = subudhi_morris()
    task = optim.RestToRest(*({"joint1.angle": a, "joint2.angle": -a} for a in (0.0, 1.0)), duration=2.0)
    with pytest.warns(optim.PlanWarning, match="reached its time limit.*(misses the goal by|violates)"):
        plan = optim.plan(arm, task, intervals=10, time_limit=1e-3)
    if plan.status.startswith("misses the goal by"):
        miss = float(plan.status.split()[-2])
        assert miss > 1e-4
        assert plan.replay().tip_miss == pytest.approx(miss, rel=1e-2)
    assert optim.solve(plan.pyomo_model).status == "converged"


def test_what_ends_at_its_goal_is_said_to_violate_its_equations():
    """A hinge alone has no place to miss."""
    with pytest.warns(optim.PlanWarning, match=r"best so far: violates motion of joint1.angle at"):
        optim.plan(hinge(), swing(1.0, 2.0), intervals=10, time_limit=1e-3)


@pytest.mark.parametrize("limit", [0, -1.0, "fast", True, np.nan])
def test_a_limit_is_a_time(limit):
    with pytest.raises(optim.ProblemError, match="time_limit"):
        optim.plan(hinge(), swing(1.0, 2.0), intervals=10, time_limit=limit)


def test_enough_time_changes_nothing():
    arm, task = hinge(), swing(1.0, 2.0)
    assert (
        optim.plan(arm, task, intervals=10, time_limit=1e4).objective == optim.plan(arm, task, intervals=10).objective
    )
    assert Budget.of_seconds(None).options == {}


def test_what_is_best():
    """An optimum of the problem, else a motion that is feasible, else the last iterate."""
    arm = hinge()
    asked: Problem = swing(1.0, "free", objective="time", limits=LIMITS).problem
    slow = optim.plan(arm, swing(1.0, 2.0, limits=LIMITS), intervals=10)
    iterate = optim.Plan.from_model(optim.pyomo_model(arm, asked, intervals=10))
    ended = PlanError("over", iterate, (), None)
    assert best_so_far(ended, [slow, iterate], arm, asked).status == "feasible, not optimal"
    assert best_so_far(ended, [slow, iterate], arm, asked).duration == 2.0
    assert best_so_far(ended, [slow, iterate], arm, slow.transcribed.problem).status == "converged"
    assert best_so_far(ended, [iterate], arm, asked).status.startswith("violates motion of joint1.angle")


def test_what_refinement_found_to_miss_is_no_optimum():
    """Of plans that were replayed that which misses least; one that was not replayed yet comes first."""
    arm, problem = hinge(), swing(1.0, 2.0).problem
    coarse = optim.plan(arm, problem, intervals=10)
    finer = optim.plan(arm, problem, intervals=12)
    (first,), (second,) = coarse.attempts, finer.attempts
    missing = replace(first, tip_miss=0.1, energy_left=0.0)
    finer = replace(finer, attempts=(missing, second))

    def best(*attempts: Attempt) -> optim.Plan:
        error = PlanError("over", replace(finer, status="maxTimeLimit", attempts=(*attempts, second)), (), None)
        return best_so_far(error, [coarse, finer], arm, problem)

    assert best(missing, second).status == "converged"
    for miss, intervals in ((0.05, 12), (0.2, 10)):
        unresolved = best(missing, replace(second, tip_miss=miss, energy_left=0.0))
        assert (unresolved.status, unresolved.transcription.mesh.intervals) == ("unresolved", intervals)
        assert len(unresolved.attempts) == 3


def test_progress_names_what_is_worst():
    """Every iteration but the last violates something, which is named."""
    from flexblocks.optim.casadi_solver import CasadiSolver

    told: list[str] = []
    m = optim.pyomo_model(hinge(), swing(1.0, 2.0, limits={"motor1.torque": 1.2}), intervals=10)
    CasadiSolver().solve(m, iteration_callback=lambda iteration: told.append(str(iteration)))
    names = m.dynamics.get_external_model().equality_constraint_names()
    assert any(name in told[0] for name in names)
    assert " in " not in told[-1]


def test_an_interrupt_between_two_solves_returns_the_best_so_far(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("flexblocks.optim.planner.refine_mesh", interrupted)
    with pytest.warns(optim.PlanWarning, match="was interrupted"):
        plan = optim.plan(hinge(), swing(1.0, 2.0), intervals=10, refine=True)
    assert plan.status == "converged"


def test_an_interrupt_before_any_solve_is_one(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("flexblocks.optim.planner.plan_with", interrupted)
    with pytest.raises(KeyboardInterrupt):
        optim.plan(hinge(), swing(1.0, 2.0), intervals=10)
