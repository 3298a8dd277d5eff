"""The references of a law while it is bound: each asked for by the variable that is to follow it."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from flexblocks.control.measured import Measured
from flexblocks.control.naming import derivative_unit, reference_name
from flexblocks.interfaces.variables import Variables, variables


class References:
    """Collects references; one that is asked for twice is one."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, float, ca.SX]] = {}

    def of(self, variable: Measured, order: int = 0) -> ca.SX:
        """Return the symbol of the reference of a variable, or of its derivative of that order."""
        name = reference_name(variable.name, order)
        start = variable.start if order == 0 else 0.0
        entry = (derivative_unit(variable.unit, order), start, ca.SX.sym(name))
        return self._found.setdefault(name, entry)[2]

    def variables(self) -> Variables:
        """Return all of them as a group."""
        group = variables("reference", [(name, unit, start) for name, (unit, start, _) in self._found.items()])
        return with_symbols(group, [symbol for _, _, symbol in self._found.values()])


def with_symbols(group: Variables, symbols: list[ca.SX]) -> Variables:
    """Return the group with these symbols in place of fresh ones."""
    return Variables(group.kind, group.names, group.units, group.start, ca.vertcat(*symbols, ca.SX(0, 1)), group.limits)


def grouped(kind: str, groups: Sequence[Variables]) -> Variables:
    """Return several groups as one, with their own symbols."""
    return Variables(
        kind,
        tuple(name for group in groups for name in group.names),
        tuple(unit for group in groups for unit in group.units),
        np.concatenate([np.zeros(0), *(group.start for group in groups)]),
        ca.vertcat(*[group.symbol for group in groups], ca.SX(0, 1)),
        np.concatenate([np.zeros(0), *(group.limits for group in groups)]),
    )
