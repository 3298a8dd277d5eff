"""Fast subsystem: the linear vibration of the stiff blocks at a posture, the slow motion frozen."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.control.two_time_scales.rigid_motion import RigidMotion
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.newton_euler import inner_force
from flexblocks.libraries import scipy
from flexblocks.linear.forms.second_order_form import SecondOrderForm, energy_matrices
from flexblocks.linear.linear_model import LinearModel
from flexblocks.statics.operating_point import OperatingPoint


def fast_subsystem(dae: DAE, motion: RigidMotion, theta: np.ndarray, p: np.ndarray) -> LinearModel:
    """Return the fast subsystem der(x_f) = A_f x_f + B_f u_f, x_f = [xi, der(xi)], at the posture theta (n_s,).

    Notes
    -----
    Subudhi & Morris 2002, eq 67, corrected: with H = M^-1 partitioned, xi'' = -H_xixi K xi + (H B)_xi u_f. It is
    computed here without H. Deformation carries no momentum of the rigid motion: q = R xi, R = P - N (N'M N)^-1 N'M P,
    and then R'M R xi'' + R'D R xi' + R'K R xi = R'B u_f, because (H_xixi)^-1 is the Schur complement R'M R.
    """
    n, N, P = dae.tree.size, motion.N, motion.P
    q = N @ theta
    x = np.concatenate([q, np.zeros(n), dae.x.start[2 * n :]])
    z, u = dae.z.start, dae.u.start
    point = OperatingPoint(
        dae.x.names, dae.z.names, dae.u.names, dae.p.names, x, z, u, p, np.zeros(len(dae.x) - n + len(z))
    )
    # Project mass, damping, stiffness and inputs on the deformations that leave the rigid momentum alone.
    M = dae.mass_matrix(q, p).full()
    R = P - N @ np.linalg.solve(N.T @ M @ N, N.T @ M @ P)
    kinetic, stored = energy_matrices(dae, point)
    damping, B = (value.full() for value in _forces(dae)(x, z, u, p))
    stored = {name: R.T @ stored[name] @ R for name in motion.stiff}
    mass, stiffness = R.T @ M @ R, sum(stored.values(), np.zeros((P.shape[1], P.shape[1])))
    names, units = deformation_names(dae, motion), tuple(dae.x.units[i] for i in motion.fast)
    structure = SecondOrderForm(
        names, mass, R.T @ damping @ R, stiffness, {name: R.T @ K @ R for name, K in kinetic.items()}, stored
    )
    # The second-order equations as a first-order linear model.
    factor, k = scipy.linalg.cho_factor(mass), len(names)
    A = np.block(
        [
            [np.zeros((k, k)), np.eye(k)],
            [-scipy.linalg.cho_solve(factor, stiffness), -scipy.linalg.cho_solve(factor, structure.damping)],
        ]
    )
    states = (*names, *(f"der({name})" for name in names))
    state_units = (*units, *(f"{unit}/s" for unit in units))
    return LinearModel(
        name=f"{dae.name}, fast",
        A=A,
        B=np.vstack([np.zeros((k, len(u))), scipy.linalg.cho_solve(factor, R.T @ B)]),
        C=np.eye(2 * k),
        D=np.zeros((2 * k, len(u))),
        E=np.eye(2 * k),
        states=states,
        inputs=dae.u.names,
        outputs=states,
        state_units=state_units,
        input_units=dae.u.units,
        output_units=state_units,
        operating_point=point,
        structure=structure,
    )


def deformation_names(dae: DAE, motion: RigidMotion) -> tuple[str, ...]:
    """Return the name of each xi: ``link1.bending_y[1]``, or for a spring ``rotor1.angle - joint1.angle``."""
    return tuple(_difference(dae.q_names, row, i) for i, row in zip(motion.fast, motion.deformation, strict=True))


def _difference(names: tuple[str, ...], row: np.ndarray, first: int) -> str:
    """Return a row of coefficients as a sum of names, that of `first` first."""
    text = names[first]
    for i in np.flatnonzero(row):
        if i != first:
            size = "" if abs(row[i]) == 1 else f"{abs(row[i]):.6g} "
            text += f" {'-' if row[i] < 0 else '+'} {size}{names[i]}"
    return text


@lru_cache(maxsize=16)
def _forces(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, p) -> damping matrix (n, n) of the blocks, input matrix B (n, nu)."""
    damping = ca.jacobian(inner_force(dae.tree, dae.q, dae.v), dae.v)
    B = ca.jacobian(dae.expressions.applied, dae.u.symbol)
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    return ca.Function("forces", symbols, ca.cse([damping, B]))
