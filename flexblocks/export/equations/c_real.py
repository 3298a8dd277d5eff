"""Floating-point types of generated C: how C99 writes their numbers and CasADi's operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexblocks.errors import ParameterError, listing

# Functions of <math.h>, by the operations that they are.
UNARY = {
    "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "asin", "ACOS": "acos", "ATAN": "atan",
    "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "ASINH": "asinh", "ACOSH": "acosh", "ATANH": "atanh",
    "EXP": "exp", "LOG": "log", "EXPM1": "expm1", "LOG1P": "log1p", "SQRT": "sqrt", "FABS": "fabs",
    "FLOOR": "floor", "CEIL": "ceil", "ERF": "erf",
}  # fmt: skip
BINARY = {
    "ATAN2": "atan2", "HYPOT": "hypot", "FMIN": "fmin", "FMAX": "fmax", "FMOD": "fmod", "POW": "pow",
    "CONSTPOW": "pow", "COPYSIGN": "copysign", "REMAINDER": "remainder",
}  # fmt: skip
LOGICAL = {"LT": "<", "LE": "<=", "EQ": "==", "NE": "!=", "AND": "&&", "OR": "||"}


@dataclass(frozen=True)
class Real:
    """A floating-point type of C.

    Attributes
    ----------
    name : str
        ``"double"`` or ``"float"``.
    suffix : str
        Of its constants and functions.
    """

    name: str
    suffix: str

    def number(self, value: float) -> str:
        """Return a constant in the fewest digits that give the same number of this type.

        Raises
        ------
        ParameterError
            It is too large for the type.
        """
        if np.isnan(value):
            return "NAN"
        if self.name == "double":
            return "-INFINITY" if value == -np.inf else "INFINITY" if value == np.inf else repr(float(value))
        with np.errstate(over="ignore"):
            short = np.float32(value)
        if np.isinf(short) and not np.isinf(value):
            raise ParameterError(f"real = 'float': the number {value:.9g} is beyond its range; must be 'double'.")
        return ("-INFINITY" if value < 0 else "INFINITY") if np.isinf(short) else f"{short!s}f"

    @cached_property
    def calls(self) -> Mapping[str, str]:
        """Template of each operation that is a call or brings its own parentheses: ``"sin({0})"``."""
        zero, cast = self.number(0.0), f"({self.name})"
        calls = {name: f"{function}{self.suffix}({{0}})" for name, function in UNARY.items()}
        calls |= {name: f"{function}{self.suffix}({{0}}, {{1}})" for name, function in BINARY.items()}
        # Comparisons are integers in C.
        calls |= {name: f"{cast}(({{0}}) {sign} ({{1}}))" for name, sign in LOGICAL.items()}
        return calls | {
            "NOT": f"{cast}(!({{0}}))",
            "SIGN": f"{cast}((({{0}}) > {zero}) - (({{0}}) < {zero}))",
            "IF_ELSE_ZERO": f"(({{0}}) ? ({{1}}) : {zero})",
        }


DOUBLE, FLOAT = Real("double", ""), Real("float", "f")
REALS = {real.name: real for real in (DOUBLE, FLOAT)}


def real_type(name: str, where: str) -> Real:
    """Return the floating-point type of that name.

    Raises
    ------
    ParameterError
    """
    if name not in REALS:
        raise ParameterError(f"{where}: real = {name!r}; must be {listing(map(repr, REALS))}.")
    return REALS[name]
