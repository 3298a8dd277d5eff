"""Rows of a nonlinear program: Pyomo constraints as coefficients, symbols and bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from pyomo.common.numeric_types import native_numeric_types
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.var import VarData

from flexblocks.errors import FlexblocksError

from .affine import LONG_SUM, Affine, AffineSplitter, Number
from .coefficients import Coefficients
from .components import bounded_expression
from .constants import Constants, Datum
from .expression import SymbolicWalker
from .separable import SeparableSums, SeparableTerm
from .trivial import TrivialRows
from .variables import ProgramVariables


class Rows:
    """The rows of a program, collected constraint by constraint.

    Attributes
    ----------
    constants : Constants
    constraints : list of ConstraintData
        Those of the first rows; constraints without bounds or without free variables make no row.
    lower, upper : list of numbers
        Bounds less the constant of the body.
    row, key, coefficient : list
        Linear entries: row number, id of the variable, coefficient.
    residuals, residual_rows : list
        Nonlinear parts (SX) and their rows; a row may have several.
    cost : SX or None
        Nonlinear part of the objective.
    """

    def __init__(self, constants: Constants):
        self.constants = constants
        self.splitter = AffineSplitter(constants)
        self._walker: SymbolicWalker | None = None  # made when a constraint is not linear
        self.constraints: list[ConstraintData] = []
        self.lower: list[Number] = []
        self.upper: list[Number] = []
        self.row: list[int] = []
        self.key: list[int] = []
        self.coefficient: list[Number] = []
        self.residuals: list[ca.SX] = []
        self.residual_rows: list[int] = []
        self.cost: ca.SX | None = None
        self._sums: SeparableSums | None = None  # made when there is a long sum
        self._trivial: list[tuple[ConstraintData, Number, Number, Number]] = []

    @property
    def walker(self) -> SymbolicWalker:
        """The walker that converts nonlinear expressions to SX."""
        if self._walker is None:
            self._walker = SymbolicWalker(self.constants)
        return self._walker

    @property
    def nonlinear_variables(self) -> dict[int, VarData]:
        """The free variables met in nonlinear expressions, by id."""
        together = {} if self._walker is None else self._walker.variables
        return together if self._sums is None else together | self._sums.variables

    @property
    def named(self) -> list[tuple[NamedExpressionData, object]]:
        """The named Expressions met, with their expressions."""
        nonlinear = [] if self._sums is None else self._sums.named
        return self.splitter.named + nonlinear + ([] if self._walker is None else self._walker.named)

    def add(self, constraint: ConstraintData) -> None:
        """Add a constraint.

        Raises
        ------
        UnsupportedModelError
            It contains something without a value or a CasADi counterpart.
        """
        try:
            lower, body, upper = bounded_expression(constraint, not self.constants.symbolic)
            if lower is None and upper is None:
                return
            affine, residual, terms = self._split(body, len(self.lower))
            lower = -math.inf if lower is None else self._number(lower) - affine.constant
            upper = math.inf if upper is None else self._number(upper) - affine.constant
        except FlexblocksError as error:
            raise type(error)(f"Constraint '{constraint.name}': {error}") from error
        if residual is None and not terms and not affine.coefficients:
            self._trivial.append((constraint, affine.constant, lower, upper))
            return
        row = len(self.lower)
        self.constraints.append(constraint)
        self.lower.append(lower)
        self.upper.append(upper)
        self.enter(row, affine.coefficients)
        if residual is not None:
            self.residuals.append(residual)
            self.residual_rows.append(row)

    def append(self, values: Sequence[Number]) -> np.ndarray:
        """Append equality rows with these right-hand sides; return their numbers."""
        start = len(self.lower)
        self.lower.extend(values)
        self.upper.extend(values)
        return np.arange(start, len(self.lower))

    def enter(self, row: int, coefficients: dict[int, Number]) -> None:
        """Enter linear coefficients, by id of the variable, into a row."""
        self.row.extend([row] * len(coefficients))
        self.key.extend(coefficients.keys())
        self.coefficient.extend(coefficients.values())

    def set_objective(self, expr) -> Affine:
        """Set the objective, after all constraints; return its linear part."""
        affine, self.cost, _ = self._split(expr, -1)
        for row, factor, node in () if self._sums is None else self._sums.rare():
            term: Any = self.walker.walk_expression(node)
            part = ca.SX.binary(ca.OP_MUL, self.walker.number(factor), term)
            if row >= 0:
                self.residuals.append(part)
                self.residual_rows.append(row)
            else:
                self.cost = part if self.cost is None else ca.SX.binary(ca.OP_ADD, self.cost, part)
        return affine

    def _split(self, expr, row: int) -> tuple[Affine, ca.SX | None, bool]:
        """Split an expression in a row, or (-1) in the objective.

        Returns
        -------
        Affine, SX or None, bool
            The linear part, the nonlinear part, and whether there are terms besides, of a long sum.
        """
        affine = self.splitter.split(expr)
        residual, terms, sums = None, False, self._sums
        if len(affine.nonlinear) < LONG_SUM:
            sums = None
        elif sums is None:
            sums = self._sums = SeparableSums(self.constants)
        for factor, node in affine.nonlinear:
            if sums is not None and sums.take(factor, node, row):
                terms = True
                continue
            part: Any = self.walker.walk_expression(node)
            if part.__class__ is not ca.SX or part.is_constant():
                affine.constant += factor * (part if isinstance(part, Datum) else float(part))
                continue
            part = ca.SX.binary(ca.OP_MUL, self.walker.number(factor), part)
            residual = part if residual is None else ca.SX.binary(ca.OP_ADD, residual, part)
        if residual is not None and residual.is_zero():  # x**2 - x**2
            residual = None
        if self.constants.symbolic or 0.0 in affine.coefficients.values():  # x - x
            affine.coefficients = {key: c for key, c in affine.coefficients.items() if isinstance(c, ca.SX) or c}
        return affine, residual, terms

    def variables(self) -> dict[int, VarData]:
        """Return every free variable met, by id."""
        return self.splitter.variables | self.nonlinear_variables

    def separable(self, variables: ProgramVariables) -> list[SeparableTerm]:
        """Return the terms of long sums."""
        return [] if self._sums is None else self._sums.placed(variables)

    def trivial(self) -> TrivialRows | None:
        """Return the constraints without free variables; None where there are none."""
        if not self._trivial:
            return None
        body, lower, upper = (Coefficients.of([entry[k] for entry in self._trivial], self.constants) for k in (1, 2, 3))
        return TrivialRows([entry[0] for entry in self._trivial], body, lower, upper)

    def _number(self, bound) -> Number:
        return bound if bound.__class__ in native_numeric_types else self.constants.number(bound)
