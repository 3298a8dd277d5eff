"""Linearisation of an arm about an operating point, with exact derivatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, listing, suggestion
from flexblocks.linear.angle_lock import refuse_locked_angles
from flexblocks.linear.constraint_tangent import Tangent, tangent
from flexblocks.linear.derivatives import Derivatives, derivatives
from flexblocks.linear.descriptor import descriptor
from flexblocks.linear.forms.minimal_form import eliminated
from flexblocks.linear.forms.second_order_form import SecondOrderForm
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearization_point import point_at, warn_unless_at_rest
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.frequency_error import FrequencyError, frequency_error, warn_of_frequencies
from flexblocks.validity.large_deflections import is_quiet, warn_of_large_deflections, without_warning
from flexblocks.validity.remarks import warn_of_slender_theory

FORMS = ("minimal", "descriptor")
# Loops move if the change of the constraint Jacobian along the motion alters forces by more than this fraction.
CHANGES = 1e-7


def linearize(
    dae: DAE,
    at: OperatingPoint | Mapping[str, Any] | None = None,
    outputs: Sequence[str] | str | None = None,
    form: Literal["minimal", "descriptor"] = "minimal",
) -> LinearModel:
    """Linearise an arm.

    Parameters
    ----------
    dae : DAE
    at : OperatingPoint or dict, optional
        By default the equilibrium nearest to the start values, `flexblocks.equilibrium(dae)`. A dict holds states,
        inputs and parameters by name, ``{"joint1.angle": 0.3, "motor1.torque": 1.0}``, or by group,
        ``{"x": {...}, "u": {...}}``; what is left out is at its start value. Algebraic variables are made consistent.
    outputs : sequence of str, optional
        Names of outputs, states or algebraic variables, or of the motion of frames (see `DAE.with_outputs`); by default
        all outputs of the DAE.
    form : str
        ``"minimal"``: E is the identity, algebraic variables are eliminated (Schur complement), accelerations solved
        for. With kinematic loops the states are the independent ones (see `flexblocks.linear.constraint_tangent`), so
        that no eigenvalue belongs to a motion that would open them; the others are available as outputs by name.
        ``"descriptor"``: the equations as they are, with the mass matrix in E, and algebraic equations and loop
        closures as rows with zero in E (see `flexblocks.linear.descriptor`). ``lin.minimal()`` converts it.

    Returns
    -------
    LinearModel

    Raises
    ------
    NameUnknownError
        An unknown name.
    ParameterError
        `at` belongs to another DAE, is of another type or out of the range of a block; a sampled controller is in the
        loop; an unknown form.
    NoEquilibriumError
        `at` is left out and there is no equilibrium.
    SingularMassError
        The mass matrix is singular at the point, as it is in gimbal lock.
    ComputationError
        Roll, pitch or yaw of a frame is an output where these angles lock.
        The algebraic equations do not determine the algebraic variables there (index above 1). Or the descriptor form
        is requested where kinematic loops move, so that their closures change with time.

    Warns
    -----
    FlexblocksWarning
        `at` is not an equilibrium: the model then holds for deviations from the motion through that point, for a short
        time. A steady motion, in which no force depends on the moving coordinates (a rotor at constant speed), counts
        as an equilibrium. Or a beam deflects there beyond the small deflections that it is modelled for, see
        `flexblocks.validity`.
    """
    require_differentiable(dae, "linearize")
    if form not in FORMS:
        raise ParameterError(f"linearize: form = {form!r}{suggestion(form, FORMS, 'must be one of')}")
    dae, names = observed(dae, outputs, "linearize")
    with without_warning():
        point = point_at(dae, at)
    refuse_locked_angles(dae, names, point, "linearize")
    state = (point.x[None], point.z[None], point.u[None], point.p)
    far = warn_of_large_deflections(dae, "linearize", *state)
    (slopes,) = derivatives(dae, [point])
    warn_unless_at_rest(dae, point, slopes)
    lin = linear_model(dae, point, slopes, names, form)
    if not (far or is_quiet()):
        warn_of_frequencies("linearize", {"": frequency_error_of(dae, lin)})
    warn_of_slender_theory(dae, "linearize")
    return lin


def frequency_error_of(dae: DAE, lin: LinearModel) -> FrequencyError | None:
    """Return the error of the frequencies of a linear model by what its beams leave out, if it is worth reporting."""
    point, small = lin.operating_point, lin.minimal()
    return frequency_error(dae, small.A, small.structure.coordinates, point.x, point.z, point.u, point.p)


def linear_model(
    dae: DAE,
    point: OperatingPoint,
    slopes: Derivatives,
    outputs: tuple[str, ...],
    form: str,
    independent: np.ndarray | None = None,
) -> LinearModel:
    """Return the linear model from derivatives; `independent` as for `flexblocks.linear.constraint_tangent.tangent`."""
    n, nx = dae.tree.size, len(dae.x)
    _refuse_singular(dae, slopes.z[nx - n :])
    # Tangent space of the constraints, and the descriptor form.
    small = tangent(dae, point, slopes.a, independent)
    whole = descriptor(dae, point, slopes, small.J)
    C, D, units = _outputs(dae, slopes, outputs)
    N, d = small.q, len(small.coordinates)
    by_block = ({name: N.T @ matrix @ N for name, matrix in group.items()} for group in (slopes.kinetic, slopes.stored))
    unknown = np.zeros((d, d))
    coordinates = tuple(dae.x.names[i] for i in small.coordinates)
    lin = LinearModel(
        name=dae.name,
        A=whole.A,
        B=whole.B,
        C=np.hstack([C, np.zeros((len(C), len(small.J)))]),
        D=D,
        E=whole.E,
        states=whole.variables,
        inputs=dae.u.names,
        outputs=outputs,
        state_units=whole.units,
        input_units=dae.u.units,
        output_units=units,
        operating_point=dataclasses.replace(
            point, dae=dae, multipliers=dae.tree.loops.multipliers, forces=slopes.forces
        ),
        structure=SecondOrderForm(coordinates, unknown, unknown, unknown, *by_block),
        equations=whole.equations,
        equation_units=whole.equation_units,
    )
    # Its projection on the tangent space.
    minimal = eliminated(lin, N, small.x[n : 2 * n, :d], small.a)
    if form == "minimal":
        return minimal
    _refuse_moving_loops(dae, slopes, small)
    return dataclasses.replace(lin, structure=minimal.structure)


def _refuse_moving_loops(dae: DAE, slopes: Derivatives, small: Tangent) -> None:
    """Refuse loops that move: closures frozen in time would have other derivatives than the moving ones."""
    n, d = dae.tree.size, len(small.coordinates)
    size = np.abs(small.q.T) @ (np.abs(slopes.x[:n]) @ np.abs(small.x) + np.abs(slopes.mass) @ np.abs(small.a))
    bent = np.abs(small.q.T @ slopes.mass @ small.a)
    if np.any(bent > CHANGES * np.max(size, initial=0.0)) or small.x[n : 2 * n, :d].any():
        raise ComputationError(
            f"linearize: form = 'descriptor': the loops of '{dae.name}' move at this point, so that their "
            "closures change with time; take a point of rest (flexblocks.equilibrium), or the minimal form."
        )


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


def observed(dae: DAE, wanted: Sequence[str] | str | None, where: str) -> tuple[DAE, tuple[str, ...]]:
    """Return the DAE with the requested outputs, and their names; states and algebraic variables may be outputs too.

    Raises
    ------
    NameUnknownError, ParameterError
        An unknown name, or one that is repeated.
    """
    names = dae.y.names if wanted is None else (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if inputs := [name for name in names if name in (*dae.u.names, *dae.p.names)]:
        known = (*dae.y.names, *dae.x.names, *dae.z.names)
        raise NameUnknownError(f"{where}: outputs: {listing(inputs)}: no output or state ({listing(known)}).")
    try:
        dae = dae.with_outputs(names)
    except NameUnknownError as error:
        raise NameUnknownError(f"{where}: outputs: {error}") from None
    if repeated := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ParameterError(f"{where}: outputs: {listing(repeated)} named twice; each must be unique, remove one.")
    return dae, names


def _outputs(dae: DAE, slopes: Derivatives, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return C over states and algebraic variables, D, and units of the requested outputs."""
    known = (*dae.y.names, *dae.x.names, *dae.z.names)
    variables = len(dae.x) + len(dae.z)
    C = np.vstack([np.hstack([slopes.output_x, slopes.output_z]), np.eye(variables)])
    D = np.vstack([slopes.output_u, np.zeros((variables, len(dae.u)))])
    rows = [known.index(name) for name in names]
    units = (*dae.y.units, *dae.x.units, *dae.z.units)
    return C[rows], D[rows], tuple(units[row] for row in rows)
