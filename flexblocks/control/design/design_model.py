"""Design model: the linearised arm and the inputs that a law drives."""

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
class DesignModel:
    """The linearised arm, with the columns B (nx, k) of the driven `inputs` and their values u0 (k,) at the point."""

    lin: LinearModel
    inputs: tuple[str, ...]
    B: np.ndarray
    u0: np.ndarray


def design_model(
    dae: DAE, at: OperatingPoint | Mapping[str, Any] | None, inputs: Sequence[str] | None, where: str
) -> DesignModel:
    """Return the arm linearised at a point, with some of its inputs, by default all.

    Raises
    ------
    FlexblocksError
        An unknown name, an arm without inputs, or no equilibrium.
    """
    if isinstance(inputs, str):
        inputs = (inputs,)
    names = dae.u.names if inputs is None else tuple(inputs)
    if not names:
        raise ParameterError(
            f"{where}: '{dae.name}' has no inputs; must have one at least. Add a TorqueSource or a ForceSource."
        )
    columns = [dae.u.index(name) for name in names]
    lin = linearize(dae, at)
    return DesignModel(lin, names, lin.B[:, columns], lin.operating_point.u[columns])
