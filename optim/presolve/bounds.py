"""The limits of a plan, resolved against the variables of an arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.input_parametrization import InputShape
from ..errors import ProblemError


@dataclass(frozen=True, eq=False)
class Limits:
    """Lower and upper limits, infinite where there is none.

    Attributes
    ----------
    x : ndarray (nx, 2)
        Of the states.
    u, du : ndarray (nu, 2)
        Of the inputs and of their rates.
    """

    x: np.ndarray
    u: np.ndarray
    du: np.ndarray


def other_limits(dae: DAE, given: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return the limits of what is no variable of the plan itself: outputs, places, accelerations."""
    own = {*dae.x.names, *dae.u.names, *(f"der({name})" for name in dae.u.names)}
    return {name: limit for name, limit in given.items() if name not in own}


def resolved_limits(dae: DAE, given: Mapping[str, tuple[float, float]], shape: InputShape) -> Limits:
    """Return the limits of states and inputs together with those that the model's sources have.

    Raises
    ------
    ProblemError
        A limit on the rate of a piecewise constant input, which has none.
    """
    x = np.tile([-np.inf, np.inf], (len(dae.x), 1))
    u = np.column_stack([-dae.u.limits, dae.u.limits]).reshape(-1, 2)
    du = np.tile([-np.inf, np.inf], (len(dae.u), 1))
    rows = {name: x[i] for i, name in enumerate(dae.x.names)}
    rows |= {name: u[i] for i, name in enumerate(dae.u.names)}
    rates = {f"der({name})": du[i] for i, name in enumerate(dae.u.names)}
    rows |= rates
    for name, (low, high) in given.items():
        if name not in rows:
            continue  # limited along the path
        if name in rates and not shape.is_continuous:
            raise ProblemError(
                f"plan: limits: {name}: {shape.words} inputs jump, so their rate cannot be limited; plan with "
                'inputs="cubic" or "linear".'
            )
        row = rows[name]
        row[:] = max(row[0], low), min(row[1], high)
        if row[0] > row[1]:
            raise ProblemError(
                f"plan: limits: {name} = ({low:g}, {high:g}); leaves nothing of the model's own limit, "
                f"{dae.u.limits[dae.u.index(name)]:g} {dae.u.unit(name)}."
            )
    return Limits(x, u, du)
