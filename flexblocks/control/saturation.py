"""Actuators: what they can do of what a law commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE


@dataclass(frozen=True, eq=False)
class Actuators:
    """The inputs of an arm as a law meets them.

    Attributes
    ----------
    names : tuple of str
        All inputs of the arm.
    limits : ndarray (nu,)
        Largest magnitude of each; infinite where there is none, or where limits are not kept.
    excess : SX (nu,)
        Symbols of what the limits add to what all laws together command, for anti-windup.
    applied : SX (nu,)
        Symbols of the inputs as far as a controller knows them, for observers: commands within their limits, without
        disturbances. Only rates of states may depend on these and on `excess`.
    """

    names: tuple[str, ...]
    limits: np.ndarray
    excess: ca.SX
    applied: ca.SX

    def has_limit(self, name: str) -> bool:
        """Tell whether an input has a limit that is kept."""
        return bool(np.isfinite(self.limits[self.names.index(name)]))

    def clamped(self, name: str, command: ca.SX) -> ca.SX:
        """Return a command within the limit of an input: exact, with a kink where it is reached."""
        limit = self.limits[self.names.index(name)]
        return ca.fmin(ca.fmax(command, -limit), limit) if self.has_limit(name) else command

    def excess_of(self, name: str) -> ca.SX:
        """Return the symbol of what the limit adds to the command of an input."""
        return self.excess[self.names.index(name)]

    def applied_to(self, names: Sequence[str]) -> ca.SX:
        """Return the symbols `applied` of some inputs, in the order of the names."""
        return ca.vertcat(*[self.applied[self.names.index(name)] for name in names], ca.SX(0, 1))

    def excesses(self, commands: Mapping[str, ca.SX]) -> ca.SX:
        """Return what the limits add to these commands, in the place of `excess`."""
        added = {name: self.clamped(name, command) - command for name, command in commands.items()}
        return ca.vertcat(*[added.get(name, ca.SX(0)) for name in self.names], ca.SX(0, 1))


def actuators(dae: DAE, limits: bool) -> Actuators:
    """Return the actuators of an arm, with the limits of its inputs or without."""
    bounds = dae.u.limits if limits else np.full(len(dae.u), np.inf)
    return Actuators(dae.u.names, bounds, ca.SX.sym("excess", len(dae.u)), ca.SX.sym("applied", len(dae.u)))
