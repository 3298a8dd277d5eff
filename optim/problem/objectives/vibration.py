"""Vibration: the elastic energy along the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from flexblocks.dynamics.algorithms.energy import stored_energies, total

from ..signals.instant import Instant
from .functionals import Lagrangian


@dataclass(frozen=True)
class Vibration(Lagrangian):
    """The integral over the motion of the elastic energy [J s] stored in all springs and beams.

    Integrated by the collocation's own quadrature: exact as far as the energy over an interval is a polynomial of
    degree 2 d - 2 at most, at the order of the collocated states beyond.
    """

    word: ClassVar[str] = "vibration"

    def integrand(self, at: Instant, reference: ca.SX) -> ca.SX:
        return total(stored_energies(at.dae.tree, at.dae.q))

    def __str__(self) -> str:
        return "vibration, the integral of the elastic energy"
