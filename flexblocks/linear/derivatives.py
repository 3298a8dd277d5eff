"""Exact derivatives of an arm's equations at any number of points, by one CasADi function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.constrained_accelerations import constrained_accelerations
from flexblocks.dynamics.algorithms.outputs import outputs
from flexblocks.linear.forms.second_order_form import energy_expressions
from flexblocks.statics.balance import accelerations, motion_expressions
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
    kinetic, stored, function = _function(dae)
    motions = [accelerations(dae, point.x, point.z, point.u, point.p) for point in points]
    groups = [np.array([getattr(point, group) for point in points]).T for group in "xzup"]
    groups += [np.array(part).T for part in zip(*motions, strict=True)]
    results = function.map(len(points)).call([ca.DM(group) for group in groups])
    # CasADi concatenates the matrices of all points horizontally: stack them.
    stacks = [
        np.moveaxis(value.full().reshape(rows, len(points), columns), 1, 0)
        for value, (rows, columns) in zip(results, map(function.size_out, range(function.n_out())), strict=True)
    ]
    split = len(stacks) - len(kinetic) - len(stored)

    def at(i: int) -> Derivatives:
        values = [stack[i] for stack in stacks]
        energies = iter(values[split:])
        by_block = ({name: next(energies) for name in names} for names in (kinetic, stored))
        return Derivatives(*motions[i], *values[:split], *by_block)

    return [at(i) for i in range(len(points))]


@lru_cache(maxsize=16)
def _function(dae: DAE) -> tuple[tuple[str, ...], tuple[str, ...], ca.Function]:
    """Return names of blocks with kinetic and with stored energy, and the function (x, z, u, p, a, lambda) -> all."""
    groups = (dae.x.symbol, dae.z.symbol, dae.u.symbol)
    residual, a, forces = motion_expressions(dae)
    kinetic, stored, energies = energy_expressions(dae)
    jacobians = [ca.jacobian(expression, group) for expression in (residual, _outputs(dae)) for group in groups]
    symbols = [*groups, dae.p.symbol, a, forces]
    results = ca.cse([ca.SX(dae.mass_expression), *jacobians, *energies])
    return kinetic, stored, ca.Function("derivatives", symbols, results)


def _outputs(dae: DAE) -> ca.SX:
    """Return the outputs, with loop forces free of Baumgarte stabilisation.

    That term is zero along all motions but large off them, where interpolated models of a grid are.
    """
    if not dae.tree.loops.closures:
        return dae.output_expression
    J, drift = dae.constraint_rates
    force = dae.applied_expression - dae.bias_expression
    a, forces = constrained_accelerations(dae.mass_expression, force, J, -drift, dae.tree.loops.weight)
    return outputs(dae.tree, dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.y.names, lambda: a, lambda: forces)
