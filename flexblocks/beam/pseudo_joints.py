"""Shapes of a beam that bends in hinges only: the linear theory of rigid segments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.beam.shapes import Shapes, gauss_legendre


@dataclass(frozen=True)
class PseudoJoints(Shapes):
    """Ramps phi_i = max(0, xi - xi_i) from hinges in the middle of `count` equal cells, xi_i = (i - 1/2)/count.

    A hinge holds the flexibility of its cell: a spring EI/(l/count), which is `count` in units of EI/l.
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
    def panels(self) -> np.ndarray:
        """The ends (count + 2,) of the rigid pieces."""
        return np.array([0.0, *self.places, 1.0])

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        beyond = np.subtract.outer(-self.places, -np.asarray(xi, dtype=float))
        if order == 0:
            return np.maximum(beyond, 0.0)
        return np.where(beyond >= 0, 1.0, 0.0) if order == 1 else np.zeros_like(beyond)

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        return gauss_legendre(2, self.panels)

    def stiffness(self) -> np.ndarray:
        """The curvature is all in the hinges: their springs instead of the integral."""
        return self.count * np.eye(self.count)
