"""Robust plans: several scenarios that share their inputs, begun from the plan of their mean, then the extremes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from flexblocks.user_warning import warn

from ..collocation.transcription_options import AUTO
from ..errors import PlanError, PlanWarning
from ..model.initial_guess import set_guess
from ..model.objective import set_costs
from ..model.trajectories import all_phase_trajectories, transcribed_problem
from ..presolve.quasi_static_modes import fast_modes
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.plan import Plan
from .best_so_far import was_ended
from .leeway import largest_energy, may_have_leeway, tell_leeway, with_leeway
from .scenario_order import growing_sets, places, spread_out
from .solving import Solving, attempts_of
from .unresolved_modes import shortest_step
from .warm_start import start_all_from, start_between, start_from

ALL = "all scenarios"
SAME = 1e-9  # rad or m, or of the coordinate: rounding

Alone = Callable[[Any, Solving], Plan]
Start = Callable[[Any, Any], None]  # sets the first model from the solved second


def solve_scenarios(model: Any, solving: Solving, alone: Alone) -> Plan:
    """Solve for the mean of the scenarios, then for the two farthest apart, and so on to all of them.

    All come to rest exactly if that is easily had, otherwise up to a leeway: first the one that counts as nothing
    (`Criteria`); if that fails, the largest, which is tightened from solve to solve. The leeway is a
    share of the largest kinetic energy of the mean scenario. A warning tells it, and the summary does. Where the mean
    was solved without the dynamics of modes that the mesh does not resolve, so are all scenarios first.

    Parameters
    ----------
    model : pyomo.environ.ConcreteModel
        Of all scenarios.
    solving : Solving
    alone : callable
        (model, solving) -> Plan of a single scenario.

    Raises
    ------
    PlanError
        Not even with the largest leeway was an optimum reached.
    """
    transcribed, settings = transcribed_problem(model), solving.settings
    mean = replace(solving, p=_parameters(transcribed).mean(axis=0), plans=[])
    alike, one = (mean.like(transcribed, replace(transcribed.problem, scenarios=())) for _ in range(2))
    _go_straight(alike)

    def from_one(several: Any, solved: Any) -> None:
        start_all_from(several, solved, alike)

    try:
        source = alone(one, mean)
    except PlanError as error:
        raise _of_all(model, error, from_one) from None
    _tell_places(transcribed)
    attempts = source.attempts
    if transcribed.options.quasi_static is None and source.transcribed.options.quasi_static == AUTO:
        try:
            return _quasi_statically(transcribed, solving, mean, source)
        except PlanError as error:
            attempts = attempts_of(error)
    source, may_remain = replace(source, attempts=attempts), may_have_leeway(transcribed)
    if not may_remain or not _is_overdetermined(transcribed):
        try:
            return _from_extremes(model, solving, source, from_one, 0.0)
        except PlanError as error:
            source = replace(source, attempts=attempts_of(error))
            if not may_remain:
                raise
    energy = largest_energy(source.pyomo_model)
    largest, *smaller = (share * energy for share in settings.leeways)
    try:
        best = _from_extremes(model, solving, source, from_one, smaller[-1])
    except PlanError as error:
        easier = solving.like(transcribed, with_leeway(transcribed, largest))
        from_one(easier, source.pyomo_model)
        best = solving.attempt_near(_what(ALL, largest), easier, attempts_of(error))
        best = _tightened(transcribed, solving, best, smaller)
    tell_leeway(best, energy)
    return best


def _from_extremes(model: Any, solving: Solving, source: Plan, from_one: Start, leeway: float) -> Plan:
    """Solve with a leeway [J] for the two scenarios farthest apart, and so on to all, each time from those before.

    With three loads the two links of Subudhi & Morris take 7 + 22 + 52 iterations this way; without the extremes in
    between 7 + 50 + 45 + 28 + 40, since they need larger leeways then, and 8 % more effort. If some fail where no
    leeway can be left, all are solved from their mean.

    Raises
    ------
    PlanError
    """
    transcribed, settings, plan, before = transcribed_problem(model), solving.settings, source, ()
    problem = with_leeway(transcribed, leeway) if leeway else transcribed.problem
    points, may_remain = spread_out(_parameters(transcribed)), may_have_leeway(transcribed)
    everyone, hidden = tuple(range(len(points))), replace(solving, plans=[])  # no plan of only some is kept

    def start(members: Sequence[int], of: Sequence[int], several: Any, solved: Any) -> None:
        if of:
            known = [members.index(i) for i in of]
            start_between(several, solved, known, places(points[list(members)], known))
        else:
            from_one(several, solved)

    for members in growing_sets(points):
        if members == everyone:
            break
        few = solving.like(transcribed, replace(problem, scenarios=tuple(problem.scenarios[i] for i in members)))
        start(members, before, few, plan.pyomo_model)
        what = _what(f"scenarios {', '.join(map(str, members))}", leeway)
        patience = settings.static_patience if before else settings.exact_patience
        try:
            plan, before = hidden.attempt_near(what, few, plan.attempts, max_iter=patience), members
        except PlanError as error:
            if was_ended(error):
                raise _of_all(model, error, partial(start, everyone, members)) from None
            if may_remain:
                raise
            plan, before = replace(source, attempts=attempts_of(error)), ()
            break
    several = solving.like(transcribed, problem) if leeway else model
    start(everyone, before, several, plan.pyomo_model)
    patience = settings.static_patience if before else settings.exact_patience
    options = {"max_iter": patience} if may_remain else {}
    return solving.attempt_near(_what(ALL, leeway), several, plan.attempts, **options)


def _of_all(model: Any, error: PlanError, start: Start) -> PlanError:
    """Return the failure of some scenarios as one of all of them, in the motion that `start` makes of the last one."""
    if error.plan is None:
        return error
    start(model, error.plan.pyomo_model)
    set_costs(model)
    last = error.plan
    plan = replace(Plan.from_model(model), status=last.status, statistics=last.statistics, attempts=last.attempts)
    return PlanError(str(error), plan, error.violations)


def _what(scenarios: str, leeway: float) -> str:
    return f"{scenarios}{f' with a leeway of {leeway:.2g} J' if leeway else ''}, from there"


def _quasi_statically(transcribed: TranscribedProblem, solving: Solving, mean: Solving, source: Plan) -> Plan:
    """Solve for all scenarios without the dynamics of modes that the mesh does not resolve, as for their mean."""
    model = solving.like(transcribed, quasi_static=AUTO)
    alike = mean.like(transcribed, replace(transcribed.problem, scenarios=()), quasi_static=AUTO)
    _go_straight(alike)
    start_all_from(model, source.pyomo_model, alike)
    what, patience = "all scenarios likewise, from there", solving.settings.static_patience
    return solving.attempt_near(what, model, source.attempts, max_iter=patience)


def _go_straight(alike: Any) -> None:
    """Set the first guess as that of the scenarios, which it is compared with."""
    for traj in all_phase_trajectories(alike):
        set_guess(traj.block, traj.transcription, straight=True)


def _tightened(transcribed: TranscribedProblem, solving: Solving, best: Plan, leeways: Sequence[float]) -> Plan:
    """Solve for all scenarios with smaller and smaller leeways, as long as that succeeds."""
    for leeway in leeways:
        easier = solving.like(transcribed, with_leeway(transcribed, leeway))
        start_from(easier, best.pyomo_model)
        try:
            patience = solving.settings.static_patience
            best = solving.attempt_near(_what(ALL, leeway), easier, best.attempts, max_iter=patience)
        except PlanError as error:
            return replace(best, attempts=attempts_of(error))
    return best


def _is_overdetermined(transcribed: TranscribedProblem) -> bool:
    """Whether rest of all scenarios, with more fast modes together than inputs, takes long and much effort.

    Three loads on two links take 46 iterations and 13.6 times the effort of their mean exactly, and up to a leeway that
    counts as nothing 88 and 11.6 times; three stiffnesses of their springs 199 and 40 iterations. With closed loops two
    loads on a boom take 18 exactly, and had no end with a leeway.
    """
    dae, at, step = transcribed.dae, transcribed.first[0].start, shortest_step(transcribed)
    return not dae.tree.loops.closures and len(transcribed.runs) * fast_modes(dae, at, step) > len(dae.u)


def _parameters(transcribed: TranscribedProblem) -> np.ndarray:
    """Return the parameters (scenarios, np) of all scenarios."""
    dae = transcribed.dae
    values = np.tile(transcribed.p, (len(transcribed.runs), 1))
    for row, scenario in zip(values, transcribed.problem.scenarios, strict=True):
        for name, value in scenario.items():
            row[dae.p.index(name)] = value
    return values


def _tell_places(transcribed: TranscribedProblem) -> None:
    """Warn of the coordinate that is farthest from where it is asked, since scenarios share the travel of drives."""
    off = [
        (abs(t.goal[name] - value), i, name, value, t.goal[name])
        for i, run in enumerate(transcribed.runs[1:], start=1)
        for t in run
        if t.end.loose
        for name, value in (t.phase.goal or {}).items()
        if name in transcribed.dae.q_names
    ]
    away, scenario, name, asked, reached = max(off, default=(0.0, 0, "", 0.0, 0.0))
    if away > SAME * max(1.0, abs(asked)):
        warn(
            f"Plan of '{transcribed.dae.name}': under shared inputs scenario {scenario} comes to rest at {name} = "
            f"{reached:.6g}, not at {asked:.6g}: winches and pistons travel alike, and loads stretch ropes and "
            "compress oil by different amounts. Plan scenarios separately to bring each to the goal.",
            PlanWarning,
        )
