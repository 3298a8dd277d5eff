"""Mesh refinement: a plan on ever finer transcriptions, until it replays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..collocation.schemes import HIGHEST_DEGREE
from ..collocation.transcription_options import TranscriptionOptions
from ..errors import PlanError, ProblemError
from ..model.read_solution import input_polynomials, trajectory
from ..model.trajectories import arcs
from ..model.violations import Violation
from ..results.plan import Plan
from ..verification.replay import DEFAULT_MISS, MOST_ENERGY
from .homotopy import solve_by_homotopy
from .settings import Settings
from .solving import Solving, attempts_of
from .warm_start import start_from


def tolerance_of(refine: Any) -> float | None:
    """Return the greatest miss [m] that a user asks for; None for no refinement.

    Raises
    ------
    ProblemError
        It is no length.
    """
    if refine is None or refine is False:
        return None
    if refine is True:
        return DEFAULT_MISS
    if isinstance(refine, (int, float)) and 0 < refine < float("inf"):
        return float(refine)
    raise ProblemError(
        f"plan: refine = {refine!r}; must be True for {1e3 * DEFAULT_MISS:g} mm, or the greatest miss of the replay "
        "> 0 m."
    )


def refine_mesh(plan: Plan, solving: Solving, tolerance: float) -> Plan:
    """Return the first plan, of ever finer transcriptions of a problem, that replays.

    It replays if its replay misses the goal by less than `tolerance` [m], leaves less than 1e-4 J besides a leeway,
    goes no more than 1 mm into a region that it keeps out of (or out of one it stays in), and exceeds no other limit by
    more than 1 %. Modes that were carried quasi-statically get their motion back. Then intervals are doubled; a
    symmetric scheme is first raised to degree 6. The next plan starts from the last one where all durations are fixed,
    and from least effort where one is free: a motion that shook too much on a coarser mesh goes on doing so. Beyond
    800 intervals of a phase, or where no optimum is found, the best plan so far comes back with the status
    ``"unresolved"`` in place of ``"optimal"``.

    Notes
    -----
    A damping scheme swallows the energy of modes that the mesh does not resolve. A plan that gains by that stores
    energy in such modes, to be rid of it for nothing, and does so on finer meshes as well: the finer the inputs, the
    faster the modes that they reach. So a plan that lost more energy than may be left at the end is not refined but
    made again with a symmetric scheme of the next degree: there oscillations keep their energy, and nothing is to be
    gained. A higher degree resolves the motion under inputs that stay as coarse as they were.
    """
    best, least = plan, float("inf")
    while True:
        plan, excess = _replayed(plan, tolerance, solving.settings)
        if excess < least:
            best, least = plan, excess
        if least < 1:
            return replace(best, status="optimal")
        finer = _finer(plan, solving.settings)
        if max(finer.counts) > solving.settings.most_intervals:
            return replace(best, status="unresolved", attempts=plan.attempts)
        try:
            plan = _planned_again(plan, solving, finer)
        except PlanError as error:
            return replace(best, status="unresolved", attempts=attempts_of(error))


def _finer(plan: Plan, settings: Settings) -> TranscriptionOptions:
    """Return the options to try next: all modes with their motion, another scheme, more points or more intervals."""
    options = replace(plan.transcribed.options, quasi_static=None)
    scheme = options.collocation
    if plan.transcribed.first[0].static.names:
        return options
    if not scheme.is_symmetric and energy_swallowed(plan) > MOST_ENERGY:
        return replace(options, scheme="lobatto", degree=min(scheme.degree + 1, HIGHEST_DEGREE))
    if scheme.is_symmetric and scheme.degree < settings.raised_degree:
        return replace(options, degree=min(scheme.degree + 2, settings.raised_degree))
    return replace(options, intervals=tuple(2 * count for count in options.counts))


def energy_swallowed(plan: Plan) -> float:
    """Return the energy [J] that the collocation lost on the way: the work done less what the arm has gained.

    Of several scenarios it is that which lost most.
    """
    runs = arcs(plan.model)
    inputs = [input_polynomials(arc) for arc in runs[0]]
    return max(
        sum(_swallowed(trajectory(arc, own).energy) for arc, own in zip(run, inputs, strict=True)) for run in runs
    )


def _swallowed(energy: np.ndarray) -> float:
    kinetic, potential, work = energy[-1] - energy[0]
    return abs(float(work - kinetic - potential))


def _planned_again(plan: Plan, solving: Solving, finer: TranscriptionOptions) -> Plan:
    """Return the plan of a finer transcription, from where the coarser one ends; see `refine_mesh`."""
    settings, attempts = solving.settings, plan.attempts
    model = solving.model(plan.transcribed.problem, finer)
    was_static, is_free = bool(plan.transcribed.first[0].static), plan.transcribed.is_free
    if was_static or not is_free:
        start_from(model, plan.model)
        try:
            if was_static:
                return solving.attempt_near("all modes with their motion, from there", model, attempts)
            what = f"{finer.collocation.words} collocation from there"
            return solving.attempt_near(what, model, attempts, mu_init=settings.refined_barrier)
        except PlanError as error:
            if not is_free:
                raise
            attempts = attempts_of(error)
    return solve_by_homotopy(model, solving, attempts)


def _replayed(plan: Plan, tolerance: float, settings: Settings) -> tuple[Plan, float]:
    """Return the plan with its replay noted, and how its errors compare with what is allowed (1 is just so)."""
    replay = plan.replay()
    # An arm without ends has no place to miss, and a motion that passes on no energy to lose: the other counts alone.
    miss = replay.tip_miss if replay.misses else 0.0
    left = 0.0 if np.isnan(replay.energy_left) else replay.energy_left
    noted = replace(plan.attempts[-1], tip_miss=miss, energy_left=left)
    leeway = max(phase.leeway for phase in plan.transcribed.problem.phases)
    beyond = [_beyond(plan, one, settings) for one in replay.excesses]
    excess = max(miss / tolerance, abs(left) / (MOST_ENERGY + leeway), *beyond)
    return replace(plan, attempts=(*plan.attempts[:-1], noted)), excess


def _beyond(plan: Plan, excess: Violation, settings: Settings) -> float:
    """Return how an excess between collocation points compares with what is allowed (1 is just so)."""
    for t in plan.transcribed.first:
        if excess.name in t.path.names:
            i = t.path.names.index(excess.name)
            limits = (t.path.low[i], t.path.high[i])
            if t.path.constraints[i].is_distance:
                return excess.amount / settings.most_intrusion
        else:
            limits = t.problem.ranges_in(t.phase).get(excess.name, ())
        sizes = [abs(limit) for limit in limits if np.isfinite(limit) and limit]
        if limits:
            return excess.amount / (settings.most_excess * max(sizes, default=1.0))
    return 0.0
