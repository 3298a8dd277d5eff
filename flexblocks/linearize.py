"""Linearisation of an arm about an operating point, with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
import scipy.linalg

from flexblocks.balance import accelerations, motion
from flexblocks.dae import DAE
from flexblocks.dynamics.clock import refuse_clocks
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, listing, nearest
from flexblocks.followers import followed_values
from flexblocks.given_point import point_at
from flexblocks.linear_model import LinearModel
from flexblocks.operating_point import OperatingPoint
from flexblocks.structure import Structure, energy_matrices
from flexblocks.tangent import Tangent, tangent

# An entry that is smaller than this share of the terms it is made of is what rounding left of them.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class _Derivatives:
    """Derivatives of some equations in x, z and u."""

    x: np.ndarray
    z: np.ndarray
    u: np.ndarray

    def without(self, algebraic: _Derivatives) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives in x and u alone, z eliminated by 0 = g_x dx + g_z dz + g_u du."""
        if not algebraic.z.size:
            return self.x, self.u
        solved = np.linalg.solve(algebraic.z, np.hstack([algebraic.x, algebraic.u]))
        both = np.hstack([self.x, self.u]) - self.z @ solved
        return both[:, : self.x.shape[1]], both[:, self.x.shape[1] :]


def linearize(
    dae: DAE,
    at: OperatingPoint | Mapping[str, Any] | None = None,
    outputs: Sequence[str] | str | None = None,
) -> LinearModel:
    """Linearise an arm.

    Parameters
    ----------
    dae : DAE
    at : OperatingPoint or dict, optional
        By default the equilibrium next to the start values, `flexblocks.equilibrium(dae)`. A dict gives states, inputs
        and parameters by name, ``{"joint1.angle": 0.3, "motor1.torque": 1.0}``, or by group,
        ``{"x": {...}, "u": {...}}``; what is left out is at its start value. Algebraic variables are made consistent.
    outputs : sequence of str, optional
        Names of outputs or states; by default all outputs of the DAE.

    Returns
    -------
    LinearModel
        Algebraic variables eliminated (Schur complement), accelerations solved for. Where loops are closed, its states
        are the independent ones (see `flexblocks.tangent`), so that no eigenvalue belongs to a motion that would open
        them; the others are outputs by name, as all states are.

    Raises
    ------
    NameUnknownError
        A name that is not there.
    ParameterError
        `at` belongs to another DAE, or is none of these; a sampled controller is in the loop.
    NoEquilibriumError
        `at` is left out and there is no equilibrium.
    ComputationError
        The algebraic equations do not determine the algebraic variables there (index above 1).

    Warns
    -----
    FlexblocksWarning
        `at` is no equilibrium: the model then holds for deviations from the motion through that point, for a short
        time. A steady motion, in which coordinates go on that no force depends on (a rotor at constant speed), is one.
    """
    refuse_clocks(dae.clocks, "linearize")
    point = point_at(dae, at)
    n, nw = dae.tree.size, len(dae.x) - 2 * dae.tree.size
    values = point.x, point.z, point.u, point.p
    a, forces = accelerations(dae, *values)
    small = tangent(dae, point, a)
    M = dae.mass_matrix(point.x[:n], point.p, *followed_values(dae, point.x, point.z)).full()
    _, *blocks = (value.full() for value in motion(dae)(*values, a, forces))
    equations = (slice(0, n), slice(n, n + nw), slice(n + nw, None))
    force, rates, algebraic = (_Derivatives(*(block[rows] for block in blocks)) for rows in equations)
    _refuse_singular(dae, algebraic.z)
    force_x, force_u = force.without(algebraic)
    rates_x, rates_u = rates.without(algebraic)
    # Along motions that keep loops closed: forces of constraint do no work on them.
    N, d = small.q, len(small.coordinates)
    own = small.states[2 * d :] - 2 * n  # first-order states that do not follow from coordinates
    force_x, force_u = _reduced(small, force_x, M), N.T @ force_u
    rates_x, rates_u = rates_x[own] @ small.x, rates_u[own]
    M = N.T @ M @ N
    factor = scipy.linalg.cho_factor(M)
    velocity_x = np.eye(len(small.states))[d : 2 * d]
    A = np.vstack([velocity_x, -scipy.linalg.cho_solve(factor, force_x), rates_x])
    B = np.vstack([np.zeros((d, len(dae.u))), -scipy.linalg.cho_solve(factor, force_u), rates_u])
    names, units, C, D = _outputs(dae, point, outputs, algebraic)
    kinetic, stored = (
        {block: N.T @ matrix @ N for block, matrix in group.items()} for group in energy_matrices(dae, point)
    )
    states = tuple(dae.x.names[i] for i in small.states)
    return LinearModel(
        name=dae.name,
        A=A,
        B=B,
        C=C @ small.x,
        D=D,
        E=np.eye(len(states)),
        states=states,
        inputs=dae.u.names,
        outputs=names,
        state_units=tuple(dae.x.units[i] for i in small.states),
        input_units=dae.u.units,
        output_units=units,
        operating_point=point,
        structure=Structure(states[:d], M, force_x[:, d : 2 * d], force_x[:, :d], kinetic, stored),
    )


