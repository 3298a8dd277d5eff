"""Bending in one plane: shape functions with all constants that the equations need of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.linalg import eigh

from flexblocks.beam.shapes import ShapeFamily, ShapeIntegrals, Shapes, shape_integrals
from flexblocks.beam.tip_body import TipBody


@dataclass(frozen=True, eq=False)
class Bending:
    """Shapes in one plane of a beam, all dimensionless.

    Attributes
    ----------
    shapes : Shapes
    tip : TipBody
        The tip body that modal damping counts in, in units of the beam; modes are orthogonal with it.
    """

    shapes: Shapes
    tip: TipBody

    @cached_property
    def integrals(self) -> ShapeIntegrals:
        return shape_integrals(self.shapes)

    @cached_property
    def root_slope(self) -> np.ndarray:
        """Slopes (n,) at the root; zero but for shapes that are pinned there."""
        slope = self.shapes.slope(0.0)
        return np.where(np.abs(slope) < 1e-9, 0.0, slope)

    @cached_property
    def critical_damping(self) -> np.ndarray:
        """Damping matrix (n, n) that damps every mode critically, in units of sqrt(m EI / l^3).

        The modes are those of the clamped beam with its tip body; for its own modes without one it is diagonal.
        """
        value, slope = self.shapes.deflection(1.0), self.shapes.slope(1.0)
        coupling = np.outer(value, slope)
        mass = (
            self.integrals.mass
            + self.tip.mass * np.outer(value, value)
            + self.tip.inertia * np.outer(slope, slope)
            + self.tip.static_moment * (coupling + coupling.T)
        )
        squares, modes = eigh(self.integrals.stiffness, mass)
        to_modes = modes.T @ mass
        damping = to_modes.T @ np.diag(2 * np.sqrt(squares)) @ to_modes
        scale = np.sqrt(np.diag(damping))
        return np.where(np.abs(damping) < 1e-9 * np.outer(scale, scale), 0.0, damping)


@lru_cache(maxsize=256)
def bending(discretization: ShapeFamily, tip: TipBody) -> Bending:
    """Return the bending of a beam; computed once for all beams that are alike."""
    return Bending(discretization.shapes(tip), tip)
