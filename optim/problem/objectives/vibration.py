"""Vibration: the time integral of the elastic energy."""

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

    Integrated by the collocation's quadrature: exact if the energy is a polynomial of degree 2 d - 2 or less over an
    interval, otherwise of the order of the collocated states.
    """

    word: ClassVar[str] = "vibration"

    def integrand(self, at: Instant, reference: ca.SX) -> ca.SX:
        return total(stored_energies(at.dae.tree, at.dae.q))

    def __str__(self) -> str:
        return "vibration, the integral of the elastic energy"
