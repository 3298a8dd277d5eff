"""Affine part of an expression: linear coefficients, and the nonlinear remainder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyomo.common.numeric_types import native_numeric_types
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.var import VarData
from pyomo.core.expr.numeric_expr import (
    DivisionExpression,
    LinearExpression,
    MonomialTermExpression,
    NegationExpression,
    ProductExpression,
    SumExpression,
)

from .constants import numeric_value


@dataclass(slots=True)
class Affine:
    """An expression as constant + sum of coefficient * variable + sum of factor * nonlinear node.

    Attributes
    ----------
    coefficients : dict[int, float]
        By id of the variable.
    nonlinear : list of (float, expression)
    """

    constant: float = 0.0
    coefficients: dict[int, float] = field(default_factory=dict)
    nonlinear: list[tuple[float, object]] = field(default_factory=list)


class AffineSplitter:
    """Splits expressions into affine and nonlinear parts without creating symbols.

    Ten thousand linear constraints as SX nodes would cost more than the solve. Nodes that are not obviously linear are
    left to the `SymbolicWalker`. A named Expression counts as one such node unless it is linear throughout, or a long
    sum that is met for the first time, whose terms are then split.

    Attributes
    ----------
    variables : dict[int, VarData]
        The free variables met in linear terms so far, by id.
    """

    def __init__(self) -> None:
        self.variables: dict[int, VarData] = {}
        self._named: dict[int, Affine] = {}

    def split(self, expr) -> Affine:
        """Return `expr` as an Affine."""
        affine, unseen = self._walk(expr)
        if unseen:
            self._learn(unseen)
            affine, _ = self._walk(expr)
        return affine

    def _learn(self, pending: list[NamedExpressionData]) -> None:
        """Split named Expressions, innermost first, by an explicit stack: single shooting nests thousands of them."""
        while pending:
            node = pending[-1]
            if id(node) not in self._named:
                affine, unseen = self._walk(node.expr)
                if unseen:
                    pending.extend(unseen)
                    continue
                self._named[id(node)] = affine
            pending.pop()

    def _walk(self, expr) -> tuple[Affine, list[NamedExpressionData]]:
        """Return `expr` split, and the named Expressions that are still unknown."""
        result, unseen = Affine(), []
        stack: list[tuple[float, Any]] = [(1.0, expr)]
        coefficients = result.coefficients
        while stack:
            factor, node = stack.pop()
            kind = node.__class__
            if kind in native_numeric_types:
                result.constant += factor * node
            elif kind is LinearExpression or kind is SumExpression:
                for term in node.args:
                    if term.__class__ is MonomialTermExpression:
                        self._add_monomial(result, factor, term)
                    else:
                        stack.append((factor, term))
            elif kind is MonomialTermExpression:
                self._add_monomial(result, factor, node)
            elif node.is_variable_type():
                self._add(result, factor, node)
            elif not node.is_potentially_variable():
                result.constant += factor * numeric_value(node)
            elif kind is NegationExpression:
                stack.append((-factor, node.args[0]))
            elif kind is ProductExpression and _is_number(node.args[0]):
                stack.append((factor * numeric_value(node.args[0]), node.args[1]))
            elif (kind is ProductExpression or kind is DivisionExpression) and _is_number(node.args[1]):
                number = numeric_value(node.args[1])
                if kind is DivisionExpression and not number:
                    result.nonlinear.append((factor, node))  # the SymbolicWalker reports the division by zero
                else:
                    stack.append((factor * number if kind is ProductExpression else factor / number, node.args[0]))
            elif isinstance(node, NamedExpressionData):
                if id(node) not in self._named:
                    unseen.append(node)
                    continue
                known = self._named[id(node)]
                if known.nonlinear:
                    result.nonlinear.append((factor, node))
                    continue
                result.constant += factor * known.constant
                for key, coefficient in known.coefficients.items():
                    coefficients[key] = coefficients.get(key, 0.0) + factor * coefficient
            else:
                result.nonlinear.append((factor, node))
        return result, unseen

    def _add_monomial(self, result: Affine, factor: float, node: MonomialTermExpression) -> None:
        coefficient, var = node.args
        if coefficient.__class__ not in native_numeric_types:
            coefficient = numeric_value(coefficient)
        self._add(result, factor * coefficient, var)

    def _add(self, result: Affine, coefficient: float, var: VarData) -> None:
        if var.fixed:
            result.constant += coefficient * numeric_value(var)
            return
        key = id(var)
        self.variables[key] = var
        result.coefficients[key] = result.coefficients.get(key, 0.0) + coefficient


def _is_number(node) -> bool:
    """Whether a factor is obviously constant; deeper constants are folded by the SymbolicWalker."""
    if node.__class__ in native_numeric_types or not node.is_potentially_variable():
        return True
    return node.is_variable_type() and node.fixed
