"""Triangle meshes whose vertices ride on the stations of a body: boxes, cylinders, spheres and prisms along a beam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

SIDES = 20  # of what is round; by trial


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangle mesh.

    Attributes
    ----------
    station : ndarray (v,) of int
        The station of the body that each vertex rides on; 0 is the inlet.
    offset, normal : ndarray (v, 3)
        Place [m] and unit normal in the axes of that station.
    triangles : ndarray (f, 3) of int
        Counter-clockwise, seen from outside.
    color : (4,), optional
        Its own colour and opacity, from 0 to 1, in place of that of its role.
    source : ndarray (v,) of int, optional
        Of a surface that is kept elsewhere, its vertex at each one.
    """

    station: np.ndarray
    offset: np.ndarray
    normal: np.ndarray
    triangles: np.ndarray
    color: tuple[float, ...] | None = None
    source: np.ndarray | None = None

    @property
    def corners(self) -> np.ndarray:
        """Corners (8, 3) [m] of the box around it, in the axes of its station."""
        low, high = self.offset.min(axis=0), self.offset.max(axis=0)
        return np.array([np.where(which, high, low) for which in np.ndindex(2, 2, 2)])

    def moved(self, by: Sequence[float] | np.ndarray, R: np.ndarray | None = None) -> Mesh:
        """Return the mesh turned by `R` (3, 3), then moved by `by` (3,) [m]."""
        turn = np.eye(3) if R is None else R
        return replace(self, offset=self.offset @ turn.T + np.asarray(by), normal=self.normal @ turn.T)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Return several meshes as one, of the colour of its role."""
    starts = np.cumsum([0, *(len(mesh.station) for mesh in meshes)])
    return Mesh(
        np.concatenate([mesh.station for mesh in meshes]),
        np.concatenate([mesh.offset for mesh in meshes]),
        np.concatenate([mesh.normal for mesh in meshes]),
        np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts, strict=False)]),
    )


def prism(
    outlines: Sequence[np.ndarray], stations: Sequence[int], xs: Sequence[float] | np.ndarray, smooth: bool
) -> Mesh:
    """Return a prism along x through convex outlines, one at each station.

    Parameters
    ----------
    outlines : sequence of ndarray (m, 2)
        y and z [m], counter-clockwise seen against x.
    stations : sequence of int
    xs : sequence of float
        Place along the axis of each station [m].
    smooth : bool
        Whether the outline is a curve; otherwise its corners are edges.
    """
    m, k = len(outlines[0]), len(outlines)
    first, second = np.arange(m), (np.arange(m) + 1) % m
    corners = np.stack([first, second], axis=1).ravel()  # two vertices a side, so that edges stay sharp
    offsets, normals, station = [], [], []
    for outline, index, x in zip(outlines, stations, xs, strict=True):
        edges = outline[second] - outline[first]
        flat = np.column_stack([edges[:, 1], -edges[:, 0]])
        flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)
        around = flat + flat[first - 1]
        around /= np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-300)
        normal = around[corners] if smooth else np.repeat(flat, 2, axis=0)
        offsets.append(np.column_stack([np.full(2 * m, x), outline[corners]]))
        normals.append(np.column_stack([np.zeros(2 * m), normal]))
        station.append(np.full(2 * m, index))
    quads = []
    for ring in range(k - 1):
        a = 2 * m * ring + 2 * first
        b, c, d = a + 1, a + 2 * m + 1, a + 2 * m
        quads += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    side = Mesh(np.concatenate(station), np.concatenate(offsets), np.concatenate(normals), np.concatenate(quads))
    return joined([side, _cap(outlines[0], stations[0], xs[0], -1.0), _cap(outlines[-1], stations[-1], xs[-1], 1.0)])


def _cap(outline: np.ndarray, station: int, x: float, sign: float) -> Mesh:
    m = len(outline)
    fan = np.column_stack([np.zeros(m - 2, dtype=int), np.arange(1, m - 1), np.arange(2, m)])
    return Mesh(
        np.full(m, station),
        np.column_stack([np.full(m, x), outline]),
        np.tile([sign, 0.0, 0.0], (m, 1)),
        fan if sign > 0 else fan[:, ::-1],
    )


def circle(radius: float, sides: int = SIDES) -> np.ndarray:
    """Return a circle as outline (sides, 2) [m]."""
    turns = 2 * np.pi * np.arange(sides) / sides
    return radius * np.column_stack([np.cos(turns), np.sin(turns)])


def rectangle(height: float, width: float) -> np.ndarray:
    """Return a rectangle as outline (4, 2) [m]: `height` along y, `width` along z."""
    return np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * np.array([height, width]) / 2


def cylinder(axis: Sequence[float] | np.ndarray, radius: float, length: float, sides: int = SIDES) -> Mesh:
    """Return a cylinder about the origin along `axis` (3,)."""
    ends = (-length / 2, length / 2)
    return prism([circle(radius, sides)] * 2, (0, 0), ends, True).moved(np.zeros(3), along(axis))


def box(size: Sequence[float] | np.ndarray) -> Mesh:
    """Return a box about the origin with the sizes (3,) along x, y and z [m]."""
    x, y, z = size
    return prism([rectangle(y, z)] * 2, (0, 0), (-x / 2, x / 2), False)


def sphere(radius: float, rings: int = 10) -> Mesh:
    """Return a sphere about the origin."""
    polar, around = np.linspace(0.0, np.pi, rings + 1), np.linspace(0.0, 2 * np.pi, 2 * rings + 1)
    a, b = (grid.ravel() for grid in np.meshgrid(polar, around, indexing="ij"))
    normal = np.column_stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)])
    row = 2 * rings + 1
    start = (np.arange(rings)[:, None] * row + np.arange(2 * rings)[None]).ravel()
    lower = np.column_stack([start, start + row, start + row + 1])
    upper = np.column_stack([start, start + row + 1, start + 1])
    return Mesh(np.zeros(len(a), dtype=int), radius * normal, normal, np.concatenate([lower, upper]))


def along(axis: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return a rotation (3, 3) that turns x into `axis`."""
    x = np.asarray(axis, dtype=float)
    x = x / np.linalg.norm(x)
    other = np.eye(3)[int(np.argmin(np.abs(x)))]
    y = np.cross(other, x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])
