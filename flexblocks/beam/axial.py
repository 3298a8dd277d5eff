"""What shifts points along a beam: its extension, and its shortening by bending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.beam.beam import Beam
from flexblocks.beam.bending import Bending
from flexblocks.beam.energy import square
from flexblocks.beam.foreshortening import Shortening
from flexblocks.beam.line import Line
from flexblocks.beam.rods import RodShapes
from flexblocks.beam.shapes import Shapes
from flexblocks.beam.tip_body import FREE


@lru_cache(maxsize=64)
def shortening(plane: Bending) -> Shortening:
    """Return the shortening by bending in one plane; computed once for all beams that are alike."""
    return Shortening(plane.shapes)


@dataclass(frozen=True, eq=False)
class Stacked(RodShapes):
    """Several sets of shapes as one."""

    parts: tuple[Shapes, ...]

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return np.concatenate([part.derivative(xi, order) for part in self.parts])

    @property
    def bounds(self) -> np.ndarray:
        return np.unique(np.concatenate([part.bounds for part in self.parts]))

    @property
    def points(self) -> int:
        return max(part.points for part in self.parts)


@lru_cache(maxsize=64)
def _stacked(parts: tuple[Shapes, ...], line: Line) -> Bending:
    return Bending(Stacked(parts), FREE, line)


def axial(beam: Beam, planes: Mapping[str, Bending], amplitudes: Mapping[str, ca.SX]) -> tuple[Bending, ca.SX] | None:
    """Return what shifts points along the beam, as shapes with amplitudes [m]; None if nothing does."""
    parts: list[Shapes] = []
    found: list[ca.SX] = []
    if "x" in planes:
        parts.append(planes["x"].shapes)
        found.append(amplitudes["x"])
    if beam.shortens:
        by_plane: dict[Bending, list[str]] = {}
        for axis in ("y", "z"):
            if axis in planes and planes[axis].shapes.size:
                by_plane.setdefault(planes[axis], []).append(axis)
        for plane, axes in by_plane.items():
            shapes = shortening(plane)
            parts.append(shapes)
            found += [sum(square(amplitudes[axis], C, -1 / (2 * beam.length)) for axis in axes) for C in shapes.forms]
    if not parts:
        return None
    return _stacked(tuple(parts), Line(density=beam.density)), ca.vertcat(*found)
