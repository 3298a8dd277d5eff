"""Error of linear beam theory at a state of an arm: by the size of deflections, and by a pull that it leaves out.

A cantilever under a force at its tip, 1/3 P l^3/(EI) by the linear theory, deflects less by the share (v/l)^2 of that,
within a tenth up to v = 0.45 l (the elastica; `python -m benchmarks.large_deflections`). In terms of the shortening
1/2 int v'^2 dx / l = 0.6 (v/l)^2 this is 5/3 of it, which other shapes have as well, within a factor of three: a moment
at the tip 1/2. A pull N along the beam adds int N v'^2 dx to int EI v''^2 dx. Left out, it is missing in the stiffness:
the deflection is off by the ratio of both (Rayleigh's quotient of buckling).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.internal_forces import internal_forces
from flexblocks.interfaces import Block, SmallDeflections, Tension

# Relative error of the deflection by a shortening of the length by this share.
OF_SHORTENING = 5 / 3
# A pull is not looked for where deflections stay below this share of the length: what it does to them is smaller still.
LOOKED_FOR = 0.01


@dataclass(frozen=True)
class DeflectionError:
    """Estimate for one block, at the sample where it deflects most.

    Attributes
    ----------
    block : Block
    measure : SmallDeflections
    sample : int
    deflection : float
        In units of the length.
    slope : float
        The largest along the block [rad].
    by_size, by_pull : float
        Expected errors of the deflection, relative to it.
    """

    block: Block
    measure: SmallDeflections
    sample: int
    deflection: float
    slope: float
    by_size: float
    by_pull: float

    @property
    def error(self) -> float:
        """The expected error of the deflection, relative to it."""
        return self.by_size + self.by_pull


def deflection_errors(
    dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray, at_rest: bool = False
) -> list[DeflectionError]:
    """Return the estimates for all blocks that are modelled for small deflections, at states that are finite.

    Parameters
    ----------
    dae : DAE
    x, z, u : ndarray (samples, nx), (samples, nz), (samples, nu)
    p : ndarray (np,)
    at_rest : bool
        Whether the states are equilibria; otherwise accelerations are those of the motion.
    """
    finite = np.isfinite(x).all(axis=1)
    x, z, u, places = x[finite], z[finite], u[finite], np.flatnonzero(finite)
    measures = linear_blocks(dae)
    if not len(x) or not measures:
        return []
    found, pulled = [], []
    for index, measure in measures:
        q = measure.relative(coordinates_of(dae, index, x))
        deflections = np.linalg.norm(measure.deflections @ q.T, axis=0)
        slopes = np.linalg.norm(measure.slopes @ q.T, axis=0)
        shortening = measure.weights @ slopes**2 / 2
        most = int(np.argmax(shortening))
        found.append(
            DeflectionError(
                block=dae.tree.bodies[index].block,
                measure=measure,
                sample=int(places[most]),
                deflection=float(deflections[:, most].max()),
                slope=float(slopes[:, most].max()),
                by_size=OF_SHORTENING * float(shortening[most]),
                by_pull=0.0,
            )
        )
        if measure.tension is not None and found[-1].deflection > LOOKED_FOR:
            pulled.append(len(found) - 1)
    if pulled:
        indices = tuple(measures[k][0] for k in pulled)
        shares = _shares_of_pull(dae, indices, x, z, u, p, at_rest)
        for k, share in zip(pulled, shares, strict=True):
            found[k] = replace(found[k], by_pull=share)
    return found


@lru_cache(maxsize=32)
def linear_blocks(dae: DAE) -> tuple[tuple[int, SmallDeflections], ...]:
    """Return the bodies, by index, that are modelled for small deflections."""
    measured: dict[int, SmallDeflections | None] = {}
    for body in dae.tree.bodies:
        # Blocks that have their terms in common measure the same.
        if id(body.terms) not in measured:
            measured[id(body.terms)] = body.block.nominal.small_deflections(body.carried)
    measures = ((i, measured[id(body.terms)]) for i, body in enumerate(dae.tree.bodies))
    return tuple((i, measure) for i, measure in measures if measure is not None)


def coordinates_of(dae: DAE, index: int, x: np.ndarray) -> np.ndarray:
    """Return the coordinates (samples, k) of a body at states (samples, nx), those that are locked included."""
    q = dae.tree.bodies[index].share.gather(x[:, : dae.tree.size].T).T
    for lock in dae.tree.locks:
        value = dae.locked[f"{lock.block}.{lock.coordinate}"]
        for (body, row), factor in lock.factors.items():
            if body == index:
                q[:, row] += factor * value
    return q


def _shares_of_pull(
    dae: DAE, indices: tuple[int, ...], x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray, at_rest: bool
) -> list[float]:
    """Return for each body int N v'^2 dx over int EI v''^2 dx, each the mean of its magnitude over the motion."""
    n, samples = dae.tree.size, len(x)
    functions, more = dae.interpreted, [z.T] if len(dae.z) else []
    a = np.zeros((n, samples))
    if not at_rest:
        a = np.array(functions.forward_dynamics(x.T, u.T, p, *more)).reshape(len(dae.x), samples)[n : 2 * n]
    forces = np.zeros((0, samples))
    if dae.tree.loops.closures:
        forces = np.array(functions.multipliers(x.T, u.T, p, *more)).reshape(-1, samples)
    pulls = _pulls(dae, indices)(x.T, z.T, u.T, a, forces, p).full()
    measures, shares, row = dict(linear_blocks(dae)), [], 0
    for index in indices:
        tension = measures[index].tension
        assert isinstance(tension, Tension)
        q = coordinates_of(dae, index, x)
        slopes, size = tension.slopes @ q.T, len(tension.names) * len(tension.weights)
        along, *across = np.split(-pulls[row : row + size], len(tension.names))
        row += size
        # Along the straight beam: the forces are those along and across the bent one.
        along = along - sum(force * slope for force, slope in zip(across, slopes, strict=True))
        left_out = tension.weights @ (along * np.sum(slopes**2, axis=0))
        stored = np.einsum("ki,ij,kj->k", q, tension.stiffness, q)
        shares.append(float(np.abs(left_out).mean() / max(stored.mean(), np.finfo(float).tiny)))
    return shares


@lru_cache(maxsize=8)
def _pulls(dae: DAE, indices: tuple[int, ...]) -> ca.Function:
    """Return the function (x, z, u, a, loop forces, p) -> efforts [N] that hold the cuts of these bodies together."""
    tree, measures = dae.tree, dict(linear_blocks(dae))
    cut = {tree.bodies[i].name: measures[i].tension for i in indices}
    a, forces = ca.SX.sym("a", tree.size), ca.SX.sym("f", len(tree.loops.multipliers))
    inputs = tree.block_inputs(dae.x.symbol, dae.z.symbol, dae.u.symbol)
    blocks = {name: tension.block for name, tension in cut.items() if tension is not None}
    efforts, _ = internal_forces(tree, dae.x.symbol, dae.z.symbol, inputs, a, forces, blocks)
    rows = []
    for name, tension in cut.items():
        assert tension is not None
        held = [c.name for c in tension.block.coordinates() if c.held]
        rows += [efforts[name][held.index(wanted)] for group in tension.names for wanted in group]
    arguments = [dae.x.symbol, dae.z.symbol, dae.u.symbol, a, forces, dae.p.symbol]
    return ca.Function("pulls", arguments, [ca.densify(ca.vertcat(*rows))])
