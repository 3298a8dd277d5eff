"""The unknowns of an identification in order, and the scaled variables in which they are sought.

An unknown t is sought as z = log t where it is positive by its nature, and as z = t / scale otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.identification.prediction.unknown import Unknown
from flexblocks.simulation.record import Record

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

    @cached_property
    def logarithmic(self) -> np.ndarray:
        return np.array([each.is_logarithmic for each in self.sought], dtype=bool)

    @cached_property
    def scale(self) -> np.ndarray:
        """What a unit of z is [unit], of those that are sought as they are."""
        return np.array([1.0 if each.is_logarithmic else each.magnitude for each in self.sought])

    def values(self, z: np.ndarray) -> np.ndarray:
        """Return the values (k,) for scaled variables z (k,)."""
        with np.errstate(over="ignore"):
            return np.where(self.logarithmic, np.exp(np.where(self.logarithmic, z, 0.0)), z * self.scale)

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
        low, high = (self.scaled(np.array([getattr(each, end) for each in self.sought])) for end in ("low", "high"))
        return low, high

    def start(self) -> np.ndarray:
        """Return z (k,) of the guesses."""
        return self.scaled(np.array([each.guess for each in self.sought]))

    def prior(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residuals (m,) of what is known beforehand, and their derivatives (m, k) in z."""
        known = [i for i, each in enumerate(self.sought) if np.isfinite(each.deviation)]
        mean, deviation = (np.array([getattr(self.sought[i], name) for i in known]) for name in ("mean", "deviation"))
        return (self.values(z)[known] - mean) / deviation, np.diag(self.slopes(z))[known] / deviation[:, None]

    def drawn(self, rng: np.random.Generator, factor: float) -> np.ndarray:
        """Return z (k,) of a start drawn about the guesses, within the bounds: up to a factor, or by the magnitudes."""
        low, high = self.bounds()
        spread = np.where(self.logarithmic, np.log(factor), 1.0)
        return np.clip(self.start() + spread * rng.uniform(-1, 1, len(self)), low, high)


def resolved(
    dae: DAE, parameters: Iterable[str | Unknown] | str | Unknown, measured: Sequence[str], records: Sequence[Record]
) -> Unknowns:
    """Return the unknowns that a user named.

    Raises
    ------
    NameUnknownError, ParameterError
        A name that is no symbolic parameter, measured variable, input or state; one that comes twice; a guess out of
        its bounds.
    """
    given = [parameters] if isinstance(parameters, (str, Unknown)) else list(parameters)
    if not given:
        raise ParameterError("identify: parameters is empty; must name what is to be found.")
    asked = [each if isinstance(each, Unknown) else Unknown(each) for each in given]
    names = [each.name for each in asked]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f"identify: parameters: {listing(twice)} is named twice; must be named once.")
    kinds: dict[str, list[Sought]] = {"parameter": [], "offset": [], "start": []}
    for each in asked:
        kind, _, rest = each.name.partition("(")
        if kind == "offset" and rest.endswith(")"):
            kinds["offset"].append(_offset(dae, each, rest[:-1], measured, records))
        elif kind == "start" and rest.endswith(")"):
            kinds["start"] += _starts(dae, each, rest[:-1], records)
        else:
            kinds["parameter"].append(_parameter(dae, each))
    kinds["start"].sort(key=lambda sought: sought.record or 0)
    return Unknowns(tuple(sought for group in kinds.values() for sought in group))


def _parameter(dae: DAE, unknown: Unknown) -> Sought:
    if unknown.name not in dae.p:
        told = suggestion(unknown.name, dae.p.names, "symbolic are")
        raise NameUnknownError(
            f"identify: parameters: '{unknown.name}' is no symbolic parameter of '{dae.name}'{told} Name it when the "
            f'arm is assembled, fb.assemble(model, symbolic=("{unknown.name}",)).'
        )
    i = dae.p.index(unknown.name)
    low, high = dae.p.ranges[i] if len(dae.p.ranges) else (-np.inf, np.inf)
    value = float(dae.p.start[i])
    return _sought(unknown, dae.p.units[i], "parameter", i, None, value, abs(value), (float(low), float(high)))


def _offset(dae: DAE, unknown: Unknown, name: str, measured: Sequence[str], records: Sequence[Record]) -> Sought:
    if name in measured:
        series = np.concatenate([record[name] for record in records if name in record])
        kind, position, unit = "output offset", measured.index(name), _unit(dae, name)
    elif name in dae.u:
        series = np.concatenate([record[name] for record in records if name in record] or [np.zeros(1)])
        kind, position, unit = "input offset", dae.u.index(name), dae.u.unit(name)
    else:
        told = suggestion(name, (*measured, *dae.u.names))
        raise NameUnknownError(f"identify: parameters: '{unknown.name}': '{name}' is neither measured nor input{told}")
    return _sought(unknown, unit, kind, position, None, 0.0, float(np.nanmax(series) - np.nanmin(series)))


def _starts(dae: DAE, unknown: Unknown, name: str, records: Sequence[Record]) -> list[Sought]:
    if name not in dae.x:
        told = suggestion(name, dae.x.names)
        raise NameUnknownError(f"identify: parameters: '{unknown.name}': '{name}' is no state of '{dae.name}'{told}")
    i, found = dae.x.index(name), []
    for number, record in enumerate(records):
        value = float(record.x0.get(name, dae.x.start[i]))
        magnitude = float(np.ptp(record[name][np.isfinite(record[name])])) if name in record else 1.0
        label = unknown.name if len(records) == 1 else f"{unknown.name}[{number + 1}]"
        own = Unknown(label, unknown.guess, unknown.low, unknown.high, unknown.mean, unknown.deviation)
        found.append(_sought(own, dae.x.units[i], "start", i, number, value, magnitude))
    return found


def _sought(
    unknown: Unknown,
    unit: str,
    kind: Kind,
    position: int,
    record: int | None,
    value: float,
    magnitude: float,
    known: tuple[float, float] = (-np.inf, np.inf),
) -> Sought:
    guess = value if unknown.guess is None else float(unknown.guess)
    low = known[0] if unknown.low is None else max(float(unknown.low), known[0])
    high = known[1] if unknown.high is None else min(float(unknown.high), known[1])
    if not low <= guess <= high:
        raise ParameterError(
            f"identify: '{unknown.name}': guess = {guess:g} {unit}; must be within its bounds, {low:g} to {high:g}."
        )
    deviation = np.inf if unknown.deviation is None else float(unknown.deviation)
    sizes = [abs(guess), magnitude, (high - low) / 2, deviation]
    size = next((each for each in sizes if 0 < each < np.inf), 1.0)
    mean = guess if unknown.mean is None else float(unknown.mean)
    return Sought(unknown.name, unit, kind, position, record, guess, low, high, mean, deviation, size)


def _unit(dae: DAE, name: str) -> str:
    group = next((group for group in (dae.x, dae.z, dae.y) if name in group), None)
    return "" if group is None else group.unit(name)
