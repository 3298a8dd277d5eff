"""Variables that follow from the coordinates, such as the roots of a frequency equation while a beam slides out."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.tree import Tree


def follower_residuals(tree: Tree, q: ca.SX) -> ca.SX:
    """Return the residuals of the arm's followed variables (`Tree.followed`)."""
    found = [call(body.terms.follower_residuals, body.own(q), body.terms.p)[0] for body in tree.bodies]
    return ca.densify(ca.vertcat(*found, ca.SX(0, 1)))


def following(tree: Tree, q: ca.SX, v: ca.SX) -> ca.SX:
    """Return the rates of the arm's followed variables."""
    found = [call(body.terms.following, body.own(q), body.own(v), body.terms.p)[0] for body in tree.bodies]
    return ca.vertcat(*found, ca.SX(0, 1))
