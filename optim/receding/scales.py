"""Sizes of states: what they are measured by where all of them count alike."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.generalized_forces import state_rates
from flexblocks.libraries import scipy
from flexblocks.simulation.implicit.displacements import displacements

# A state's scale moves the arm by this share of its reach; a rate's does so within this share of a time.
SHARE, PACE = 0.1, 0.1


def state_scales(dae: DAE, x: np.ndarray, time: float, inputs: np.ndarray) -> np.ndarray:
    """Return the size of each state (nx,) of an arm in a posture `x` (nx,) that moves within a time [s].

    First-order states are as large as inputs of their sizes (nu,) make them within the time of a rate, or where none
    does, as moving coordinates do.
    """
    n = dae.tree.size
    measured = displacements(dae, x, dae.z.start, dae.p.start)
    of_q = SHARE * measured.reach / measured.weight
    of_v = of_q / (PACE * time)
    own = _driven(dae, x, PACE * time, np.concatenate([of_q, of_v, np.where(np.isfinite(inputs), inputs, 0.0)]))
    return np.concatenate([of_q, of_v, own])


def _driven(dae: DAE, x: np.ndarray, time: float, sizes: np.ndarray) -> np.ndarray:
    """Return how far coordinates, speeds and inputs of these sizes (2 n + nu,) drive first-order states in a time [s]."""
    moving, count = 2 * dae.tree.size, len(x) - 2 * dae.tree.size
    if not count:
        return np.zeros(0)
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    f = state_rates(dae.tree, *symbols[:3])
    slopes = ca.Function("slopes", symbols, [ca.jacobian(f, symbols[0]), ca.jacobian(f, symbols[2])])
    still = np.concatenate([x[: dae.tree.size], np.zeros(dae.tree.size), x[moving:]])
    Fx, Fu = (np.nan_to_num(part.full()) for part in slopes(still, dae.z.start, dae.u.start, dae.p.start))
    sources = np.hstack([Fx[:, :moving], Fu]) * sizes
    # What they come to from rest: the integral of the transition matrix, from one exponential.
    both = np.block([[Fx[:, moving:], sources], [np.zeros((len(sizes), count + len(sizes)))]])
    moved = np.abs(scipy.linalg.expm(both * time)[:count, count:])
    by_coordinates, by_inputs = (part.max(axis=1, initial=0.0) for part in np.split(moved, [moving], axis=1))
    driven = np.where(by_inputs > 0, by_inputs, by_coordinates)
    return np.where(driven > 0, driven, np.maximum(np.abs(x[moving:]), 1.0))
