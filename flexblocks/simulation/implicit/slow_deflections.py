"""Deflections on the slow manifold: what is stiff has bent as far as motion, loads and gravity require.

A vibration that the steps do not resolve is a fast mode of the arm. Along fast modes all forces balance, those of
inertia included; along the others the arm accelerates. Both are solved for together, by Newton's method in the modes
of the posture: deflections along the fast ones, accelerations along the slow ones. Of the changes that balance the fast
modes the smallest is taken, in coordinates that deform bodies; joints turn only as far as these cannot, and where loops
have to be closed.

References
----------
P. Kokotovic, H. Khalil, J. O'Reilly: Singular Perturbation Methods in Control, 1986.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.constraints.loop_newton import polished
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError
from flexblocks.libraries import scipy
from flexblocks.simulation.implicit.damped_modes import RANK, closed_directions
from flexblocks.simulation.implicit.differences import Differences
from flexblocks.simulation.implicit.displacements import Displacements

# Newton's steps, and what is left of the last one, as a share of the reach.
ITERATIONS, LEFT = 50, 1e-9
# The longest step, as a share of the reach.
LONGEST = 0.1
# What a joint's displacement counts beside a deflection.
OF_JOINTS = 1e3
# How far closures are followed along the motion for their derivatives, as a share of the reach.
AHEAD = 1e-5


@dataclass(frozen=True, eq=False)
class MovingPosture:
    """A motion whose deflections are sought.

    Attributes
    ----------
    dae : DAE
    z, u, p : ndarray
        Algebraic variables, inputs and parameters.
    displacements : Displacements
    free : ndarray (k,)
        Coordinates that have not been given.
    """

    dae: DAE
    z: np.ndarray
    u: np.ndarray
    p: np.ndarray
    displacements: Displacements
    free: np.ndarray

    @property
    def closures(self) -> slice:
        """Rows of the residual that are closures."""
        first = len(self.dae.x) - self.dae.tree.size
        return slice(first, first + len(self.dae.expressions.closing_tree.loops.multipliers))

    def differences(self, x: np.ndarray, rates: np.ndarray) -> Differences:
        """Return the residual and its derivatives at a state (nx,) with rates (n + nw,), without multipliers."""
        n, columns = self.dae.tree.size, list(self.dae.tree.prescribed_columns)
        motion = np.concatenate([x[:n][columns], x[n : 2 * n][columns]])
        m = self.closures.stop - self.closures.start
        unit = np.concatenate([self.displacements.reach / self.displacements.weight, np.maximum(np.abs(x[2 * n :]), 1)])
        point = [x, rates, np.zeros(m), self.z, self.u, motion, self.p, np.zeros(1)]
        return Differences(self.dae.interpreted.residual, point, n, unit)

    def closure_accelerations(self, x: np.ndarray) -> np.ndarray:
        """Return the accelerations (m,) of the closures of a motion whose rates stay."""
        n, N = self.dae.tree.size, len(x) - self.dae.tree.size
        m = self.closures.stop - self.closures.start
        v, sizes = x[n : 2 * n], self.displacements
        fastest = float(np.max(np.abs(v) * sizes.weight, initial=0.0))
        if not m or not fastest:
            return np.zeros(m)
        d, sides = AHEAD * sizes.reach / fastest, []
        for side in (d, -d):
            at = x.copy()
            at[:n] += side * v
            sides.append(self.differences(at, np.zeros(N)).R[self.closures])
        return (sides[0] - sides[1]) / (2 * d)


def with_slow_deflections(
    posture: MovingPosture,
    x: np.ndarray,
    is_fast: Callable[[np.ndarray], np.ndarray],
    with_slow_rates: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Return a state (nx,) whose deflections and rates are on the slow manifold, and its accelerations (n,).

    Parameters
    ----------
    posture : MovingPosture
    x : ndarray (nx,)
        Consistent state.
    is_fast : callable
        From angular frequencies (k,) [rad/s] to which are fast.
    with_slow_rates : callable
        From a state to that with rates on the slow manifold of its posture.

    Raises
    ------
    ComputationError
        No deflections near balance the loads.
    """
    dae, sizes = posture.dae, posture.displacements
    n, N, driven = dae.tree.size, len(x) - dae.tree.size, list(dae.tree.prescribed_columns)
    moves, bends = np.setdiff1d(np.arange(n), driven), posture.free
    counts = np.where(deforming(dae)[bends], 1.0, OF_JOINTS)
    can_bend = np.isin(np.arange(n), bends)
    accelerations, fast = np.zeros(n), None
    accelerations[driven] = posture.u[[prescription.input for prescription in dae.tree.prescribed]]
    for _ in range(ITERATIONS):
        x = with_slow_rates(x)
        differences = posture.differences(x, np.append(accelerations, np.zeros(N - n)))
        K, M = differences.along(1.0, 0.0, 0.0)[:n, :n], differences.along(0.0, 0.0, 1.0)[:n, :n]
        J = differences.along(0.0, 1.0, 0.0)[posture.closures, :n]
        T = closed_directions(J[:, moves] / sizes.weight[moves]) / sizes.weight[moves, None]
        squares, modes = _modes(T.T @ K[np.ix_(moves, moves)] @ T, T.T @ M[np.ix_(moves, moves)] @ T)
        along = T @ modes
        fast = is_fast(np.sqrt(np.maximum(squares, 0.0))) if fast is None else fast
        # Accelerations that closures require; along slow modes, those that forces leave.
        if len(J):
            asked = -posture.closure_accelerations(x) - J @ accelerations
            by_weight = np.linalg.lstsq(J[:, moves] / sizes.weight[moves], asked, rcond=RANK)[0]
            accelerations[moves] += by_weight / sizes.weight[moves]
        off = along.T @ posture.differences(x, np.append(accelerations, np.zeros(N - n))).R[moves]
        accelerations[moves] -= along[:, ~fast] @ off[~fast]
        # Along fast ones deflections balance them: the smallest that close the loops.
        B = closed_directions(J[:, bends] / sizes.weight[bends]) / sizes.weight[bends, None]
        _, root = np.linalg.qr(B * (sizes.weight[bends] * counts)[:, None])
        inverse = np.linalg.pinv(root)
        stiffness = along[:, fast].T @ K[np.ix_(moves, bends)] @ B
        step = B @ (inverse @ np.linalg.lstsq(stiffness @ inverse, -off[fast], rcond=RANK)[0])
        size = float(np.max(np.abs(step) * sizes.weight[bends], initial=0.0))
        if not np.isfinite(size):
            break
        if size < LEFT * sizes.reach:
            accelerations[moves] -= along[:, fast] @ off[fast]  # of what is given and cannot bend
            return x, accelerations
        q = x[:n].copy()
        q[bends] += step * min(1.0, LONGEST * sizes.reach / size)
        x = np.concatenate([polished(closure_equations(dae), q, posture.p, can_bend) if len(J) else q, x[n:]])
    raise ComputationError(
        f"simulate: slow_start: no deflections of '{dae.name}' near its start values balance the loads there. Give "
        "start values with x0=, such as those of fb.equilibrium, or leave slow_start out."
    )


def _modes(K: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the squares (k,) of the frequencies, and the modes (k, k) by columns, of modal mass 1.

    Raises
    ------
    ComputationError
    """
    try:
        return scipy.linalg.eigh((K + K.T) / 2, (M + M.T) / 2)
    except np.linalg.LinAlgError:
        raise ComputationError(
            "simulate: slow_start: a coordinate moves no mass, so that no vibration shows what is stiff; leave "
            "slow_start out."
        ) from None
