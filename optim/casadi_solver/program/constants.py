"""Constants of a model: Params and fixed Vars, as floats."""

from __future__ import annotations

from collections.abc import Callable

from pyomo.core.expr.numvalue import value

from .errors import UnsupportedModelError


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
