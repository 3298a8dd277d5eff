"""Pulls along beams whose theory leaves out what these do to bending."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.internal_forces import internal_forces
from flexblocks.interfaces import Tension
from flexblocks.validity.linear_blocks import coordinates_of, linear_blocks


@dataclass(frozen=True, eq=False)
class Pull:
    """Tension along a beam.

    Attributes
    ----------
    tension : Tension
        Places, and the slopes there.
    along : ndarray (places, samples)
        Along the straight beam [N]; negative where it is compressed.
    """

    tension: Tension
    along: np.ndarray


def pulls(
    dae: DAE,
    indices: tuple[int, ...],
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    at_rest: bool = False,
) -> list[Pull]:
    """Return those of some bodies, by index; the other arguments as for `deflection_errors`."""
    n, samples = dae.tree.size, len(x)
    functions, more = dae.interpreted, [z.T] if len(dae.z) else []
    a = np.zeros((n, samples))
    if not at_rest:
        a = np.array(functions.forward_dynamics(x.T, u.T, p, *more)).reshape(len(dae.x), samples)[n : 2 * n]
    forces = np.zeros((0, samples))
    if dae.tree.loops.closures:
        forces = np.array(functions.multipliers(x.T, u.T, p, *more)).reshape(-1, samples)
    efforts = _efforts(dae, indices, at_rest)(x.T, z.T, u.T, a, forces, p).full()
    measures, found, row = dict(linear_blocks(dae)), [], 0
    for index in indices:
        tension = measures[index].tension
        assert isinstance(tension, Tension)
        slopes, size = tension.slopes @ coordinates_of(dae, index, x).T, len(tension.names) * len(tension.weights)
        along, *across = np.split(-efforts[row : row + size], len(tension.names))
        row += size
        # The efforts are those along and across the bent beam.
        found.append(Pull(tension, along - sum(force * slope for force, slope in zip(across, slopes, strict=True))))
    return found


@lru_cache(maxsize=8)
def _efforts(dae: DAE, indices: tuple[int, ...], at_rest: bool) -> ca.Function:
    """Return the function (x, z, u, a, loop forces, p) -> efforts [N] that hold the cuts of these bodies together.

    At rest neither x nor a has an influence by velocities and accelerations, and half as much is derived.
    """
    tree, measures = dae.tree, dict(linear_blocks(dae))
    cut = {tree.bodies[i].name: measures[i].tension for i in indices}
    a, forces = ca.SX.sym("a", tree.size), ca.SX.sym("f", len(tree.loops.multipliers))
    inputs = tree.block_inputs(dae.x.symbol, dae.z.symbol, dae.u.symbol)
    blocks = {name: tension.block for name, tension in cut.items() if tension is not None}
    x, acceleration = dae.x.symbol, a
    if at_rest:
        q, v, w = tree.split_state(x)
        x, acceleration = ca.vertcat(q, ca.SX(*v.shape), w), ca.SX(*a.shape)
    efforts, _ = internal_forces(tree, x, dae.z.symbol, inputs, acceleration, forces, blocks)
    rows = []
    for name, tension in cut.items():
        assert tension is not None
        held = [c.name for c in tension.block.coordinates() if c.held]
        rows += [efforts[name][held.index(wanted)] for group in tension.names for wanted in group]
    arguments = [dae.x.symbol, dae.z.symbol, dae.u.symbol, a, forces, dae.p.symbol]
    return ca.Function("pulls", arguments, [ca.densify(ca.vertcat(*rows))])
