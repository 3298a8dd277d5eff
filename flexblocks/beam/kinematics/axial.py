"""What shifts points along a beam: its extension, and its shortening by bending."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import casadi as ca

from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.kinematics.foreshortening import Shortening
from flexblocks.beam.kinematics.kinetic_energy import square
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.combined import Stacked
from flexblocks.beam.shapes.linear_theory import Line
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import Bending


@lru_cache(maxsize=64)
def shortening(plane: Bending) -> Shortening:
    """Return the shortening by bending in one plane; computed once for all beams that are alike."""
    return Shortening(plane.shapes)


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
            for C in shapes.forms:
                shares = (square(amplitudes[axis], C, -1 / (2 * beam.length)) for axis in axes)
                found.append(sum(shares, ca.SX(1, 1)))
    if not parts:
        return None
    return _stacked(tuple(parts), Line(density=beam.density)), ca.vertcat(*found)
