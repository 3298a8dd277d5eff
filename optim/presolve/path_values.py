"""Path values: the path constraints of a problem resolved against an arm, as named values with bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..problem.path_constraints.path_constraint import BoundedValue, PathConstraint
from ..problem.path_constraints.signal_limit import SignalLimit
from ..problem.signals.instant import Instant, instant, instant_rows
from ..problem.signals.signals import Signals
from .equilibrium import loop_forces


@dataclass(frozen=True, eq=False)
class PathValues:
    """Named values at one instant with their bounds.

    Attributes
    ----------
    dae : DAE
    at : Instant or None
        The instant that the values are functions of; None if there are no values.
    rows : tuple of BoundedValue
    constraints : tuple of PathConstraint
        The constraint that each value belongs to.
    """

    dae: DAE
    at: Instant | None = None
    rows: tuple[BoundedValue, ...] = ()
    constraints: tuple[PathConstraint, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    @cached_property
    def low(self) -> np.ndarray:
        """Lower bounds (m,), infinite where there is none."""
        return np.array([row.low for row in self.rows], dtype=float)

    @cached_property
    def high(self) -> np.ndarray:
        """Upper bounds (m,), infinite where there is none."""
        return np.array([row.high for row in self.rows], dtype=float)

    @cached_property
    def values(self) -> ca.SX:
        """The values (m, 1) at the instant."""
        return ca.vertcat(*(row.value for row in self.rows), ca.SX(0, 1))

    @cached_property
    def function(self) -> ca.Function:
        """Function (instant's vector, p) -> values (m, 1)."""
        assert self.at is not None
        return ca.Function("path", [self.at.vector, self.dae.p.symbol], [ca.densify(self.values)], {"cse": True})

    def at_rest(self, op: OperatingPoint, time: float) -> np.ndarray:
        """Return the values (m,) at rest."""
        y = instant_rows(self.dae, x=op.x, z=op.z, f=loop_forces(self.dae, op), u=op.u, time=np.array(time))
        return np.array(self.function(y, op.p)).ravel()

    def excess(self, values: np.ndarray) -> np.ndarray:
        """Return the bound violations of values (..., m); negative within bounds."""
        return np.maximum(self.low - values, values - self.high)

    def beyond(self, excess: np.ndarray) -> np.ndarray:
        """Return by how much the quantities are beyond their bounds if the values are by `excess` (..., m)."""
        amounts = [row.beyond(excess[..., i]) for i, row in enumerate(self.rows)]
        return np.stack(amounts, axis=-1) if amounts else excess


def resolved_path(
    dae: DAE, ranges: Mapping[str, tuple[float, float]], constraints: tuple[PathConstraint, ...]
) -> PathValues:
    """Return the path values of limits by name and of path constraints.

    Parameters
    ----------
    dae : DAE
    ranges : dict
        Limits (low, high) of dependent quantities: outputs, point positions, accelerations.
    constraints : tuple

    Raises
    ------
    ProblemError
        An unknown name.
    """
    limits = [SignalLimit(name, low, high) for name, (low, high) in ranges.items()]
    return _resolved(dae, (*limits, *constraints)) if limits or constraints else PathValues(dae)


@lru_cache(maxsize=32)
def _resolved(dae: DAE, constraints: tuple[PathConstraint, ...]) -> PathValues:
    signals = Signals(instant(dae))
    rows: list[tuple[BoundedValue, PathConstraint]] = []
    for label, constraint in zip(_labels(constraints), constraints, strict=True):
        try:
            rows += [(row, constraint) for row in constraint.values(label, signals)]
        except NameUnknownError as error:
            raise ProblemError(f"plan: path: {type(constraint).__name__} {constraint.label}: {error}") from None
    return PathValues(dae, signals.instant, *(tuple(column) for column in zip(*rows, strict=True)))


def _labels(constraints: tuple[PathConstraint, ...]) -> list[str]:
    """Return the labels, numbered where they repeat."""
    plain = [one.label for one in constraints]
    numbers = [plain[: i + 1].count(label) for i, label in enumerate(plain)]
    return [f"{label} {i}" if plain.count(label) > 1 else label for label, i in zip(plain, numbers, strict=True)]
