"""Intermediate variables: functions of a block's configuration behind symbols, so that they are differentiated once.

The equations of motion are derivatives of energies and frames, some forward in time and some in a coordinate. Where
these hold long functions of one coordinate, automatic differentiation writes the same derivative in several ways,
which no search for common subexpressions finds to be equal. Behind a symbol such a function has one derivative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca


@dataclass
class Intermediates:
    """The intermediate variables of a block, in the order in which they were requested.

    Attributes
    ----------
    columns : dict of SX (m, 1)
        The symbols by name; k in all.
    values : list of SX (m, 1)
        Their values as functions of coordinates and dependent variables.
    derivatives : list of SX (m, n)
        Their total derivatives in the coordinates, which may hold symbols.
    """

    columns: dict[str, ca.SX] = field(default_factory=dict)
    values: list[ca.SX] = field(default_factory=list)
    derivatives: list[ca.SX] = field(default_factory=list)

    @property
    def symbols(self) -> ca.SX:
        """All symbols (k, 1)."""
        return ca.vertcat(*self.columns.values(), ca.SX(0, 1))

    @property
    def slopes(self) -> ca.SX:
        """Total derivatives (k, n) of all in the coordinates."""
        return ca.vertcat(*self.derivatives)

    def add(self, name: str, value: ca.SX, slopes: ca.SX) -> None:
        """Add values (m, 1) with their derivatives (m, n)."""
        self.values += self.expanded([value])
        self.columns[name] = ca.SX.sym(name, value.numel())
        self.derivatives.append(slopes)

    def expanded(self, expressions: list[ca.SX]) -> list[ca.SX]:
        """Return expressions with the values in place of the symbols."""
        if not self.columns:
            return expressions
        return ca.substitute(expressions, [self.symbols], [ca.vertcat(*self.values)])
