"""Lagrange and Mayer terms: integrals along a motion, and values at its end."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint

from ..signals.instant import Instant
from .objective import Objective, PhaseModel


class Lagrangian(Objective):
    """A Lagrange term: the integral of an integrand over the motion, by the collocation's quadrature."""

    @property
    def references(self) -> int:
        """Number of reference values that the integrand takes at each instant in addition to the signals."""
        return 0

    @abstractmethod
    def integrand(self, at: Instant, reference: ca.SX) -> ca.SX:
        """Return the integrand (1, 1) at an instant, where the reference values are `reference` (references, 1)."""

    def reference_values(self, times: np.ndarray, duration: float, is_free: bool) -> np.ndarray:
        """Return the reference values, (references, *times' shape), at `times` [s] of a motion.

        Raises
        ------
        ProblemError
            They are undefined, as references over time are if the duration `is_free`.
        """
        return np.zeros((0, *times.shape))

    def cost(self, phase: PhaseModel) -> Any:
        return phase.integral(self)


class Mayer(Objective):
    """A Mayer term: a value at the end of the motion."""

    @abstractmethod
    def value(self, at: Instant) -> ca.SX:
        """Return the value (1, 1) at the last instant."""

    def cost(self, phase: PhaseModel) -> Any:
        return phase.final_value(self)


class Extending(Mayer):
    """A Mayer term of states that the arm does not have, and the term adds to it."""

    @abstractmethod
    def extended(self, dae: DAE) -> DAE:
        """Return the arm with these states; an arm that has them as it is."""

    @abstractmethod
    def guess(
        self, dae: DAE, begin: OperatingPoint, duration: float, inputs: np.ndarray, p: np.ndarray
    ) -> Trajectory | None:
        """Return a motion to begin with, or None.

        Parameters
        ----------
        dae : DAE
        begin : OperatingPoint
        duration : float
            [s]
        inputs : ndarray (nu, 2)
            Limits of the inputs.
        p : ndarray (np,)
        """

    @abstractmethod
    def remarks(self, motion: Trajectory) -> tuple[str, ...]:
        """Return what to warn of in a planned motion, a sentence each."""
