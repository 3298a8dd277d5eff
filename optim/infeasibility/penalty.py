"""Exact penalty: limits that may be violated, each side by one amount, at a price."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyomo.environ as pyo

from ..model.build import modified_components
from ..model.constraint_names import LIMIT_COMPONENTS, Label, label_of, named_phases
from ..model.objective import set_costs
from ..model.path_constraints import path_values, set_path_values
from ..model.read_solution import active_objective
from ..model.trajectories import all_phase_trajectories
from ..presolve.phase_transcription import PhaseTranscription

SCALE_OF_ZERO = 0.1  # scale of a limit of 0, in its unit; by trial
LIMITED = {*LIMIT_COMPONENTS, "T", "goal_energy"}
FARTHEST = 100.0  # factor by which a duration may leave its range: it must stay positive; by trial
TIE = 1e-4  # weight of the objective relative to the violations of an elastic relaxation
ROOM = 0.1  # share of a violation by which the start lies inside the limits that it widens; by trial


@dataclass(frozen=True)
class Penalty:
    """What limits may be violated, and at what price.

    Attributes
    ----------
    of : "paths" or "limits"
        Path constraints that may be lifted and that the start violates; or all limits.
    price : float
        What it costs to violate all of them by their scales, relative to the objective at the start. At 0 paths are
        lifted altogether.
    """

    of: Literal["paths", "limits"]
    price: float


@dataclass(frozen=True, eq=False)
class Widened:
    """One side of a limit that may be violated, at all times.

    Attributes
    ----------
    name : str
    upper : bool
    limit : float
        One of its values, if it varies over time.
    scale : float
        What its violation is relative to: the magnitude of the limit, 0.1 for one of 0; of paths the violation of the
        start.
    amount : VarData
        The violation relative to the scale, of all times the largest.
    rows : list of (Label, ConstraintData, float)
        Label, relaxed constraint and limit at every time.
    """

    name: str
    upper: bool
    limit: float
    scale: float
    amount: Any
    rows: list[tuple[Label, Any, float]]

    @property
    def excess(self) -> float:
        """The violation of the limit."""
        return max(float(self.amount.value), 0.0) * self.scale


@dataclass(frozen=True, eq=False)
class Elastic:
    """A model with limits that may be violated, these limits, and the Expression of their total relative violation."""

    model: Any
    limits: tuple[Widened, ...]
    violation: Any

    @property
    def worst(self) -> float:
        """The largest violation relative to its scale."""
        return max((side.excess / side.scale for side in self.limits), default=0.0)


@contextmanager
def penalized(m: Any, penalty: Penalty | None) -> Iterator[Elastic | None]:
    """Let the limits of a model be violated at a price, and restore them.

    Minimised is f + c s with the sum s of relative violations. The start satisfies the widened limits, so the solver
    does not have to leave the equations of motion to keep them. With a price c above what the limits together cost, s
    ends at zero, and the motion is optimal for the limits themselves (exact penalty). The l1 norm leaves most amounts
    at zero, and so identifies limits that conflict (Chinneck, Feasibility and Infeasibility in Optimization, 2008,
    ch. 6). What the start of a relaxed path keeps is no part of it: otherwise neighbouring stations of a link end on
    either side of an obstacle.
    """
    if penalty is None:
        yield None
        return
    undo: list[Callable[[], None]] = []
    try:
        yield widened(m, penalty, undo)
    finally:
        for action in reversed(undo):
            action()


def widened(m: Any, penalty: Penalty, undo: list[Callable[[], None]]) -> Elastic:
    """Widen the limits of a model as `penalized` does, and note how to undo that."""
    if penalty.of == "paths" and not penalty.price:
        for variable, *_ in _liftable(m):
            _set_bounds(variable, None, None, undo)
        return Elastic(m, (), 0.0)
    set_costs(m)
    objective = active_objective(m)
    block: Any = pyo.Block()
    m.relaxed = block
    undo.append(lambda: m.del_component(m.relaxed))
    amounts: Any = pyo.VarList(domain=pyo.NonNegativeReals)
    rows: Any = pyo.ConstraintList()
    block.amount, block.rows = amounts, rows
    sides: dict[tuple[str, bool], Widened] = {}
    for label, low, body, high, scales in _paths(m, undo) if penalty.of == "paths" else _all(m, undo):
        for upper, limit, scale in ((False, low, scales[0]), (True, high, scales[1])):
            if limit is None or not scale:
                continue
            key = label.name, upper
            if key not in sides:
                sides[key] = Widened(*key, limit, scale, amounts.add(), [])
                sides[key].amount.set_value(1.0 if penalty.of == "paths" else 0.0)
            side = sides[key]
            moved = side.scale * side.amount
            row = (None, body - moved, limit) if upper else (limit, body + moved, None)
            side.rows.append((label, rows.add(row), limit))
            value = pyo.value(body, exception=False)
            excess = 0.0 if value is None else (value - limit if upper else limit - value)
            side.amount.set_value(max(side.amount.value, excess / side.scale))
    limits = tuple(sides.values())
    block.violation = pyo.Expression(expr=sum(side.amount for side in limits))
    # Minimised is f + c s in the unit of f
    price = penalty.price * (abs(pyo.value(objective, exception=False) or 0.0) or 1.0) * objective.sense
    objective.deactivate()
    undo.append(objective.activate)
    block.objective = pyo.Objective(expr=objective.expr + price * block.violation, sense=objective.sense)
    return Elastic(m, limits, block.violation)


def relax(model: Any) -> Elastic:
    """Return the elastic relaxation of a planner's model, a copy that minimises the violation of its limits.

    Limits, and Vars and Constraints added by hand, are relaxed. Equations of motion, boundary and linkage constraints,
    and fixed Vars are kept. The objective is but a tie-breaker.
    """
    return widened(model.clone(), Penalty("limits", 1 / TIE), [])


def lifted(t: PhaseTranscription) -> list[int]:
    """Return the indices of the path values that may be lifted: distances and expressions, not limits by name."""
    return [i for i, constraint in enumerate(t.path.constraints) if constraint.may_be_lifted]


def excess_of_paths(m: Any) -> float:
    """Return the largest violation of path values that may be lifted, along the present motion; 0 without these."""
    excesses = [
        traj.transcription.path.excess(path_values(traj.block))[..., lifted(traj.transcription)].max(initial=0.0)
        for traj in all_phase_trajectories(m)
        if lifted(traj.transcription)
    ]
    return float(max(excesses, default=0.0))


def _liftable(m: Any) -> Iterator[tuple[Any, Any, str]]:
    """Yield the Vars of path values that may be lifted, with their blocks and names."""
    for traj in all_phase_trajectories(m):
        b, t = traj.block, traj.transcription
        for name in (t.path.names[i] for i in lifted(t)):
            yield from ((b.path[k, j, name], b, name) for k in b.intervals for j in b.points)


def _paths(m: Any, undo: list[Callable[[], None]]) -> Iterator[tuple]:
    """Remove the violated bounds of path values that may be lifted and yield them, with the violations as scales."""
    phases = named_phases(m)
    scales: dict[tuple[int, str], tuple[float, float]] = {}
    for traj in all_phase_trajectories(m):
        b, t = traj.block, traj.transcription
        if not lifted(t):
            continue
        values = path_values(b)
        set_path_values(b)
        for i in lifted(t):
            low, high = t.path_bounds[t.path.names[i]]
            below, above = float(np.max(low - values[..., i])), float(np.max(values[..., i] - high))
            room = 1 + ROOM
            scales[id(b), t.path.names[i]] = room * max(below, 0.0), room * max(above, 0.0)
    for variable, b, name in _liftable(m):
        below, above = scales[id(b), name]
        low, high = variable.lb, variable.ub
        if below or above:
            _set_bounds(variable, None if below else low, None if above else high, undo)
            yield label_of(variable, phases), low, variable, high, (below, above)


def _all(m: Any, undo: list[Callable[[], None]]) -> Iterator[tuple]:
    """Remove the bounds of all limited free Vars, deactivate all limiting Constraints, and yield them."""
    phases, modified = named_phases(m), modified_components(m)
    for variable in list(m.component_data_objects(pyo.Var, active=True, descend_into=True)):
        component = variable.parent_component()
        if (component.local_name not in LIMITED and component.name not in modified) or component is m.relaxed.amount:
            continue
        if variable.fixed or (variable.lb is None and variable.ub is None):
            continue
        low, high = variable.lb, variable.ub
        yield label_of(variable, phases), low, variable, high, _scales(low, high)
        # A duration must stay positive
        timed = component.local_name == "T"
        least = low / FARTHEST if timed and low is not None else None
        _set_bounds(variable, least, high * FARTHEST if timed and high is not None else None, undo)
    for constraint in list(m.component_data_objects(pyo.Constraint, active=True, descend_into=True)):
        component = constraint.parent_component()
        if component.local_name in LIMIT_COMPONENTS or (component.name in modified and component is not m.relaxed.rows):
            low, high = _number(constraint.lb), _number(constraint.ub)
            yield label_of(constraint, phases), low, constraint.body, high, _scales(low, high)
            constraint.deactivate()
            undo.append(constraint.activate)


def _scales(low: float | None, high: float | None) -> tuple[float, float]:
    below, above = (0.0 if end is None else abs(end) or SCALE_OF_ZERO for end in (low, high))
    return below, above


def _set_bounds(variable: Any, low: float | None, high: float | None, undo: list[Callable[[], None]]) -> None:
    before = variable.lb, variable.ub, variable.domain

    def restore() -> None:
        variable.domain = before[2]
        variable.setlb(before[0])
        variable.setub(before[1])

    undo.append(restore)
    variable.setlb(low)
    variable.setub(high)
    variable.domain = pyo.Reals


def _number(limit: Any) -> float | None:
    value: Any = pyo.value(limit) if limit is not None else None
    return None if value is None else float(value)
