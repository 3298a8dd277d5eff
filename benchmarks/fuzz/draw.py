"""Random numbers: sizes over decades, directions, inertia tensors, choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Draw:
    """A generator of the numbers of one arm.

    Attributes
    ----------
    rng : Generator
    decades : float
        How far each size may be from a typical one, in powers of ten to either side: 3 makes six decades.
    flat : bool
        Whether the arm moves in the xy plane alone.
    """

    rng: np.random.Generator
    decades: float
    flat: bool

    def size(self, typical: float) -> float:
        """Return a positive number around `typical`."""
        return float(typical * 10 ** self.rng.uniform(-self.decades, self.decades))

    def size_or_zero(self, typical: float, zero: float = 0.5) -> float:
        return 0.0 if self.chance(zero) else self.size(typical)

    def within(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def chance(self, probability: float) -> bool:
        return bool(self.rng.uniform() < probability)

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.integers(len(choices)))]

    def vector(self, size: float) -> tuple[float, ...]:
        """Return a vector (3) of that size, in the plane of a flat arm."""
        return tuple((self.rng.uniform(-size, size, 3) * (1, 1, not self.flat)).tolist())

    def axis(self, slides: bool = False) -> tuple[float, ...]:
        """Return the axis of a hinge or slide: along one of the frame's, or anywhere."""
        if self.flat:
            return (*self.rng.normal(size=2).tolist(), 0.0) if slides else (0.0, 0.0, 1.0)
        along = [tuple(row) for row in np.eye(3).tolist()]
        return self.one_of((*along, tuple(self.rng.normal(size=3).tolist())))

    def inertia(self, mass: float, length: float) -> float | tuple[tuple[float, ...], ...]:
        """Return the inertia of three pairs of particles about their centre: some rigid body has it."""
        if self.flat:
            return mass * (length * self.within(0.05, 0.5)) ** 2
        second = mass * sum(np.outer(d, d) for d in self.rng.normal(size=(3, 3)) * length * 0.3)
        matrix = np.trace(second) * np.eye(3) - second
        return tuple(map(tuple, ((matrix + matrix.T) / 2).tolist()))
