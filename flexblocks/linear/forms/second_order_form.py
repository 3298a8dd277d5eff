"""Second-order form of a linear model: M q'' + C q' + K q = 0, with the contribution of each block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import kinetic_energies, stored_energies
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
    kinetic, stored, function = _energy_functions(dae)
    values = [value.full() for value in function.call([*dae.posture(point.x, point.z, point.p)])]
    split = len(kinetic)
    return dict(zip(kinetic, values[:split], strict=True)), dict(zip(stored, values[split:], strict=True))


def energy_expressions(dae: DAE) -> tuple[tuple[str, ...], tuple[str, ...], list[ca.SX]]:
    """Return names of blocks with kinetic and with stored energy, and second derivatives (n, n) of these energies."""
    kinetic, stored = kinetic_energies(dae.tree, dae.q, dae.v), stored_energies(dae.tree, dae.q)
    second = [ca.hessian(energy, dae.v)[0] for energy in kinetic.values()]
    second += [ca.hessian(energy, dae.q)[0] for energy in stored.values()]
    return tuple(kinetic), tuple(stored), second


@lru_cache(maxsize=16)
def _energy_functions(dae: DAE) -> tuple[tuple[str, ...], tuple[str, ...], ca.Function]:
    """Return block names as above, and the function (q, p) -> second derivatives."""
    kinetic, stored, second = energy_expressions(dae)
    return kinetic, stored, ca.Function("energy_matrices", [*dae.posture_symbols], ca.cse(second))
