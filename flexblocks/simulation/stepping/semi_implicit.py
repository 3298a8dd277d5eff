"""Semi-implicit Euler method with implicit joints, springs and bent beams: one evaluation of the equations in a step.

Rates first, then coordinates with the new rates; forces that a block's own coordinates and rates exert (springs,
dampers, friction, strain of beams) are those at the end of the step, linearised:

    (M + h D + h^2 K) a = Q - h(q, v) - h K v,    v <- v + h a,    q <- q + h v.

It is of order 1, and stable for stiff and strongly damped joints, whose vibrations it damps. Without springs it is the
integrator "implicitfast" of MuJoCo.
"""

from __future__ import annotations

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics import ldl
from flexblocks.dynamics.algorithms.constrained_accelerations import constrained_accelerations
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.errors import ParameterError, listing


def semi_implicit_slope(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, p, h) -> what a step h [s] adds to [x, work], divided by h.

    Raises
    ------
    ParameterError
        The motion of coordinates is prescribed.
    """
    if dae.prescribed:
        raise ParameterError(
            f"method 'semi-implicit': the motion of {listing(dae.prescribed)} is prescribed, which it cannot keep; "
            "take 'rk4', or drive the coordinate by a force."
        )
    tree, equations, h = dae.tree, dae.expressions, ca.SX.sym("h")
    stiffness, damping = _joint_derivatives(dae)
    mass = equations.mass + h * damping + h**2 * stiffness
    force = equations.applied - equations.bias - h * (stiffness @ dae.v)
    if tree.loops.closures:
        J, demanded = equations.constraint_jacobian, equations.constraint_acceleration
        acceleration = constrained_accelerations(mass, force, J, demanded, tree.loops.weights)[0]
    else:
        acceleration = ldl.solve(mass, force)
    first_order = tree.split_state(equations.rate)[2]
    results = ca.vertcat(dae.v + h * acceleration, acceleration, first_order, equations.applied_power)
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol, h]
    return ca.Function("semi_implicit", symbols, [ca.densify(ca.cse(results))], ["x", "z", "u", "p", "h"], ["dX"])


def _joint_derivatives(dae: DAE) -> tuple[ca.SX, ca.SX]:
    """Return the derivatives K, D (n, n) of what blocks exert on their own coordinates, in these and the rates."""
    n, tree = dae.tree.size, dae.tree
    stiffness, damping = ca.SX(n, n), ca.SX(n, n)
    for body in tree.bodies:
        if not body.terms.size:
            continue
        q, s = ca.SX.sym("q", body.terms.size), ca.SX.sym("s", body.terms.size)
        (exerted,) = call(body.terms.inner, q, s, body.terms.p)
        parts = [ca.jacobian(exerted, each) for each in (q, s)]
        local = ca.Function("local", [q, s, body.terms.p], [(part + part.T) / 2 for part in parts])
        K, D = call(local, body.gather(dae.q), body.gather(dae.v), body.terms.p)
        share = body.scatter(ca.SX.eye(body.terms.size))
        stiffness, damping = stiffness + share @ K @ share.T, damping + share @ D @ share.T
    return ca.sparsify(stiffness), ca.sparsify(damping)
