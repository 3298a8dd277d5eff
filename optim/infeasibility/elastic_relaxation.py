"""Elastic relaxation of a planner's model: limits may be violated at a penalty."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from ..model.build import modified_components
from ..model.constraint_names import LIMIT_COMPONENTS, Label, NamedPhase, label_of, named_phases
from ..model.read_solution import active_objective

TIE = 1e-4  # weight of the objective relative to the violations: only a tie-breaker
SCALE_OF_ZERO = 0.1  # scale of a limit of 0, in its unit; by trial
LIMITED = {*LIMIT_COMPONENTS, "T", "goal_energy"}
FARTHEST = 100.0  # factor by which a duration may leave its range: it must stay positive; by trial


@dataclass(frozen=True, eq=False)
class Widened:
    """An elastic limit: one side of a limit, at all times.

    Attributes
    ----------
    name : str
    upper : bool
    limit : float
        One of its values, if it varies over time.
    scale : float
        Scale of its relative relaxation: its magnitude, 0.1 for a limit of 0.
    amount : VarData
        The elastic variable: its relaxation.
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
        """The relaxation of the limit."""
        return max(float(self.amount.value), 0.0)


@dataclass(frozen=True, eq=False)
class Elastic:
    """A relaxed model, its elastic limits, and the Expression of their total relative relaxation."""

    model: Any
    limits: tuple[Widened, ...]
    violation: Any


def relax(model: Any) -> Elastic:
    """Return the elastic relaxation of a planner's model, a copy that minimises the violation of its limits.

    Limits, and Vars and Constraints added by hand, are relaxed, each side of a limit by one amount for all times.
    Equations of motion, boundary and linkage constraints, and fixed Vars are kept.

    Notes
    -----
    The sum of the relative amounts is minimised. The l1 norm leaves most of them at zero, and so identifies the
    conflicting limits (Chinneck, Feasibility and Infeasibility in Optimization, 2008, ch. 6); IDAES' diagnostics do the
    same.
    """
    m = model.clone()
    objective = active_objective(m)
    objective.deactivate()
    phases, modified = named_phases(m), modified_components(m)
    limited = [*_bounds(m, phases, modified), *_constraints(m, phases, modified)]
    b: Any = pyo.Block()
    m.relaxed = b
    amounts: Any = pyo.VarList(domain=pyo.NonNegativeReals)
    rows: Any = pyo.ConstraintList()
    b.amount, b.rows = amounts, rows
    sides: dict[tuple[str, bool], Widened] = {}
    for label, low, body, high in limited:
        for upper, limit in ((False, low), (True, high)):
            if limit is None:
                continue
            key = label.name, upper
            if key not in sides:
                sides[key] = Widened(*key, limit, abs(limit) or SCALE_OF_ZERO, amounts.add(), [])
            side = sides[key]
            row = (None, body - side.amount, limit) if upper else (limit, body + side.amount, None)
            side.rows.append((label, rows.add(row), limit))
            _start(side.amount, body, limit, upper)
    limits = tuple(sides.values())
    b.violation = pyo.Expression(expr=sum(side.amount / side.scale for side in limits))
    tie = TIE / max(1.0, abs(pyo.value(objective, exception=False) or 0.0)) * objective.sense
    b.objective = pyo.Objective(expr=b.violation + tie * objective.expr)
    return Elastic(m, limits, b.violation)


def _bounds(m: Any, phases: Mapping[int, NamedPhase], modified: Collection[str]) -> Iterator[tuple]:
    """Remove the bounds of all limited free Vars and yield them."""
    for variable in list(m.component_data_objects(pyo.Var, active=True, descend_into=True)):
        component = variable.parent_component()
        if component.local_name not in LIMITED and component.name not in modified:
            continue
        if variable.fixed or (variable.lb is None and variable.ub is None):
            continue
        low, high = variable.lb, variable.ub
        yield label_of(variable, phases), low, variable, high
        # A duration must stay positive
        timed = component.local_name == "T"
        variable.setlb(low / FARTHEST if timed and low is not None else None)
        variable.setub(high * FARTHEST if timed and high is not None else None)
        variable.domain = pyo.Reals


def _constraints(m: Any, phases: Mapping[int, NamedPhase], modified: Collection[str]) -> Iterator[tuple]:
    """Deactivate all limiting Constraints and yield their bounds and bodies."""
    for constraint in list(m.component_data_objects(pyo.Constraint, active=True, descend_into=True)):
        component = constraint.parent_component()
        if component.local_name in LIMIT_COMPONENTS or component.name in modified:
            yield label_of(constraint, phases), _number(constraint.lb), constraint.body, _number(constraint.ub)
            constraint.deactivate()


def _start(amount: Any, body: Any, limit: float, upper: bool) -> None:
    value = pyo.value(body, exception=False)
    excess = 0.0 if value is None else (value - limit if upper else limit - value)
    amount.set_value(max(amount.value or 0.0, excess))


def _number(limit: Any) -> float | None:
    value: Any = pyo.value(limit) if limit is not None else None
    return None if value is None else float(value)
