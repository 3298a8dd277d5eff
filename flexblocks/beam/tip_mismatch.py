"""Modes made for another tip: by how much they miss the frequencies of a beam with what it carries."""

from __future__ import annotations

import numpy as np

from flexblocks.beam.discretization import Discretization
from flexblocks.beam.kinematics.beam import BeamDeformation
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation, discretized_bending
from flexblocks.libraries import scipy


def tip_mismatch(
    chosen: Discretization, suited: Discretization, deformation: BeamDeformation, tip: TipBody
) -> np.ndarray:
    """Return the relative errors (n,) of the clamped beam's frequencies with shapes of `chosen`, against `suited`.

    Parameters
    ----------
    chosen, suited : Discretization
        Of n coordinates each.
    deformation : BeamDeformation
    tip : TipBody
        What the beam carries, in units of the beam.
    """
    of_chosen = discretized_bending(chosen, chosen.tip_body(tip), deformation.profiles)
    of_suited = discretized_bending(suited, tip, deformation.profiles)
    return _frequencies(of_chosen, tip) / _frequencies(of_suited, tip) - 1


def _frequencies(plane: DiscretizedDeformation, tip: TipBody) -> np.ndarray:
    value, turn = plane.shapes.deflection(1.0), plane.shapes.rotation(1.0)
    coupling = np.outer(value, turn)
    mass = plane.integrals.mass + tip.mass * np.outer(value, value) + tip.inertia * np.outer(turn, turn)
    mass += tip.static_moment * (coupling + coupling.T)
    return np.sqrt(scipy.linalg.eigh(plane.integrals.stiffness, mass, eigvals_only=True))
