"""The elastic relaxation of a planner's model: every limit may be widened, at a price."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from ..model.build import changed_by_hand
from ..model.constraint_names import OWN, Label, Place, label_of, places_of
from ..model.read_solution import active_objective

TIE = 1e-4  # weight of the objective beside the violations: it only decides between equals
SCALE_OF_ZERO = 0.1  # what the widening of a limit of 0 is measured by, in its unit
LIMITED = {*OWN, "T", "goal_energy"}
FARTHEST = 100.0  # factor by which a duration may leave its range


@dataclass(frozen=True, eq=False)
class Widened:
    """One side of a limit, over all times.

    Attributes
    ----------
    name : str
    upper : bool
    limit : float
        Where it has another value at other times, one of them.
    scale : float
        In which widening it counts: its magnitude, 0.1 for a limit of 0.
    amount : VarData
        By how much it is widened.
    rows : list of (Label, ConstraintData, float)
        Where it holds, the constraint there, and the limit there.
    """

    name: str
    upper: bool
    limit: float
    scale: float
    amount: Any
    rows: list[tuple[Label, Any, float]]

    @property
    def excess(self) -> float:
        """By how much the limit has to be widened."""
        return max(float(self.amount.value), 0.0)


@dataclass(frozen=True, eq=False)
class Elastic:
    """A relaxed model, its limits, and the Expression of their total relative widening."""

    model: Any
    limits: tuple[Widened, ...]
    violation: Any


def relax(model: Any) -> Elastic:
    """Return a copy of a planner's model that widens its limits as little as it can.

    Limits, and Vars and Constraints that were added by hand, can be widened, each side of a limit by one amount for
    all times. Equations of motion, ends, what ties phases and scenarios together and what is fixed stay as they are.

    Notes
    -----
    The sum of the relative amounts is minimised. A sum leaves most of them at zero, and so names the limits that stand
    in the way (Chinneck, Feasibility and Infeasibility in Optimization, 2008, ch. 6); IDAES' diagnostics do likewise.
    """
    m = model.clone()
    own = active_objective(m)
    own.deactivate()
    places, by_hand = places_of(m), changed_by_hand(m)
    limited = [*_bounds(m, places, by_hand), *_constraints(m, places, by_hand)]
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
    tie = TIE / max(1.0, abs(pyo.value(own, exception=False) or 0.0)) * own.sense
    b.objective = pyo.Objective(expr=b.violation + tie * own.expr)
    return Elastic(m, limits, b.violation)


def _bounds(m: Any, places: Mapping[int, Place], by_hand: Collection[str]) -> Iterator[tuple]:
    """Take the bounds off all free Vars that are limited and return what they were."""
    for variable in list(m.component_data_objects(pyo.Var, active=True, descend_into=True)):
        component = variable.parent_component()
        if component.local_name not in LIMITED and component.name not in by_hand:
            continue
        if variable.fixed or (variable.lb is None and variable.ub is None):
            continue
        low, high = variable.lb, variable.ub
        yield label_of(variable, places), low, variable, high
        # A time must stay one.
        timed = component.local_name == "T"
        variable.setlb(low / FARTHEST if timed and low is not None else None)
        variable.setub(high * FARTHEST if timed and high is not None else None)
        variable.domain = pyo.Reals


def _constraints(m: Any, places: Mapping[int, Place], by_hand: Collection[str]) -> Iterator[tuple]:
    """Deactivate all Constraints that limit something and return what they were."""
    for constraint in list(m.component_data_objects(pyo.Constraint, active=True, descend_into=True)):
        component = constraint.parent_component()
        if component.local_name in OWN or component.name in by_hand:
            yield label_of(constraint, places), _number(constraint.lb), constraint.body, _number(constraint.ub)
            constraint.deactivate()


def _start(amount: Any, body: Any, limit: float, upper: bool) -> None:
    value = pyo.value(body, exception=False)
    excess = 0.0 if value is None else (value - limit if upper else limit - value)
    amount.set_value(max(amount.value or 0.0, excess))


def _number(limit: Any) -> float | None:
    value: Any = pyo.value(limit) if limit is not None else None
    return None if value is None else float(value)
