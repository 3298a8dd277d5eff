"""The union of several sets of shape functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexblocks.beam.shapes.shape_functions import Shapes


@dataclass(frozen=True, eq=False)
class Stacked(Shapes):
    """The union of several sets of shape functions, one set after the other."""

    parts: tuple[Shapes, ...]

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return self._each(lambda part: part.derivative(xi, order))

    def rotation(self, xi: float | np.ndarray) -> np.ndarray:
        return self._each(lambda part: part.rotation(xi))

    def strain(self, xi: float | np.ndarray) -> np.ndarray:
        return self._each(lambda part: part.strain(xi))

    def _each(self, values: Callable[[Shapes], np.ndarray]) -> np.ndarray:
        return np.concatenate([values(part) for part in self.parts])

    @property
    def bounds(self) -> np.ndarray:
        return np.unique(np.concatenate([part.bounds for part in self.parts]))

    @property
    def points(self) -> int:
        return max(part.points for part in self.parts)
