"""First-order states that no input drives: what a motion makes of them, such as the bristles of friction."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE

from ...collocation.schemes import Collocation
from ..first_order_states import first_order_rates, undriven_states

CORRECTIONS = 10  # Newton steps for an interval; two are usual, as most such states are linear in themselves
MET = 1e-8  # of the states: what counts as solved


def following_states(
    dae: DAE, scheme: Collocation, steps: np.ndarray, x: np.ndarray, z: np.ndarray, p: np.ndarray, begin: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return first-order states (K + 1, nw) at mesh points and their rates (K, d, nw) that follow from a motion.

    Their own equations are solved by collocation, interval by interval, along given coordinates, rates and other
    states. Those that inputs drive stay as given, with rates of zero.

    Parameters
    ----------
    scheme : Collocation
        Of degree d.
    steps : ndarray (K,)
        Lengths of the intervals [s].
    x : ndarray (K, d, nx)
        States at the collocation points; what follows is solved for.
    z : ndarray (K, d, nz)
    p : ndarray (np,)
    begin : ndarray (nw,)

    Returns
    -------
    tuple of ndarray, or None
        None if there is no such state, or its equations are not solved.
    """
    n, count, degree = dae.tree.size, len(steps), scheme.degree
    asks = undriven_states(dae)
    if not asks:
        return None
    rates = first_order_rates(dae)[asks]
    rates = ca.substitute(rates, dae.u.symbol, ca.DM.zeros(len(dae.u)))
    slope = ca.densify(ca.jacobian(rates, dae.x.symbol)[:, [2 * n + i for i in asks]])
    symbols = [dae.x.symbol, dae.z.symbol, dae.p.symbol]
    function = ca.Function("rates", symbols, [ca.densify(rates), slope]).map(degree)
    columns = np.tile(p[:, None], (1, degree))
    w, dw = np.tile(begin, (count + 1, 1)), np.zeros((count, degree, len(begin)))
    size, A = len(asks), scheme.integral
    for k, h in enumerate(steps):
        at, now = x[k].copy(), w[k, asks]
        rate = np.zeros((degree, size))
        for _ in range(CORRECTIONS):
            states = now + h * A @ rate
            at[:, [2 * n + i for i in asks]] = states
            value, S = (np.array(part) for part in function(at.T, z[k].T, columns))
            S = S.reshape(size, degree, size).transpose(1, 0, 2)
            gap = rate - value.T
            if not (np.isfinite(gap).all() and np.isfinite(S).all()):
                return None
            # d gap_j / d rate_l = delta_jl - h A_jl S_j
            J = np.eye(degree * size) - h * np.einsum("jl,jab->jalb", A, S).reshape(degree * size, degree * size)
            change = np.linalg.solve(J, gap.ravel()).reshape(degree, size)
            rate = rate - change
            if h * np.max(np.abs(change)) <= MET * np.max(np.abs(now + h * A @ rate)):
                break
        else:
            return None
        dw[k][:, asks] = rate
        w[k + 1, asks] = now + h * A[-1] @ rate
    return w, dw
