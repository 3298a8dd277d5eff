"""Second-order form of a linear model: M q'' + C q' + K q = 0, with the contribution of each block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import stored_energies
from flexblocks.dynamics.at_posture.mass_matrix import masses_at_posture
from flexblocks.statics.operating_point import OperatingPoint

# Position-dependent forces derive from a potential if their matrix is symmetric to this fraction of its size.
SYMMETRIC = 1e-9


@dataclass(frozen=True, eq=False)
class SecondOrderForm:
    """Mass, damping and stiffness matrices over the coordinates.

    Attributes
    ----------
    coordinates : tuple of str
        Names (n).
    mass, damping, stiffness : ndarray (n, n)
        Damping holds all velocity-dependent forces; stiffness all position-dependent forces, including gravity.
    kinetic : dict of ndarray (n, n)
        By block: its share of `mass`, the matrix of its kinetic energy 1/2 v' M v.
    stored : dict of ndarray (n, n)
        By block: matrix of the energy 1/2 q' K q that it stores elastically; gravity stores no energy in a block.
    """

    coordinates: tuple[str, ...]
    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    kinetic: Mapping[str, np.ndarray]
    stored: Mapping[str, np.ndarray]

    @cached_property
    def conserves_energy(self) -> bool:
        """Whether the system is conservative: no force depends on velocities, and all derive from a potential."""
        size = np.max(np.abs(self.stiffness), initial=0.0)
        skewed = np.max(np.abs(self.stiffness - self.stiffness.T), initial=0.0)
        return not self.damping.any() and bool(skewed <= SYMMETRIC * size)


def energy_matrices(dae: DAE, point: OperatingPoint) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the mass and the stiffness matrices (n, n) of each block at one posture."""
    tree, (q, p, *dependent) = dae.tree, dae.posture(point.x, point.z, point.p)
    rest = np.concatenate([*dependent, np.zeros(0)])
    names, of_elements = _stored(dae)
    stored = dict(zip(names, (K.full() for K in of_elements.call([q, p, *dependent])), strict=True))
    for body in tree.bodies:
        dependents, rest = np.split(rest, [len(body.terms.symbols.dependent)])
        if body.name in stored and body.terms.size:
            share = body.share.full()
            K = body.terms.stiffness(body.share.gather(q), np.concatenate([p, dependents])).full()
            stored[body.name] = share.T @ K @ share
    return masses_at_posture(tree, q, p, *dependent), stored


@lru_cache(maxsize=16)
def _stored(dae: DAE) -> tuple[tuple[str, ...], ca.Function]:
    """Return the names of what stores energy, and the function (q, p) -> its second derivatives for force elements."""
    energies, elements = stored_energies(dae.tree, dae.q), {element.name for element in dae.tree.elements}
    none = ca.SX(dae.tree.size, dae.tree.size)
    second = [ca.hessian(energy, dae.q)[0] if name in elements else none for name, energy in energies.items()]
    return tuple(energies), ca.Function("stored", [*dae.posture_symbols], second)
