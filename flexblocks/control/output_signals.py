"""Outputs of an arm as signals: what a controller is told by sensors, in place of the arm's equations for them."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, fields
from functools import cached_property

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dae.expressions import Expressions


@dataclass(frozen=True, eq=False)
class OutputSignals(Expressions):
    """Equations of an arm, but for its outputs, each of which is a symbol.

    Attributes
    ----------
    known : dict of SX
        The symbols made so far, by the name of the output, or of its rate, ``der(payload.x)``.
    """

    known: dict[str, ca.SX] = field(default_factory=dict)

    @cached_property
    def output(self) -> ca.SX:
        return ca.vertcat(*[self.signal(name) for name in self.outputs], ca.SX(0, 1))

    def signal(self, name: str) -> ca.SX:
        """Return the symbol of an output, or of the rate of one."""
        return self.known.setdefault(name, ca.SX.sym(name))


def with_output_signals(dae: DAE) -> tuple[DAE, OutputSignals]:
    """Return an arm to which laws are bound that are told its outputs, and these as symbols."""
    dae = dae.interpreted
    other = copy.copy(dae)
    for name in ("output", "interpreted", "_observed"):
        vars(other).pop(name, None)
    signals = OutputSignals(**{entry.name: getattr(dae.expressions, entry.name) for entry in fields(Expressions)})
    vars(other)["expressions"] = signals
    return other, signals
