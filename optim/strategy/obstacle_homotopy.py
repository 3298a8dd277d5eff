"""Homotopy in the obstacles: first without them, then with them, at full size or growing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..errors import PlanError
from ..model.initial_guess import set_guess
from ..model.path_constraints import path_values
from ..presolve.phase_transcription import PhaseTranscription
from ..results.attempt import Attempt
from ..results.plan import Plan
from .obstacle_guess import detour
from .solving import Solving, attempts_of


def solve_past_obstacles(what: str, model: Any, solving: Solving, before: tuple[Attempt, ...], **options: Any) -> Plan:
    """Solve a model from the present values of its Vars, first without obstacles and limits on expressions.

    If the unconstrained optimum violates them, they are all added from there; if that fails, the solver restarts from a
    detour around them; if that fails too, they grow from what the unconstrained optimum satisfies to full size.

    Raises
    ------
    PlanError
        Every fallback failed.
    """
    settings = solving.settings
    if not any(_lifted(b.transcription) for b in trajectories(model)):
        return solving.attempt(what, model, before, **options)
    # Without obstacles: are they in the way?
    try:
        _allow(model, np.inf)
        free = solving.attempt(f"{what}, without obstacles", model, before, **options)
        excess = _excess(model)
    except PlanError as error:
        _allow(model, 0.0)
        return solving.attempt(what, model, attempts_of(error), **options)
    finally:
        _allow(model, 0.0)
    if excess <= 0:
        return free
    # All of them, from there
    values = [variable.value for variable in model.component_data_objects(pyo.Var)]
    try:
        return solving.attempt_near(
            "with obstacles from there", model, free.attempts, max_iter=settings.obstacle_patience
        )
    except PlanError as error:
        attempts = attempts_of(error)
    # From a detour around them
    for b in trajectories(model):
        set_guess(b, b.transcription, detour(b.transcription, settings))
    try:
        return solving.attempt("from a detour around obstacles", model, attempts, max_iter=settings.detour_patience)
    except PlanError as error:
        attempts = attempts_of(error)
    # Growing, from the unconstrained optimum again
    for variable, value in zip(model.component_data_objects(pyo.Var), values, strict=True):
        variable.set_value(value, skip_validation=True)
    for share in settings.intrusions:
        _allow(model, share * excess)
        try:
            grown = f"with obstacles grown to {share * excess:.3g} short of their size"
            attempts = solving.attempt_near(grown, model, attempts).attempts
        except PlanError as error:
            attempts = attempts_of(error)
    _allow(model, 0.0)
    return solving.attempt("with obstacles from there", model, attempts, mu_init=settings.near_barrier)


def trajectories(model: Any) -> Iterator[Any]:
    """Yield the blocks of all phases, which may be the model itself."""
    for block in model.block_data_objects(active=True):
        if isinstance(getattr(block, "transcription", None), PhaseTranscription):
            yield block


def _lifted(t: PhaseTranscription) -> list[int]:
    """Return the indices of the path values that may be lifted: distances and expressions, not limits by name."""
    return [i for i, constraint in enumerate(t.path.constraints) if constraint.may_be_lifted]


def _allow(model: Any, excess: float) -> None:
    """Relax the bounds of the path values that may be lifted by `excess`."""
    for b in trajectories(model):
        t = b.transcription
        for i in _lifted(t):
            low, high = (float(end) for end in (t.path.low[i] - excess, t.path.high[i] + excess))
            for k in b.intervals:
                for j in b.points:
                    variable = b.path[k, j, t.path.names[i]]
                    variable.setlb(low if np.isfinite(low) else None)
                    variable.setub(high if np.isfinite(high) else None)


def _excess(model: Any) -> float:
    """Return the largest violation along the present trajectories."""
    excesses = [
        b.transcription.path.excess(path_values(b))[..., _lifted(b.transcription)].max()
        for b in trajectories(model)
        if _lifted(b.transcription)
    ]
    return float(max(excesses))
