"""Cubic Hermite functions on equal elements: the finite elements of the Euler-Bernoulli beam."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.beam.shapes import Shapes, gauss_legendre

# The four cubics on an element, s from 0 to 1: value and slope 1 at its inner end, then at its outer end.
CUBICS = [np.polynomial.Polynomial(c) for c in ([1, 0, -3, 2], [0, 1, -2, 1], [0, 0, 3, -2], [0, 0, -1, 1])]


@dataclass(frozen=True)
class HermiteShapes(Shapes):
    """Deflection and slope dv/dxi at the nodes xi = k/elements, k = 1, 2, ..., in turn; clamped at xi = 0."""

    elements: int

    @property
    def size(self) -> int:
        return 2 * self.elements

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        place = np.asarray(xi, dtype=float) * self.elements
        element = np.minimum(place.astype(int), self.elements - 1)
        # Rows: deflection and slope at the root, which is clamped, then at nodes 1, 2, ...
        found = np.zeros((self.size + 2, *place.shape))
        for k, cubic in enumerate(CUBICS):
            # The element is 1/elements long: so much is a unit slope there.
            values = cubic.deriv(order)(place - element) * float(self.elements) ** (order - k % 2)
            np.put_along_axis(found, (2 * element + k)[None], values[None], axis=0)
        return found[2:]

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        return gauss_legendre(4, np.linspace(0.0, 1.0, self.elements + 1))
