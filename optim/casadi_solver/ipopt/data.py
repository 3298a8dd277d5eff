"""Program data: parameters, bounds and start values of a program, read before a solve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..program.errors import TrivialConstraintError, UnsupportedModelError
from ..program.nlp import NonlinearProgram


@dataclass(frozen=True, eq=False)
class ProgramInstance:
    """An instance of a parametric program: the arguments of `casadi.nlpsol`, with its names and signs.

    Attributes
    ----------
    p : float array
        Parameters.
    lbx, ubx : float arrays (n,)
    lbg, ubg : float arrays (m,)
    x0, lam_x0 : float arrays (n,)
        Start, and its multipliers.
    lam_g0 : float array (m,)
    """

    p: np.ndarray
    lbx: np.ndarray
    ubx: np.ndarray
    lbg: np.ndarray
    ubg: np.ndarray
    x0: np.ndarray
    lam_x0: np.ndarray
    lam_g0: np.ndarray


@dataclass(frozen=True)
class ProgramData:
    """Parameters, bounds and start of a program.

    Attributes
    ----------
    p : float array
        As the oracle expects: fixed variables, parameters of every term.
    lower, upper : float arrays (m,)
        Of the constraints.
    x_lower, x_upper, start : float arrays (n,)
        Of the variables.
    suffixes : dict of list of Suffix
        Exported suffixes by name, the outermost first.
    """

    p: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    x_lower: np.ndarray
    x_upper: np.ndarray
    start: np.ndarray
    suffixes: Mapping[str, Sequence[Any]]

    def instance(self, x: np.ndarray, lam_x: np.ndarray, lam_g: np.ndarray) -> ProgramInstance:
        """Return the instance with these data, to be started at a point."""
        return ProgramInstance(self.p, self.x_lower, self.x_upper, self.lower, self.upper, x, lam_x, lam_g)


def read_data(nlp: NonlinearProgram) -> ProgramData:
    """Return the present data of the model.

    Raises
    ------
    UnsupportedModelError
        A constant has no value, or a bound is not a number.
    TrivialConstraintError
        A constraint without free variables is violated, or a lower bound is above the upper one.
    """
    if nlp.trivial is not None:
        nlp.trivial.check()
    for box in nlp.boxes:
        box.check()
    _check_bounds("Constraint", nlp.constraints, nlp.lower, nlp.upper)
    p = np.concatenate([nlp.variables.fixed_values(), nlp.parameters()])
    x_lower, x_upper = nlp.variables.bounds()
    _check_bounds("Var", nlp.variables.free, x_lower, x_upper)
    return ProgramData(p, nlp.lower, nlp.upper, x_lower, x_upper, nlp.variables.start(), _exported(nlp))


def recommended_options(nlp: NonlinearProgram) -> dict[str, Any]:
    """Return the options of IPOPT that the grey boxes of the model recommend; those of a later one take precedence."""
    return {name: value for box in nlp.boxes for name, value in box.model.ipopt_options.items()}


def _exported(nlp: NonlinearProgram) -> dict[str, list[Any]]:
    """Return the active, exported suffixes of the model by name, the outermost first."""
    suffixes: dict[str, list[Any]] = {}
    for suffix in nlp.model.component_objects(pyo.Suffix, active=True, descend_into=True):
        if suffix.export_enabled():
            suffixes.setdefault(suffix.local_name, []).append(suffix)
    return suffixes


def _check_bounds(kind: str, components: Sequence, lower: np.ndarray, upper: np.ndarray) -> None:
    """Check bounds by component; rows after these belong to grey boxes, where only a fixed output needs a check."""
    for i in np.flatnonzero(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf)).tolist():
        name = components[i].name if i < len(components) else "of a grey box"
        if np.isnan(lower[i]) or np.isnan(upper[i]) or lower[i] == np.inf or upper[i] == -np.inf:
            raise UnsupportedModelError(
                f"{kind} '{name}' has the bounds [{lower[i]}, {upper[i]}]; must be numbers, -inf below or inf above."
            )
        raise TrivialConstraintError(
            f"{kind} '{name}': its lower bound is {lower[i] - upper[i]:g} above its upper bound. Change one of them."
        )
