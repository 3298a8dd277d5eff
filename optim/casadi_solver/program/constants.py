"""Constants of a model: Params and fixed Vars, as floats, or as symbols for later solves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
from pyomo.common.numeric_types import native_numeric_types
from pyomo.core.expr.numvalue import value

from .errors import UnsupportedModelError


class Datum(ca.SX):
    """An expression of constants, which may change between solves."""


class Constants:
    """Turns Params, fixed Vars and expressions of Params into numbers.

    Parameters
    ----------
    symbolic : bool
        Whether to keep a symbol for each, so that a program can be solved again after its value changed. Otherwise
        present values are substituted.

    Attributes
    ----------
    nodes : list
        The nodes with symbols, in the order of the symbols.
    frozen : list of (node, float)
        Numbers always substituted by value: exponents, which determine the structure of a power.
    """

    def __init__(self, symbolic: bool = False):
        self.symbolic = symbolic
        self.nodes: list[Any] = []
        self.frozen: list[tuple[Any, float]] = []
        self._symbols: dict[int, Datum] = {}

    def number(self, node) -> float | Datum:
        """Return a Param, a fixed Var or an expression of Params as a float or as its symbol."""
        if not self.symbolic or node.__class__ in native_numeric_types:
            return numeric_value(node)
        key = id(node)
        if key not in self._symbols:
            self._symbols[key] = Datum(ca.SX.sym(f"c{len(self.nodes)}"))
            self.nodes.append(node)
        return self._symbols[key]

    def freeze(self, node) -> float:
        """Return the value of a node, to be checked later by `is_frozen`."""
        number = numeric_value(node)
        if self.symbolic:
            self.frozen.append((node, number))
        return number

    def is_frozen(self) -> bool:
        """Whether all numbers substituted by value are unchanged."""
        return all(numeric_value(node) == number for node, number in self.frozen)

    @property
    def symbol(self) -> ca.SX:
        """All symbols in a column."""
        return ca.vertcat(ca.SX(0, 1), *self._symbols.values())

    def values(self) -> np.ndarray:
        """Return the present values, in the order of the symbols."""
        return np.array([numeric_value(node) for node in self.nodes], dtype=float)


def numeric_value(node) -> float:
    """Return the value of a Param, a fixed Var or an expression of these; refuse one without a value."""
    return real(node, lambda: value(node, exception=False))


def real(node, evaluate: Callable) -> float:
    """Return the result of `evaluate`, which computes the constant expression `node`; refuse one that is not real."""
    try:
        number = evaluate()
    except (ArithmeticError, ValueError) as error:
        raise UnsupportedModelError(f"The constant expression '{node}' has no value: {error}.") from error
    if number is None:
        raise UnsupportedModelError(f"'{node}' is constant but has no value; give it one.")
    if isinstance(number, complex):
        raise UnsupportedModelError(f"The constant expression '{node}' has no real value: it is {number}.")
    return number
