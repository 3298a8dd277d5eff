"""Flexible bodies from the mass and stiffness matrices of any finite-element program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.bodies.finite_elements import WHERE, FiniteElements, finite_elements
from flexblocks.bodies.flexible_body import FlexibleBody
from flexblocks.bodies.inertia_integrals import fields_of, first_moments, interface_motion, moments, scaled
from flexblocks.bodies.reduction import Reduction
from flexblocks.bodies.surface import surface
from flexblocks.errors import ParameterError


def body_of_matrices(
    M: Any,
    K: Any,
    nodes: Any,
    interfaces: Mapping[str, Any],
    modes: int,
    points: Mapping[str, Any] | None,
    triangles: Any,
    negligible: float,
) -> FlexibleBody:
    """Return the body; arguments as of `FlexibleBody.from_matrices`."""
    model = finite_elements(M, K, nodes, interfaces, points)
    reduction = Reduction(model)
    return reduced_body(model, reduction, scaled(model, reduction.modes(modes)), triangles, negligible)


def reduced_body(
    model: FiniteElements,
    reduction: Reduction,
    modes: np.ndarray,
    triangles: Any,
    negligible: float,
    stress: np.ndarray | None = None,
    **more: Any,
) -> FlexibleBody:
    """Return the body that deforms in modes (3 N, n) of mean square 1; `more` are its further attributes.

    `stress` (c, 6, n) [Pa] is that of the modes at the first c nodes, on which the triangles are.
    """
    origin = model.points[0]
    places = model.nodes - origin
    fields = [places, *fields_of(modes)]
    drawn = None if triangles is None else surface(places, _triangles(triangles, len(places)), modes, stress)
    return FlexibleBody(
        mass=model.mass,
        first=first_moments(model, fields),
        second=moments(model, fields, fields),
        stiffness=modes.T @ (model.K @ modes),
        names=model.names,
        points=model.points - origin,
        motion=interface_motion(model, modes),
        frequencies=reduction.full_frequencies(),
        negligible=negligible,
        surface=drawn,
        **more,
    )


def _triangles(given: Any, nodes: int) -> np.ndarray:
    found = np.asarray(given)
    if found.ndim != 2 or found.shape[1] != 3 or found.dtype.kind not in "iu" or not len(found):
        raise ParameterError(f"{WHERE}: triangles has shape {found.shape}; must be (t, 3), numbers of nodes.")
    if found.min() < 0 or found.max() >= nodes:
        raise ParameterError(f"{WHERE}: triangles has nodes beyond 0 to {nodes - 1}.")
    return found
