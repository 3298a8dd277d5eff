"""Expressions: scalar functions of an arm's signals, written by the user in Python or as text."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.errors import FlexblocksError, failure, suggestion

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


# Characters of an expression that a message repeats.
MOST_SHOWN = 200
# What a function in Python has to do without, as it is called once, with symbols.
IN_SYMBOLS = (
    "names stand for CasADi symbols: use its operators and functions, as ca.sin and not math.sin, ca.if_else and not "
    "if, ca.fmax and not max"
)


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
            An unknown name; a value that is not a scalar; a function that fails, or that is not of CasADi's.
        """
        try:
            value = self.function(Signals(instant))
        except FlexblocksError:
            raise
        except Exception as error:  # the user's own function may raise anything
            raise ProblemError(f"{self.where}: {self.text} fails: {failure(error)}; {IN_SYMBOLS}.") from error
        try:
            scalar = ca.SX(value)
        except (TypeError, NotImplementedError):
            scalar = ca.SX(0, 0)
        if scalar.shape != (1, 1):
            raise ProblemError(f"{self.where}: {self.text} gives {value!r}; must be one number, a CasADi SX (1, 1).")
        if scalar.is_constant() and not math.isfinite(float(scalar)):
            raise ProblemError(f"{self.where}: {self.text} gives {float(scalar)}; {IN_SYMBOLS}.")
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
        _check(where, text, tree)
        _check_constants(where, text, tree)
    except SyntaxError as error:
        place = f" at character {error.offset}" if error.offset else ""
        raise ProblemError(f"{where}: '{_shortened(text)}' cannot be read: {error.msg}{place}.") from None
    except ValueError as error:  # a zero byte, or an integer of thousands of digits
        raise ProblemError(f"{where}: '{_shortened(text)}' cannot be read: {error}.") from None
    except (RecursionError, MemoryError):
        raise ProblemError(
            f"{where}: '{_shortened(text)}' is nested too deeply, or has too many terms; write it as a function of the "
            "signals, in Python."
        ) from None
    return lambda signals: _value(tree, signals)


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..."


def _check_constants(where: str, text: str, node: ast.expr) -> float | None:
    """Return the value of an expression without names, as a float; None if there are names in it.

    Integers would grow without bound: 9**9**9**9 has more digits than a computer has memory.
    """
    match node:
        case ast.BinOp() | ast.UnaryOp():
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.operand]
        case ast.Call(ast.Name(name), arguments) if name in FUNCTIONS:
            parts = arguments
        case ast.Constant(int() | float() as value):
            return _finite(where, text, node, lambda: float(value))
        case _:
            return None
    values = [_check_constants(where, text, part) for part in parts]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return None
    if isinstance(node, ast.Call):
        return _finite(where, text, node, lambda: float(FUNCTIONS[node.func.id](*numbers)))  # type: ignore[attr-defined]
    operate = (BINARY | UNARY)[type(node.op)]  # type: ignore[attr-defined]
    return _finite(where, text, node, lambda: operate(*numbers))


def _finite(where: str, text: str, node: ast.expr, value: Callable[[], Any]) -> float:
    """Return a number, or refuse the part of an expression that has none."""
    try:
        number = value()
        finite = isinstance(number, float) and math.isfinite(number)
    except (ArithmeticError, ValueError):
        finite = False
    if not finite:
        raise ProblemError(
            f"{where}: '{_shortened(text)}': '{_shortened(ast.unparse(node))}' is not a finite real number; must be "
            "one below 1.8e308."
        )
    return number


def _check(where: str, text: str, node: ast.expr) -> None:
    """Refuse anything but arithmetic on names; no arm is needed for that."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in BINARY:
            _check(where, text, left)
            _check(where, text, right)
        case ast.UnaryOp(op, operand) if type(op) in UNARY:
            _check(where, text, operand)
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            if len(arguments) != (wanted := 2 if name == "atan2" else 1):
                raise ProblemError(f"{where}: '{text}': {name} takes {wanted} argument(s), not {len(arguments)}.")
            for argument in arguments:
                _check(where, text, argument)
        case ast.Call(ast.Name(name)) if name != "der":
            raise ProblemError(f"{where}: '{text}': there is no function '{name}'{suggestion(name, FUNCTIONS)}")
        case ast.Constant(bool()):
            raise ProblemError(f"{where}: '{text}': '{ast.unparse(node)}' is no number; use 1 or 0.")
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
        case ast.Constant(int() | float() as value):
            return float(value)
    return signals[ast.unparse(node)]
