"""Outward: pose, twist and acceleration of every body."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.terms import call
from flexblocks.dynamics.tree import Maps, Tree


def poses(tree: Tree, q: ca.SX) -> list[tuple[ca.SX, ca.SX]]:
    """Return orientation (3, 3) and origin (3) of every body's inlet in the world."""
    found: list[tuple[ca.SX, ca.SX]] = []
    for body in tree.bodies:
        if body.parent is None or body.outlet is None:
            found.append((ca.SX.eye(3), ca.SX(3, 1)))
        else:
            found.append(outlet_pose(tree, found, body.parent, body.outlet, q))
    return found


def outlet_pose(tree: Tree, inlets: list[tuple[ca.SX, ca.SX]], index: int, outlet: str, q: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return orientation and origin of one outlet of body `index`, whose inlets' poses are known."""
    body = tree.bodies[index]
    R, r = call(body.terms.outlets[outlet].pose, *inlets[index], body.own(q), tree.p)
    return R, r


def twists(tree: Tree, maps: Maps, v: ca.SX) -> list[ca.SX]:
    """Return the twist (6) of every body's inlet."""
    found: list[ca.SX] = []
    for body, X, S in zip(tree.bodies, maps.X, maps.S, strict=True):
        if body.parent is None or X is None or S is None:
            found.append(ca.SX(6, 1))
        else:
            found.append(ca.sparsify(X @ found[body.parent] + S @ tree.bodies[body.parent].own(v)))
    return found


def accelerations(tree: Tree, maps: Maps, twist: list[ca.SX], q: ca.SX, v: ca.SX, a: ca.SX) -> list[ca.SX]:
    """Return the rates of change (6) of all twists, gravity included as an acceleration of the ground."""
    ground = ca.sparsify(ca.SX(ca.vertcat(ca.DM.zeros(3), -ca.DM(tree.gravity))))
    found: list[ca.SX] = []
    for body, X, S in zip(tree.bodies, maps.X, maps.S, strict=True):
        if body.parent is None or body.outlet is None or X is None or S is None:
            found.append(ground)
            continue
        parent = tree.bodies[body.parent]
        (bias,) = call(parent.terms.outlets[body.outlet].bias, twist[body.parent], parent.own(q), parent.own(v), tree.p)
        found.append(ca.sparsify(X @ found[body.parent] + S @ parent.own(a) + bias))
    return found
