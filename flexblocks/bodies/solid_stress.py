"""Stresses of a solid in its modes: at named places, and on its surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.bodies.finite_elements import WHERE
from flexblocks.bodies.flexible_body import StressPlaces
from flexblocks.bodies.solid import Solid
from flexblocks.errors import ParameterError

# xx, yy, zz, xy, yz, zx.
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


def stress_places(of: Solid, modes: np.ndarray, places: Mapping[str, Sequence[float]]) -> StressPlaces:
    """Return the stresses of modes (3 N, n) at named places of a solid, in the axes of its mesh.

    Raises
    ------
    ParameterError
        A place outside the mesh, or a name that no output can have.
    """
    find = of.mesh.element_finder()
    corners = np.asarray(of.basis.global_coordinates())
    elements, weights = [], []
    for name, place in places.items():
        at = np.asarray(place, dtype=float)
        if not isinstance(name, str) or not name.isidentifier() or at.shape != (3,):
            raise ParameterError(f"{WHERE}: stress_at: {name!r}: {place!r}; must be places (3,) in m, by a name.")
        try:
            element = int(find(*at[:, None])[0])
        except ValueError:
            raise ParameterError(f"{WHERE}: stress_at: '{name}' = {place!r} is outside the mesh.") from None
        # Strains of second-degree tetrahedra are linear within each.
        known = np.vstack([np.ones(corners.shape[2]), corners[:, element] - at[:, None]])
        weights.append(np.linalg.pinv(known)[:, 0])
        elements.append(element)
    modal = np.zeros((len(elements), 6, modes.shape[1]))
    for k, mode in enumerate(modes.T):
        gradient = of.gradients(mode)
        for row, (element, weight) in enumerate(zip(elements, weights, strict=True)):
            modal[row, :, k] = _entries(of, gradient[:, :, element] @ weight)
    return StressPlaces(tuple(places), modal)


def corner_stress(of: Solid, modes: np.ndarray) -> np.ndarray:
    """Return the stresses (c, 6, n) of modes (3 N, n) at the corners of the mesh: means over the elements there."""
    points = of.basis.X
    shares = np.vstack([1 - points.sum(axis=0), points])  # barycentric coordinates (4, points) in each element
    to_corners = np.linalg.pinv(shares)
    elements, count = of.mesh.t.ravel(), np.bincount(of.mesh.t.ravel(), minlength=of.mesh.p.shape[1])
    stress = np.zeros((of.mesh.p.shape[1], 6, modes.shape[1]))
    for k, mode in enumerate(modes.T):
        at_corners = of.gradients(mode) @ to_corners  # (3, 3, elements, 4)
        entries = _entries(of, at_corners.swapaxes(2, 3).reshape(3, 3, -1))
        for row, values in enumerate(entries):
            stress[:, row, k] = np.bincount(elements, values, len(stress)) / np.maximum(count, 1)
    return stress


def _entries(of: Solid, gradient: np.ndarray) -> np.ndarray:
    """Return xx, yy, zz, xy, yz, zx (6, ...) of the stress of displacement gradients (3, 3, ...)."""
    stress = of.stress((gradient + gradient.swapaxes(0, 1)) / 2)
    return np.array([stress[entry] for entry in ENTRIES])
