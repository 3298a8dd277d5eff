"""Pseudo-joints: shape functions of a beam that bends in hinges only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.beam.properties.profile import UNIFORM, Profile
from flexblocks.beam.properties.quadrature import gauss_legendre, panels
from flexblocks.beam.shapes.shape_functions import Shapes

# Gauss points on each smooth piece of a cell, for its flexibility: exact within rounding for a cone whose diameter
# halves inside one cell.
POINTS = 16


@dataclass(frozen=True)
class PseudoJoints(Shapes):
    """Ramps phi_i = max(0, xi - xi_i) from hinges in the middle of `count` equal cells, xi_i = (i - 1/2)/count.

    A hinge holds the flexibility of its cell: a spring EI/(l/count), which is `count` in units of EI/l, with the
    harmonic mean of EI over the cell.
    """

    count: int

    @property
    def size(self) -> int:
        return self.count

    @property
    def places(self) -> np.ndarray:
        """The places xi_i (count,) of the hinges."""
        return (np.arange(self.count) + 0.5) / self.count

    @property
    def bounds(self) -> np.ndarray:
        """The ends (count + 2,) of the rigid pieces."""
        return np.array([0.0, *self.places, 1.0])

    @property
    def points(self) -> int:
        return 2

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        beyond = np.subtract.outer(-self.places, -np.asarray(xi, dtype=float))
        if order == 0:
            return np.maximum(beyond, 0.0)
        return np.where(beyond >= 0, 1.0, 0.0) if order == 1 else np.zeros_like(beyond)

    def stiffness(self, rigidity: Profile = UNIFORM) -> np.ndarray:
        """The curvature is all in the hinges: their springs instead of the integral."""
        if rigidity == UNIFORM:
            return self.count * np.eye(self.count)
        cells = np.linspace(0.0, 1.0, self.count + 1)
        xi, w = gauss_legendre(POINTS, panels(cells, rigidity.breaks))
        cell = np.minimum((xi * self.count).astype(int), self.count - 1)
        return np.diag(1 / np.bincount(cell, w / rigidity(xi)))
