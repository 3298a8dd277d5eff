"""CasADi operations for the nodes of Pyomo expressions.

``SX.unary`` and ``SX.binary`` do what the operators of SX do, simplification included, in a sixth of the time: they
skip the overload resolution of CasADi's Python layer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import casadi as ca
from pyomo.core.expr import numeric_expr as numeric
from pyomo.core.expr import relational_expr as relational

from .errors import UnsupportedModelError

Operator = Callable[..., ca.SX]


def _unary(code: int) -> Operator:
    return lambda node, x: ca.SX.unary(code, x)


def _binary(code: int) -> Operator:
    return lambda node, a, b: ca.SX.binary(code, a, b)


def _nary(code: int) -> Operator:
    return lambda node, *args: reduce(lambda a, b: ca.SX.binary(code, a, b), args)


_FUNCTIONS: dict[str, Operator] = {
    name: _unary(getattr(ca, f"OP_{name.upper()}"))
    for name in (
        *("exp", "log", "sqrt", "ceil", "floor"),
        *(a + name + h for name in ("sin", "cos", "tan") for a in ("", "a") for h in ("", "h")),
    )
} | {"log10": lambda node, x: ca.log10(x)}


def _function(node, x: ca.SX) -> ca.SX:
    try:
        return _FUNCTIONS[node.getname()](node, x)
    except KeyError:
        raise UnsupportedModelError(
            f"Function '{node.getname()}' is unknown; known are {sorted(_FUNCTIONS)}."
        ) from None


def _division(node, a: ca.SX, b: ca.SX) -> ca.SX:
    if b.is_zero():
        raise UnsupportedModelError(f"'{node}' divides by zero.")
    return ca.SX.binary(ca.OP_DIV, a, b)


def _less(a: ca.SX, b: ca.SX, strict: bool) -> ca.SX:
    return ca.SX.binary(ca.OP_LT if strict else ca.OP_LE, a, b)


def _ranged(node, low: ca.SX, body: ca.SX, high: ca.SX) -> ca.SX:
    strict = node._strict if isinstance(node._strict, tuple) else (node._strict,) * 2
    return ca.SX.binary(ca.OP_AND, _less(low, body, strict[0]), _less(body, high, strict[1]))


_OPERATORS: dict[type, Operator] = {
    numeric.NegationExpression: _unary(ca.OP_NEG),
    numeric.AbsExpression: _unary(ca.OP_FABS),
    numeric.UnaryFunctionExpression: _function,
    numeric.ProductExpression: _binary(ca.OP_MUL),
    numeric.DivisionExpression: _division,
    numeric.PowExpression: _binary(ca.OP_POW),
    numeric.SumExpression: _nary(ca.OP_ADD),
    numeric.MaxExpression: _nary(ca.OP_FMAX),
    numeric.MinExpression: _nary(ca.OP_FMIN),
    numeric.Expr_ifExpression: lambda node, test, yes, no: ca.if_else(test, yes, no),
    relational.EqualityExpression: _binary(ca.OP_EQ),
    relational.InequalityExpression: lambda node, a, b: _less(a, b, node.strict),
    relational.RangedExpression: _ranged,
}


def operator_of(node) -> Operator:
    """Return the function ``(node, *args) -> SX`` for a Pyomo node with SX arguments.

    Raises
    ------
    UnsupportedModelError
        There is no such operator.
    """
    kind = type(node)
    if kind not in _OPERATORS:
        base = next((base for base in kind.__mro__ if base in _OPERATORS), None)
        if base is None:
            raise UnsupportedModelError(
                f"{kind.__name__} '{node}' has no CasADi counterpart; write it with ordinary operators, or put it into "
                "a CasadiGreyBox."
            )
        _OPERATORS[kind] = _OPERATORS[base]
    return _OPERATORS[kind]
