"""Pulls along beams and bodies whose theory leaves out what these do to bending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.internal_forces import internal_forces
from flexblocks.interfaces import Tension


@dataclass(frozen=True, eq=False)
class Pull:
    """Inner forces of a beam or body at k places of its tension, and at samples of a motion.

    Attributes
    ----------
    along : ndarray (k, samples)
        Tension [N], along the bent beam; negative where it is compressed.
    across : list of ndarray (k, samples)
        Shear forces [N] in each plane.
    """

    along: np.ndarray
    across: list[np.ndarray]

    def along_root(self, tension: Tension, q: np.ndarray) -> np.ndarray:
        """Return the force along the axis of the root, with the beam's coordinates (samples, n)."""
        turned = zip(self.across, tension.slopes @ q.T, strict=True)
        return self.along - sum(force * slope for force, slope in turned)


# Accelerations (n, samples) and loop forces (m, samples) of a motion whose method has found them.
Along = tuple[np.ndarray, np.ndarray]


def pulls(
    dae: DAE,
    tensions: Mapping[int, Tension],
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    at_rest: bool = False,
    along: Along | None = None,
) -> list[Pull]:
    """Return those of some bodies, by index; the other arguments as for `deflection_errors`."""
    n, samples = dae.tree.size, len(x)
    functions, more = dae.interpreted, [z.T] if len(dae.z) else []
    a, forces = (np.zeros((n, samples)), np.zeros((0, samples))) if along is None else along
    if along is None and not at_rest:
        a = np.array(functions.forward_dynamics(x.T, u.T, p, *more)).reshape(len(dae.x), samples)[n : 2 * n]
    if along is None and dae.tree.loops.closures:
        forces = np.array(functions.multipliers(x.T, u.T, p, *more)).reshape(-1, samples)
    efforts = _efforts(dae, tuple(tensions.items()), at_rest)(x.T, z.T, u.T, a, forces, p).full()
    found, row = [], 0
    for tension in tensions.values():
        size = sum(map(len, tension.names))
        pull, *across = np.split(-efforts[row : row + size], len(tension.names))
        row += size
        found.append(Pull(pull, across))
    return found


@lru_cache(maxsize=8)
def _efforts(dae: DAE, tensions: tuple[tuple[int, Tension], ...], at_rest: bool) -> ca.Function:
    """Return the function (x, z, u, a, loop forces, p) -> efforts [N] that hold the cuts of these bodies together.

    At rest neither velocities nor accelerations have an influence, and half as much is derived.
    """
    tree, cut = dae.tree, {dae.tree.bodies[i].name: tension for i, tension in tensions}
    a, forces = ca.SX.sym("a", tree.size), ca.SX.sym("f", len(tree.loops.multipliers))
    inputs = tree.block_inputs(dae.x.symbol, dae.z.symbol, dae.u.symbol)
    x, acceleration = dae.x.symbol, a
    if at_rest:
        q, v, w = tree.split_state(x)
        x, acceleration = ca.vertcat(q, ca.SX(*v.shape), w), ca.SX(*a.shape)
    blocks = {name: tension.block for name, tension in cut.items()}
    efforts, _ = internal_forces(tree, x, dae.z.symbol, inputs, acceleration, forces, blocks)
    rows = []
    for name, tension in cut.items():
        held = [c.name for c in tension.block.coordinates() if c.held]
        rows += [efforts[name][held.index(wanted)] for group in tension.names for wanted in group]
    arguments = [dae.x.symbol, dae.z.symbol, dae.u.symbol, a, forces, dae.p.symbol]
    return ca.Function("pulls", arguments, [ca.densify(ca.vertcat(*rows))])
