"""Nonlinear Pyomo expressions as CasADi SX graphs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce

import casadi as ca
from pyomo.common.numeric_types import native_types
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.var import VarData
from pyomo.core.expr import numeric_expr as numeric
from pyomo.core.expr import relational_expr as relational
from pyomo.core.expr.numvalue import value
from pyomo.core.expr.visitor import StreamBasedExpressionVisitor

from .errors import UnsupportedModelError

_UNARY = {name: getattr(ca, name) for name in ("exp", "log", "log10", "sqrt", "ceil", "floor")} | {
    prefix + name + suffix: getattr(ca, prefix + name + suffix)
    for name in ("sin", "cos", "tan")
    for prefix in ("", "a")
    for suffix in ("", "h")
}


def _unary(node, x):
    try:
        return _UNARY[node.getname()](x)
    except KeyError:
        raise UnsupportedModelError(f"Function '{node.getname()}' is unknown; known are {sorted(_UNARY)}.") from None


def _inequality(node, low, high):
    return low < high if node.strict else low <= high


def _ranged(node, low, body, high):
    strict_low, strict_high = node._strict if isinstance(node._strict, tuple) else (node._strict,) * 2
    above = low < body if strict_low else low <= body
    return ca.logic_and(above, body < high if strict_high else body <= high)


_OPERATORS: dict[type, Callable] = {
    numeric.NegationExpression: lambda node, x: -x,
    numeric.ProductExpression: lambda node, a, b: a * b,
    numeric.DivisionExpression: lambda node, a, b: a / b,
    numeric.PowExpression: lambda node, a, b: a**b,
    numeric.SumExpression: lambda node, *terms: reduce(operator.add, terms, 0.0),
    numeric.AbsExpression: lambda node, x: ca.fabs(x),
    numeric.UnaryFunctionExpression: _unary,
    numeric.MaxExpression: lambda node, *args: reduce(ca.fmax, args),
    numeric.MinExpression: lambda node, *args: reduce(ca.fmin, args),
    numeric.Expr_ifExpression: lambda node, test, yes, no: ca.if_else(test, yes, no),
    relational.EqualityExpression: lambda node, a, b: a == b,
    relational.InequalityExpression: _inequality,
    relational.RangedExpression: _ranged,
}


def _operator(cls: type) -> Callable | None:
    return next((_OPERATORS[base] for base in cls.__mro__ if base in _OPERATORS), None)


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
        symbolic = any(item.__class__ is ca.SX for item in data)
        if not symbolic and node.__class__ is not numeric.Expr_ifExpression:
            return _constant(node, data)
        if node.__class__ is numeric.Expr_ifExpression and data[0].__class__ is not ca.SX:
            return data[1] if data[0] else data[2]
        convert = _operator(node.__class__)
        if convert is None:
            raise UnsupportedModelError(
                f"{type(node).__name__} '{node}' has no CasADi counterpart; write it with ordinary operators, or put it "
                "into a CasadiGreyBox."
            )
        return convert(node, *data)

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
    number = value(node, exception=False)
    if number is None:
        raise UnsupportedModelError(f"'{node}' is fixed but has no value; give it one.")
    return number


def _constant(node, data):
    try:
        return node._apply_operation(data)
    except (ArithmeticError, ValueError) as error:
        raise UnsupportedModelError(f"The constant expression '{node}' has no value: {error}.") from error
