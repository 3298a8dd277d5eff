"""Expressions: scalar functions of an arm's signals, written by the user in Python or as text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.errors import nearest

from ...errors import ProblemError
from .instant import Instant
from .signals import Signals

BINARY: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
UNARY: dict[type, Callable] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
FUNCTIONS: dict[str, Callable] = {
    name: getattr(ca, name)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "atan2")
}


@dataclass(frozen=True, eq=False)
class Expression:
    """A scalar function of the signals at one instant.

    Attributes
    ----------
    function : callable
        `Signals` -> SX (1, 1), by the operators and functions of CasADi.
    text : str
        The expression as text, for display.
    where : str
        Where it belongs, for messages.
    parsed : bool
        Whether the text defines the function, so that it can be written to a file.
    """

    function: Callable[[Signals], Any]
    text: str
    where: str
    parsed: bool = False

    def at(self, instant: Instant) -> ca.SX:
        """Return the expression at an instant.

        Raises
        ------
        FlexblocksError
            An unknown name; a value that is not a scalar.
        """
        value = self.function(Signals(instant))
        try:
            scalar = ca.SX(value)
        except (TypeError, NotImplementedError):
            scalar = ca.SX(0, 0)
        if scalar.shape != (1, 1):
            raise ProblemError(f"{self.where}: {self.text} gives {value!r}; must be one number, a CasADi SX (1, 1).")
        return scalar

    def __str__(self) -> str:
        return self.text


def checked_expression(where: str, expression: Any) -> Expression:
    """Return a callable or a text as an Expression.

    Text may contain numbers, signal names as they are (``der(joint1.angle)``, ``link1.bending_y[1]``,
    ``link1.station(0.25).x``), the operators ``+ - * / **`` and ``sin``, ``cos``, ``exp``, ``sqrt`` and the like. It is
    parsed, not executed.

    Raises
    ------
    ProblemError
        It is neither, or the text contains anything else.
    """
    if isinstance(expression, Expression):
        return expression
    if isinstance(expression, str):
        return Expression(_parsed(where, expression), expression, where, parsed=True)
    if not callable(expression):
        raise ProblemError(
            f'{where}: {expression!r}; must be a function of names, as lambda s: s["payload.x"] ** 2, or the same '
            'as text, "payload.x ** 2".'
        )
    return Expression(expression, f"expression {getattr(expression, '__name__', expression)}", where)


def _parsed(where: str, text: str) -> Callable[[Signals], Any]:
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ProblemError(f"{where}: '{text}' cannot be read: {error.msg} at character {error.offset}.") from None
    _check(where, text, tree)
    return lambda signals: _value(tree, signals)


def _check(where: str, text: str, node: ast.expr) -> None:
    """Refuse anything but arithmetic on names; no arm is needed for that."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in BINARY:
            _check(where, text, left)
            _check(where, text, right)
        case ast.UnaryOp(op, operand) if type(op) in UNARY:
            _check(where, text, operand)
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            for argument in arguments:
                _check(where, text, argument)
        case ast.Call(ast.Name(name)) if name != "der":
            raise ProblemError(
                f"{where}: '{text}': there is no function '{name}' (functions: {', '.join(FUNCTIONS)})."
                f"{nearest(name, FUNCTIONS)}"
            )
        case ast.Constant(int() | float()) | ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            pass
        case _:
            raise ProblemError(
                f"{where}: '{text}': '{ast.unparse(node)}' is not understood; use numbers, names, + - * / ** and "
                f"{', '.join(FUNCTIONS)}."
            )


def _value(node: ast.expr, signals: Signals) -> Any:
    match node:
        case ast.BinOp(left, op, right):
            return BINARY[type(op)](_value(left, signals), _value(right, signals))
        case ast.UnaryOp(op, operand):
            return UNARY[type(op)](_value(operand, signals))
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            return FUNCTIONS[name](*[_value(argument, signals) for argument in arguments])
        case ast.Constant(value):
            return value
    return signals[ast.unparse(node)]
