"""Outputs of an arm as signals: what a controller is told by sensors, in place of the arm's equations for them."""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from flexblocks.dae.dae import DAE


class SignaledArm(DAE):
    """An arm to which laws are bound that are told its outputs: to them, each output that they measure is a symbol."""

    @cached_property
    def signals(self) -> dict[str, ca.SX]:
        """The symbols made so far, by the name of the output, or of its rate, ``der(payload.x)``."""
        return {}

    def signal(self, name: str) -> ca.SX:
        """Return the symbol of an output, or of the rate of one."""
        return self.signals.setdefault(name, ca.SX.sym(name))


def with_output_signals(dae: DAE) -> SignaledArm:
    """Return an arm with its outputs as signals; its equations are the same ones."""
    arm = object.__new__(SignaledArm)
    vars(arm).update(vars(dae.interpreted))
    return arm
