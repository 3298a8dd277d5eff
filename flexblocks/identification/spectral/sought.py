"""Parameters that are sought: guesses, bounds, prior knowledge, and the scaled variables of the search.

A parameter that is positive by its nature is sought as its logarithm, any other one in units of its magnitude.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from flexblocks.argument_types import short
from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion


class Known(Protocol):
    """Protocol of an unknown with what is known of it: guess, bounds, and mean and deviation of prior knowledge."""

    name: str
    guess: float | None
    low: float | None
    high: float | None
    mean: float | None
    deviation: float | None


@dataclass(frozen=True, eq=False)
class Sought:
    """The parameters (k,) that are sought.

    Attributes
    ----------
    names, units : tuple of str
    guess, low, high, mean, deviation : ndarray (k,)
        The deviation is infinite where nothing is known beforehand.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    guess: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray

    @property
    def logarithmic(self) -> np.ndarray:
        return (self.low >= 0) & (self.guess > 0)

    @property
    def magnitude(self) -> np.ndarray:
        """What a unit of the search is, of those that are not sought as logarithms."""
        width = np.where(np.isfinite(self.high - self.low), (self.high - self.low) / 2, 1.0)
        return np.where(self.guess != 0, np.abs(self.guess), np.where(width > 0, width, 1.0))

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """Return the variables of the search (k,) for values (k,)."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(self.logarithmic, np.maximum(values, 0.0), 1.0))
        return np.where(self.logarithmic, logs, values / self.magnitude)

    def values(self, z: np.ndarray) -> np.ndarray:
        """Return the values (k,) for variables of the search (k,), within the bounds but for rounding."""
        values = np.where(self.logarithmic, np.exp(np.where(self.logarithmic, z, 0.0)), z * self.magnitude)
        return np.clip(values, self.low, self.high)

    def slopes(self, values: np.ndarray) -> np.ndarray:
        """Return the derivatives (k,) of the values in the variables of the search."""
        return np.where(self.logarithmic, values, self.magnitude)

    def drawn(self, count: int, factor: float, seed: int) -> np.ndarray:
        """Return points (count, k) of the search up to a factor from the guess, within the bounds.

        They are a Latin hypercube: of each parameter one in each of as many equal parts of its range.
        """
        first, low, high = self.scaled(self.guess), self.scaled(self.low), self.scaled(self.high)
        spread = np.where(self.logarithmic, np.log(factor), 1.0)
        rng = np.random.default_rng(seed)
        parts = np.array([rng.permutation(count) for _ in first]).T
        unit = (parts + rng.random(parts.shape)) / count
        return np.clip(first + spread * (2 * unit - 1), low, high)


def with_symbols(dae: DAE, parameters: Iterable[Any] | Any, where: str) -> tuple[DAE, list[Any]]:
    """Return the arm in which the parameters are symbols, assembled anew if it has to be, and the unknowns.

    Raises
    ------
    ParameterError, NameUnknownError
        None is named, one is named twice or is no parameter that can stay symbolic.
    """
    given = [parameters] if isinstance(parameters, str) or hasattr(parameters, "guess") else list(parameters)
    names = [each if isinstance(each, str) else str(getattr(each, "name", "")) for each in given]
    if not given or not all(names):
        raise ParameterError(f"{where}: parameters = {short(parameters)}; must name what is to be found.")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f"{where}: parameters: {listing(twice)} is named twice; must be named once.")
    more = [name for name in names if name not in dae.p]
    if not more:
        return dae, given
    if dae.model is None:
        told = suggestion(more[0], dae.p.names, "symbolic are")
        raise NameUnknownError(f"{where}: parameters: '{more[0]}' is no symbolic parameter of '{dae.name}'{told}")
    return assemble(dae.model, (*dae.p.names, *more), locked=dae.locked, prescribed=dae.prescribed), given


def sought(dae: DAE, given: Iterable[Any], where: str) -> Sought:
    """Return what is sought in an arm in which all of it is symbolic.

    Raises
    ------
    ParameterError
        A guess out of its bounds.
    """
    rows, names, units = [], [], []
    for each in given:
        name = each if isinstance(each, str) else each.name
        i = dae.p.index(name)
        known: dict[str, float | None] = dict.fromkeys(("guess", "low", "high", "mean", "deviation"))
        if not isinstance(each, str):
            known = {key: getattr(each, key) for key in known}
        low, high = dae.p.ranges[i] if len(dae.p.ranges) else (-np.inf, np.inf)
        low = max(low, -np.inf if known["low"] is None else known["low"])
        high = min(high, np.inf if known["high"] is None else known["high"])
        guess = float(dae.p.start[i]) if known["guess"] is None else float(known["guess"])
        if not low <= guess <= high:
            raise ParameterError(
                f"{where}: '{name}': guess = {guess:g}; must be within its bounds, {low:g} to {high:g}."
            )
        if not low < high:
            raise ParameterError(f"{where}: '{name}': bounds {low:g} to {high:g}; low must be < high.")
        deviation = np.inf if known["deviation"] is None else known["deviation"]
        rows.append((guess, low, high, guess if known["mean"] is None else known["mean"], deviation))
        names.append(name)
        units.append(dae.p.units[i])
    return Sought(tuple(names), tuple(units), *np.array(rows, dtype=float).T)
