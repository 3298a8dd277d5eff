"""Geometric stiffening: the foreshortening of a beam by bending.

A beam whose axis keeps its length shortens by 1/2 int v'^2 dx as it bends. By shapes, v' = sum phi_i' a_i/l, so the
square is a sum of products phi_i' phi_j'. On each piece on which the shapes are smooth, an orthonormal basis g_r of the
products is found; the shift is then sum chi_r b_r with shapes chi_r, the integrals of g_r, and amplitudes b_r that are
quadratic forms of the coordinates. Constants chi_r take part in the energies as all shapes do, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from flexblocks.beam.properties.quadrature import gauss_legendre
from flexblocks.beam.shapes.axial_torsional import RodShapes
from flexblocks.beam.shapes.shape_functions import Shapes

# Singular values below this share are rounding: these products of slopes are combinations of the others.
DEPENDENT = 1e-11


@dataclass(frozen=True, eq=False)
class Shortening(RodShapes):
    """Shapes chi_r, r = 1..size, of the shortening by the products of the slopes of `shapes`.

    Attributes
    ----------
    shapes : Shapes
        The n shapes of bending.
    """

    shapes: Shapes

    @cached_property
    def _pieces(self) -> list[tuple[float, float, np.ndarray, np.ndarray]]:
        """For each smooth piece: start, end, and with m products i <= j of slopes that are not zero there their
        indices (2, m) and what makes g_r (r, m) of them."""
        bounds = self.shapes.bounds
        return [self._piece(start, end) for start, end in pairwise(bounds)]

    def _piece(self, start: float, end: float) -> tuple[float, float, np.ndarray, np.ndarray]:
        # Products of all pairs of slopes that do not vanish here, sampled at Gauss points.
        s, w = gauss_legendre(2 * self.shapes.points)
        slope = self.shapes.slope(start + (end - start) * s)
        alive = np.flatnonzero(np.abs(slope).max(axis=1) > 1e-12 * np.abs(slope).max())
        rows, columns = np.triu_indices(len(alive))
        pairs = np.stack([alive[rows], alive[columns]])
        products = slope[pairs[0]] * slope[pairs[1]] * np.sqrt(w * (end - start))
        # An orthonormal basis of these products.
        left, size, right = np.linalg.svd(products, full_matrices=False)
        kept = size > DEPENDENT * size[0]
        basis = (left[:, kept] / size[kept]).T
        # Rotate the basis so that one function takes all of the mean: the others move nothing beyond their piece.
        means = right[kept] @ np.sqrt(w * (end - start))
        turn = np.linalg.qr(np.column_stack([means, np.eye(len(means))]))[0].T
        return start, end, pairs, turn @ basis

    @property
    def size(self) -> int:
        return sum(len(make) for *_, make in self._pieces)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        place = np.asarray(xi, dtype=float)
        pieces = []
        for i, (start, end, pairs, make) in enumerate(self._pieces):
            last = i == len(self._pieces) - 1
            if order == 1:
                inside = (place >= start) & ((place <= end) if last else (place < end))
                pieces.append(np.where(inside, self._g(place, pairs, make), 0.0))
            else:
                s, w = gauss_legendre(2 * self.shapes.points)
                reach = np.clip(place, start, end) - start
                values = self._g(start + np.multiply.outer(s, reach), pairs, make)
                pieces.append(np.einsum("rk...,k,...->r...", values, w, reach))
        chi = np.concatenate(pieces)
        return np.where(np.abs(chi) < 1e-14, 0.0, chi)

    def _g(self, place: np.ndarray, pairs: np.ndarray, make: np.ndarray) -> np.ndarray:
        slope = self.shapes.slope(place)
        return np.tensordot(make, slope[pairs[0]] * slope[pairs[1]], 1)

    @cached_property
    def forms(self) -> list[np.ndarray]:
        """For each shape the matrix C (n, n) of its amplitude: v'^2 = sum_r g_r(xi) a'C_r a for v' = sum phi_i' a_i."""
        matrices = []
        for start, end, pairs, make in self._pieces:
            s, w = gauss_legendre(2 * self.shapes.points)
            place = start + (end - start) * s
            slope, g = self.shapes.slope(place), self._g(place, pairs, make)
            products = slope[pairs[0]] * slope[pairs[1]]
            parts = (g * (w * (end - start))) @ products.T
            # Rounding of the quadrature would fill C.
            for row in np.where(np.abs(parts) < 1e-13 * np.abs(parts).max(), 0.0, parts):
                C = np.zeros((self.shapes.size, self.shapes.size))
                C[pairs[0], pairs[1]] = C[pairs[1], pairs[0]] = row
                matrices.append(C)
        return matrices

    @property
    def bounds(self) -> np.ndarray:
        return self.shapes.bounds

    @property
    def points(self) -> int:
        return 2 * self.shapes.points
