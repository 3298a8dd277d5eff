"""Nonlinear Pyomo expressions as CasADi SX graphs."""

from __future__ import annotations

import casadi as ca
from pyomo.common.numeric_types import native_types
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.var import VarData
from pyomo.core.expr.numeric_expr import Expr_ifExpression
from pyomo.core.expr.visitor import StreamBasedExpressionVisitor

from .constants import numeric_value, real
from .operators import operator_of


class SymbolicWalker(StreamBasedExpressionVisitor):
    """Converts Pyomo expressions to SX; each named Expression is converted once, so shared subexpressions stay shared.

    Fixed variables and Params enter by their values; an expression of these alone becomes a float.

    Attributes
    ----------
    variables : dict[int, VarData]
        The free variables met so far, by id, in the order of their symbols.
    symbols : dict[int, casadi.SX]
        Their symbols.
    """

    def __init__(self) -> None:
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
        is_variable = child.is_variable_type()
        is_constant = child.fixed if is_variable else not child.is_potentially_variable()
        if is_variable:
            return False, self._variable(child)
        if is_constant:
            return False, numeric_value(child)
        if id(child) in self._named:
            return False, self._named[id(child)]
        return True, None

    def exitNode(self, node, data):
        if isinstance(node, NamedExpressionData):
            self._named[id(node)] = data[0]
            return data[0]
        if node.__class__ is Expr_ifExpression and not isinstance(data[0], ca.SX):
            return data[1] if data[0] else data[2]
        if not any(isinstance(item, ca.SX) for item in data):
            return real(node, lambda: node._apply_operation(data))
        return operator_of(node)(node, *map(self.number, data))

    def number(self, number: float | ca.SX) -> ca.SX:
        """Return a number as SX, always the same for the same number; SX as it is."""
        if isinstance(number, ca.SX):
            return number
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
