"""Tracking-error feedback: commanded accelerations r'' + Gv (r' - q') + Gp (r - q)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from flexblocks.control.design.gains import gains
from flexblocks.control.measured import measured, rate_of
from flexblocks.control.reference_inputs import References
from flexblocks.dae.dae import DAE
from flexblocks.interfaces.physics import Output


def commanded_accelerations(
    dae: DAE, coordinates: Sequence[str], kp: Any, kd: Any, references: References, where: str
) -> tuple[ca.SX, dict[str, Output]]:
    """Return the commanded accelerations (k,) and the tracking errors as outputs.

    A coordinate with kp = kd = 0 has the acceleration as its only reference.

    Raises
    ------
    FlexblocksError
        An unknown coordinate, or a gain that is not a finite number >= 0.
    """
    Gp, Gv = gains(kp, coordinates, f"{where}: kp"), gains(kd, coordinates, f"{where}: kd")
    accelerations, errors = [], {}
    for name, p, v in zip(coordinates, Gp, Gv, strict=True):
        variable = measured(dae, name, where)
        acceleration = ca.SX(0)
        if p:
            error = references.of(variable) - variable.value
            errors[f"error.{name}"] = Output(error, variable.unit)
            acceleration += p * error
            references.of(variable, 1)  # between the reference and its acceleration, even where it is not fed back
        if v:
            acceleration += v * (references.of(variable, 1) - rate_of(dae, variable, where))
        accelerations.append(acceleration + references.of(variable, 2))
    return ca.vertcat(*accelerations, ca.SX(0, 1)), errors
