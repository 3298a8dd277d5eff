"""Regions that a motion keeps out of or in, and its via points, as meshes in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.plot.animation.shapes.mesh import Mesh, along, box, cylinder, sphere

if TYPE_CHECKING:
    from flexblocks.optim import Plan

# Height of what extends through all z, and size of a half-space, in units of the arm's extent.
HEIGHT, WIDE = 0.18, 1.3


def region_mesh(region: Any, middle: np.ndarray, extent: float) -> Mesh | None:
    """Return the mesh of a region; of one that extends without end the part near `middle` (3,) of an arm."""
    from flexblocks.optim import Cuboid, HalfSpace, Sphere

    if isinstance(region, Sphere):
        if len(region.center) == 3:
            return sphere(region.radius, 20).moved(region.center)
        return cylinder((0.0, 0.0, 1.0), region.radius, HEIGHT * extent, 48).moved((*region.center, middle[2]))
    if isinstance(region, Cuboid):
        low, high = np.array(region.low), np.array(region.high)
        if len(low) == 2:
            low = np.append(low, middle[2] - HEIGHT * extent / 2)
            high = np.append(high, middle[2] + HEIGHT * extent / 2)
        return box(high - low).moved((low + high) / 2, np.array(region.rotation))
    if isinstance(region, HalfSpace):
        point, normal = np.zeros(3), np.zeros(3)
        point[: len(region.point)], normal[: len(region.normal)] = region.point, region.normal
        foot = middle - normal * (normal @ (middle - point))
        thin = 0.01 * extent
        return box((thin, 2 * WIDE * extent, 2 * WIDE * extent)).moved(foot - thin / 2 * normal, along(normal))
    return None


def plan_obstacles(plan: Plan, middle: np.ndarray, extent: float) -> list[tuple[str, str, Mesh]]:
    """Return name, role and mesh of each region and via point of a plan."""
    from flexblocks.optim import KeepIn, KeepOut

    problem, drawn = plan.transcribed.problem, []
    for one in dict.fromkeys(one for phase in problem.phases for one in problem.path_in(phase)):
        if isinstance(one, (KeepOut, KeepIn)):
            mesh = region_mesh(one.region, middle, extent)
            if mesh is not None:
                drawn.append((one.label, "keep-in" if isinstance(one, KeepIn) else "obstacle", mesh))
    for phase in problem.phases:
        for via in phase.via:
            names = dict.fromkeys(name.rpartition(".")[0] for name in via.values)
            for name in names:
                if f"{name}.x" in via.values and f"{name}.y" in via.values:
                    place = [via.values.get(f"{name}.{axis}", 0.0) for axis in "xyz"]
                    drawn.append((f"via point of {name}", "via", sphere(0.012 * extent).moved(place)))
    return drawn
