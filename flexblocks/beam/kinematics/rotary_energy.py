"""Rotary inertia: kinetic energy of the rotation of sections, in bending and in torsion."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.kinematics.kinetic_energy import dot, mass_moments, quadratic_form
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Frame

# By deformation the axis about which sections turn, and the sign: a positive slope w' turns about -y.
TURNS = {"y": (2, 1), "z": (1, -1), "torsion": (0, 1)}


def rotary_energy(
    chord: Frame,
    beam: Beam,
    planes: Mapping[str, DiscretizedDeformation],
    s: Mapping[str, ca.SX],
    part: tuple[float, float] = (0.0, 1.0),
) -> ca.SX:
    """Return the kinetic energy [J] of the rotation of sections about their centroids.

    Parameters
    ----------
    chord : Frame
    beam : Beam
    planes : dict of DiscretizedDeformation
        By deformation.
    s : dict of SX
        Rates of their amplitudes, [m/s], in torsion [rad/s].
    part : tuple of 2 floats
        Where the sections are, in units of the length; the integrals of `planes` go with it.

    Notes
    -----
    The angular velocity of a section is that of the chord plus (theta', -psi_z', psi_y'), its inertia that about the
    axes of the chord: exact for a beam that moves in a plane, the first order of the angles in space.
    """
    energy = ca.SX(1, 1)
    for axis, inertia in beam.section_inertia.items():
        i, sign = TURNS[axis]
        omega = chord.omega[i]
        share = 1.0 if part == (0.0, 1.0) else mass_moments(beam.rotary[axis], *part)[0]
        energy += (share * inertia / 2) * omega**2
        if axis in planes:
            mean, products, unit = _turns(axis, planes[axis], beam)
            energy += sign * omega * dot(mean, s[axis], inertia * unit)
            energy += quadratic_form(s[axis], products, inertia * unit**2 / 2)
    return energy


def _turns(axis: str, plane: DiscretizedDeformation, beam: Beam) -> tuple[np.ndarray, np.ndarray, float | ca.SX]:
    """Return the integrals of rotations and of their products, and the rotation by a unit amplitude."""
    if axis == "torsion":
        return plane.integrals.mean, plane.integrals.mass, 1.0
    return plane.mean_turn, plane.turning, 1 / beam.length
