"""Quasi-static (residualised) modes: their displacements follow from a balance of forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy


@dataclass(frozen=True)
class StaticModes:
    """Displacements q = q_moving + sum_i e_i shapes_i, of which the e_i follow from a balance of forces.

    Their rates and accelerations are zero in the equations of motion: the slow manifold of singular perturbation
    (Kokotovic, Khalil & O'Reilly 1986, ch. 1), to zeroth order.

    Attributes
    ----------
    names : tuple of str
        Name of each mode, or of the coordinate that it is.
    shapes : tuple of tuple of float
        By mode, the displacements of all coordinates.
    measures : tuple of tuple of float
        By mode, the row that extracts its amplitude: e_i = measures_i q, biorthogonal to the shapes.
    """

    names: tuple[str, ...] = ()
    shapes: tuple[tuple[float, ...], ...] = ()
    measures: tuple[tuple[float, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def directions(self, n: int) -> np.ndarray:
        """Return the shapes as columns (n, k)."""
        return np.reshape(self.shapes, (-1, n)).T

    def amounts(self, n: int) -> np.ndarray:
        """Return the matrix (k, n) that extracts the amplitudes e_i from a displacement."""
        return np.reshape(self.measures, (-1, n))

    def moving(self, n: int) -> np.ndarray:
        """Return the projection (n, n) that removes the modes from a displacement, a rate or an acceleration."""
        return np.eye(n) - self.directions(n) @ self.amounts(n)

    def independent(self, n: int) -> list[int]:
        """Return n - k independent coordinates of a motion without the modes: not those that measure these best.

        In units in which measures and directions are alike, roots of masses, so that the choice is the same in all
        units. By the measures, since n - k rows of `moving` hold everything if the others measure the modes.
        """
        directions = np.abs(self.directions(n)).max(axis=1)
        measures = np.abs(self.amounts(n)).max(axis=0)
        inverse_roots = np.sqrt(np.divide(directions, measures, out=np.zeros(n), where=measures > 0))
        *_, order = scipy.linalg.qr(self.amounts(n) * inverse_roots, pivoting=True, mode="economic")
        return sorted(order[len(self.names) :].tolist())


ALL_MOVE = StaticModes()
