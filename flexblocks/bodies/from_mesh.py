"""Flexible bodies from a mesh of a solid, with quadratic modes and stresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.bodies.finite_elements import WHERE, finite_elements
from flexblocks.bodies.flexible_body import FlexibleBody, StressPlaces
from flexblocks.bodies.from_matrices import reduced_body
from flexblocks.bodies.inertia_integrals import scaled
from flexblocks.bodies.quadratic_modes import quadratic_modes
from flexblocks.bodies.reduction import Reduction
from flexblocks.bodies.solid import Solid, patches, solid
from flexblocks.errors import ParameterError

# xx, yy, zz, xy, yz, zx.
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


def body_of_mesh(
    mesh: Any,
    material: Any,
    interfaces: Mapping[str, Any],
    modes: int,
    points: Mapping[str, Any] | None,
    stress_at: Mapping[str, Sequence[float]] | None,
    quadratic: bool,
    negligible: float,
) -> FlexibleBody:
    """Return the body; arguments as of `FlexibleBody.from_mesh`."""
    of = solid(mesh, material)
    nodes, centers = patches(of, interfaces)
    model = finite_elements(*of.matrices, of.nodes, nodes, centers | dict(points or {}))
    reduction = Reduction(model)
    shapes = scaled(model, reduction.modes(modes))
    more: dict[str, Any] = {}
    if stress_at:
        more["stresses"] = stresses(of, shapes, stress_at)
    if quadratic:
        more["quadratic"] = quadratic_modes(of, model, reduction, shapes)
    return reduced_body(model, reduction, shapes, of.triangles, negligible, **more)


def stresses(of: Solid, modes: np.ndarray, places: Mapping[str, Sequence[float]]) -> StressPlaces:
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
            strain = gradient[:, :, element] @ weight
            stress = of.stress((strain + strain.T) / 2)
            modal[row, :, k] = [stress[entry] for entry in ENTRIES]
    return StressPlaces(tuple(places), modal)
