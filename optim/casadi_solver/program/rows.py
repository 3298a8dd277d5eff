"""Rows of a nonlinear program: Pyomo constraints as coefficients, symbols and bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.var import VarData

from flexblocks.errors import FlexblocksError

from .affine import Affine, AffineSplitter
from .components import bounded_expression
from .constants import numeric_value
from .expression import SymbolicWalker
from .trivial import TrivialRows


class Rows:
    """The rows of a program, collected constraint by constraint.

    Attributes
    ----------
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

    def __init__(self) -> None:
        self.splitter = AffineSplitter()
        self._walker: SymbolicWalker | None = None  # made when a constraint is not linear
        self.constraints: list[ConstraintData] = []
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.row: list[int] = []
        self.key: list[int] = []
        self.coefficient: list[float] = []
        self.residuals: list[ca.SX] = []
        self.residual_rows: list[int] = []
        self.cost: ca.SX | None = None
        self._trivial: list[tuple[ConstraintData, float, float, float]] = []

    @property
    def walker(self) -> SymbolicWalker:
        """The walker that converts nonlinear expressions to SX."""
        if self._walker is None:
            self._walker = SymbolicWalker()
        return self._walker

    @property
    def nonlinear_variables(self) -> dict[int, VarData]:
        """The free variables met in nonlinear expressions, by id."""
        return {} if self._walker is None else self._walker.variables

    def add(self, constraint: ConstraintData) -> None:
        """Add a constraint.

        Raises
        ------
        UnsupportedModelError
            It contains something without a value or a CasADi counterpart.
        """
        try:
            lower, body, upper = bounded_expression(constraint)
            if lower is None and upper is None:
                return
            affine, residual = self._split(body)
            lower = -math.inf if lower is None else numeric_value(lower) - affine.constant
            upper = math.inf if upper is None else numeric_value(upper) - affine.constant
        except FlexblocksError as error:
            raise type(error)(f"Constraint '{constraint.name}': {error}") from error
        if residual is None and not affine.coefficients:
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

    def append(self, values: Sequence[float]) -> np.ndarray:
        """Append equality rows with these right-hand sides; return their numbers."""
        start = len(self.lower)
        self.lower.extend(values)
        self.upper.extend(values)
        return np.arange(start, len(self.lower))

    def enter(self, row: int, coefficients: dict[int, float]) -> None:
        """Enter linear coefficients, by id of the variable, into a row."""
        self.row.extend([row] * len(coefficients))
        self.key.extend(coefficients.keys())
        self.coefficient.extend(coefficients.values())

    def set_objective(self, expr) -> Affine:
        """Set the objective, after all constraints; return its linear part."""
        affine, self.cost = self._split(expr)
        return affine

    def _split(self, expr) -> tuple[Affine, ca.SX | None]:
        """Split an expression into its linear and its nonlinear part."""
        affine, residual = self.splitter.split(expr), None
        for factor, node in affine.nonlinear:
            part: Any = self.walker.walk_expression(node)
            if part.__class__ is not ca.SX or part.is_constant():
                affine.constant += factor * float(part)
                continue
            part = ca.SX.binary(ca.OP_MUL, self.walker.number(factor), part)
            residual = part if residual is None else ca.SX.binary(ca.OP_ADD, residual, part)
        if residual is not None and residual.is_zero():  # x**2 - x**2
            residual = None
        if 0.0 in affine.coefficients.values():  # x - x
            affine.coefficients = {key: c for key, c in affine.coefficients.items() if c}
        return affine, residual

    def variables(self) -> dict[int, VarData]:
        """Return every free variable met, by id."""
        return self.splitter.variables | self.nonlinear_variables

    def trivial(self) -> TrivialRows | None:
        """Return the constraints without free variables; None where there are none."""
        if not self._trivial:
            return None
        body, lower, upper = (np.array([entry[k] for entry in self._trivial], dtype=float) for k in (1, 2, 3))
        return TrivialRows([entry[0] for entry in self._trivial], body, lower, upper)