def _reduced(small: Tangent, force_x: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return the forces on independent coordinates (d) by independent states (k), without what is only rounding."""
    found = small.q.T @ (force_x @ small.x + M @ small.a)
    size = np.abs(small.q.T) @ (np.abs(force_x) @ np.abs(small.x) + np.abs(M) @ np.abs(small.a))
    return np.where(np.abs(found) > ROUNDING * size, found, 0.0)


def _refuse_singular(dae: DAE, jacobian: np.ndarray) -> None:
    """Refuse algebraic equations that do not determine the algebraic variables."""
    if not jacobian.size:
        return
    row = np.max(np.abs(jacobian), axis=1)
    scaled = jacobian / np.where(row > 0, row, 1.0)[:, None]
    _, values, directions = np.linalg.svd(scaled)
    if values[-1] > 1e-12 * max(values[0], 1.0):
        return
    names = [name for name, part in zip(dae.z.names, directions[-1], strict=True) if abs(part) > 0.1]
    raise ComputationError(
        f"linearize: the algebraic equations do not determine {listing(names)} at the operating point: their "
        "Jacobian is singular (index above 1). Choose another point, or give the block an equation that holds "
        "the variable."
    )


def _outputs(
    dae: DAE, point: OperatingPoint, wanted: Sequence[str] | str | None, algebraic: _Derivatives
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray, np.ndarray]:
    """Return names, units, C and D of the wanted outputs; states count as outputs too."""
    names = dae.y.names if wanted is None else (wanted,) if isinstance(wanted, str) else tuple(wanted)
    known = (*dae.y.names, *dae.x.names)
    for name in names:
        if name not in known:
            raise NameUnknownError(
                f"linearize: outputs: there is no output or state '{name}' ({listing(known)}).{nearest(name, known)}"
            )
    if repeated := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ParameterError(f"linearize: outputs: {listing(repeated)} named twice; each can be there once.")
    values = _output_derivatives(dae)(point.x, point.z, point.u, point.p)
    C, D = _Derivatives(*(value.full() for value in values)).without(algebraic)
    C, D = np.vstack([C, np.eye(len(dae.x))]), np.vstack([D, np.zeros((len(dae.x), len(dae.u)))])
    rows = [known.index(name) for name in names]
    units = (*dae.y.units, *dae.x.units)
    return names, tuple(units[row] for row in rows), C[rows], D[rows]


@lru_cache(maxsize=16)
def _output_derivatives(dae: DAE) -> ca.Function:
    groups = (dae.x.symbol, dae.z.symbol, dae.u.symbol)
    jacobians = [ca.jacobian(dae.output_expression, group) for group in groups]
    return ca.Function("output_derivatives", [*groups, dae.p.symbol], ca.cse(jacobians))
