"""Axial displacement of a beam: extension, and foreshortening by bending."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import casadi as ca

from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.kinematics.foreshortening import Shortening
from flexblocks.beam.kinematics.kinetic_energy import quadratic_form
from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.combined import Stacked
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation


@lru_cache(maxsize=64)
def shortening(plane: DiscretizedDeformation) -> Shortening:
    """Return the shortening by bending in one plane; computed once for all equal beams."""
    return Shortening(plane.shapes)


@lru_cache(maxsize=64)
def _stacked(parts: tuple[Shapes, ...], profiles: BeamProfiles) -> DiscretizedDeformation:
    return DiscretizedDeformation(Stacked(parts), FREE, profiles)


def axial_displacement(
    beam: Beam, planes: Mapping[str, DiscretizedDeformation], amplitudes: Mapping[str, ca.SX]
) -> tuple[DiscretizedDeformation, ca.SX] | None:
    """Return the axial displacement as shapes with amplitudes [m]; None if there is none."""
    parts: list[Shapes] = []
    stacked_amplitudes: list[ca.SX] = []
    if "x" in planes:
        parts.append(planes["x"].shapes)
        stacked_amplitudes.append(amplitudes["x"])
    if beam.shortens:
        by_plane: dict[DiscretizedDeformation, list[str]] = {}
        for axis in ("y", "z"):
            if axis in planes and planes[axis].shapes.size:
                by_plane.setdefault(planes[axis], []).append(axis)
        for plane, axes in by_plane.items():
            shapes = shortening(plane)
            parts.append(shapes)
            for C in shapes.forms:
                shares = (quadratic_form(amplitudes[axis], C, -1 / (2 * beam.length)) for axis in axes)
                stacked_amplitudes.append(sum(shares, ca.SX(1, 1)))
    if not parts:
        return None
    return _stacked(tuple(parts), BeamProfiles(density=beam.density)), ca.vertcat(*stacked_amplitudes)
