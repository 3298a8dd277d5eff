"""Dependent variables of an arm: residuals and rates, in the order of `Tree.dependent`."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.tree import Tree


def dependent_residuals(tree: Tree, q: ca.SX) -> ca.SX:
    """Return the residuals (k, 1) of the dependent variables, zero where their values are right."""
    parts = [call(body.terms.dependent_residuals, body.gather(q), body.terms.p)[0] for body in tree.bodies]
    return ca.densify(ca.vertcat(*parts, ca.SX(0, 1)))


def dependent_rates(tree: Tree, q: ca.SX, v: ca.SX) -> ca.SX:
    """Return the time derivatives (k, 1) of the dependent variables."""
    parts = [call(body.terms.dependent_rates, body.gather(q), body.gather(v), body.terms.p)[0] for body in tree.bodies]
    return ca.vertcat(*parts, ca.SX(0, 1))


def dependent_slopes(tree: Tree, q: ca.SX) -> ca.SX:
    """Return the derivatives (k, n) of the dependent variables in the coordinates."""
    v = ca.SX.sym("v", tree.size)
    return ca.sparsify(ca.jacobian(dependent_rates(tree, q, v), v))
