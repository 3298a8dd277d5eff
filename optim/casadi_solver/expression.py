"""Nonlinear Pyomo expressions as CasADi SX graphs."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
from pyomo.common.numeric_types import native_types
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.var import VarData
from pyomo.core.expr.numeric_expr import Expr_ifExpression
from pyomo.core.expr.numvalue import value
from pyomo.core.expr.visitor import StreamBasedExpressionVisitor

from .errors import UnsupportedModelError
from .operators import operator_of


class SymbolicWalker(StreamBasedExpressionVisitor):
    """Turns Pyomo expressions into SX. Named Expressions are turned once, so that what is shared stays shared.

    Fixed variables and Params enter with their values; an expression of nothing else comes back as a float.

    Attributes
    ----------
    variables : dict[int, VarData]
        The free variables met so far, by id, in the order of their symbols.
    symbols : dict[int, casadi.SX]
        Their symbols.
    """

    def __init__(self):
        super().__init__()
        self.variables: dict[int, VarData] = {}
        self.symbols: dict[int, ca.SX] = {}
        self._named: dict[int, ca.SX | float] = {}
        self._numbers: dict[float, ca.SX] = {}

    def initializeWalker(self, expr):
        descend, result = self.beforeChild(None, expr, 0)
        return descend, (expr if descend else result)

    def beforeChild(self, node, child, child_idx):
        if child.__class__ in native_types:
            return False, child
        if child.is_variable_type():
            return False, self._variable(child)
        if not child.is_potentially_variable():
            return False, numeric_value(child)
        if id(child) in self._named:
            return False, self._named[id(child)]
        return True, None

    def exitNode(self, node, data):
        if isinstance(node, NamedExpressionData):
            self._named[id(node)] = data[0]
            return data[0]
        if node.__class__ is Expr_ifExpression and data[0].__class__ is not ca.SX:
            return data[1] if data[0] else data[2]
        if not any(item.__class__ is ca.SX for item in data):
            return _constant(node, data)
        operands = [item if item.__class__ is ca.SX else self.number(item) for item in data]
        return operator_of(node)(node, *operands)

    def number(self, number: float) -> ca.SX:
        """Return a number as SX, always the same for the same number."""
        if number not in self._numbers:
            self._numbers[number] = ca.SX(number)
        return self._numbers[number]

    def _variable(self, var: VarData) -> ca.SX | float:
        key = id(var)
        if key not in self.symbols:
            if var.fixed:
                return numeric_value(var)
            self.symbols[key] = ca.SX.sym(f"v{len(self.symbols)}")
            self.variables[key] = var
        return self.symbols[key]


def numeric_value(node) -> float:
    """Return the value of a Param, a fixed Var or an expression of these; refuse what has none."""
    return _real(node, lambda: value(node, exception=False))


def _constant(node, data) -> float:
    return _real(node, lambda: node._apply_operation(data))


def _real(node, evaluate: Callable) -> float:
    try:
        number = evaluate()
    except (ArithmeticError, ValueError) as error:
        raise UnsupportedModelError(f"The constant expression '{node}' has no value: {error}.") from error
    if number is None:
        raise UnsupportedModelError(f"'{node}' is constant but has no value; give it one.")
    if isinstance(number, complex):
        raise UnsupportedModelError(f"The constant expression '{node}' has no real value: it is {number}.")
    return number
