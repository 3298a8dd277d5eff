"""Rows of a nonlinear program: Pyomo constraints as coefficients, symbols and bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.var import VarData

from flexblocks.errors import FlexblocksError

from .affine import Affine, AffineSplitter
from .errors import TrivialConstraintError
from .expression import SymbolicWalker

#: How far a constraint without free variables may be off, as in Pyomo's own model writers.
TRIVIAL_TOLERANCE = 1e-8


@dataclass
class Rows:
    """Constraints taken in one after the other.

    Attributes
    ----------
    constraints : list of ConstraintData
        Those of the first rows; constraints without bounds or without free variables make no row.
    lower, upper : list of float
        Bounds with the constant of the body taken off.
    row, key, coefficient : list
        Linear entries: row number, id of the variable, coefficient.
    residuals, residual_rows : list
        Nonlinear parts (SX) and their rows.
    """

    splitter: AffineSplitter = field(default_factory=AffineSplitter)
    walker: SymbolicWalker = field(default_factory=SymbolicWalker)
    constraints: list[ConstraintData] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    key: list[int] = field(default_factory=list)
    coefficient: list[float] = field(default_factory=list)
    residuals: list[ca.SX] = field(default_factory=list)
    residual_rows: list[int] = field(default_factory=list)

    def add(self, constraint: ConstraintData) -> None:
        """Take in one constraint.

        Raises
        ------
        TrivialConstraintError
            It has no free variable and does not hold.
        UnsupportedModelError
            It contains what has no value or no CasADi counterpart.
        """
        try:
            lower, body, upper = constraint.to_bounded_expression(evaluate_bounds=True)
            if lower is None and upper is None:
                return
            affine, residual = self.symbolic(body)
        except FlexblocksError as error:
            raise type(error)(f"Constraint '{constraint.name}': {error}") from error
        lower = -math.inf if lower is None else lower - affine.constant
        upper = math.inf if upper is None else upper - affine.constant
        if residual is None and not affine.coefficients:
            self._check_trivial(constraint, affine.constant, lower, upper)
            return
        row = len(self.lower)
        self.constraints.append(constraint)
        self.lower.append(lower)
        self.upper.append(upper)
        self.enter(row, affine.coefficients)
        if residual is not None:
            self.residuals.append(residual)
            self.residual_rows.append(row)

    def append(self, values: np.ndarray) -> np.ndarray:
        """Append equality rows with these right-hand sides; return their numbers."""
        start = len(self.lower)
        self.lower.extend(values.tolist())
        self.upper.extend(values.tolist())
        return np.arange(start, len(self.lower))

    def enter(self, row: int, coefficients: dict[int, float]) -> None:
        """Enter linear coefficients, by id of the variable, into a row."""
        self.row.extend([row] * len(coefficients))
        self.key.extend(coefficients.keys())
        self.coefficient.extend(coefficients.values())

    def symbolic(self, expr) -> tuple[Affine, ca.SX | None]:
        """Return the linear part of an expression and its nonlinear part as SX, or None if there is none."""
        affine = self.splitter.split(expr)
        residual = None
        for factor, node in affine.nonlinear:
            part: Any = self.walker.walk_expression(node)
            if part.__class__ is not ca.SX or part.is_constant():
                affine.constant += factor * float(part)
                continue
            part = ca.SX.binary(ca.OP_MUL, self.walker.number(factor), part)
            residual = part if residual is None else ca.SX.binary(ca.OP_ADD, residual, part)
        if 0.0 in affine.coefficients.values():  # x - x
            affine.coefficients = {key: c for key, c in affine.coefficients.items() if c}
        return affine, residual

    def variables(self) -> dict[int, VarData]:
        """Return every free variable met, by id."""
        return self.splitter.variables | self.walker.variables

    @staticmethod
    def _check_trivial(constraint: ConstraintData, body: float, lower: float, upper: float) -> None:
        if lower <= TRIVIAL_TOLERANCE and upper >= -TRIVIAL_TOLERANCE:
            return
        raise TrivialConstraintError(
            f"Constraint '{constraint.name}' has no free variable and is {body:g}; must be in "
            f"[{lower + body:g}, {upper + body:g}]. Unfix one of its variables or change a constant."
        )
