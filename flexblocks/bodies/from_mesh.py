"""Flexible bodies from a mesh of a solid, with quadratic modes and stresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flexblocks.bodies.finite_elements import finite_elements
from flexblocks.bodies.flexible_body import FlexibleBody
from flexblocks.bodies.from_matrices import reduced_body
from flexblocks.bodies.inertia_integrals import scaled
from flexblocks.bodies.quadratic_modes import quadratic_modes
from flexblocks.bodies.reduction import Reduction
from flexblocks.bodies.solid import patches, solid
from flexblocks.bodies.solid_stress import corner_stress, stress_places


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
        more["stresses"] = stress_places(of, shapes, stress_at)
    if quadratic:
        more["quadratic"] = quadratic_modes(of, model, reduction, shapes)
    return reduced_body(model, reduction, shapes, of.triangles, negligible, corner_stress(of, shapes), **more)
