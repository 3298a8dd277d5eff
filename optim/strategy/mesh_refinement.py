"""Mesh refinement: finer transcriptions of a plan until its replay is accurate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..collocation.schemes import HIGHEST_DEGREE
from ..collocation.transcription_options import TranscriptionOptions
from ..errors import PlanError, ProblemError
from ..model.read_solution import input_polynomials, trajectory
from ..model.trajectories import phase_trajectories
from ..model.violations import Violation
from ..results.plan import Plan
from ..verification.criteria import Allowed, Criteria, allowed
from .homotopy import solve_by_homotopy
from .settings import Settings
from .solving import Solving, attempts_of
from .warm_start import start_from


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


def refine_mesh(plan: Plan, solving: Solving, criteria: Criteria) -> Plan:
    """Refine the transcription of a plan until the plan replays.

    A plan replays if its replay misses the goal by less, and leaves less energy beyond a leeway, than the `criteria`
    allow, violates regions by no more than 1e-3 of the reach and any other limit by no more than 1 %. Where the arm
    needs feedback (see `MeshErrors`) the replay has it, and the local error of each interval has to meet the criteria,
    too. Refinement first restores the dynamics of quasi-static modes, then raises a symmetric scheme to degree 6, then
    halves the intervals with large local errors. The next plan starts from the last one if all durations are fixed,
    and from least effort if one is free, as a motion with excessive vibration on a coarse mesh keeps it on a finer
    one. Beyond 800 intervals of a phase, or if no optimum is found, the best plan so far is returned with the status
    ``"unresolved"`` in place of ``"optimal"``.

    Notes
    -----
    A damping scheme dissipates the energy of modes that the mesh does not resolve. An optimiser exploits that: it dumps
    energy into such modes at no cost, and does so on finer meshes as well, since finer inputs reach faster modes. So if
    the numerical dissipation exceeds the energy that may be left at the end, the problem is solved again with a
    symmetric scheme of the next degree, which conserves the energy of oscillations, before intervals are doubled. A
    higher degree resolves the motion without refining the inputs.
    """
    most = allowed(criteria, plan.transcribed.dae, plan.trajectories)
    best, least = plan, float("inf")
    while True:
        plan, excess = _replayed(plan, most, solving.settings)
        if excess < least:
            best, least = plan, excess
        if least < 1:
            return replace(best, status="optimal")
        finer = _finer(plan, most, solving.settings)
        if max(finer.counts) > solving.settings.most_intervals:
            return replace(best, status="unresolved", attempts=plan.attempts)
        try:
            plan = _planned_again(plan, solving, finer)
        except PlanError as error:
            return replace(best, status="unresolved", attempts=attempts_of(error))


def _finer(plan: Plan, most: Allowed, settings: Settings) -> TranscriptionOptions:
    """Return the next finer options: dynamics of all modes, a symmetric scheme, more points or more intervals."""
    options = replace(plan.transcribed.options, quasi_static=False)
    scheme = options.collocation
    if plan.transcribed.first[0].static.names:
        return options
    if not scheme.is_symmetric and numerical_dissipation(plan) > most.energy:
        return replace(options, scheme="lobatto", degree=min(scheme.degree + 1, HIGHEST_DEGREE))
    if scheme.is_symmetric and scheme.degree < settings.raised_degree:
        return replace(options, degree=min(scheme.degree + 2, settings.raised_degree))
    return _halved(plan, options, most, settings)


def _halved(plan: Plan, options: TranscriptionOptions, most: Allowed, settings: Settings) -> TranscriptionOptions:
    """Return the options with half as long intervals where the local errors are large, everywhere if they are not."""
    errors = None if plan.mesh_errors is None else replace(plan.mesh_errors, allowed=most)
    spacings = []
    for i, t in enumerate(plan.transcribed.first):
        steps = t.mesh.shares
        halved = np.ones(len(steps), dtype=bool)
        if errors is not None and np.all(np.isfinite(of_intervals := errors.of_intervals(i))):
            halved = of_intervals > min(settings.small_error, settings.large_error * errors.excess_of_intervals)
        spacings.append(np.repeat(steps / np.where(halved, 2, 1), np.where(halved, 2, 1)))
    if errors is not None and errors.excess_of_intervals < settings.small_error:
        spacings = [np.repeat(t.mesh.shares / 2, 2) for t in plan.transcribed.first]
    counts = tuple(map(len, spacings))
    return replace(options, intervals=counts, spacing=tuple(tuple(one.tolist()) for one in spacings))


def numerical_dissipation(plan: Plan) -> float:
    """Return the numerical dissipation [J] of the collocation: the work done less the energy gained by the arm.

    The largest of several scenarios.
    """
    runs = phase_trajectories(plan.model)
    inputs = [input_polynomials(traj) for traj in runs[0]]
    return max(
        sum(
            _numerical_dissipation(trajectory(traj, phase_inputs).energy)
            for traj, phase_inputs in zip(run, inputs, strict=True)
        )
        for run in runs
    )


def _numerical_dissipation(energy: np.ndarray) -> float:
    kinetic, potential, work = energy[-1] - energy[0]
    return abs(float(work - kinetic - potential))


def _planned_again(plan: Plan, solving: Solving, finer: TranscriptionOptions) -> Plan:
    """Return the plan of a finer transcription, started from the coarser one; see `refine_mesh`."""
    settings, attempts = solving.settings, plan.attempts
    model = solving.model(plan.transcribed.problem, finer)
    was_static, is_free = bool(plan.transcribed.first[0].static.names), plan.transcribed.is_free
    if was_static or not is_free:
        start_from(model, plan.model)
        try:
            if was_static:
                return solving.attempt_near("with the dynamics of all modes, from there", model, attempts)
            what = f"{finer.collocation.words} collocation from there"
            return solving.attempt_near(what, model, attempts, mu_init=settings.refined_barrier)
        except PlanError as error:
            if not is_free:
                raise
            attempts = attempts_of(error)
    return solve_by_homotopy(model, solving, attempts)


def _replayed(plan: Plan, most: Allowed, settings: Settings) -> tuple[Plan, float]:
    """Return the plan with its replay recorded, and its largest error relative to what is allowed."""
    replay = plan.replay()
    # An arm without end points has no miss, and a motion that ends moving has no residual energy
    miss = replay.tip_miss if replay.misses else 0.0
    left = 0.0 if np.isnan(replay.energy_left) else replay.energy_left
    noted = replace(plan.attempts[-1], tip_miss=miss, energy_left=left)
    leeway = max(phase.leeway for phase in plan.transcribed.problem.phases)
    beyond = [_beyond(plan, one, most, settings) for one in replay.excesses]
    errors = plan.mesh_errors
    if errors is not None and errors.needs_feedback:
        beyond.append(replace(errors, allowed=most).excess)
    excess = max(miss / most.miss, abs(left) / (most.energy + leeway), *beyond)
    return replace(plan, attempts=(*plan.attempts[:-1], noted)), excess


def _beyond(plan: Plan, excess: Violation, most: Allowed, settings: Settings) -> float:
    """Return a limit violation between collocation points relative to its tolerance."""
    for t in plan.transcribed.first:
        if excess.name in t.path.names:
            i = t.path.names.index(excess.name)
            limits = (t.path.low[i], t.path.high[i])
            if t.path.constraints[i].is_distance:
                return excess.amount / (settings.most_intrusion * most.share)
        else:
            limits = t.problem.ranges_in(t.phase).get(excess.name, ())
        sizes = [abs(limit) for limit in limits if np.isfinite(limit) and limit]
        if limits:
            return excess.amount / (settings.most_excess * max(sizes, default=1.0))
    return 0.0
