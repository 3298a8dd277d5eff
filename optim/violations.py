"""What stands against an iterate: violated equations, constraints and bounds, worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo

from .interval import residual_names
from .mesh import Mesh
from .path_box import path_values
from .solution import collocated_times, planned_mesh
from .transcription import Transcription

TOLERANCE = 1e-6
OWN_LIMITS = ("input_limit", "input_rate_limit", "state_limit")  # indexed by interval first


@dataclass(frozen=True)
class Violation:
    """By how much something does not hold.

    Attributes
    ----------
    name : str
    amount : float
        In the unit of what is violated.
    time : float or None
        [s], where it belongs to a time.
    """

    name: str
    amount: float
    time: float | None = None

    def __str__(self) -> str:
        at = "" if self.time is None else f" at {self.time:.4g} s"
        return f"{self.name}{at} by {self.amount:.3g}"


def violations(m: Any, t: Transcription) -> tuple[Violation, ...]:
    """Return everything in a solved or unsolved model that is violated by more than 1e-6, worst first."""
    mesh = planned_mesh(m, t)
    found = [*_dynamics(m, t, mesh), *_path(m, t, mesh), *_constraints(m, mesh), *_bounds(m, mesh)]
    return tuple(sorted(found, key=lambda violation: -violation.amount))


def _dynamics(m: Any, t: Transcription, mesh: Mesh) -> Iterator[Violation]:
    box = m.dynamics.get_external_model()
    box.set_input_values([variable.value for variable in m.dynamics.inputs.values()])
    names = residual_names(t.dae, t.scheme)
    size = (len(names) - len(t.dae.x)) // t.scheme.degree
    times = np.hstack(
        [np.repeat(collocated_times(mesh, t.scheme), size, axis=1), np.tile(mesh.times[1:, None], len(t.dae.x))]
    )
    residual = np.abs(box.evaluate_equality_constraints().reshape(times.shape))
    for k, i in np.argwhere(~(residual <= TOLERANCE)).tolist():
        yield Violation(names[i].partition(" at point")[0], float(residual[k, i]), float(times[k, i]))


def _path(m: Any, t: Transcription, mesh: Mesh) -> Iterator[Violation]:
    if not len(t.path):
        return
    excess, times = t.path.excess(path_values(m)), collocated_times(mesh, t.scheme)
    for k, j, i in np.argwhere(~(excess <= TOLERANCE)).tolist():
        yield Violation(t.path.names[i], float(excess[k, j, i]), float(times[k, j]))


def _constraints(m: Any, mesh: Mesh) -> Iterator[Violation]:
    for constraint in m.component_data_objects(pyo.Constraint, active=True, descend_into=True):
        amount = _excess(constraint.lb, constraint.body(), constraint.ub)
        if not amount <= TOLERANCE:
            own = constraint.parent_component().name in OWN_LIMITS
            yield Violation(constraint.name, amount, float(mesh.times[constraint.index()[0]]) if own else None)


def _bounds(m: Any, mesh: Mesh) -> Iterator[Violation]:
    for variable in m.component_data_objects(pyo.Var, active=True, descend_into=True):
        if variable.fixed or variable.parent_component().name == "path":
            continue
        value: Any = variable.value
        if value is None:
            continue
        amount = _excess(variable.bounds[0], value, variable.bounds[1])
        if not amount <= TOLERANCE:
            own = variable.parent_component().name in ("q", "v", "w", "u", "du")
            yield Violation(
                f"bound of {variable.name}", amount, float(mesh.times[variable.index()[0]]) if own else None
            )


def _excess(low: float | None, value: float, high: float | None) -> float:
    below = 0.0 if low is None else low - value
    above = 0.0 if high is None else value - high
    return max(below, above, 0.0) if np.isfinite(value) else float("inf")
