"""Mesh refinement: finer transcriptions of a plan until its replay is accurate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np

from flexblocks.errors import listing
from flexblocks.simulation.simulate import SimulationError
from flexblocks.user_warning import warn

from ...collocation.transcription_options import TranscriptionOptions
from ...errors import PlanError, ProblemError
from ...ipopt_options import FINER_MESH, NEAR_EQUATIONS, NEIGHBOR
from ...results.attempt import Attempt
from ...results.plan import Plan
from ...results.replays import chosen_law
from ...solve import advice_on_ends
from ...solver_statistics import UNRESOLVED
from ...verification.criteria import Allowed, Criteria, allowed
from ...verification.tracked_replay import AUTO
from ...warning_kinds import REFINEMENT_ENDED
from ..continuation import Continuation
from ..request import Request
from ..settings import SETTINGS, Settings
from ..solver import Budget, Solver, was_ended
from ..warm_start import start_from
from .finer_transcriptions import (
    damps,
    doubled_and_damped,
    finer_transcriptions,
    has_static_modes,
    lives_off_its_scheme,
)
from .limit_excesses import relative_excesses, widened_margins

ANY = 10**6  # iterations of all solves of a refinement, which time ends


def criteria_of(refine: Any) -> Criteria | None:
    """Return the criteria of the replay for the option `refine`; None for no refinement.

    Raises
    ------
    ProblemError
        It is neither a length nor criteria.
    """
    if refine is None or refine is False:
        return None
    if refine is True:
        return Criteria()
    if isinstance(refine, Criteria):
        return refine
    if isinstance(refine, (int, float)) and 0 < refine < float("inf"):
        return Criteria(miss=float(refine))
    raise ProblemError(
        f"plan: refine = {refine!r}; must be True for 1e-4 of the reach, or the greatest miss of the replay > 0 m, or "
        "optim.Criteria(miss=..., energy=...)."
    )


def refine_mesh(plan: Plan, criteria: Criteria, solver: Solver | None = None, settings: Settings = SETTINGS) -> Plan:
    """Refine the transcription of a plan until the plan replays.

    A plan replays if its replay misses the goal by less, and leaves less energy beyond a leeway, than the `criteria`
    allow, violates regions by no more than 1e-3 of the reach and any other limit by no more than 1 %. Where the arm
    needs feedback (see `MeshErrors`) the replay has it, and the local error of each interval has to meet the criteria,
    too. A plan that replays but for limits that it exceeds by little is made again on the same mesh, with margins to
    them. What is finer is for `finer_transcriptions`; of several the next is tried where one is not solved. Each
    plan starts from the last one; from least effort if its duration is free and the last one lived off its scheme and
    missed by much, as a motion with excessive vibration on a coarse mesh keeps it on a finer one. Where it misses by
    little, shorter intervals come before another scheme, until halving all of them no longer helps. Where a scheme that
    conserves vibrations did not help, the one that damps them goes first on the finer mesh, too, from its own last
    plan; and last elsewhere.

    If no finer plan is solved, beyond 800 intervals of a phase or two minutes of CPU (without a time limit), the best
    plan so far is returned with a warning, and the status ``"unresolved"`` in place of ``"optimal"``.

    Warns
    -----
    PlanWarning
        Refinement ended before the plan replayed.
    """
    most = allowed(criteria, plan.transcribed.arm, plan.trajectories)
    solver = solver or Solver()
    end = solver.budget.end
    cpu_end = process_time() + settings.refinement_time if math.isinf(end) else math.inf
    solver = replace(solver, budget=Budget(ANY, end, cpu_end), attempts=list(plan.attempts))
    best, least, before, is_narrowed, was_doubled = plan, math.inf, math.inf, False, False
    damped: Plan | None = None
    failed: set[tuple[Any, ...]] = set()
    while True:
        plan, excess, margins = _replayed(plan, solver, settings, most)
        if excess < least:
            best, least = plan, excess
        if least < 1:
            return replace(best, status="optimal")
        stalls = excess > settings.progress * before
        is_near = excess <= settings.near
        # Where halving all intervals did not help, the error is the scheme's and not the intervals'.
        shorter_first = is_near and not (stalls and was_doubled)
        ways = [(plan, finer) for finer in finer_transcriptions(plan, most, settings, stalls, shorter_first)]
        # What was not solved on a coarser mesh comes last, unless what was solved in its place did not help.
        if not (stalls and has_static_modes(plan)):
            ways.sort(key=lambda way: _kind(way[1]) in failed)
        options = plan.transcribed.options
        if damps(plan):
            damped = plan
        elif damped is not None:
            ways.insert(0 if excess >= before else len(ways), (damped, doubled_and_damped(plan, damped)))
        if margins and not (is_narrowed and excess >= before):
            ways.insert(0, (plan, replace(options, margins=margins)))
        finer, attempts, why = _finer_plan(plan.attempts, solver, settings, most, ways, failed, is_near)
        if finer is None:
            warn(
                f"Plan of '{plan.transcribed.dae.name}': refinement ended {why}, before the plan replayed: returned is "
                "the one that misses least. Plan with more intervals, allow for more by refine=, or give it longer by "
                f"time_limit=.{advice_on_ends(plan.transcribed)}",
                REFINEMENT_ENDED,
            )
            return replace(best, status=UNRESOLVED, attempts=attempts)
        is_narrowed = finer.transcribed.options.margins != options.margins
        was_doubled = finer.transcribed.intervals == tuple(2 * count for count in plan.transcribed.intervals)
        plan, before = finer, excess


def _kind(options: TranscriptionOptions) -> tuple[Any, ...]:
    return options.scheme, options.degree, options.quasi_static, *(options.margins or {}).items()


def _finer_plan(
    attempts: tuple[Attempt, ...],
    solver: Solver,
    settings: Settings,
    most: Allowed,
    ways: Sequence[tuple[Plan, TranscriptionOptions]],
    failed: set[tuple[Any, ...]],
    is_near: bool,
) -> tuple[Plan | None, tuple[Attempt, ...], str]:
    """Return the first finer plan that is solved, None if none is; all attempts; and why there is none.

    Notes what `failed`. `ways` are plans to start from with finer transcriptions.
    """
    for start, finer in ways:
        if max(finer.counts) > settings.most_intervals:
            continue
        try:
            solver.attempts[:] = attempts
            plan = _planned_again(start, solver, settings, finer, most, is_near)
            return plan, plan.attempts, ""
        except PlanError as error:
            attempts = tuple(solver.attempts)
            if not solver.is_out_of_time(error):
                if was_ended(error):
                    raise
                failed.add(_kind(finer))
                continue
            return None, attempts, f"after {settings.refinement_time:g} s of CPU"
    return None, attempts, f"as no finer mesh of at most {settings.most_intervals} intervals was solved"


def _planned_again(
    plan: Plan, solver: Solver, settings: Settings, finer: TranscriptionOptions, most: Allowed, is_near: bool
) -> Plan:
    """Return the plan of a finer transcription, started from the coarser one; see `refine_mesh`."""
    before = plan.transcribed.options
    model = replace(Request.of(plan.transcribed), options=finer).model(plan.transcribed)
    restores = has_static_modes(plan) and finer.quasi_static is None
    is_free, narrows = plan.transcribed.is_free, finer.margins != before.margins
    if restores or narrows or not is_free or is_near or not lives_off_its_scheme(plan, most):
        start_from(model, plan.pyomo_model)
        try:
            if restores:
                what, near = "with the dynamics of all modes, from there", NEAR_EQUATIONS | NEIGHBOR
            else:
                near = FINER_MESH
                what = _words(finer, before) if narrows else f"{finer.collocation.words} collocation from there"
            again = solver.solve(what, model, near, settings.refinement_iterations)
            solver.plans.append(again)
            return again
        except PlanError as error:
            if error.plan is not None:
                solver.plans.append(error.plan)
            if restores or not is_free or was_ended(error):
                raise
    budget = Budget(end=solver.budget.end, cpu_end=solver.budget.cpu_end)
    fresh = replace(Request.of(plan.transcribed), options=finer).model(plan.transcribed)
    return Continuation(fresh, replace(solver, budget=budget)).run()


def _words(narrowed: TranscriptionOptions, before: TranscriptionOptions) -> str:
    old, new = before.margins or {}, narrowed.margins or {}
    wider = [f"{name} by {margin:.3g}" for name, margin in new.items() if margin != old.get(name)]
    return f"within limits exceeded by the replay ({listing(wider, 3)}), from there"


def _replayed(plan: Plan, solver: Solver, settings: Settings, most: Allowed) -> tuple[Plan, float, dict[str, float]]:
    """Return the plan with its replay recorded, its largest error relative to what is allowed, and margins.

    These would keep the plan within limits that the replay exceeds; none where that is not all, or by much.
    """
    errors, local = plan.mesh_errors, 0.0
    if errors is not None and errors.needs_feedback:
        local = replace(errors, allowed=most).excess
        # Far from its plan an upright arm tumbles, which takes long to simulate and shows nothing.
        if local > settings.hopeless:
            return plan, local, {}
    try:
        replay = plan.replay(
            law=chosen_law(AUTO, errors),  # one that fails shows that the plan does, and takes its time
            time_limit=settings.refinement_time if solver.budget.seconds is None else solver.budget.seconds,
        )
    except SimulationError:  # inputs of a coarse mesh may be too violent to simulate, or take too long
        gone = replace(plan.attempts[-1], tip_miss=math.inf)
        return replace(plan, attempts=(*plan.attempts[:-1], gone)), math.inf, {}
    # An arm without end points has no miss, and a motion that ends moving has no residual energy; at rest, no number
    # would be no little energy.
    rests = any(t.end.is_rest for t in plan.transcribed.first)
    miss = replay.tip_miss if replay.misses else 0.0
    left = float(np.nan_to_num(replay.energy_left, nan=np.inf)) if rests else 0.0
    noted = replace(plan.attempts[-1], tip_miss=miss, energy_left=left)
    leeway = max(phase.leeway for phase in plan.transcribed.problem.phases)
    beyond = relative_excesses(plan, replay, most, settings)
    error = max(miss / most.miss, abs(left) / (most.energy + leeway), local)
    exceeded, margins = max(beyond.values(), default=0.0), {}
    if error < 1 <= exceeded <= settings.most_margin:
        margins = widened_margins(plan, replay, beyond)
    return replace(plan, attempts=(*plan.attempts[:-1], noted)), max(error, exceeded), margins
