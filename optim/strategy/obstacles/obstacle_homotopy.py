"""Homotopy in the obstacles: first without them, then relaxed until the motion clears them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...errors import PlanError
from ...model.initial_guess import set_guess
from ...model.path_constraints import path_values
from ...presolve.phase_transcription import PhaseTranscription
from ...problem.path_constraints import Follow
from ...results.attempt import Attempt
from ...results.plan import Plan
from ..solving import Solving, attempts_of
from .obstacle_guess import detour
from .obstacle_relaxation import lifted, solve_relaxed, trajectories
from .way_guess import postures_on_way

# Share of the first violation that the first price leaves, from which on higher ones are put off: those mostly bring a
# motion that is nearly there to its line in 20 iterations each. By trial.
FAR = 0.25


def solve_past_obstacles(
    what: str,
    model: Any,
    solving: Solving,
    before: tuple[Attempt, ...],
    patience: int,
    probe: int | None = None,
) -> Plan:
    """Solve a model from the present values of its Vars, first without obstacles and limits on expressions.

    If the unconstrained optimum violates them, the motion is drawn out of them from there, see `solve_relaxed`; if that
    fails, from a detour around them. Where points follow a line, a motion along it comes before all that, but after the
    `probe`: so many iterations without obstacles, whose failure is raised at once. `patience` are those of other solves
    that begin with the first guess.

    Raises
    ------
    PlanError
        Every fallback failed.
    """
    options = {"max_iter": patience} | solving.near_equations
    if not any(lifted(b.transcription) for b in trajectories(model)):
        return solving.attempt(what, model, before, **options | {"max_iter": probe or patience})
    free = None
    if probe is not None:
        free = _without_obstacles(what, model, solving, before, **options | {"max_iter": probe})
        before = free.attempts
        if _excess(model) <= 0:
            solving.plans.append(free)
            return free
    # Along the lines that are followed, if any
    ways = [postures_on_way(b.transcription) for b in trajectories(model)]
    is_led = all(way is not None for way in ways)
    if is_led and all(way is not None and way.is_near for way in ways):
        is_led = False
        try:
            return _along(what, model, solving, before)
        except PlanError as error:
            before = attempts_of(error)
    # A few postures on a curve are no better a start than the motion without it
    is_led = is_led and all(_is_straight(b.transcription) for b in trajectories(model))
    # Without obstacles: are they in the way?
    if free is None:
        try:
            free = _without_obstacles(what, model, solving, before, **options)
        except PlanError as error:
            return solving.attempt(what, model, attempts_of(error), **options)
        before = free.attempts
    excess = _excess(model)
    if excess <= 0:
        solving.plans.append(free)
        return free
    # From there. Where that leaves the motion far from lines that it has to follow, along these; then at higher prices
    price, prices, attempts = abs(free.objective) or 1.0, solving.settings.prices, before
    for factors in (prices[:1], prices[1:2], prices[2:]) if is_led else (prices,):
        try:
            attempts = solve_relaxed("out of obstacles from there", model, solving, attempts, price, factors)
            near = {"mu_init": solving.settings.refined_barrier}
            if is_led:
                near["max_iter"] = solving.settings.line_patience
            return solving.attempt_near("with obstacles from there", model, attempts, **near)
        except PlanError as error:
            attempts = attempts_of(error)
        if is_led and (factors != prices[:1] or _excess(model) > FAR * excess):
            is_led = False
            try:
                return _along(what, model, solving, attempts)
            except PlanError as error:
                attempts = attempts_of(error)
    # From a detour, out of what obstacles it meets as well, or as it is
    _set_detour(model, solving)
    if _excess(model) > 0:
        try:
            attempts = solve_relaxed("out of obstacles from a detour", model, solving, attempts, price)
        except PlanError as error:
            attempts = attempts_of(error)
            _set_detour(model, solving)
    return solving.attempt("with obstacles from a detour", model, attempts, max_iter=solving.settings.patience)


def _without_obstacles(what: str, model: Any, solving: Solving, before: tuple[Attempt, ...], **options: Any) -> Plan:
    """Solve a model from the present values of its Vars, without obstacles and limits on expressions.

    Raises
    ------
    PlanError
    """
    _allow(model, np.inf)
    try:
        return solving.attempt_easier(f"{what}, without obstacles", model, before, **options)
    finally:
        _allow(model, 0.0)


def _is_straight(t: PhaseTranscription) -> bool:
    """Whether all lines that points have to follow are straight."""
    return all(len(constraint.points) == 2 for constraint in t.path.constraints if isinstance(constraint, Follow))


def _along(what: str, model: Any, solving: Solving, before: tuple[Attempt, ...]) -> Plan:
    """Solve from a first guess along the lines that points of the arm follow; leave the present values if that fails.

    Raises
    ------
    PlanError
    """
    present = [(variable, variable.value) for variable in model.component_data_objects(pyo.Var)]
    for b in trajectories(model):
        way = postures_on_way(b.transcription)
        set_guess(b, b.transcription, way.postures if way else ())
    options = solving.from_guess | {"max_iter": solving.settings.line_patience}
    try:
        return solving.attempt(f"{what}, along its line", model, before, **options)
    except PlanError as error:
        attempts_of(error)  # what was ended from outside stays as it is
        for variable, value in present:
            variable.set_value(value, skip_validation=True)
        raise


def _set_detour(model: Any, solving: Solving) -> None:
    """Set the first guess around obstacles."""
    for b in trajectories(model):
        set_guess(b, b.transcription, detour(b.transcription, solving.settings))


def _allow(model: Any, excess: float) -> None:
    """Relax the bounds of the path values that may be lifted by `excess`."""
    for b in trajectories(model):
        t = b.transcription
        for i in lifted(t):
            low, high = t.path_bounds[t.path.names[i]]
            low, high = low - excess, high + excess
            for k in b.intervals:
                for j in b.points:
                    variable = b.path[k, j, t.path.names[i]]
                    variable.setlb(low if np.isfinite(low) else None)
                    variable.setub(high if np.isfinite(high) else None)


def _excess(model: Any) -> float:
    """Return the largest violation along the present trajectories."""
    excesses = [
        b.transcription.path.excess(path_values(b))[..., lifted(b.transcription)].max()
        for b in trajectories(model)
        if lifted(b.transcription)
    ]
    return float(max(excesses))
