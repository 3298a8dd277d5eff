"""Actuator saturation: commands clamped to the limits of the inputs, and the excess for anti-windup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.feedback import Feedback


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
    before : SX (nu,)
        Likewise those that act until a sample, which what is measured there contains; of laws in continuous time they
        are `applied`.
    """

    names: tuple[str, ...]
    limits: np.ndarray
    excess: ca.SX
    applied: ca.SX
    before: ca.SX

    def has_limit(self, name: str) -> bool:
        """Whether an input has a limit that is enforced."""
        return bool(np.isfinite(self.limits[self.names.index(name)]))

    def saturated(self, name: str, command: ca.SX) -> ca.SX:
        """Return the saturated command of an input: an exact clamp, with a kink at the limit."""
        return clipped(command, float(self.limits[self.names.index(name)]))

    def excess_of(self, name: str) -> ca.SX:
        """Return the symbol of saturated minus unsaturated command of an input."""
        return self.excess[self.names.index(name)]

    def applied_to(self, names: Sequence[str]) -> ca.SX:
        """Return the symbols `applied` (k,) of the inputs named."""
        return ca.vertcat(*[self.applied[self.names.index(name)] for name in names], ca.SX(0, 1))

    def before_at(self, names: Sequence[str]) -> ca.SX:
        """Return the symbols `before` (k,) of the inputs named."""
        return ca.vertcat(*[self.before[self.names.index(name)] for name in names], ca.SX(0, 1))

    def excess_values(self, commands: Mapping[str, ca.SX]) -> ca.SX:
        """Return saturated minus unsaturated command (nu,), the values of `excess`; 0 for undriven inputs."""
        excess = {name: self.saturated(name, command) - command for name, command in commands.items()}
        return ca.vertcat(*[excess.get(name, ca.SX(0)) for name in self.names], ca.SX(0, 1))


def clipped(value: ca.SX, limit: float) -> ca.SX:
    """Return a value clamped between -`limit` and `limit`; an infinite one leaves it as it is."""
    return ca.fmin(ca.fmax(value, -limit), limit) if np.isfinite(limit) else value


def with_saturated_inputs(dae: DAE) -> DAE:
    """Return the DAE whose inputs saturate at their limits inside; its own inputs, of the same names, have none."""
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    limited = [clipped(symbol, limit) for symbol, limit in zip(ca.vertsplit(dae.u.symbol), dae.u.limits, strict=True)]
    at = [dae.x.symbol, dae.z.symbol, ca.vertcat(*limited, ca.SX(0, 1)), dae.p.symbol]

    def function(name: str, result: ca.SX) -> ca.Function:
        return ca.Function(name, symbols, [ca.densify(result)], ["x", "z", "u", "p"], [name])

    inner = dae.tree.feedback
    inputs, rates, shown = (
        (at[2], ca.SX(0, 1), ca.SX(0, 1))
        if inner is None
        else (inner.inputs(*at), inner.rates(*at), inner.outputs(*at))
    )
    units = {} if inner is None else inner.units
    still = None if inner is None or inner.rest is None else function("rest", inner.rest(*at))
    feedback = Feedback(function("inputs", inputs), function("rates", rates), function("shown", shown), units, still)
    clocks = tuple(clock.through(lambda change: function("change", change(*at))) for clock in dae.clocks)
    u = replace(dae.u, limits=np.full(len(dae.u), np.inf))
    return replace(dae, u=u, tree=replace(dae.tree, feedback=feedback), model=None, clocks=clocks)


def actuators(dae: DAE, limits: bool) -> Actuators:
    """Return the actuators of an arm, with the limits of its inputs enforced or not."""
    bounds = dae.u.limits if limits else np.full(len(dae.u), np.inf)
    return Actuators(dae.u.names, bounds, *(ca.SX.sym(name, len(dae.u)) for name in ("excess", "applied", "before")))
