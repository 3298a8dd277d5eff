"""The planar arm of Subudhi & Morris with rigid joints as a careful engineer writes it by hand in CasADi.

Lagrange's equations in world axes: closed-form shape integrals, absolute angles, M as the Hessian of the kinetic
energy, velocity forces by automatic differentiation, accelerations by LDL^T. No part of it knows flexblocks but for the
numbers of the mode shapes.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks import AssumedModes
from flexblocks.beam.bending import bending
from flexblocks.models import subudhi_morris as arm


def forward_dynamics(links: int) -> ca.Function:
    """Return the function (x, u) -> der(x); x = [q, der(q)], q = (joint, bending 1, bending 2) link by link."""
    q, v, u = ca.SX.sym("q", 3 * links), ca.SX.sym("v", 3 * links), ca.SX.sym("u", links)
    T, U = energies(q, v, links)
    momentum = ca.gradient(T, v)
    M = ca.jacobian(momentum, v)
    velocity_force = ca.jtimes(momentum, q, v) - ca.gradient(T, q)
    force = ca.SX(3 * links, 1)
    force[::3] = u
    D, LT, order = ca.ldl(ca.sparsify(M), True)
    a = ca.ldl_solve(ca.densify(force - velocity_force - ca.gradient(U, q)), D, LT, order)
    return ca.Function("forward_dynamics", [ca.vertcat(q, v), u], [ca.cse(ca.vertcat(v, a))])


def energies(q: ca.SX, v: ca.SX, links: int) -> tuple[ca.SX, ca.SX]:
    """Return kinetic and potential energy [J]."""
    length, m, EI = arm.LENGTH, arm.LENGTH * arm.LINEAR_DENSITY, arm.FLEXURAL_RIGIDITY
    T, U, angle, rate, tip = 0, 0, 0, 0, ca.SX(2, 1)
    for i in range(links):
        body = arm.printed_tip_body(links - 1 - i)
        plane = bending(AssumedModes(2, body), body.relative(m, length))
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
        T += arm.ROTOR_INERTIA / 2 * v[3 * i] ** 2
        U += EI / length**3 / 2 * b.T @ (K @ b)
        tip = tip + length * along + (phi.T @ b) * across
        angle, rate = angle + slope.T @ b, rate + slope.T @ s
    end = ca.jtimes(tip, q, v)
    T += arm.PAYLOAD_MASS / 2 * ca.dot(end, end) + arm.PAYLOAD_INERTIA / 2 * rate**2
    return T, U


def vars_of(integrals: object) -> tuple[np.ndarray, ...]:
    """Return mean, moment, mass and stiffness of the shapes."""
    return tuple(getattr(integrals, name) for name in ("mean", "moment", "mass", "stiffness"))
