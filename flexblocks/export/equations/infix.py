"""Infix notation with the fewest parentheses: an operator-precedence printer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from flexblocks.errors import ParameterError


class Level(IntEnum):
    """Operator precedence of the outermost operation of a text, lowest first."""

    SUM = 0
    PRODUCT = 1
    POWER = 2
    ATOM = 3


@dataclass(frozen=True)
class Term:
    """A term: a numeric coefficient times a factor in text form; the text is empty for a plain number.

    The coefficient stays separate until the term is written, so that constant factors and signs fold into one.
    """

    coefficient: float
    text: str = ""
    level: Level = Level.ATOM


@dataclass(frozen=True)
class Notation:
    """Notation of one language for formulas; a `Form`.

    Attributes
    ----------
    number : callable
        Formats a nonnegative number.
    calls : dict
        Template of each operation that is written as a call or brings its own parentheses: ``"sin({0})"``.
    times, quotient, square : str
        Templates.
    fraction : bool
        Whether `quotient` is a fraction bar, whose numerator and denominator need no parentheses.
    square_level : Level
        Precedence of a square.
    parentheses, subexpressions : str
        Templates.
    """

    number: Callable[[float], str]
    calls: Mapping[str, str]
    times: str = "*"
    quotient: str = "{0}/{1}"
    fraction: bool = False
    square: str = "{0}**2"
    square_level: Level = Level.POWER
    parentheses: str = "({0})"
    subexpressions: str = "s{0}"

    def constant(self, value: float) -> Term:
        return Term(value)

    def name(self, text: str) -> Term:
        return Term(1.0, text)

    def subexpression(self, number: int) -> Term:
        return Term(1.0, self.subexpressions.format(number))

    def apply(self, operation: str, operands: list[Term]) -> Term:
        """Return the term of a CasADi operation.

        Raises
        ------
        ParameterError
            The notation cannot express the operation.
        """
        arithmetic = _ARITHMETIC.get(operation)
        if arithmetic is not None:
            return arithmetic(self, *operands)
        if operation not in self.calls:
            raise ParameterError(
                f"equations: the model computes with CasADi's operation {operation}, which this form cannot write; "
                "use the form 'casadi'."
            )
        return Term(1.0, self.calls[operation].format(*(self.write(operand) for operand in operands)))

    def write(self, term: Term) -> str:
        """Return the term as text, coefficient included."""
        sign = "-" if term.coefficient < 0 else ""
        size = abs(term.coefficient)
        if not term.text:
            return sign + self.number(size)
        if self.number(size) == self.number(1.0):  # also a coefficient that is 1 but for rounding
            return sign + (self._factor(term) if sign else term.text)
        return sign + self._product(self.number(size), self._factor(term))

    def _factor(self, term: Term) -> str:
        return self.parentheses.format(term.text) if term.level == Level.SUM else term.text

    def _atom(self, term: Term) -> str:
        return term.text if term.level == Level.ATOM else self.parentheses.format(term.text)

    def _above(self, text: str) -> str:
        """Return the part of a quotient before its denominator: ``1/``."""
        return self.quotient.partition("{1}")[0].format(text)

    def _product(self, left: str, right: str) -> str:
        unit = self._above(self.number(1.0))
        if right.startswith(unit):
            return self._above(left) + right[len(unit) :]
        return f"{left}{self.times}{right}"

    def _add(self, left: Term, right: Term) -> Term:
        if left.text == right.text:
            return Term(left.coefficient + right.coefficient, left.text, left.level)
        if left.coefficient < 0 <= right.coefficient:
            left, right = right, left
        if left.coefficient < 0:
            total = self._add(_negated(left), _negated(right))
            return Term(-1.0, total.text, total.level)
        if right.coefficient < 0:
            after = _negated(right)
            text = self.write(after)
            if after.text and after.coefficient == 1:
                text = self._factor(after)
            return Term(1.0, f"{self.write(left)} - {text}", Level.SUM)
        return Term(1.0, f"{self.write(left)} + {self.write(right)}", Level.SUM)

    def _subtract(self, left: Term, right: Term) -> Term:
        return self._add(left, _negated(right))

    def _multiply(self, left: Term, right: Term) -> Term:
        coefficient = left.coefficient * right.coefficient
        if not left.text or not right.text:
            other = right if not left.text else left
            return Term(coefficient, other.text, other.level)
        first, second = self._factor(left), self._factor(right)
        if left.text == right.text:
            return Term(coefficient, self._square(Term(1.0, left.text, left.level)).text, self.square_level)
        if first.startswith(self._above(self.number(1.0))):
            first, second = second, first
        return Term(coefficient, self._product(first, second), Level.PRODUCT)

    def _divide(self, left: Term, right: Term) -> Term:
        coefficient = left.coefficient / right.coefficient
        if not right.text:
            return Term(coefficient, left.text, left.level)
        if self.fraction:
            text = self.quotient.format(left.text or self.number(1.0), right.text)
            return Term(coefficient, text, Level.POWER)
        above = self._factor(left) if left.text else self.number(1.0)
        return Term(coefficient, self.quotient.format(above, self._atom(right)), Level.PRODUCT)

    def _square(self, operand: Term) -> Term:
        if not operand.text:
            return Term(operand.coefficient**2)
        return Term(operand.coefficient**2, self.square.format(self._atom(operand)), self.square_level)


def _negated(term: Term) -> Term:
    return Term(-term.coefficient, term.text, term.level)


_ARITHMETIC: Mapping[str, Callable[..., Term]] = {
    "ADD": Notation._add,
    "SUB": Notation._subtract,
    "MUL": Notation._multiply,
    "DIV": Notation._divide,
    "SQ": Notation._square,
    "NEG": lambda _, operand: _negated(operand),
    "TWICE": lambda _, operand: Term(2 * operand.coefficient, operand.text, operand.level),
    "INV": lambda notation, operand: notation._divide(Term(1.0), operand),
}
