"""The numbers of a program as they are now: read anew before every solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import TrivialConstraintError, UnsupportedModelError
from ..program.nlp import NonlinearProgram


@dataclass(frozen=True)
class Data:
    """Parameters, bounds and start of a program.

    Attributes
    ----------
    p : float array
        As the oracle wants it: fixed variables, constants, parameters of every term.
    lower, upper : float arrays (m,)
        Of the constraints.
    x_lower, x_upper, start : float arrays (n,)
        Of the variables.
    """

    p: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    x_lower: np.ndarray
    x_upper: np.ndarray
    start: np.ndarray


def read_data(nlp: NonlinearProgram) -> Data:
    """Return the present numbers of the model.

    Raises
    ------
    UnsupportedModelError
        A constant has no value, or a bound is no number.
    TrivialConstraintError
        A constraint without free variables does not hold, or a lower bound is above the upper one.
    """
    constants = nlp.constants.values()
    nlp.trivial.check(constants)
    for box in nlp.boxes:
        box.check()
    lower, upper = nlp.lower.at(constants), nlp.upper.at(constants)
    _check_bounds("Constraint", nlp.constraints, lower, upper)
    algebraic = [constants] * (len(nlp.terms) - len(nlp.boxes))
    boxes = [box.model.parameters.ravel() for box in nlp.boxes]
    p = np.concatenate([nlp.variables.fixed_values(), constants, *algebraic, *boxes])
    x_lower, x_upper = nlp.variables.bounds()
    _check_bounds("Var", nlp.variables.free, x_lower, x_upper)
    return Data(p, lower, upper, x_lower, x_upper, nlp.variables.start())


def _check_bounds(kind: str, components: Sequence, lower: np.ndarray, upper: np.ndarray) -> None:
    """Check bounds by component. Further rows are the grey boxes'; only a fixed output there has a number to check."""
    for i in np.flatnonzero(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf)).tolist():
        name = components[i].name if i < len(components) else "of a grey box"
        if np.isnan(lower[i]) or np.isnan(upper[i]) or lower[i] == np.inf or upper[i] == -np.inf:
            raise UnsupportedModelError(
                f"{kind} '{name}' has the bounds [{lower[i]}, {upper[i]}]; must be numbers, -inf below or inf above."
            )
        raise TrivialConstraintError(
            f"{kind} '{name}': its lower bound is {lower[i] - upper[i]:g} above its upper bound. Change one of them."
        )
