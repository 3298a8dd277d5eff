"""Arithmetic of C in the order of CasADi's: the same operations on the same numbers, rounded alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from flexblocks.errors import ParameterError
from flexblocks.export.equations.c_real import Real


class Level(IntEnum):
    """Operator precedence of the outermost operation of a text, lowest first."""

    SUM = 0
    PRODUCT = 1
    ATOM = 2


@dataclass(frozen=True)
class Text:
    """An expression in C."""

    text: str
    level: Level = Level.ATOM

    def at(self, level: Level) -> str:
        """Return the text as an operand that binds at least as strongly as this."""
        return self.text if self.level >= level else f"({self.text})"


# Operations by their template; levels are those of the result and of the operands. The right operand of a sum or
# product binds more strongly, so that a + (b + c) is not a + b + c.
OPERATORS: Mapping[str, tuple[str, Level, Level, Level]] = {
    "ADD": ("{0} + {1}", Level.SUM, Level.SUM, Level.PRODUCT),
    "SUB": ("{0} - {1}", Level.SUM, Level.SUM, Level.PRODUCT),
    "MUL": ("{0}*{1}", Level.PRODUCT, Level.PRODUCT, Level.ATOM),
    "DIV": ("{0}/{1}", Level.PRODUCT, Level.PRODUCT, Level.ATOM),
    "NEG": ("-{0}", Level.SUM, Level.PRODUCT, Level.ATOM),
    "SQ": ("{0}*{0}", Level.PRODUCT, Level.ATOM, Level.ATOM),
    "TWICE": ("{two}*{0}", Level.PRODUCT, Level.ATOM, Level.ATOM),
    "INV": ("{one}/{0}", Level.PRODUCT, Level.ATOM, Level.ATOM),
}


@dataclass(frozen=True)
class ExactForm:
    """C99 of one floating-point type, a `flexblocks.export.equations.program.Form` that reorders nothing."""

    real: Real

    def constant(self, value: float) -> Text:
        return Text(self.real.number(value), Level.SUM if str(value).startswith("-") else Level.ATOM)

    def name(self, text: str) -> Text:
        return Text(text)

    def subexpression(self, number: int) -> Text:
        return Text(f"s{number}")

    def apply(self, operation: str, operands: list[Text]) -> Text:
        """Return an operation on these operands.

        Raises
        ------
        ParameterError
            C has no such operation.
        """
        if operation in OPERATORS:
            template, level, *wanted = OPERATORS[operation]
            texts = [operand.at(least) for operand, least in zip(operands, wanted, strict=False)]
            return Text(template.format(*texts, one=self.real.number(1.0), two=self.real.number(2.0)), level)
        if operation not in self.real.calls:
            raise ParameterError(
                f"controller: the law computes with CasADi's operation {operation}, which C does not have; must be "
                "arithmetic, functions of <math.h>, comparisons and if_else."
            )
        return Text(self.real.calls[operation].format(*(operand.text for operand in operands)))
