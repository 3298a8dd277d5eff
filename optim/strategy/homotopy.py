"""Homotopy in the objective: from least effort to the objective asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..collocation.transcription_options import AUTO
from ..errors import PlanError, ProblemError
from ..model.objective import set_costs
from ..model.trajectories import transcribed_problem
from ..presolve.bounds import chosen_inputs
from ..presolve.magnitudes.characteristic_magnitudes import magnitudes
from ..presolve.rigid_motion.quasi_static_path import follows_from_balance
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.objectives import Effort
from ..problem.objectives.objective import Objective
from ..results.attempt import Attempt
from ..results.plan import Plan
from ..solver_statistics import NOT_OPTIMAL
from .leeway import may_have_leeway, solve_nearly_at_rest
from .solving import OWN_STEP, Solving, after, attempts_of
from .unresolved_modes import are_beyond_inputs, may_lack_dynamics
from .warm_start import start_from


def solve_by_homotopy(model: Any, solving: Solving, before: tuple[Attempt, ...] = ()) -> Plan:
    """Solve a model by homotopy from least effort, where durations are free at one that is feasible for the rigid arm.

    If the objective asked for fails from there, effort is blended in with a weight that decreases from stage to stage.
    Where the mesh leaves more modes unresolved than there are inputs, and the objective is not quickly reached, such
    modes lose their dynamics; where rest at the goal may have a leeway, it is asked up to that from there.
    `before` are earlier attempts.

    Raises
    ------
    PlanError
        Least effort failed at every duration; or the last stage did, and its plan is the nearest that was found.
    """
    transcribed = transcribed_problem(model)
    asked = transcribed.problem.objective
    # Directly from least effort
    first = _least_effort(transcribed, solving, before)
    start_from(model, first.pyomo_model)
    may_remain = may_have_leeway(transcribed) and are_beyond_inputs(transcribed)
    overdetermined = may_remain or may_lack_dynamics(transcribed)
    settings = solving.settings
    patience = settings.patience if transcribed.is_free else solving.patience(transcribed)
    if overdetermined:
        patience = settings.exact_patience if may_remain else settings.static_patience
    # Ropes, cylinders and loops: what violates their equations means forces that no arm bears
    near = OWN_STEP | (solving.near_equations if follows_from_balance(transcribed.dae) else {})
    try:
        return solving.attempt_near(f"{_label(asked)} from there", model, first.attempts, max_iter=patience, **near)
    except PlanError as error:
        attempts = attempts_of(error)
    if overdetermined:
        try:
            return _by_way_of_static_modes(model, solving, replace(first, attempts=attempts))
        except PlanError as error:
            attempts = attempts_of(error)
    # Stages with decreasing effort in the objective; one that fails is skipped
    nearest = first
    start_from(model, first.pyomo_model)  # the failed solve left it anywhere
    ratio = _value(model) / first.objective if first.objective > 0 else 0.0
    share = ratio if 0 < ratio < np.inf else 1.0
    for softening in settings.softenings:
        blend = asked + softening * share * _effort(transcribed)
        softer = solving.like(transcribed, replace(transcribed.problem, objective=blend))
        start_from(softer, nearest.pyomo_model)
        try:
            what = f"{_label(asked)} with effort, softened by {softening:g}, from there"
            nearest = solving.attempt_near(what, softer, attempts, max_iter=settings.stage_patience)
            attempts = nearest.attempts
        except PlanError as error:
            attempts = attempts_of(error)
    start_from(model, nearest.pyomo_model)
    try:
        return solving.attempt_near(f"{_label(asked)} from there", model, attempts, **near)
    except PlanError as error:
        attempts = attempts_of(error)
        if nearest.transcribed.first[0].static.names:
            raise  # without the dynamics of some modes, which is no motion of this arm
        raise _not_optimal(nearest, attempts, transcribed.is_free) from error


def _not_optimal(nearest: Plan, attempts: tuple[Attempt, ...], is_free: bool) -> PlanError:
    """Return the failure to find an optimum from a plan of another objective, which keeps all limits."""
    plan = replace(nearest, attempts=attempts, status=NOT_OPTIMAL)
    easier = "with a narrower range of durations" if is_free else "with some effort in the objective"
    return PlanError(
        f"Plan of '{plan.transcribed.dae.name}': no optimum was found, but a motion of {plan.duration:.4g} s that "
        f"keeps all limits. It is the error's .plan: take it, or plan {easier}, or with more iterations in each solve, "
        "by solver_options={'max_iter': 2000}.",
        plan,
    )


def _by_way_of_static_modes(model: Any, solving: Solving, first: Plan) -> Plan:
    """Solve without the dynamics of unresolved modes, and from there, else from `first`, with them up to a leeway.

    Without them alone where what is asked of the goal has no leeway, as at a frame that moves, or that is not reached
    with one: 28 Hz on intervals of 0.15 s, at a hundredth of the torques that would excite it.

    Raises
    ------
    PlanError
    """
    transcribed = transcribed_problem(model)
    asked, nearest, may_remain = _label(transcribed.problem.objective), first, may_have_leeway(transcribed)
    static_plan: Plan | None = None
    if may_lack_dynamics(transcribed):
        static, patience = solving.like(transcribed, quasi_static=AUTO), solving.settings.static_patience
        start_from(static, first.pyomo_model)
        try:
            what = f"{asked} with quasi-static modes, from least effort"
            nearest = static_plan = solving.attempt_near(what, static, first.attempts, max_iter=patience)
        except PlanError as error:
            nearest = replace(first, attempts=attempts_of(error))
            if not may_remain:
                raise
    if not may_remain:
        return nearest
    try:
        return solve_nearly_at_rest(asked, model, solving, nearest)
    except PlanError as error:
        attempts = attempts_of(error)
        if static_plan is None:
            raise
        return after(static_plan, attempts)


def _least_effort(transcribed: TranscribedProblem, solving: Solving, attempts: tuple[Attempt, ...]) -> Plan:
    """Return the plan of least effort at the first fixed durations for which one is found.

    As it is but a start, modes that the mesh leaves unresolved have no dynamics in it, if they are more than there are
    inputs: conditions on these at the goal are hardly independent, see `reached_state`. A target on a course may
    be out of reach by a longer duration; where it is met first, it is within reach.
    """

    def stretched(stretch: float) -> tuple[float, ...]:
        ranges = [t.duration_range or (t.mesh.duration,) * 2 for t in transcribed.first]
        lasting = [t.mesh.duration * stretch for t in transcribed.first]
        return tuple(min(max(duration, low), high) for duration, (low, high) in zip(lasting, ranges, strict=True))

    def least_effort(durations: tuple[float, ...], patience: int, **treatment: Any) -> Plan:
        easy = transcribed.problem.lasting(durations, _effort(transcribed, solving.settings.smoothing * sum(durations)))
        easier = solving.like(transcribed, easy, **treatment)
        what = " + ".join(f"{duration:.4g}" for duration in durations)
        options = {"max_iter": patience} | solving.near_equations
        return solving.attempt(f"least effort in {what} s", easier, attempts, **options)

    settings = solving.settings
    exact = {"quasi_static": False} if transcribed.is_free else {}  # as the shortest time is to end
    passes = any(phase.courses for phase in transcribed.problem.phases)
    durations = list(dict.fromkeys(map(stretched, (*settings.stretches, *([1.0] if passes else [])))))
    if may_lack_dynamics(transcribed):
        tried = [(duration, settings.static_patience, {"quasi_static": AUTO}) for duration in durations]
    else:
        tried = [(duration, settings.stretch_patience, exact) for duration in durations[:-1]]
    for duration, patience, treatment in tried:
        try:
            return least_effort(duration, patience, **treatment)
        except PlanError as error:
            attempts = attempts_of(error)
        except ProblemError:
            if not passes:
                raise
    return least_effort(durations[-1], settings.patience, **exact)


def _effort(transcribed: TranscribedProblem, smoothing: float | None = None) -> Effort:
    """Return the effort of inputs relative to their limits, with rates weighed by the square of this time [s]."""
    sizes = _input_sizes(transcribed)
    if not transcribed.first[0].shape.is_continuous:
        return Effort(0.0, sizes)
    return Effort(None if smoothing is None else smoothing**2, sizes)


def _input_sizes(transcribed: TranscribedProblem) -> dict[str, float]:
    """Return the largest value of each input within its limits, else its magnitude in this motion.

    With torques and speeds of winches added as they are, the winches of a luffing crane cost nothing: its least effort
    then took 42 to 155 iterations, or did not end, for 8 to 10.
    """
    limits = np.max([np.max(np.abs(t.limits.u), axis=1) for t in transcribed.first], axis=0)
    known = np.isfinite(limits) & (limits > 0)
    if not known.all():
        limits = np.where(known, limits, np.max([magnitudes(t)["u"] for t in transcribed.first], axis=0))
    chosen = chosen_inputs(transcribed.dae, transcribed.problem)
    sizes = zip(transcribed.dae.u.names, limits.tolist(), strict=True)
    return {name: size for name, size in sizes if name in chosen}


def _value(model: Any) -> float:
    """Return the magnitude of a model's objective along its present motion, to scale weights by."""
    set_costs(model)
    value: Any = pyo.value(model.objective)
    return abs(value)


def _label(objective: Objective) -> str:
    return " + ".join(f"{'' if weight == 1 else f'{weight:g} '}{term.label}" for weight, term in objective.terms)
