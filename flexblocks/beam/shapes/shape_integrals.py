"""Discretised deformation of a beam: shape functions with their mass, stiffness and modal damping matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.shape_functions import (
    RodFamily,
    ShapeFamily,
    ShapeIntegrals,
    Shapes,
    gram,
    shape_integrals,
)

# Mass of a mode, as a fraction of that of the heaviest of the same stiffness, from which on ten digits of it are left.
LIGHT = 1e-6


@dataclass(frozen=True, eq=False)
class DiscretizedDeformation:
    """Shapes in one plane of a beam (or in extension or torsion), all dimensionless.

    Attributes
    ----------
    shapes : Shapes
    tip : TipBody
        The tip body that modal damping counts in, in units of the beam; modes are orthogonal with it.
    profiles : BeamProfiles
    """

    shapes: Shapes
    tip: TipBody
    profiles: BeamProfiles = EULER_BERNOULLI

    @cached_property
    def integrals(self) -> ShapeIntegrals:
        return shape_integrals(self.shapes, self.profiles)

    @cached_property
    def shear(self) -> np.ndarray:
        """Integral (n, n) of the shear rigidity, of mean 1, times products of shear strains."""
        assert self.profiles.shear is not None
        return gram(self.shapes.product(self.shapes.shear, self.profiles.shear.profile))

    @cached_property
    def turning(self) -> np.ndarray:
        """Integral (n, n) of the sections' inertia, of mean 1, times products of their rotations."""
        assert self.profiles.rotary is not None
        return gram(self.shapes.product(self.shapes.rotation, self.profiles.rotary.profile))

    @cached_property
    def root_slope(self) -> np.ndarray:
        """Slopes (n,) at the root; zero but for shapes that are pinned there."""
        slope = self.shapes.rotation(0.0)
        # Of clamped modes it is rounding; left in, it would turn the chord in every expression.
        return np.where(np.abs(slope) < 1e-9, 0.0, slope)

    def turn_from_root(self, xi: float) -> np.ndarray:
        """Return the rotations (n,) of the section at xi against the root."""
        root = self.root_slope
        turn = self.shapes.rotation(xi) - root
        # Where both cancel, as at the tip of every second pinned mode, rounding would turn what the beam carries.
        return np.where(np.abs(turn) < 1e-12 * np.abs(root), 0.0, turn)

    @cached_property
    def mass(self) -> np.ndarray:
        """Mass matrix (n, n) with the inertia of sections, that of the tip body left out."""
        rotary = self.profiles.rotary
        return self.integrals.mass + rotary.ratio * self.turning if rotary else self.integrals.mass

    @cached_property
    def stiffness(self) -> np.ndarray:
        """Stiffness matrix (n, n) with shear."""
        shear = self.profiles.shear
        return self.integrals.stiffness + shear.ratio * self.shear if shear else self.integrals.stiffness

    @cached_property
    def modes(self) -> tuple[np.ndarray, np.ndarray]:
        """Modes (n, n) of the clamped beam with its tip body, of unit stiffness, and their periods over 2 pi (n,)."""
        end = np.stack([self.shapes.deflection(1.0), self.shapes.rotation(1.0)])
        tip = np.array([[self.tip.mass, self.tip.static_moment], [self.tip.static_moment, self.tip.inertia]])
        return _modes(self.mass, end, tip, self.stiffness)

    @cached_property
    def critical_damping(self) -> np.ndarray:
        """Damping matrix (n, n) that damps every mode critically, in units of sqrt(mass * stiffness).

        The modes are those of the clamped beam with its tip body; the matrix is diagonal if the shapes are these modes.
        """
        if not self.shapes.size:
            return self.integrals.mass  # a rigid beam; older versions of SciPy refuse empty matrices
        # Critical damping 2 omega of each mode, in the coordinates again: K V diag(2 / omega) V' K, for modes
        # of unit stiffness: V' K V = 1, V' M V = 1 / omega^2.
        modes, periods = self.modes
        to_modes = modes.T @ self.stiffness
        damping = to_modes.T @ np.diag(2 * periods) @ to_modes
        # What couples modes by less than 1e-9 is rounding of the eigenvectors.
        scale = np.sqrt(np.diag(damping))
        return np.where(np.abs(damping) < 1e-9 * np.outer(scale, scale), 0.0, damping)


def _modes(mass: np.ndarray, end: np.ndarray, tip: np.ndarray, stiffness: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the modes V (n, n) of M = mass + end' tip end, with V' K V = 1, and their periods over 2 pi (n,).

    The heaviest first, and then the others by what mass they have themselves: of a tip body far heavier than the beam,
    or far away from it, all of M is rounding for the higher modes, and it may even be indefinite.
    """
    light = np.linalg.inv(np.linalg.cholesky(stiffness)).T
    modes, squares = [], []
    while light.shape[1]:
        motion = end @ light
        values, vectors = np.linalg.eigh(light.T @ mass @ light + motion.T @ tip @ motion)
        heavy = values >= LIGHT * np.maximum(values[-1], 0.0)
        heavy[-1] = True
        modes.append(light @ vectors[:, heavy])
        squares.append(np.maximum(values[heavy], 0.0))
        light = light @ vectors[:, ~heavy]
    return np.hstack(modes), np.sqrt(np.concatenate(squares))


@lru_cache(maxsize=256)
def discretized_bending(
    discretization: ShapeFamily, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI
) -> DiscretizedDeformation:
    """Return the bending of a beam; computed once for all equal beams."""
    return DiscretizedDeformation(discretization.shapes(tip, profiles), tip, profiles)


@lru_cache(maxsize=256)
def discretized_rod(
    discretization: RodFamily, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI
) -> DiscretizedDeformation:
    """Return the extension or the torsion of a beam; computed once for all equal beams."""
    return DiscretizedDeformation(discretization.rod_shapes(tip, profiles), tip, profiles)
