"""The distribution of a property along a beam: a number, a function of x, or a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from flexblocks.beam.properties.quadrature import gauss_legendre, panels

# Gauss points on each smooth piece when a property is averaged: the flexibility of a cone that tapers to a tenth, or 14
# full waves, come out within 1e-12.
POINTS = 64


@dataclass(frozen=True)
class Distribution:
    """A property distributed over the length of a beam.

    Attributes
    ----------
    definition : float, section, callable or tuple of (x, value)
        What defines it: one value for all x; a function of x [m]; or a table, linear between its points, in which two
        points at one x are a jump.
    length : float
        [m]
    quantity : callable
        Takes the number from a value: a property of a section, or the number itself.
    """

    definition: Any
    length: float
    quantity: Callable[[Any], float] = float

    @property
    def is_uniform(self) -> bool:
        return not callable(self.definition) and not isinstance(self.definition, tuple)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Places x/l inside the beam at which the property is not smooth."""
        places = [x / self.length for x, _ in self.definition] if isinstance(self.definition, tuple) else []
        return tuple(sorted({xi for xi in places if 0.0 < xi < 1.0}))

    def value(self, xi: float) -> Any:
        """Return the value (a number or a section) at x = xi l; at a jump that on the outer side."""
        if callable(self.definition):
            return self.definition(xi * self.length)
        if not isinstance(self.definition, tuple):
            return self.definition
        x = xi * self.length
        beyond = next((i for i, (place, _) in enumerate(self.definition) if place > x), len(self.definition) - 1)
        (start, inner), (end, outer) = self.definition[beyond - 1], self.definition[beyond]
        return _between(inner, outer, (x - start) / (end - start)) if end > start else outer

    def __call__(self, xi: float | np.ndarray) -> np.ndarray:
        """Return the quantity at `xi`, a number or an array of any shape."""
        values = [float(self.quantity(self.value(float(place)))) for place in np.ravel(xi)]
        return np.reshape(values, np.shape(xi))


@dataclass(frozen=True)
class SumOfDistributions:
    """The sum of two properties along one beam."""

    first: Distribution
    second: Distribution

    @property
    def is_uniform(self) -> bool:
        return self.first.is_uniform and self.second.is_uniform

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(sorted({*self.first.breaks, *self.second.breaks}))

    def __call__(self, xi: float | np.ndarray) -> np.ndarray:
        return self.first(xi) + self.second(xi)


def _between(inner: Any, outer: Any, share: float) -> Any:
    """Return the linear interpolation between two numbers, or between the sizes of two sections."""
    if isinstance(inner, (int, float)):
        return inner + share * (outer - inner)
    sizes = {f.name: _between(getattr(inner, f.name), getattr(outer, f.name), share) for f in fields(inner)}
    return type(inner)(**sizes)


@dataclass(frozen=True)
class Profile:
    """A property along a beam in units of its mean; `distribution` None is a uniform one."""

    distribution: Distribution | SumOfDistributions | None = None

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.distribution.breaks if self.distribution else ()

    def __call__(self, xi: np.ndarray) -> np.ndarray:
        return self.distribution(xi) / mean(self.distribution) if self.distribution else np.ones(np.shape(xi))


UNIFORM = Profile()


def profile(distribution: Distribution | SumOfDistributions) -> Profile:
    """Return the profile of a property; `UNIFORM` itself for one that is constant, so that it can be recognised."""
    return UNIFORM if distribution.is_uniform else Profile(distribution)


@lru_cache(maxsize=256)
def mean(distribution: Distribution | SumOfDistributions) -> float:
    """Return the mean of a property over the length."""
    if isinstance(distribution, SumOfDistributions):
        return mean(distribution.first) + mean(distribution.second)
    if distribution.is_uniform:
        return float(distribution.quantity(distribution.definition))
    xi, w = gauss_legendre(POINTS, panels(distribution.breaks))
    return float(distribution(xi) @ w)
