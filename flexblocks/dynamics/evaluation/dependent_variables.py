"""Dependent variables of one block: states and algebraic variables that its coordinates determine.

Implicit equations 0 = g(q, c) give the values c, such as the roots of a frequency equation while a beam slides out; the
implicit function theorem gives their rates, dc/dt = -(dg/dc)^-1 (dg/dq) dq/dt.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import casadi as ca
import numpy as np

from flexblocks.errors import ModelError
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import DependentVariable
from flexblocks.interfaces.local import Local

AnyLocal = TypeVar("AnyLocal", bound=Local)


@dataclass(frozen=True, eq=False)
class DependentVariables:
    """Dependent variables c (k, 1) of a block, with symbols that appear in its energies and frames like coordinates.

    Attributes
    ----------
    equations : tuple of DependentVariable
        Name, residual and start value of each.
    symbols : SX (k, 1)
        c.
    q, s : SX (n, 1)
        The block's coordinates and their rates.
    """

    equations: tuple[DependentVariable, ...]
    symbols: ca.SX
    q: ca.SX
    s: ca.SX

    def __len__(self) -> int:
        return len(self.equations)

    @property
    def names(self) -> tuple[str, ...]:
        """Names (k) of these states and algebraic variables of the block."""
        return tuple(equation.name for equation in self.equations)

    @property
    def starts(self) -> np.ndarray:
        """Values (k,) at the reference values of the coordinates."""
        return np.array([equation.start for equation in self.equations])

    @property
    def residuals(self) -> ca.SX:
        """Residuals g (k, 1) of the implicit equations."""
        return ca.vertcat(*[equation.residual for equation in self.equations], ca.SX(0, 1))

    @cached_property
    def slopes(self) -> ca.SX:
        """Derivatives dc/dq (k, n), by the implicit function theorem."""
        g = self.residuals
        return -_solved(ca.jacobian(g, self.symbols), ca.jacobian(g, self.q))

    @cached_property
    def rates(self) -> ca.SX:
        """Time derivatives dc/dt (k, 1)."""
        return ca.sparsify(self.slopes @ self.s)

    def by_name(self, values: ca.SX, wanted: Collection[str]) -> dict[str, ca.SX]:
        """Return by name the values (k, 1) of the wanted variables."""
        pairs = zip(self.names, ca.vertsplit(values), strict=True)
        return {name: value for name, value in pairs if name in wanted}


def _solved(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Return matrix^-1 right; usually each dependent variable has its own equation, and the matrix is diagonal."""
    if not matrix.numel():
        return ca.SX(*right.shape)
    if matrix.sparsity().is_diag():
        return ca.sparsify(right / ca.repmat(ca.diag(matrix), 1, right.size2()))
    return ca.sparsify(ca.solve(matrix, right))


def dependent_variables(block: Block, local: AnyLocal) -> tuple[DependentVariables, AnyLocal]:
    """Return the dependent variables of a block, and its `Local` with their symbols in place of entries of w and z.

    Raises
    ------
    ModelError
        A dependent variable is neither a state nor an algebraic variable of the block.
    """
    q, s, equations = local.coordinates, local.rates, block.dependent_variables(local)
    if not equations:
        return DependentVariables((), ca.SX(0, 1), q, s), local
    known = {variable.name for variable in (*block.states(), *block.algebraics())}
    if unknown := sorted({equation.name for equation in equations} - known):
        raise ModelError(
            f"{block.where}: dependent_variables() returned {unknown}; must be names of its states or algebraic "
            f"variables, {sorted(known)}. Declare them in states() or algebraics()."
        )
    names = {equation.name: ca.SX.sym(equation.name) for equation in equations}
    # Evaluate the equations again on symbols that are not part of w and z.
    local = replace(local, symbols={**local.symbols, **names})
    dependent = DependentVariables(block.dependent_variables(local), ca.vertcat(*names.values()), q, s)
    return dependent, replace(local, dependent=dependent.symbols, dependent_rates=dependent.rates)
