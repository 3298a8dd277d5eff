"""Restriction of shape functions to a piece of a beam: their integrals extend over that piece alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexblocks.beam.properties.quadrature import gauss_legendre, panels, within
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation


@dataclass(frozen=True, eq=False)
class Restricted(Shapes):
    """The functions of `whole`, integrated from `start` to `end`."""

    whole: Shapes
    start: float
    end: float

    @property
    def size(self) -> int:
        return self.whole.size

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return self.whole.derivative(xi, order)

    def rotation(self, xi: float | np.ndarray) -> np.ndarray:
        return self.whole.rotation(xi)

    def strain(self, xi: float | np.ndarray) -> np.ndarray:
        return self.whole.strain(xi)

    @property
    def bounds(self) -> np.ndarray:
        return within(self.whole.bounds, self.start, self.end)

    @property
    def points(self) -> int:
        return self.whole.points

    def quadrature(self, breaks: tuple[float, ...] = (), finer: int = 0) -> tuple[np.ndarray, np.ndarray]:
        places = within(panels(self.whole.bounds, breaks), self.start, self.end)
        return gauss_legendre(self.points + finer, places)


@lru_cache(maxsize=1024)
def restricted(plane: DiscretizedDeformation, start: float, end: float) -> DiscretizedDeformation:
    """Return a deformation whose integrals extend from `start` to `end`; computed once for all equal beams."""
    return DiscretizedDeformation(Restricted(plane.shapes, start, end), FREE, plane.profiles)
