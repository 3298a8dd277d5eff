"""The linear model on which a law or an observer is designed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linearize
from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False)
class Design:
    """A linear model with the inputs that matter: B (nx, k) of `inputs` and their values u0 (k,) at the point."""

    lin: LinearModel
    inputs: tuple[str, ...]
    B: np.ndarray
    u0: np.ndarray


def design(dae: DAE, at: OperatingPoint | Mapping[str, Any] | None, inputs: Sequence[str] | None, where: str) -> Design:
    """Return the linear model of an arm at a point, for some of its inputs or all.

    Raises
    ------
    FlexblocksError
        A name that is not there, no input at all, or no equilibrium.
    """
    if isinstance(inputs, str):
        inputs = (inputs,)
    names = dae.u.names if inputs is None else tuple(inputs)
    if not names:
        raise ParameterError(f"{where}: '{dae.name}' has no input to drive.")
    columns = [dae.u.index(name) for name in names]
    lin = linearize(dae, at)
    return Design(lin, names, lin.B[:, columns], lin.operating_point.u[columns])
