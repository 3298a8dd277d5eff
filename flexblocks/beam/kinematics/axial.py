"""Axial displacement of a beam: extension, and foreshortening by bending."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.kinematics.foreshortening import Shortening
from flexblocks.beam.kinematics.kinetic_energy import quadratic_form
from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.combined import Stacked
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation

# Up to so many amplitudes of bending, moments that are polynomials in them take fewer operations: 73 instructions of M
# in place of 242 with two modes, 5327 in place of 7309 with six elements.
FEW = 12


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


def shortening_forms(
    beam: Beam, planes: Mapping[str, DiscretizedDeformation]
) -> tuple[DiscretizedDeformation, np.ndarray] | None:
    """Return the functions chi_r of the foreshortening and its forms (r, n, n), over the amplitudes of y, then of z.

    None where the beam does not foreshorten, or has so many amplitudes that it takes fewer operations by sums over its
    pieces; and where it is stretched as well.
    """
    bent = {axis: planes[axis] for axis in ("y", "z") if axis in planes and planes[axis].shapes.size}
    count = sum(plane.shapes.size for plane in bent.values())
    if not beam.shortens or "x" in planes or not 0 < count <= FEW:
        return None
    parts, forms, start = [], [], 0
    for plane in bent.values():
        shapes = shortening(plane)
        size = plane.shapes.size
        for C in shapes.forms:
            form = np.zeros((count, count))
            form[start : start + size, start : start + size] = C
            forms.append(form)
        parts.append(shapes)
        start += size
    return _stacked(tuple(parts), BeamProfiles(density=beam.density)), np.array(forms)
