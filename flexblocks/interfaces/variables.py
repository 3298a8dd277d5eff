"""Variable groups: the named states, inputs, parameters or outputs of an arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import casadi as ca
import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import NameUnknownError, ParameterError, listing, nearest, suggestion
from flexblocks.plausibility import computable, needed
from flexblocks.symbolic_pickle import HoldsSymbols

# Roles of the variables of a group, by its kind.
ROLE_OF_KIND = {"input": "actuator", "reference": "reference"}
# What is said where a parameter is a function of time.
COURSE = " Parameters change during a run in simulate and simulate_batch alone, by fb.piecewise_constant."


class Check(Protocol):
    """What values of a group must be together, beyond the range of each."""

    def check(self, where: str, values: np.ndarray) -> None:
        """Refuse values (n,) with a `ParameterError`."""


@dataclass(frozen=True, eq=False)
class Variables(HoldsSymbols):
    """A group of scalar variables.

    Attributes
    ----------
    kind : str
        What they are, for messages: ``"state"``, ``"input"``, ...
    names : tuple of str
    units : tuple of str
    start : ndarray (n,)
        Start or nominal values.
    symbol : SX (n, 1)
    limits : ndarray (n,)
        Largest magnitude; infinite where there is no limit.
    ranges : ndarray (n, 2)
        Least and greatest value of each; (0, 2) where none is known.
    checks : tuple of Check
        What values must be together.
    roles : tuple of str
        Of inputs: ``"actuator"``, ``"disturbance"``, ``"reference"`` or ``"reference_rate"``; see `Variable`.
    derivative_of : tuple of (str or None)
        Of inputs: the name of the input whose time derivative each one is, if it is one. That input is in the group,
        except in the references of a law that is not part of a closed loop yet.
    """

    kind: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    start: np.ndarray
    symbol: ca.SX
    limits: np.ndarray = field(default_factory=lambda: np.zeros(0))
    ranges: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    checks: tuple[Check, ...] = ()
    roles: tuple[str, ...] = ()
    derivative_of: tuple[str | None, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def index(self, name: str) -> int:
        """Return the position of a variable.

        Raises
        ------
        NameUnknownError
            No variable has that name.
        """
        if name not in self._positions:
            open_it = f' Name it when the arm is assembled, fb.assemble(model, symbolic=("{name}",)).'
            advice = open_it if self.kind == "parameter" and not nearest(name, self.names) else ""
            told = suggestion(name, self.names, f"{self.kind}s are")
            raise NameUnknownError(f"There is no {self.kind} '{name}'{told}{advice}")
        return self._positions[name]

    def with_role(self, *roles: str) -> tuple[str, ...]:
        """Return the names of the inputs that have one of these roles."""
        return tuple(name for name, role in zip(self.names, self.roles, strict=True) if role in roles)

    def take(self, positions: Sequence[int]) -> Variables:
        """Return the group of the variables at these positions, with their symbols."""

        def of(entries: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(entries[i] for i in positions) if entries else ()

        kept = list(positions)
        return replace(
            self,
            names=of(self.names),
            units=of(self.units),
            start=self.start[kept],
            symbol=ca.vertcat(*[self.symbol[i] for i in kept], ca.SX(0, 1)),
            limits=self.limits[kept],
            ranges=self.ranges[kept] if len(self.ranges) else self.ranges,
            roles=of(self.roles),
            derivative_of=of(self.derivative_of),
        )

    def unit(self, name: str) -> str:
        """Return the unit of a variable."""
        return self.units[self.index(name)]

    def values(
        self, specified: Mapping[str, float] | Sequence[float] | np.ndarray | None, where: str = ""
    ) -> np.ndarray:
        """Return all values (n,), from a dict by name (the rest from `start`), an array, or None for `start`.

        Raises
        ------
        NameUnknownError
            A name that is not in the group.
        ParameterError
            A value that is not a finite number, or a parameter out of its range; values that do not go together; an
            array of another length.
        """
        if specified is None:
            return np.array(self.start, dtype=float)
        values = self._numbers(specified, where)
        for each in self.checks:
            each.check(where, values)
        return values

    def _numbers(self, specified: Mapping[str, float] | Sequence[float] | np.ndarray, where: str) -> np.ndarray:
        values = np.array(self.start, dtype=float)
        if isinstance(specified, Mapping):
            for name, value in specified.items():
                values[self.index(name)] = self._number(where, name, value)
            return values
        try:
            array = np.asarray(specified, dtype=float).ravel()
        except (TypeError, ValueError, OverflowError):
            own = " Of an operating point, they are its .x." if self.kind == "state" and hasattr(specified, "x") else ""
            raise ParameterError(
                f"{where}{self.kind}s = {short(specified)}; must be a dict by name, or {len(self)} numbers in the "
                f"order {listing(self.names)}.{own}"
            ) from None
        if array.shape != values.shape:
            raise ParameterError(
                f"{where}{self.kind}s: an array of {array.size} numbers; must have {len(self)}, in the order "
                f"{listing(self.names)}; or give a dict by name."
            )
        if len(self.ranges) or not computable(array):  # otherwise there is nothing to check
            for name, value in zip(self.names, array, strict=True):
                self._number(where, name, value)
        return array.copy()

    def _number(self, where: str, name: str, value: Any) -> float:
        try:
            number = np.nan if isinstance(value, (str, bool)) else float(value)
        except (TypeError, ValueError, OverflowError, RuntimeError):  # RuntimeError: a symbol of CasADi
            number = np.nan
        if not computable(number):
            told = COURSE if self.kind == "parameter" and callable(value) else ""
            raise ParameterError(f"{where}{name} = {short(value)}; must be {needed(number, 'a finite number')}.{told}")
        if len(self.ranges):
            low, high = self.ranges[self.index(name)]
            if not low <= number <= high:
                raise ParameterError(f"{where}{name} = {number:g}; must be {_between(low, high)}.")
        return number


def _between(low: float, high: float) -> str:
    """Return a range in words; parameters that are more than 0 have the least float for it as their least value."""
    least = "more than 0" if 0 < low < 1e-300 else f"at least {low:g}" if np.isfinite(low) else ""
    most = f"at most {high:.16g}" if np.isfinite(high) else ""
    return " and ".join(part for part in (least, most) if part)


def variables(
    kind: str,
    entries: Sequence[tuple[str, str, float]],
    limits: Sequence[float | None] | None = None,
    symbols: Mapping[str, ca.SX] | None = None,
    ranges: Sequence[tuple[float, float]] = (),
    checks: Sequence[Check] = (),
    roles: Sequence[str] | None = None,
    derivative_of: Sequence[str | None] | None = None,
) -> Variables:
    """Return a group from (name, unit, start) entries, with fresh symbols for those without one in `symbols`.

    Without `roles`, inputs are actuators and references references; other groups have none.
    """
    known = symbols or {}
    symbol = ca.vertcat(*[known.get(name, ca.SX.sym(name)) for name, _, _ in entries], ca.SX(0, 1))
    bounds = np.array([np.inf if limit is None else limit for limit in limits or [None] * len(entries)], dtype=float)
    if roles is None:
        roles = [ROLE_OF_KIND[kind]] * len(entries) if kind in ROLE_OF_KIND else ()
    return Variables(
        kind=kind,
        names=tuple(name for name, _, _ in entries),
        units=tuple(unit for _, unit, _ in entries),
        start=np.array([start for _, _, start in entries], dtype=float),
        symbol=symbol,
        limits=bounds,
        ranges=np.array(ranges, dtype=float).reshape(-1, 2),
        checks=tuple(checks),
        roles=tuple(roles),
        derivative_of=tuple([None] * len(roles) if derivative_of is None else derivative_of),
    )
