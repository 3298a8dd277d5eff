"""Actuator saturation: commands clamped to the limits of the inputs, and the excess for anti-windup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE


@dataclass(frozen=True, eq=False)
class Actuators:
    """The actuators of an arm: its inputs, their limits, and the signals that saturation feeds back to a law.

    Attributes
    ----------
    names : tuple of str
        All inputs of the arm.
    limits : ndarray (nu,)
        Largest magnitude of each input; infinite where there is no limit or it is not enforced.
    excess : SX (nu,)
        Symbols of saturated minus unsaturated command, of all laws together, for anti-windup.
    applied : SX (nu,)
        Symbols of the inputs as known to the controller, for observers: saturated commands, without disturbances. Only
        rates of states may depend on `applied` and `excess`: a command that did would be an algebraic loop.
    """

    names: tuple[str, ...]
    limits: np.ndarray
    excess: ca.SX
    applied: ca.SX

    def has_limit(self, name: str) -> bool:
        """Whether an input has a limit that is enforced."""
        return bool(np.isfinite(self.limits[self.names.index(name)]))

    def saturated(self, name: str, command: ca.SX) -> ca.SX:
        """Return the saturated command of an input: an exact clamp, with a kink at the limit."""
        limit = self.limits[self.names.index(name)]
        return ca.fmin(ca.fmax(command, -limit), limit) if self.has_limit(name) else command

    def excess_of(self, name: str) -> ca.SX:
        """Return the symbol of saturated minus unsaturated command of an input."""
        return self.excess[self.names.index(name)]

    def applied_to(self, names: Sequence[str]) -> ca.SX:
        """Return the symbols `applied` (k,) of the inputs named."""
        return ca.vertcat(*[self.applied[self.names.index(name)] for name in names], ca.SX(0, 1))

    def excess_values(self, commands: Mapping[str, ca.SX]) -> ca.SX:
        """Return saturated minus unsaturated command (nu,), the values of `excess`; 0 for undriven inputs."""
        excess = {name: self.saturated(name, command) - command for name, command in commands.items()}
        return ca.vertcat(*[excess.get(name, ca.SX(0)) for name in self.names], ca.SX(0, 1))


def actuators(dae: DAE, limits: bool) -> Actuators:
    """Return the actuators of an arm, with the limits of its inputs enforced or not."""
    bounds = dae.u.limits if limits else np.full(len(dae.u), np.inf)
    return Actuators(dae.u.names, bounds, ca.SX.sym("excess", len(dae.u)), ca.SX.sym("applied", len(dae.u)))
