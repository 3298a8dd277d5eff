"""The dependent variables of one block: states and algebraic variables that its coordinates determine.

Implicit equations 0 = g(q, c) give the values c, such as the roots of a frequency equation while a beam slides out; the
implicit function theorem gives their rates, dc/dt = -(dg/dc)^-1 (dg/dq) dq/dt.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.errors import ModelError
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.physics import DependentVariable, Local


@dataclass(frozen=True, eq=False)
class DependentVariables:
    """Dependent variables c (k, 1) of a block, with symbols of their own that stand in everything that depends on q.

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
        """Their names (k) among the states and algebraic variables of the block."""
        return tuple(equation.name for equation in self.equations)

    @property
    def starts(self) -> np.ndarray:
        """Their values (k,) at the coordinates' reference values."""
        return np.array([equation.start for equation in self.equations])

    @property
    def residuals(self) -> ca.SX:
        """g (k, 1)."""
        return ca.vertcat(*[equation.residual for equation in self.equations], ca.SX(0, 1))

    @cached_property
    def slopes(self) -> ca.SX:
        """dc/dq (k, n), by the implicit function theorem."""
        g = self.residuals
        return -_solved(ca.jacobian(g, self.symbols), ca.jacobian(g, self.q))

    @cached_property
    def rates(self) -> ca.SX:
        """dc/dt (k, 1)."""
        return ca.sparsify(self.slopes @ self.s)

    def by_name(self, values: ca.SX, wanted: Collection[str]) -> dict[str, ca.SX]:
        """Return those of the values (k, 1) whose variables are wanted, by name."""
        pairs = zip(self.names, ca.vertsplit(values), strict=True)
        return {name: value for name, value in pairs if name in wanted}


def _solved(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Return matrix^-1 right; mostly each dependent variable has an equation of its own."""
    if not matrix.numel():
        return ca.SX(*right.shape)
    if matrix.sparsity().is_diag():
        return ca.sparsify(right / ca.repmat(ca.diag(matrix), 1, right.size2()))
    return ca.sparsify(ca.solve(matrix, right))


def dependent_variables(block: Block, local: Local) -> tuple[DependentVariables, Local]:
    """Return the dependent variables of a block, and what the block sees with them in place of its w and z.

    Raises
    ------
    ModelError
        The block names one that is neither a state nor an algebraic variable of it.
    """
    q, s, equations = local.coordinates, local.rates, block.dependent_variables(local)
    if not equations:
        return DependentVariables((), ca.SX(0, 1), q, s), local
    known = {variable.name for variable in (*block.states(), *block.algebraics())}
    if unknown := sorted({equation.name for equation in equations} - known):
        raise ModelError(f"{block.where}: dependent_variables() returned {unknown}; it has {sorted(known)}.")
    names = {equation.name: ca.SX.sym(equation.name) for equation in equations}
    # The same again, in symbols that stay out of w and z.
    local = replace(local, symbols={**local.symbols, **names})
    found = DependentVariables(block.dependent_variables(local), ca.vertcat(*names.values()), q, s)
    return found, replace(local, dependent=found.symbols, dependent_rates=found.rates)
