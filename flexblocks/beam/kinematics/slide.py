"""The slide of an axially moving beam, and the rate of strain of particles that move through its shapes."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.beam.shapes.sliding_shapes import SlidingShapes, StrainForms


@dataclass(frozen=True, eq=False)
class Slide:
    """How far a beam is out of its hub, and how fast it slides.

    Attributes
    ----------
    extension, speed : SX
        Length l outside the hub [m] and its rate [m/s].
    """

    extension: ca.SX
    speed: ca.SX

    @property
    def growth(self) -> ca.SX:
        """The relative rate of the extension, l'/l [1/s]."""
        return self.speed / self.extension

    def moved(self, amplitudes: ca.SX) -> ca.SX:
        """Return the rates by sliding alone, a l'/l, as amplitudes (n, 1) of the functions psi of `sliding_shapes`."""
        return self.growth * amplitudes


def squared_strain_rate(forms: SlidingShapes | StrainForms, rates: ca.SX, moved: ca.SX) -> ca.SX:
    """Return the integral over x/l of the squared rate of strain, from the rates (n, 1) and those by sliding."""
    return rates.T @ (forms.stiffness @ rates + 2 * (forms.flexing @ moved)) + moved.T @ (forms.flexed @ moved)
