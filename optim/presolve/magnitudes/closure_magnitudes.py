"""Least magnitudes of loop-closure forces: a pin that turns freely bears no torque but rounding."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint


def at_least(dae: DAE, at: OperatingPoint, forces: np.ndarray, share: float) -> np.ndarray:
    """Return magnitudes of loop-closure forces (m,), none far below what another one does.

    What a force does is how much it accelerates the arm, in the metric of the mass matrix: so forces and torques
    compare, in any units. Each counts with no less than a share of the most.

    Parameters
    ----------
    dae : DAE
    at : OperatingPoint
    forces : ndarray (m,)
        Magnitudes [N, N m].
    share : float
    """
    if not len(forces):
        return forces
    M = regular_mass(dae, *dae.posture(at.x, at.z, at.p))
    J = closure_equations(dae).closures(at.x[: dae.tree.size], at.p)[1].full()
    mobility = np.sqrt(np.maximum(np.sum(J * np.linalg.solve(M, J.T).T, axis=1), 0.0))
    moves = mobility > 0
    least = share * np.max(forces * mobility)
    return np.where(moves, np.maximum(forces, least / np.where(moves, mobility, 1.0)), forces)
