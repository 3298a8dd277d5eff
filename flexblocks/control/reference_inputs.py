"""Reference inputs of a law, collected while it is bound, and groups of variables joined into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from flexblocks.control.measured import Measured
from flexblocks.control.naming import derivative_unit, reference_below, reference_name
from flexblocks.interfaces.variables import Variables, variables


class References:
    """Collects the references that a law uses; a second request for one returns the same symbol."""

    def __init__(self) -> None:
        self._inputs: dict[str, tuple[str, float, ca.SX]] = {}
        self._below: dict[str, str] = {}  # the reference that is one derivative lower

    def of(self, variable: Measured, order: int = 0) -> ca.SX:
        """Return the symbol of a variable's reference, or of its time derivative of the given order."""
        name = reference_name(variable.name, order)
        start = variable.start if order == 0 else 0.0
        if lower := reference_below(variable.name, order):
            self._below[name] = lower
        entry = (derivative_unit(variable.unit, order), start, ca.SX.sym(name))
        return self._inputs.setdefault(name, entry)[2]

    def variables(self) -> Variables:
        """Return all references collected so far as one group."""
        group = variables(
            "reference",
            [(name, unit, start) for name, (unit, start, _) in self._inputs.items()],
            roles=["reference_rate" if name in self._below else "reference" for name in self._inputs],
            derivative_of=[self._below.get(name) for name in self._inputs],
        )
        return with_symbols(group, [symbol for _, _, symbol in self._inputs.values()])


def with_symbols(group: Variables, symbols: list[ca.SX]) -> Variables:
    """Return the group with these symbols instead of its own."""
    return replace(group, symbol=ca.vertcat(*symbols, ca.SX(0, 1)))


def grouped(kind: str, groups: Sequence[Variables]) -> Variables:
    """Return several groups joined into one, with their symbols."""
    return Variables(
        kind,
        tuple(name for group in groups for name in group.names),
        tuple(unit for group in groups for unit in group.units),
        np.concatenate([np.zeros(0), *(group.start for group in groups)]),
        ca.vertcat(*[group.symbol for group in groups], ca.SX(0, 1)),
        np.concatenate([np.zeros(0), *(group.limits for group in groups)]),
        roles=tuple(role for group in groups for role in group.roles),
        derivative_of=tuple(name for group in groups for name in group.derivative_of),
    )
