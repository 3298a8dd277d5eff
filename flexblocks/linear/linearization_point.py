"""Operating point of a linearisation, from the user's argument `at`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.ranges import refuse_out_of_range
from flexblocks.constraints.singularities.singular_posture import refuse_singular_posture
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, listing, suggestion
from flexblocks.linear.derivatives import Derivatives
from flexblocks.plausibility import warn_of_degrees
from flexblocks.statics.balance import loop_forces, motion_residuals
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import NOT_AT_REST

GROUPS = ("x", "z", "u", "p")


def point_at(dae: DAE, at: OperatingPoint | Mapping[str, Any] | None) -> OperatingPoint:
    """Return the operating point for the argument `at` of `flexblocks.linearize`."""
    if at is None:
        return equilibrium(dae)
    if isinstance(at, OperatingPoint):
        wanted = (dae.x.names, dae.z.names, dae.u.names, dae.p.names)
        if (at.states, at.algebraics, at.inputs, at.parameters) != wanted:
            raise ParameterError(
                f"linearize: at: an operating point of another DAE (states {listing(at.states)}); "
                f"must have the variables of {dae!r}."
            )
        refuse_out_of_range(dae, at.x, "linearize: at: ")
        _refuse_singular(dae, at.x, at.z, at.p)
        point = at
    elif isinstance(at, Mapping):
        point = point_given(dae, at)
    else:
        raise ParameterError(f"linearize: at = {at!r}; must be an OperatingPoint or a dict of values by name.")
    return point


def point_given(dae: DAE, at: Mapping[str, Any]) -> OperatingPoint:
    """Return the operating point of values by name or by group, with its residual."""
    variables = dict(zip(GROUPS, (dae.x, dae.z, dae.u, dae.p), strict=True))
    groups: dict[str, Any] = {name: {} for name in GROUPS}
    if at and set(at) <= set(GROUPS):
        groups |= at
    else:
        for name, value in at.items():
            owner = next((group for group in GROUPS if name in variables[group]), None)
            if owner is None:
                known = [known for group in variables.values() for known in group.names]
                raise NameUnknownError(f"linearize: at: there is no '{name}'{suggestion(name, known)}")
            groups[owner][name] = value
    z, u, p = (variables[name].values(groups[name], f"linearize: at: {name}: ") for name in GROUPS[1:])
    x, guess = consistent_state(dae, groups["x"], p, "linearize: at: x: ")
    warn_of_degrees("linearize: at: x: ", dae, groups["x"])
    z = _consistent(dae, x, z if len(groups["z"]) else guess, u, p)
    _refuse_singular(dae, x, z, p)
    residual = motion_residuals(dae)(x, z, u, p, 0.0, loop_forces(dae, x, z, u, p)).full().ravel()
    return OperatingPoint(dae.x.names, dae.z.names, dae.u.names, dae.p.names, x, z, u, p, residual, dae=dae)


def _refuse_singular(dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray) -> None:
    refuse_singular_posture(dae, x[: dae.tree.size], regular_mass(dae, *dae.posture(x, z, p)), "linearize: at: ")


def _consistent(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return consistent algebraic variables, by Newton's method from `z`."""
    if not len(dae.z):
        return z
    unknowns = {"x": dae.z.symbol, "p": ca.vertcat(dae.x.symbol, dae.u.symbol, dae.p.symbol)}
    options = {"error_on_fail": False, "abstol": 1e-13}
    solver = ca.rootfinder("consistent", "newton", unknowns | {"g": dae.expressions.algebraic}, options)
    solution = solver(x0=z, p=np.concatenate([x, u, p]))["x"].full().ravel()
    if not solver.stats()["success"]:
        raise ComputationError(
            f"linearize: at: Newton's method found no values of the algebraic variables ({listing(dae.z.names)}) that "
            "solve their equations; give values closer to the solution."
        )
    return solution


def warn_unless_at_rest(dae: DAE, point: OperatingPoint, slopes: Derivatives) -> None:
    """Warn of a point that is no equilibrium, by its residual and the derivatives of the equations there."""
    n = dae.tree.size
    jacobians = [np.abs(J) for J in (slopes.x, slopes.z, slopes.u)]
    # A steady motion, in which no force depends on the moving coordinates (a rotor at speed), needs no warning.
    felt = np.flatnonzero(np.count_nonzero(jacobians[0][:, :n], axis=0))
    moving = [dae.q_names[i] for i in felt if dae.tree.split_state(point.x)[1][i]]
    scale = np.hstack(jacobians) @ np.abs(np.concatenate([point.x, point.z, point.u]))
    names = (*dae.q_names, *dae.tree.split_state(dae.x.names)[2])
    left = point.residual[: len(names)]
    open_ = [i for i in np.argsort(-np.abs(left)) if abs(left[i]) > 1e-9 + 1e-8 * scale[i]]
    if not moving and not open_:
        return
    reasons = []
    if open_:
        worst = open_[0]
        unit = "" if worst >= n else " N m" if dae.x.units[worst] == "rad" else " N"
        reasons.append(f"{abs(left[worst]):.3g}{unit} unbalanced at '{names[worst]}'")
    if moving:
        reasons.append(f"{listing(moving, 3)} moving")
    warn(
        f"linearize: at: not an equilibrium ({', '.join(reasons)}); the model holds for "
        "deviations from the motion through that point, for a short time. "
        "flexblocks.equilibrium finds a point of rest.",
        NOT_AT_REST,
    )
