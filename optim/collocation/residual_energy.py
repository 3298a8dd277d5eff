"""Residual energy: the energy of an arm above that of an equilibrium."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import kinetic_energies, total
from flexblocks.dynamics.algorithms.newton_euler import inverse_dynamics
from flexblocks.statics.operating_point import OperatingPoint

GAUSS = 3  # quadrature points from the equilibrium to the state; exact for forces of degree 5 in between


@lru_cache(maxsize=8)
def residual_energy(dae: DAE) -> ca.Function:
    """Return (x, x0, z0, u0, p) -> energy [J] of the states x above equilibrium at x0 under constant inputs.

    Kinetic energy, plus potential energy, less the work of all other forces along the straight line from equilibrium:
    those of constant inputs, and those of servos that pull towards their references.
    """
    n, sizes = dae.tree.size, {"x": len(dae.x), "x0": len(dae.x), "z0": len(dae.z), "u0": len(dae.u), "p": len(dae.p)}
    x, x0, z0, u0, p = (ca.SX.sym(name, size) for name, size in sizes.items())
    energies, others = _energies(dae), _other_forces(dae)
    step, work = x[:n] - x0[:n], ca.SX(0)
    points, weights = np.polynomial.legendre.leggauss(GAUSS)
    for point, weight in zip(((points + 1) / 2).tolist(), (weights / 2).tolist(), strict=True):
        in_between = ca.vertcat(x0[:n] + point * step, ca.SX(n, 1), x0[2 * n :])
        work += weight * ca.dot(others.call([in_between, z0, u0, p], True, False)[0], step)
    kinetic, potential = energies.call([x, z0, p], True, False)
    at_rest = energies.call([x0, z0, p], True, False)[1]
    return ca.Function("residual_energy", [x, x0, z0, u0, p], [kinetic + potential - at_rest - work])


def energy_left(dae: DAE, x: np.ndarray, goal: OperatingPoint) -> float:
    """Return the energy [J] of the states `x` above equilibrium at the goal under constant inputs."""
    return float(residual_energy(dae)(x, goal.x, goal.z, goal.u, goal.p))


def _energies(dae: DAE) -> ca.Function:
    """Return (x, z, p) -> kinetic and potential energy."""
    kinetic = total(kinetic_energies(dae.tree, dae.q, dae.v))
    symbols = [dae.x.symbol, dae.z.symbol, dae.p.symbol]
    return ca.Function("energies", symbols, ca.cse([kinetic, dae.expressions.potential]))


def _other_forces(dae: DAE) -> ca.Function:
    """Return (x, z, u, p) -> the generalised forces (n) on an arm at standstill, except those with a potential."""
    still = ca.SX(dae.tree.size, 1)
    inner = inverse_dynamics(dae.tree, dae.q, still, still)
    force = dae.expressions.applied - inner + ca.gradient(dae.expressions.potential, dae.q)
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    return ca.Function("other_forces", symbols, [ca.densify(force)])
