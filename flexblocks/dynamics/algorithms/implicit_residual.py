"""Residual of the implicit equations of motion: inverse dynamics, closures at velocity level, algebraic equations.

    0 = M(q) der(v) + h(q, v) - Q(x, z, u) - J(q)' lambda
    0 = der(w) - f(x, z, u)
    0 = J v + k c(q)
    0 = g(x, z, u)

Nothing is solved for, so that it takes a fraction of the operations of forward dynamics, in one sweep outward and one
inward. Closures at velocity level, with positions fed back, are regular where the linkage passes a change point; those
at position level have a double root there. Rows of prescribed coordinates are v - v(t) + k (q - q(t)). The rate k
is chosen by the solver, as its steps and the speed of the loop are known there.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.dynamics.algorithms.closure_rates import closure_motion
from flexblocks.dynamics.algorithms.generalized_forces import applied_power, applied_wrenches, residuals, state_rates
from flexblocks.dynamics.algorithms.newton_euler import inner_force, inverse_dynamics
from flexblocks.dynamics.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class ImplicitResidual:
    """Residual of the implicit equations.

    Attributes
    ----------
    balance : SX (n, 1)
        M der(v) + h - Q - J' lambda [N m or N]; in rows of prescribed coordinates the effort that drives them.
    rates : SX (nw, 1)
        der(w) - f.
    closures : SX (m, 1)
    algebraic : SX (nz, 1)
    power : SX (1, 1)
        Power of the applied forces and of the drives of prescribed coordinates [W].
    damping : SX (1, 1)
        Power that dampers take out [W].
    prescribed : SX (k, 1)
        Rows of the prescribed coordinates.
    columns : tuple of int
        The positions (k) of these coordinates.
    """

    balance: ca.SX
    rates: ca.SX
    closures: ca.SX
    algebraic: ca.SX
    power: ca.SX
    damping: ca.SX
    prescribed: ca.SX
    columns: tuple[int, ...]

    @property
    def column(self) -> ca.SX:
        """All rows, SX (n + nw + m + nz, 1)."""
        balance = ca.SX(self.balance)
        for i, column in enumerate(self.columns):
            balance[column] = self.prescribed[i]
        return ca.densify(ca.vertcat(balance, self.rates, self.closures, self.algebraic))


def implicit_residual(
    tree: Tree, x: ca.SX, rates: ca.SX, multipliers: ca.SX, z: ca.SX, u: ca.SX, motion: ca.SX, feedback: ca.SX
) -> ImplicitResidual:
    """Return the residual.

    Parameters
    ----------
    tree : Tree
    x, z, u : SX (nx, 1), (nz, 1), (nu, 1)
    rates : SX (n + nw, 1)
        der(v), then der(w).
    multipliers : SX (m, 1)
    motion : SX (2 k, 1)
        Positions, then speeds, of the prescribed coordinates.
    feedback : SX (1, 1)
        Rate k at which violations of closures and of prescribed motions decay [1/s].
    """
    (q, v, _), n, columns = tree.split_state(x), tree.size, list(tree.prescribed_columns)
    closing = closure_motion(tree, q, v, multipliers)
    others = applied_wrenches(tree, x, z, u) + closing.forces
    balance = inverse_dynamics(tree, q, v, rates[:n, :], others)
    positions, speeds = ca.vertsplit(motion, len(columns)) if columns else (ca.SX(0, 1), ca.SX(0, 1))
    power = applied_power(tree, x, z, u)
    if columns:
        power += ca.dot(v[columns, :], balance[columns, :])
    return ImplicitResidual(
        balance=balance,
        rates=rates[n:, :] - state_rates(tree, x, z, u),
        closures=closing.rate + feedback * closing.residual,
        algebraic=residuals(tree, x, z, u),
        power=power,
        damping=ca.dot(v, inner_force(tree, q, v) - inner_force(tree, q, ca.SX(n, 1))),
        prescribed=ca.densify(v[columns, :] - speeds + feedback * (q[columns, :] - positions)),
        columns=tuple(columns),
    )
