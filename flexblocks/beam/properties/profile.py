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
    """A property over the length.

    Attributes
    ----------
    given : float, section, callable or tuple of (x, value)
        What the user gave: the same everywhere; the value at x [m]; or a table, linear between its points, in which two
        points at one x are a jump.
    length : float
        [m]
    quantity : callable
        What of the value counts: a number from a section, or the number itself.
    """

    given: Any
    length: float
    quantity: Callable[[Any], float] = float

    @property
    def is_uniform(self) -> bool:
        return not callable(self.given) and not isinstance(self.given, tuple)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Places x/l inside the beam at which the property is not smooth."""
        places = [x / self.length for x, _ in self.given] if isinstance(self.given, tuple) else []
        return tuple(sorted({xi for xi in places if 0.0 < xi < 1.0}))

    def value(self, xi: float) -> Any:
        """Return what the user gave for x = xi l; at a jump what is beyond it."""
        if callable(self.given):
            return self.given(xi * self.length)
        if not isinstance(self.given, tuple):
            return self.given
        x = xi * self.length
        beyond = next((i for i, (place, _) in enumerate(self.given) if place > x), len(self.given) - 1)
        (start, inner), (end, outer) = self.given[beyond - 1], self.given[beyond]
        return _between(inner, outer, (x - start) / (end - start)) if end > start else outer

    def __call__(self, xi: float | np.ndarray) -> np.ndarray:
        """Return the quantity at `xi`, a number or an array of any shape."""
        values = [float(self.quantity(self.value(float(place)))) for place in np.ravel(xi)]
        return np.reshape(values, np.shape(xi))


def _between(inner: Any, outer: Any, share: float) -> Any:
    """Return the value at a share of the way from one to another: numbers, or sections whose sizes change."""
    if isinstance(inner, (int, float)):
        return inner + share * (outer - inner)
    sizes = {f.name: _between(getattr(inner, f.name), getattr(outer, f.name), share) for f in fields(inner)}
    return type(inner)(**sizes)


@dataclass(frozen=True)
class Profile:
    """A property along a beam in units of its mean; `distribution` None is a uniform one."""

    distribution: Distribution | None = None

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.distribution.breaks if self.distribution else ()

    def __call__(self, xi: np.ndarray) -> np.ndarray:
        return self.distribution(xi) / mean(self.distribution) if self.distribution else np.ones(np.shape(xi))


UNIFORM = Profile()


def profile(distribution: Distribution) -> Profile:
    """Return the profile of a property; one that is the same everywhere is known as such."""
    return UNIFORM if distribution.is_uniform else Profile(distribution)


@lru_cache(maxsize=256)
def mean(distribution: Distribution) -> float:
    """Return the mean of a property over the length."""
    if distribution.is_uniform:
        return float(distribution.quantity(distribution.given))
    xi, w = gauss_legendre(POINTS, panels(distribution.breaks))
    return float(distribution(xi) @ w)
