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
# Effects of inputs are alike while they change by this share; a size is halved so often until they do.
ALIKE, HALVED = 0.5, 20


def state_scales(dae: DAE, x: np.ndarray, time: float, inputs: np.ndarray) -> np.ndarray:
    """Return the size of each state (nx,) of an arm in a posture `x` (nx,) that moves within a time [s].

    First-order states are as large as inputs of their sizes (nu,) make them within the time of a rate, or where none
    does, as moving coordinates do; but no larger than their forces are beside inertial and elastic ones, nor than what
    inputs do to them stays alike.
    """
    n = dae.tree.size
    measured = displacements(dae, x, dae.z.start, dae.p.start)
    of_q = SHARE * measured.reach / measured.weight
    of_v = of_q / (PACE * time)
    if len(x) == 2 * n:
        return np.concatenate([of_q, of_v])
    still = np.concatenate([x[:n], np.zeros(n), x[2 * n :]])
    inputs = np.where(np.isfinite(inputs), inputs, 0.0)
    driven = _driven(dae, still, PACE * time, np.concatenate([of_q, of_v, inputs]))
    own = np.fmin(np.where(driven > 0, driven, np.nan), _moving(dae, still, of_q, of_v / (PACE * time)))
    own = np.array([_alike(dae, still, 2 * n + k, size) for k, size in enumerate(own)])
    return np.concatenate([of_q, of_v, np.where(own > 0, own, np.maximum(np.abs(x[2 * n :]), 1.0))])


def _driven(dae: DAE, still: np.ndarray, time: float, sizes: np.ndarray) -> np.ndarray:
    """Return how far coordinates, speeds and inputs of these sizes (2 n + nu,) drive first-order states in a time."""
    moving, count = 2 * dae.tree.size, len(still) - 2 * dae.tree.size
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    f = state_rates(dae.tree, *symbols[:3])
    slopes = ca.Function("slopes", symbols, [ca.jacobian(f, symbols[0]), ca.jacobian(f, symbols[2])])
    Fx, Fu = (np.nan_to_num(part.full()) for part in slopes(still, dae.z.start, dae.u.start, dae.p.start))
    sources = np.hstack([Fx[:, :moving], Fu]) * sizes
    # What they come to from rest: the integral of the transition matrix, from one exponential.
    both = np.block([[Fx[:, moving:], sources], [np.zeros((len(sizes), count + len(sizes)))]])
    moved = np.abs(scipy.linalg.expm(both * time)[:count, count:])
    by_coordinates, by_inputs = (part.max(axis=1, initial=0.0) for part in np.split(moved, [moving], axis=1))
    return np.where(by_inputs > 0, by_inputs, by_coordinates)


def _alike(dae: DAE, still: np.ndarray, state: int, size: float) -> float:
    """Return how far a state may move, at most `size`, until what inputs do to first-order states changes by a part."""
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    f = state_rates(dae.tree, *symbols[:3])
    slopes = ca.Function("slopes", symbols, [ca.densify(ca.jacobian(f, symbols[2]))])
    here = slopes(still, dae.z.start, dae.u.start, dae.p.start).full()
    for _ in range(HALVED):
        there = [still + sign * size * (np.arange(len(still)) == state) for sign in (-1.0, 1.0)]
        changes = [slopes(x, dae.z.start, dae.u.start, dae.p.start).full() - here for x in there]
        if np.all(np.abs(changes) <= ALIKE * np.abs(here)):
            break
        size /= 2
    return size


def _moving(dae: DAE, still: np.ndarray, of_q: np.ndarray, of_a: np.ndarray) -> np.ndarray:
    """Return how large first-order states are whose forces do as much work as inertial and elastic forces of a motion.

    nan where one has none. Coordinates and accelerations are of the sizes (n,).
    """
    n, a = dae.tree.size, ca.SX.sym("a", dae.tree.size)
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol, a]
    R = dae.expressions.balance(a) - dae.expressions.applied
    slopes = ca.Function("forces", symbols, [ca.jacobian(R, symbols[0]), ca.jacobian(R, a)])
    parts = slopes(still, dae.z.start, dae.u.start, dae.p.start, 0)
    Rx, M = (np.abs(np.nan_to_num(part.full())) for part in parts)
    own = of_q[:, None] * Rx[:, 2 * n :]
    forces = of_q * (M @ of_a + Rx[:, :n] @ of_q)
    work, wanted = own.sum(axis=0), forces @ (own > 0)
    return np.divide(wanted, work, out=np.full(len(work), np.nan), where=work > 0)
