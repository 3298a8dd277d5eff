"""Error of linear beam theory at a state of an arm: by the size of deflections, by a pull and a twist it leaves out.

A cantilever under a force at its tip, 1/3 P l^3/(EI) by the linear theory, deflects less by the share (v/l)^2 of that,
within a tenth up to v = 0.45 l (the elastica; `python -m benchmarks.large_deflections`). In terms of the shortening
1/2 int v'^2 dx / l = 0.6 (v/l)^2 this is 5/3 of it, which other shapes have as well, within a factor of three: a moment
at the tip 1/2. A pull N along the beam adds int N v'^2 dx to int EI v''^2 dx. Left out, it is missing in the stiffness:
the deflection is off by the ratio of both (Rayleigh's quotient of buckling). A twist turns the planes of bending, of
which one is stiffer: under the moments of linear theory the tip moves, see `induced_twist`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.interfaces import Block, SmallDeflections, Tension
from flexblocks.validity.induced_twist import shift_by_twist
from flexblocks.validity.pulls import Along, pulls

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
    by_size, by_pull, by_twist : float
        Expected errors of the deflection, relative to it.
    """

    block: Block
    measure: SmallDeflections
    sample: int
    deflection: float
    slope: float
    by_size: float
    by_pull: float
    by_twist: float = 0.0

    @property
    def error(self) -> float:
        """The expected error of the deflection, relative to it."""
        return self.by_size + self.by_pull + self.by_twist


def deflection_errors(
    dae: DAE,
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    at_rest: bool = False,
    along: Along | None = None,
) -> list[DeflectionError]:
    """Return the estimates for all blocks that are modelled for small deflections, at states that are finite.

    Parameters
    ----------
    dae : DAE
    x, z, u : ndarray (samples, nx), (samples, nz), (samples, nu)
    p : ndarray (np,)
    at_rest : bool
        Whether the states are equilibria; otherwise accelerations are those of the motion.
    along : tuple of ndarray (n, samples), (m, samples), optional
        These accelerations and the loop forces, where they are known.
    """
    finite = np.isfinite(x).all(axis=1)
    x, z, u, places = x[finite], z[finite], u[finite], np.flatnonzero(finite)
    along = None if along is None else (along[0][:, finite], along[1][:, finite])
    measures = linear_blocks(dae)
    if not len(x) or not measures:
        return []
    found: list[DeflectionError] = []
    pulled: dict[int, tuple[int, Tension]] = {}
    for index, measure in measures:
        q = measure.relative(coordinates_of(dae, index, x))
        deflections = np.linalg.norm(measure.deflections @ q.T, axis=0)
        slopes = np.linalg.norm(measure.slopes @ q.T, axis=0)
        shortening = measure.weights @ slopes**2 / 2
        shift = np.zeros(len(q)) if measure.twist is None else shift_by_twist(measure.twist, q)
        # Where it is off by the most, in lengths
        most = int(np.argmax(OF_SHORTENING * shortening * deflections.max(axis=0) + shift))
        found.append(
            DeflectionError(
                block=dae.tree.bodies[index].block,
                measure=measure,
                sample=int(places[most]),
                deflection=float(deflections[:, most].max()),
                slope=float(slopes[:, most].max()),
                by_size=OF_SHORTENING * float(shortening[most]),
                by_pull=0.0,
                by_twist=float(shift[most] / max(deflections[:, most].max(), np.finfo(float).tiny)),
            )
        )
        if measure.tension is not None and found[-1].deflection > LOOKED_FOR:
            pulled[len(found) - 1] = index, measure.tension
    if pulled:
        shares = _shares_of_pull(dae, dict(pulled.values()), x, z, u, p, at_rest, along)
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
    dae: DAE,
    tensions: Mapping[int, Tension],
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    at_rest: bool,
    along: Along | None,
) -> list[float]:
    """Return for each body int N v'^2 dx over int EI v''^2 dx, each the mean of its magnitude over the motion."""
    shares = []
    found = pulls(dae, tensions, x, z, u, p, at_rest, along)
    for (index, tension), pull in zip(tensions.items(), found, strict=True):
        q = coordinates_of(dae, index, x)
        left_out = np.einsum("ks,si,kij,sj->s", pull.along_root(tension, q), q, tension.forms, q, optimize=True)
        stored = np.einsum("ki,ij,kj->k", q, tension.stiffness, q)
        shares.append(float(np.abs(left_out).mean() / max(stored.mean(), np.finfo(float).tiny)))
    return shares
