"""The planar arm of Subudhi & Morris as a careful engineer writes it by hand in CasADi.

Lagrange's equations in world axes: closed-form shape integrals, absolute angles, M as the Hessian of the kinetic
energy, velocity forces by automatic differentiation. No part of it knows flexblocks but for the numbers of the mode
shapes.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from flexblocks import AssumedModes, TipBody
from flexblocks.beam.shapes.shape_integrals import discretized_bending
from flexblocks.models import subudhi_morris as arm

LINK_MASS = arm.LENGTH * arm.LINEAR_DENSITY


def forward_dynamics(links: int) -> ca.Function:
    """Return (x, u) -> der(x) with rigid joints and printed shapes, by LDL^T.

    x = [q, der(q)], q = (joint, bending 1, bending 2) link by link.
    """
    q, v, u = ca.SX.sym("q", 3 * links), ca.SX.sym("v", 3 * links), ca.SX.sym("u", links)
    T, U = energies(q, v, [arm.printed_tip_body(links - 1 - i) for i in range(links)])
    T += arm.ROTOR_INERTIA / 2 * ca.sumsqr(v[::3])
    momentum = ca.gradient(T, v)
    M = ca.jacobian(momentum, v)
    velocity_force = ca.jtimes(momentum, q, v) - ca.gradient(T, q)
    force = ca.SX(3 * links, 1)
    force[::3] = u
    D, LT, order = ca.ldl(ca.sparsify(M), True)
    a = ca.ldl_solve(ca.densify(force - velocity_force - ca.gradient(U, q)), D, LT, order)
    return ca.Function("forward_dynamics", [ca.vertcat(q, v), u], [ca.cse(ca.vertcat(v, a))])


def inverse_dynamics(links: int) -> ca.Function:
    """Return (q, der(q), der(der(q)), u) -> residual of the motion, with elastic joints and clamped-mass shapes.

    q = (rotor, joint, bending 1, bending 2) link by link.
    """
    q, v, a, u = (ca.SX.sym(name, n * links) for name, n in (("q", 4), ("v", 4), ("a", 4), ("u", 1)))
    outer = [i for i in range(4 * links) if i % 4]
    T, U = energies(q[outer], v[outer], [straight_tip_body(links - 1 - i) for i in range(links)])
    T += arm.ROTOR_INERTIA / 2 * ca.sumsqr(v[::4])
    U += arm.JOINT_STIFFNESS / 2 * ca.sumsqr(q[::4] - q[1::4])
    momentum = ca.gradient(T, v)
    residual = ca.jtimes(momentum, ca.vertcat(q, v), ca.vertcat(v, a)) - ca.gradient(T, q) + ca.gradient(U, q)
    residual[::4] -= u
    return ca.Function("inverse_dynamics", [q, v, a, u], [ca.cse(residual)])


def straight_tip_body(outboard: int) -> TipBody:
    """Return the tip body of a link: `outboard` rigid links in line, and the payload."""
    reach = outboard * arm.LENGTH
    mass, inertia, moment = arm.PAYLOAD_MASS, arm.PAYLOAD_INERTIA + arm.PAYLOAD_MASS * reach**2, 0.0
    moment += arm.PAYLOAD_MASS * reach
    for k in range(outboard):
        center = arm.LENGTH * (k + 0.5)
        mass += LINK_MASS
        inertia += LINK_MASS * (arm.LENGTH**2 / 12 + center**2)
        moment += LINK_MASS * center
    return TipBody(mass, inertia, moment)


def energies(q: ca.SX, v: ca.SX, carried: Sequence[TipBody]) -> tuple[ca.SX, ca.SX]:
    """Return kinetic and potential energy [J] of the links and the payload, q = (joint, bending 1, bending 2) by link.

    `carried` are the tip bodies of the links, which their mode shapes depend on.
    """
    length, m, EI = arm.LENGTH, LINK_MASS, arm.FLEXURAL_RIGIDITY
    T, U, angle, rate, tip = 0, 0, 0, 0, ca.SX(2, 1)
    for i, body in enumerate(carried):
        plane = discretized_bending(AssumedModes(2, body), body.relative(m, length))
        N, X, E, K = (ca.DM(a) for a in vars_of(plane.integrals))
        phi, slope = ca.DM(plane.shapes.deflection(1.0)), ca.DM(plane.shapes.slope(1.0) / length)
        b, s = q[3 * i + 1 : 3 * i + 3], v[3 * i + 1 : 3 * i + 3]
        angle, rate = angle + q[3 * i], rate + v[3 * i]
        along = ca.vertcat(ca.cos(angle), ca.sin(angle))
        across = ca.vertcat(-ca.sin(angle), ca.cos(angle))
        # A point's velocity is root + (x * rate + bending rate) across - rate * bending along.
        root = ca.jtimes(tip, q, v)
        mean, mean_rate = N.T @ b, N.T @ s
        squares = b.T @ (E @ b)
        T += (
            m / 2 * ca.dot(root, root)
            + m / 2 * (rate**2 * (length**2 / 3 + squares) + s.T @ (E @ s))
            + m * length * rate * (X.T @ s)
        )
        T += m * ca.dot(root, across) * (rate * length / 2 + mean_rate) - m * ca.dot(root, along) * rate * mean
        U += EI / length**3 / 2 * b.T @ (K @ b)
        tip = tip + length * along + (phi.T @ b) * across
        angle, rate = angle + slope.T @ b, rate + slope.T @ s
    end = ca.jtimes(tip, q, v)
    T += arm.PAYLOAD_MASS / 2 * ca.dot(end, end) + arm.PAYLOAD_INERTIA / 2 * rate**2
    return T, U


def vars_of(integrals: object) -> tuple[np.ndarray, ...]:
    """Return mean, moment, mass and stiffness of the shapes."""
    return tuple(getattr(integrals, name) for name in ("mean", "moment", "mass", "stiffness"))
