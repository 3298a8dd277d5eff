"""Form of a term: its operations, with the variables and numbers left open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyomo.common.numeric_types import native_numeric_types, native_types
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.var import VarData
from pyomo.core.expr import numeric_expr as numeric

from .affine import Number
from .constants import Constants

#: Larger terms have no form: their local Hessians would have more than 36 entries each, and are rarely alike.
MOST_VARIABLES = 8
MOST_PARTS = 100
#: Numbers that simplify an expression stay part of its form.
_SIMPLE = frozenset((0.0, 1.0, -1.0))
_OPERATIONS = {
    numeric.NegationExpression,
    numeric.AbsExpression,
    numeric.UnaryFunctionExpression,
    numeric.ProductExpression,
    numeric.MonomialTermExpression,
    numeric.DivisionExpression,
    numeric.PowExpression,
    numeric.SumExpression,
    numeric.LinearExpression,
}


@dataclass
class TermForm:
    """A term split into its form, its variables and its numbers.

    Attributes
    ----------
    signature : tuple
        The factor, then the expression, in prefix order: an operation as (kind, name, number of arguments), a variable
        as its position among the term's (int), an open number as None, a simple one or an exponent as a float. Terms
        with equal signatures have the same form.
    operations : list
        The Pyomo nodes of the operations, in the same order.
    variables : dict[int, VarData]
        The free variables in the order met, by id.
    numbers : list of numbers
        The open numbers, in order.
    named : list of (NamedExpressionData, expression)
        The named Expressions met, with their expressions.
    """

    signature: tuple = ()
    operations: list[Any] = field(default_factory=list)
    variables: dict[int, VarData] = field(default_factory=dict)
    numbers: list[Number] = field(default_factory=list)
    named: list[tuple[NamedExpressionData, object]] = field(default_factory=list)


class _Formless(Exception):
    """The term is too large, or has an operation that is not split."""


def form_of(factor: Number, node: Any, constants: Constants) -> TermForm | None:
    """Return the form of a term, factor * node; None for one that is large, unusual or without free variables.

    Parameters
    ----------
    factor : number
    node : Pyomo expression
    constants : Constants
        Turns Params and fixed variables into numbers.
    """
    form, tokens = TermForm(), []
    positions: dict[int, int] = {}

    def add_number(number: Number) -> None:
        if number.__class__ in native_numeric_types and number in _SIMPLE:
            tokens.append(float(number))
        else:
            tokens.append(None)
            form.numbers.append(number)

    def add_all(nodes: Sequence[Any]) -> bool:
        free = [add(node) for node in nodes]  # all of them
        return any(free)

    def add(node: Any) -> bool:
        """Add an expression; return whether it has a free variable."""
        kind = node.__class__
        if kind in native_numeric_types:
            add_number(node)
            return False
        if kind in native_types or len(tokens) + len(form.named) >= MOST_PARTS:
            raise _Formless
        if node.is_variable_type() and not node.fixed:
            key = id(node)
            if key not in positions:
                if len(positions) == MOST_VARIABLES:
                    raise _Formless
                positions[key] = len(positions)
                form.variables[key] = node
            tokens.append(positions[key])
            return True
        if node.is_variable_type() or not node.is_potentially_variable():
            add_number(constants.number(node))
            return False
        if isinstance(node, NamedExpressionData):
            form.named.append((node, node.expr))
            return add(node.expr)
        if kind not in _OPERATIONS:
            raise _Formless
        arguments = node.args
        form.operations.append(node)
        tokens.append((kind, node.getname(), len(arguments)))
        if kind is numeric.PowExpression and _is_constant(arguments[1]):
            free = add(arguments[0])
            exponent = arguments[1]
            tokens.append(float(exponent if exponent.__class__ in native_numeric_types else constants.freeze(exponent)))
        else:
            free = add_all(arguments)
        if not free:  # folded, and refused if it has no value, where expressions are read as a whole
            raise _Formless
        return True

    try:
        add_number(factor)
        if not add(node):
            return None
    except _Formless:
        return None
    form.signature = tuple(tokens)
    return form


def _is_constant(node: Any) -> bool:
    if node.__class__ in native_numeric_types or not node.is_potentially_variable():
        return True
    return node.is_variable_type() and node.fixed
