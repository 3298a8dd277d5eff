"""Constraint violations of an iterate, worst first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..collocation.interval import residual_names
from ..tolerances import RESIDUE
from .bounds import INPUT_LIMITS
from .magnitudes import RowMagnitudes, grey_boxes
from .path_constraints import path_values
from .trajectories import PhaseTrajectory, all_phase_trajectories, phase_trajectories

INTERVAL_CONSTRAINTS = (*INPUT_LIMITS, "state_limit")  # indexed by interval first
MESH_VARIABLES = ("q", "v", "w", "u", "du")  # indexed by mesh point first


@dataclass(frozen=True)
class Violation:
    """A violated constraint and its magnitude.

    Attributes
    ----------
    name : str
    amount : float
        In the unit of the constraint.
    time : float or None
        [s]; None if it belongs to no time.
    share : float
        The amount relative to the magnitude of the constraint; NaN where it is not compared with one.
    """

    name: str
    amount: float
    time: float | None = None
    share: float = float("nan")

    def __str__(self) -> str:
        at = "" if self.time is None else f" at {self.time:.4g} s"
        share = "" if math.isnan(self.share) else f" ({self.share:.1g} of its magnitude)"
        return f"{self.name}{at} by {self.amount:.3g}{share}"


@np.errstate(invalid="ignore")  # an iterate may be infinite
def violations(m: Any, *, of_plan: bool = False) -> tuple[Violation, ...]:
    """Return all equations, constraints and bounds violated by more than 1e-6 of their magnitudes, worst first.

    The worst is that with the largest share: newtons and radians do not compare, nor do those of a gripper of 0.2 mm
    with those of a crane. Magnitudes are as the solver knows them, or those `of_plan`, see `RowMagnitudes`.
    """
    sizes, times = RowMagnitudes(m, of_plan), {}
    for run in phase_trajectories(m):
        begin = 0.0
        for traj in run:
            times[id(traj.block)] = begin + traj.mesh.times
            begin += traj.mesh.duration
    begins = [(traj, float(times[id(traj.block)][0])) for traj in all_phase_trajectories(m)]
    violated = [v for traj, begin in begins for of_phase in (_dynamics, _path) for v in of_phase(traj, begin, sizes)]
    violated += [*_boxes(m, sizes), *_constraints(m, times, sizes), *_bounds(m, times, sizes)]
    return tuple(sorted(violated, key=lambda violation: (not math.isnan(violation.share), -violation.share)))


def worst_share(m: Any) -> float:
    """Return the largest violation relative to the magnitude of its constraint, infinite where one is no number.

    Constraints that are compared with no magnitude do not count.
    """
    found = violations(m)
    if not all(math.isfinite(violation.amount) for violation in found):
        return math.inf
    return max((violation.share for violation in found if not math.isnan(violation.share)), default=0.0)


def _dynamics(traj: PhaseTrajectory, begin: float, sizes: RowMagnitudes) -> Iterator[Violation]:
    b, t, mesh = traj.block, traj.transcription, traj.mesh
    names = residual_names(t.dae, t.form)
    size = (len(names) - len(t.dae.x)) // t.scheme.degree
    times = begin + np.hstack(
        [np.repeat(mesh.within(t.scheme.nodes), size, axis=1), np.tile(mesh.times[1:, None], len(t.dae.x))]
    )
    residual = np.abs(_residuals(b.dynamics).reshape(times.shape))
    share = residual / np.max(sizes.of_box(b.dynamics).reshape(times.shape), axis=0)
    for k, i in np.argwhere(~(share <= RESIDUE)).tolist():
        name = _where(traj) + names[i].partition(" at point")[0]
        yield Violation(name, float(residual[k, i]), float(times[k, i]), float(share[k, i]))


def _path(traj: PhaseTrajectory, begin: float, sizes: RowMagnitudes) -> Iterator[Violation]:
    path = traj.transcription.path
    if not len(path):
        return
    values, variables = path_values(traj.block), list(traj.block.path.values())
    bounds = [(-np.inf if v.lb is None else v.lb, np.inf if v.ub is None else v.ub) for v in variables]
    low, high = np.array(bounds).T.reshape(2, *values.shape)  # which strategies may lift
    excess = np.maximum(low - values, values - high)
    beyond = path.beyond(excess)
    share = excess / np.array([sizes.of_variable(each) for each in variables]).reshape(excess.shape)
    times = begin + traj.mesh.within(traj.transcription.scheme.nodes)
    for k, j, i in np.argwhere(~(share <= RESIDUE)).tolist():
        amount = float(beyond[k, j, i])
        yield Violation(_where(traj) + path.names[i], amount, float(times[k, j]), float(share[k, j, i]))


def _where(traj: PhaseTrajectory) -> str:
    """Return the block of a phase as a name prefix; empty if it is the only one."""
    return "" if traj.block is traj.block.model() else f"{traj.block.name}: "


def _boxes(m: Any, sizes: RowMagnitudes) -> Iterator[Violation]:
    """Yield the residuals of the other grey boxes: equilibria, impacts, via points."""
    for block in grey_boxes(m):
        names = block.get_external_model().equality_constraint_names()
        if block.local_name in ("dynamics", "path_values") or not names:
            continue
        amounts = np.abs(_residuals(block))
        for name, left, share in zip(names, amounts.tolist(), amounts / sizes.of_box(block), strict=True):
            if not share <= RESIDUE:
                yield Violation(f"{block.parent_block().name}: {name}", left, share=float(share))


def _residuals(block: Any) -> np.ndarray:
    box = block.get_external_model()
    box.set_input_values([variable.value for variable in block.inputs.values()])
    return box.evaluate_equality_constraints()


def _constraints(m: Any, times: Mapping[int, np.ndarray], sizes: RowMagnitudes) -> Iterator[Violation]:
    for constraint in m.component_data_objects(pyo.Constraint, active=True, descend_into=True):
        amount = _excess(constraint.lb, constraint.body(), constraint.ub)
        if amount and not (share := amount / sizes.of_constraint(constraint)) <= RESIDUE:
            yield Violation(constraint.name, amount, _time(constraint, INTERVAL_CONSTRAINTS, times), share)


def _bounds(m: Any, times: Mapping[int, np.ndarray], sizes: RowMagnitudes) -> Iterator[Violation]:
    for variable in m.component_data_objects(pyo.Var, active=True, descend_into=True):
        if variable.fixed or variable.parent_component().local_name == "path":
            continue
        value: Any = variable.value
        if value is None:
            continue
        low, high = variable.bounds
        amount = _excess(low, value, high)
        if amount and not (share := amount / sizes.of_variable(variable)) <= RESIDUE:
            yield Violation(f"bound of {variable.name}", amount, _time(variable, MESH_VARIABLES, times), share)


def _time(data: Any, timed: tuple[str, ...], times: Mapping[int, np.ndarray]) -> float | None:
    """Return the time of a component indexed by mesh point or interval first; None for any other."""
    component = data.parent_component()
    points = times.get(id(component.parent_block()))
    return float(points[data.index()[0]]) if points is not None and component.local_name in timed else None


def _excess(low: float | None, value: float, high: float | None) -> float:
    below = 0.0 if low is None else low - value
    above = 0.0 if high is None else value - high
    return max(below, above, 0.0) if np.isfinite(value) else float("inf")
