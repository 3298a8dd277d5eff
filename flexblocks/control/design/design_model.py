"""Design model: the linearised arm and the inputs that a law drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.control.design.driven_inputs import driven_inputs, nothing_to_drive
from flexblocks.dae.dae import DAE
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
    """Return the arm linearised at a point, with some of its inputs, by default its actuators.

    Raises
    ------
    FlexblocksError
        An unknown name, an arm without inputs to drive, or no equilibrium.
    """
    names = driven_inputs(dae, inputs)
    if not names:
        raise nothing_to_drive(dae, where)
    columns = [dae.u.index(name) for name in names]
    lin = linearize(dae, at)
    return DesignModel(lin, names, lin.B[:, columns], lin.operating_point.u[columns])
