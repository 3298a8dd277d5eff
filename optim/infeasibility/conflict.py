"""Conflict: limits that cannot be satisfied together, with times, magnitudes and the limits they conflict with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from ..model.constraint_names import Label
from ..tolerances import FEASIBLE
from .penalty import Elastic, Widened

ACTIVE = 1e-2  # fraction of the largest multiplier from which an active limit is reported; by trial


@dataclass(frozen=True)
class Side:
    """One side of a limit in a conflict.

    Attributes
    ----------
    name, unit : str
    limit : float
        The prescribed limit.
    begin, end : float or None
        First and last time [s] at which it is active or violated; None if it belongs to no time.
    excess : float
        Required relaxation; 0 for a satisfied limit.
    """

    name: str
    unit: str
    limit: float
    begin: float | None
    end: float | None
    excess: float = 0.0

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        if self.begin is None or self.end is None:
            when = ""
        elif self.end - self.begin < 1e-9:
            when = f" at {self.begin:.3g} s"
        else:
            when = f" at {self.begin:.3g}..{self.end:.3g} s"
        if not self.excess:
            return f"{self.name}{when} at its limit {self.limit:.4g}{unit}"
        return f"{self.name}{when} beyond its limit {self.limit:.4g}{unit} by {self.excess:.3g}{unit}"


@dataclass(frozen=True)
class Conflict:
    """The conflicting limits of a motion; none if it is feasible.

    Attributes
    ----------
    giving : tuple of Side
        The limits to relax, with the least total relative relaxation; empty if all can be satisfied.
    against : tuple of Side
        The satisfied limits that they conflict with, the most important first.
    task : str
        The prescribed motion, which is satisfied as well.
    remarks : tuple of str
        Further findings.
    estimated : bool
        Whether the conflict comes from the motion of the rigid arm and not from a solve, see `rigid_estimate`.
    """

    giving: tuple[Side, ...]
    against: tuple[Side, ...]
    task: str
    remarks: tuple[str, ...] = ()
    estimated: bool = False

    @property
    def is_feasible(self) -> bool:
        """Whether all limits can be satisfied together."""
        return not self.giving

    def __repr__(self) -> str:
        return f"Conflict({len(self.giving)} limits to relax, {len(self.against)} against)"

    def __str__(self) -> str:
        if self.is_feasible:
            return f"All limits can be kept together with {self.task}."
        what = "As if rigid, on a quintic, the arm is" if self.estimated else "Limits that have to be relaxed:"
        lines = [f"No motion was found that keeps all limits with {self.task}. {what}"]
        lines += [f"  {side}" for side in self.giving]
        if self.against:
            lines += ["against", *(f"  {side}" for side in self.against)]
        return "\n".join([*lines, *self.remarks])


def conflict(elastic: Elastic, duals: Mapping[Any, float], task: str, remarks: Iterable[str] = ()) -> Conflict:
    """Return the conflict from a solved elastic relaxation.

    Parameters
    ----------
    elastic : Elastic
        Solved.
    duals : mapping
        Multipliers by row.
    task : str
        In words.
    remarks : iterable of str
    """
    giving = [side for side in elastic.limits if side.excess > FEASIBLE * side.scale]
    # Sensitivity of the total relative relaxation to a relative relaxation at one time
    force = {id(row): abs(duals.get(row, 0.0)) * side.scale for side in elastic.limits for _, row, _ in side.rows}
    most = max(force.values(), default=0.0)
    kept = []
    for side in elastic.limits:
        strong = [label for label, row, _ in side.rows if force[id(row)] > ACTIVE * most]
        if strong and side not in giving:
            total = sum(force[id(row)] for _, row, _ in side.rows)
            kept.append((total, _reported(side, strong, 0.0)))
    return Conflict(
        giving=tuple(
            _reported(side, _beyond(side), side.excess)
            for side in sorted(giving, key=lambda side: -side.excess / side.scale)
        ),
        against=tuple(side for _, side in sorted(kept, key=lambda pair: -pair[0])),
        task=task,
        remarks=tuple(remarks),
    )


def _beyond(side: Widened) -> list[Label]:
    """Return the labels at which the original limit is violated."""
    sign, labels = (1 if side.upper else -1), []
    for label, row, limit in side.rows:
        moved = pyo.value(row.body) + sign * side.scale * side.amount.value
        if sign * (moved - limit) > FEASIBLE * side.scale:
            labels.append(label)
    return labels


def _reported(side: Widened, labels: list[Label], excess: float) -> Side:
    times = [label.time for label in labels if label.time is not None]
    unit = side.rows[0][0].unit
    return Side(side.name, unit, side.limit, min(times, default=None), max(times, default=None), excess)
