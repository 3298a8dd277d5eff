"""Mass, centre of mass and momenta of the whole arm."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import Motion
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.tree import Tree


def totals(tree: Tree, inlets: Sequence[Motion], q: ca.SX, v: ca.SX) -> ca.SX:
    """Return mass, centre, momentum and angular momentum about the centre (10) in world axes, as `Totals` stacks them.

    `inlets` are the motions of the bodies' inlets. Rotors without a mount have no place, and do not count.
    """
    mass, moment = ca.SX(1, 1), ca.SX(3, 1)
    momentum, about_origin = ca.SX(3, 1), ca.SX(3, 1)
    for body, (R, r, V) in zip(tree.bodies, inlets, strict=True):
        if not body.terms.has_inertia or body.parent is None:
            continue
        (inertia,) = call(body.terms.inertia, body.gather(q), body.terms.p)
        # The inertia matrix holds the first moment m c in its off-diagonal block m [c]x.
        center = ca.vertcat(-inertia[5, 1], inertia[5, 0], -inertia[4, 0])
        mass += inertia[3, 3]
        moment += inertia[3, 3] * r + R @ center
        # The momenta that belong to the inlet's twist: angular momentum about its origin, and momentum.
        spatial = inertia[:6, :] @ ca.vertcat(V, body.gather(v))
        linear = R @ spatial[3:]
        momentum += linear
        about_origin += R @ spatial[:3] + ca.cross(r, linear)
    c = moment / mass
    return ca.vertcat(mass, c, momentum, about_origin - ca.cross(c, momentum))
