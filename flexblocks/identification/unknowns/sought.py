"""The unknowns of an identification in order, and the scaled variables in which they are sought.

An unknown t is sought as z = log t where it is positive by its nature, and as z = t / magnitude otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.identification.unknowns.unknown import Unknown

Kind = Literal["parameter", "output offset", "input offset", "start"]


@dataclass(frozen=True)
class Sought:
    """One unknown, resolved: where it belongs, and numbers in place of what was left open.

    Attributes
    ----------
    name, unit : str
    kind : str
    position : int
        Among the parameters, measured variables, inputs or states.
    record : int or None
        Of a start state, the record.
    guess, low, high : float
    mean, deviation : float
        Of the prior knowledge; the deviation is infinite where there is none.
    magnitude : float
        What is large for it, for those that are not positive by nature.
    """

    name: str
    unit: str
    kind: Kind
    position: int
    record: int | None
    guess: float
    low: float
    high: float
    mean: float
    deviation: float
    magnitude: float

    @property
    def is_logarithmic(self) -> bool:
        return self.low >= 0 and self.guess > 0


@dataclass(frozen=True)
class Unknowns:
    """All unknowns, those of each kind together: parameters, offsets, then the start states of each record."""

    sought: tuple[Sought, ...]

    def __len__(self) -> int:
        return len(self.sought)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.sought)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(each.unit for each in self.sought)

    @cached_property
    def guess(self) -> np.ndarray:
        """The values (k,) from which the search begins."""
        return np.array([each.guess for each in self.sought])

    @cached_property
    def ranges(self) -> np.ndarray:
        """The least and greatest values (2, k)."""
        return np.array([[each.low for each in self.sought], [each.high for each in self.sought]])

    @cached_property
    def logarithmic(self) -> np.ndarray:
        return np.array([each.is_logarithmic for each in self.sought], dtype=bool)

    @cached_property
    def scale(self) -> np.ndarray:
        """What a unit of z is [unit], of those that are sought as they are."""
        return np.array([1.0 if each.is_logarithmic else each.magnitude for each in self.sought])

    def values(self, z: np.ndarray) -> np.ndarray:
        """Return the values (k,) for scaled variables z (k,), within the bounds but for rounding."""
        with np.errstate(over="ignore"):
            values = np.where(self.logarithmic, np.exp(np.where(self.logarithmic, z, 0.0)), z * self.scale)
        return np.clip(values, *self.ranges)

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """Return z for values (k,)."""
        positive = np.where(self.logarithmic, np.maximum(values, 0.0), 1.0)
        with np.errstate(divide="ignore"):
            return np.where(self.logarithmic, np.log(positive), values / self.scale)

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Return the derivatives (k,) of the values in z."""
        return np.where(self.logarithmic, self.values(z), self.scale)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the bounds (k,) of z."""
        return self.scaled(self.ranges[0]), self.scaled(self.ranges[1])

    def start(self) -> np.ndarray:
        """Return z (k,) of the guesses."""
        return self.scaled(self.guess)

    def prior(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residuals (m,) of what is known beforehand, and their derivatives (m, k) in z."""
        known = [i for i, each in enumerate(self.sought) if np.isfinite(each.deviation)]
        mean, deviation = (np.array([getattr(self.sought[i], name) for i in known]) for name in ("mean", "deviation"))
        return (self.values(z)[known] - mean) / deviation, np.diag(self.slopes(z))[known] / deviation[:, None]

    def drawn(self, count: int, factor: float, rng: np.random.Generator) -> np.ndarray:
        """Return z (count, k) of starts about the guesses, within the bounds: up to a factor, or by the magnitudes.

        They are a Latin hypercube: of each unknown one in each of as many equal parts of its range.
        """
        spread = np.where(self.logarithmic, np.log(factor), 1.0)
        parts = np.array([rng.permutation(count) for _ in range(len(self))]).T.reshape(count, len(self))
        unit = (parts + rng.random(parts.shape)) / max(count, 1)
        return np.clip(self.start() + spread * (2 * unit - 1), *self.bounds())


def parameter(dae: DAE, unknown: Unknown, where: str) -> Sought:
    """Return a symbolic parameter of an arm that is sought.

    Raises
    ------
    NameUnknownError, ParameterError
        It is none; a guess out of its bounds, or bounds that leave no room.
    """
    if unknown.name not in dae.p:
        told = suggestion(unknown.name, dae.p.names, "symbolic are")
        raise NameUnknownError(
            f"{where}: parameters: '{unknown.name}' is no symbolic parameter of '{dae.name}'{told} Name it when the "
            f'arm is assembled, fb.assemble(model, symbolic=("{unknown.name}",)).'
        )
    i = dae.p.index(unknown.name)
    low, high = dae.p.ranges[i] if len(dae.p.ranges) else (-np.inf, np.inf)
    value, known = float(dae.p.start[i]), (float(low), float(high))
    return sought(unknown, dae.p.units[i], "parameter", i, None, value, abs(value), where, known)


def sought(
    unknown: Unknown,
    unit: str,
    kind: Kind,
    position: int,
    record: int | None,
    value: float,
    magnitude: float,
    where: str,
    known: tuple[float, float] = (-np.inf, np.inf),
) -> Sought:
    """Return an unknown with numbers in place of what was left open, by its `value` and range in the model."""
    guess = value if unknown.guess is None else float(unknown.guess)
    low = known[0] if unknown.low is None else max(float(unknown.low), known[0])
    high = known[1] if unknown.high is None else min(float(unknown.high), known[1])
    if not low <= guess <= high:
        raise ParameterError(
            f"{where}: '{unknown.name}': guess = {guess:g} {unit}; must be within its bounds, {low:g} to {high:g}."
        )
    if not low < high:
        raise ParameterError(f"{where}: '{unknown.name}': bounds {low:g} to {high:g}; low must be < high.")
    deviation = np.inf if unknown.deviation is None else float(unknown.deviation)
    sizes = [abs(guess), magnitude, (high - low) / 2, deviation]
    size = next((each for each in sizes if 0 < each < np.inf), 1.0)
    mean = guess if unknown.mean is None else float(unknown.mean)
    return Sought(unknown.name, unit, kind, position, record, guess, low, high, mean, deviation, size)
