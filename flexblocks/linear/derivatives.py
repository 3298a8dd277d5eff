"""Exact derivatives of an arm's equations at points: of inverse dynamics, whose derivative in a is the mass matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.forward_jacobian import forward_jacobian
from flexblocks.dynamics.algorithms.outputs import outputs
from flexblocks.linear.forms.second_order_form import energy_matrices
from flexblocks.statics.balance import accelerations, motion_residuals
from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Derivatives of the equations of an arm along the motion through one point.

    The arm has n coordinates, nw first-order states, nz algebraic variables and m closures.

    Attributes
    ----------
    a : ndarray (n,)
        Accelerations there.
    forces : ndarray (m,)
        Loop forces there [N, N m].
    mass : ndarray (n, n)
    x, z, u : ndarray (n + nw + nz, ...)
        Derivatives of the residuals M a + h - Q - J' lambda, der(w) and g, at constant accelerations and lambda.
    output_x, output_z, output_u : ndarray (ny, ...)
    kinetic, stored : dict of ndarray (n, n)
        Second derivatives of the energies of each block.
    """

    a: np.ndarray
    forces: np.ndarray
    mass: np.ndarray
    x: np.ndarray
    z: np.ndarray
    u: np.ndarray
    output_x: np.ndarray
    output_z: np.ndarray
    output_u: np.ndarray
    kinetic: Mapping[str, np.ndarray]
    stored: Mapping[str, np.ndarray]


def derivatives(dae: DAE, points: Sequence[OperatingPoint]) -> list[Derivatives]:
    """Return the derivatives at each point."""
    return [_at(dae, point) for point in points]


def _at(dae: DAE, point: OperatingPoint) -> Derivatives:
    a, forces = accelerations(dae, point.x, point.z, point.u, point.p)
    results = derivatives_function(dae)(point.x, point.z, point.u, point.p, a, forces)
    mass, x, z, u, output_x, output_z, output_u = (value.full() for value in results)
    kinetic, stored = energy_matrices(dae, point)
    # Both triangles of the mass matrix are the same but for rounding.
    return Derivatives(a, forces, (mass + mass.T) / 2, x, z, u, output_x, output_z, output_u, kinetic, stored)


@lru_cache(maxsize=16)
def derivatives_function(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, p, a, lambda) -> mass, then derivatives of residuals and outputs in x, z and u.

    It takes symbols and can be differentiated.
    """
    residuals = motion_residuals(dae)
    symbols = residuals.mx_in()
    # The residuals are linear in the accelerations: their derivative is the mass matrix.
    *of_residuals, mass = forward_jacobian(residuals, [0, 1, 2, 4]).call(symbols)
    y = ca.Function("outputs", [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol], [_outputs(dae)])
    of_outputs = forward_jacobian(y, range(3)).call(symbols[:4])
    return ca.Function("derivatives", symbols, [mass[: dae.tree.size, :], *of_residuals, *of_outputs])


def _outputs(dae: DAE) -> ca.SX:
    """Return the outputs, with loop forces free of Baumgarte stabilisation.

    That term is zero along all motions but large off them, where interpolated models of a grid are.
    """
    if not dae.tree.loops.closures:
        return dae.expressions.output
    a, forces = dae.expressions.constrained(-dae.expressions.constraint_rates[1])
    return outputs(dae.tree, dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.y.names, lambda: a, lambda: forces)
