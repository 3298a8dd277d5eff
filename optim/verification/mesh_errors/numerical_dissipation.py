"""Numerical dissipation: the energy that a scheme takes out of vibrations which its mesh does not resolve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE

from ...model.read_solution import collocated_motion
from ...model.trajectories import PhaseTrajectory


def numerical_dissipation(runs: Sequence[Sequence[PhaseTrajectory]]) -> float:
    """Return the numerical dissipation [J] of a collocated motion, the largest of several scenarios.

    At collocation points the equations of motion hold, and the energy changes by what inputs, damping and friction do
    there. The integral of that, by the quadrature of the scheme, less the energy that the arm has gained at the end is
    what the scheme itself has taken. 0 where it is not known: with quasi-static modes, whose displacements have no
    rates, and with coordinates that depend on others.
    """
    return max(sum(map(_of_phase, run)) for run in runs)


def _of_phase(traj: PhaseTrajectory) -> float:
    t, mesh = traj.transcription, traj.mesh
    dae, functions = t.dae, t.dae.interpreted
    if t.static.names or dae.tree.dependent_names:
        return 0.0
    x, rates = collocated_motion(traj)
    K, d, nx = x.shape
    power = np.array(_power(dae)(x.reshape(-1, nx).T, rates.reshape(-1, nx).T, traj.p)).reshape(K, d)
    # The last collocation point is the end of the interval: its row of integrals are the weights of the quadrature
    done = float(np.sum(mesh.steps[:, None] * power * t.scheme.integral[-1]))
    begin, end = (float(sum(functions.energy(state, traj.p))) for state in (traj.start.x, x[-1, -1]))
    return abs(done - (end - begin))


@lru_cache(maxsize=8)
def _power(dae: DAE) -> ca.Function:
    """Return (x, der(x), p) -> the rate of change of kinetic and potential energy [W]."""
    rates = ca.SX.sym("rates", len(dae.x))
    energy = sum(dae.interpreted.energy.call([dae.x.symbol, dae.p.symbol], True, False))
    return ca.Function("power", [dae.x.symbol, rates, dae.p.symbol], [ca.jtimes(energy, dae.x.symbol, rates)])
