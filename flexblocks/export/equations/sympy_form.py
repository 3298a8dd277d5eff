"""Conversion of a routine to SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flexblocks.errors import FlexblocksError, NameUnknownError, suggestion
from flexblocks.export.equations.constants import recognized
from flexblocks.export.equations.routine import Routine
from flexblocks.rich_display import RichFormula


class SympyMissingError(FlexblocksError, ImportError):
    """SymPy is not installed."""


@dataclass(frozen=True, eq=False)
class SymbolicEquations(RichFormula):
    """The equations of motion as SymPy matrices.

    Attributes
    ----------
    symbols : dict of sympy.Symbol
        By the DAE's names.
    subexpressions : list of (sympy.Symbol, sympy expression)
        The common subexpressions s1, s2, ...; each may contain earlier ones.
    matrices : dict of sympy.Matrix
        The parts of the equations by name, in terms of symbols and subexpressions.
    statement : str
        The equations in terms of the parts.
    """

    symbols: Mapping[str, Any]
    subexpressions: list[tuple[Any, Any]]
    matrices: Mapping[str, Any]
    statement: str

    def __getitem__(self, name: str) -> Any:
        """Return a part with all subexpressions substituted, as a sympy.Matrix.

        Raises
        ------
        NameUnknownError
            There is no such part.
        """
        if name not in self.matrices:
            raise NameUnknownError(f"equations: there is no part '{name}'{suggestion(name, self.matrices)}")
        full: dict[Any, Any] = {}
        for symbol, expression in self.subexpressions:
            full[symbol] = expression.xreplace(full)
        return self.matrices[name].xreplace(full)


def sympy_equations(routine: Routine, statement: str, most: int = 10**9) -> SymbolicEquations:
    """Return the equations as SymPy expressions.

    Raises
    ------
    SympyMissingError
        SymPy is not installed.
    """
    sympy = _sympy()
    form = _SympyForm(sympy)
    written = routine.listing(form, most)
    matrices = {}
    for result, entries in zip(routine.results, written.results, strict=True):
        matrix = sympy.zeros(*result.shape)
        for place, expression in entries.items():
            matrix[place] = expression
        matrices[result.name] = matrix
    symbols = {path: form.name(name.identifier) for _, _, name, path, _ in routine.table()}
    return SymbolicEquations(symbols, written.assignments, matrices, statement)


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise SympyMissingError(
            "equations: the form 'sympy' needs SymPy, which is not installed; install it with "
            "pip install 'flexblocks[symbolic]'."
        ) from None
    return sympy


class _SympyForm:
    """SymPy as a `Form`: its numbers, symbols and operations."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy
        self.operations: Mapping[str, Callable[..., Any]] = {
            "ADD": lambda a, b: a + b,
            "SUB": lambda a, b: a - b,
            "MUL": lambda a, b: a * b,
            "DIV": lambda a, b: a / b,
            "NEG": lambda a: -a,
            "SQ": lambda a: a**2,
            "TWICE": lambda a: 2 * a,
            "INV": lambda a: 1 / a,
            "POW": lambda a, b: a**b,
            "CONSTPOW": lambda a, b: a**b,
            "EXPM1": lambda a: sympy.exp(a) - 1,
            "LOG1P": lambda a: sympy.log(1 + a),
            "HYPOT": lambda a, b: sympy.sqrt(a**2 + b**2),
            "IF_ELSE_ZERO": lambda a, b: sympy.Piecewise((b, a), (0, True)),
            **{
                name: getattr(sympy, function)
                for name, function in {
                    "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "asin", "ACOS": "acos", "ATAN": "atan",
                    "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "ASINH": "asinh", "ACOSH": "acosh",
                    "ATANH": "atanh", "EXP": "exp", "LOG": "log", "SQRT": "sqrt", "FABS": "Abs", "SIGN": "sign",
                    "FLOOR": "floor", "CEIL": "ceiling", "ERF": "erf", "ATAN2": "atan2", "FMIN": "Min",
                    "FMAX": "Max", "LT": "Lt", "LE": "Le", "EQ": "Eq", "NE": "Ne", "NOT": "Not", "AND": "And",
                    "OR": "Or",
                }.items()
            },
        }  # fmt: skip

    def constant(self, value: float) -> Any:
        # Exact where a closed form is recognised, 1/3 rather than 0.333, so that SymPy can cancel it.
        exactly = recognized(abs(value))
        if exactly is None:
            return self.sympy.Integer(0) if value == 0 else self.sympy.Float(value, 17)
        fraction = self.sympy.Rational(exactly.fraction.numerator, exactly.fraction.denominator)
        exact = fraction * self.sympy.pi**exactly.pi * self.sympy.sqrt(2 if exactly.root else 1)
        return exact if value > 0 else -exact

    def name(self, text: str) -> Any:
        return self.sympy.Symbol(text, real=True)

    def subexpression(self, number: int) -> Any:
        return self.name(f"s{number}")

    def apply(self, operation: str, operands: list[Any]) -> Any:
        if operation not in self.operations:
            raise FlexblocksError(
                f"equations: the model computes with CasADi's operation {operation}, which the form 'sympy' cannot "
                "write; use the form 'casadi'."
            )
        return self.operations[operation](*operands)
