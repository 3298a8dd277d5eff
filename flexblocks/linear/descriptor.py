"""Descriptor form of a linear model: all equations of an arm as they are, with none solved and nothing eliminated.

    E der(X) = A X + B u,  X = [q, der(q), w, z, lambda]

    der(q) = v,   M der(v) = ...,   der(w) = ...,   0 = g,   0 = J q

E is block diagonal: identity, mass matrix, identity, zero. Dependent variables have the row 0 = slopes q - w in place
of a rate. Loop closures are kept at position level, which makes the index 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.constraints.dependent_variables import dependent_states, state_slopes
from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.linear.derivatives import Derivatives
from flexblocks.linear.forms.layout import ALGEBRAIC, BALANCE, CLOSURE, RATE, RELATION
from flexblocks.statics.operating_point import OperatingPoint

# Unit of the force on a coordinate, by the unit of the coordinate; unit of a closure, by that of its loop force.
FORCES = {"rad": "N m", "m": "N"}
CLOSURES = {"N": "m", "N m": "rad"}


@dataclass(frozen=True, eq=False)
class Descriptor:
    """E der(X) = A X + B u, with names and units (N) of variables and equations."""

    E: np.ndarray
    A: np.ndarray
    B: np.ndarray
    variables: tuple[str, ...]
    units: tuple[str, ...]
    equations: tuple[str, ...]
    equation_units: tuple[str, ...]


def descriptor(dae: DAE, point: OperatingPoint, at: Derivatives, J: np.ndarray) -> Descriptor:
    """Return the descriptor form at a point, with the Jacobian J (m, n) of the closures."""
    n, nx, nz, m = dae.tree.size, len(dae.x), len(dae.z), len(J)
    force = slice(n, 2 * n)
    size = nx + nz + m
    E = np.asarray(scipy.linalg.block_diag(np.eye(n), at.mass, np.eye(nx - 2 * n), np.zeros((nz + m, nz + m))))
    A, B = np.zeros((size, size)), np.zeros((size, len(dae.u)))
    A[:n, force] = np.eye(n)
    # Residuals are M a + h - Q, rates and g, in the order of the equations; the first appears with the opposite sign.
    sign = np.concatenate([-np.ones(n), np.ones(nx - 2 * n + nz)])[:, None]
    A[n : nx + nz, : nx + nz] = sign * np.hstack([at.x, at.z])
    B[n : nx + nz] = sign * at.u
    A[force, nx + nz :] = J.T
    A[n + np.array(dae.tree.prescribed_columns, dtype=int), nx + nz :] = 0.0  # no force moves these
    A[nx + nz :, :n] = J
    names, units = _equations(dae)
    dependent = dependent_states(dae)
    if dependent:
        E[dependent], A[dependent], B[dependent] = 0.0, 0.0, 0.0
        A[dependent, :n] = state_slopes(dae, point.x, point.z, point.p)
        A[dependent, dependent] = -1.0
    for i in dependent:
        names[i], units[i] = f"{RELATION}{dae.x.names[i]}", dae.x.units[i]
    variables = (*dae.x.names, *dae.z.names, *dae.tree.loops.multipliers)
    return Descriptor(
        E, A, B, variables, (*dae.x.units, *dae.z.units, *dae.tree.loops.units), tuple(names), tuple(units)
    )


def _equations(dae: DAE) -> tuple[list[str], list[str]]:
    """Return names and units of all equations; the unit of an algebraic equation is not known."""
    n, x, loops = dae.tree.size, dae.x, dae.tree.loops
    coordinates = list(zip(x.names[:n], x.units[:n], strict=True))
    named = [(f"{RATE}{name}", f"{unit}/s") for name, unit in coordinates]
    named += [(f"{BALANCE}{name}", FORCES.get(unit, f"J/{unit}")) for name, unit in coordinates]
    named += [(f"{RATE}{name}", f"{unit}/s") for name, unit in zip(x.names[2 * n :], x.units[2 * n :], strict=True)]
    named += [(f"{ALGEBRAIC}{name}", "") for name in dae.z.names]
    named += [(f"{CLOSURE}{f}", CLOSURES[unit]) for f, unit in zip(loops.multipliers, loops.units, strict=True)]
    return [name for name, _ in named], [unit for _, unit in named]
