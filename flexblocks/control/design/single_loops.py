"""Single-loop control: pairs of measured variable and input, with their control errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.control.measured import Measured, measured, rate_of
from flexblocks.control.reference_inputs import References
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.physics import Output


@dataclass(frozen=True, eq=False)
class SingleLoop:
    """One loop: the input, the measured variable, its control error and the error's rate (None if not needed)."""

    input: str
    variable: Measured
    error: ca.SX
    error_rate: ca.SX | None


def checked_loops(loops: Any, where: str) -> Mapping[str, str]:
    """Return the loops, checked to be a mapping from measured variables to inputs.

    Raises
    ------
    ParameterError
    """
    if not isinstance(loops, Mapping) or not loops:
        raise ParameterError(
            f"{where}: loops = {loops!r}; must be a dict from measured variables to the inputs they drive, such as "
            "{'joint1.angle': 'motor1.torque'}."
        )
    if len(set(loops.values())) < len(loops):
        raise ParameterError(
            f"{where}: loops = {dict(loops)!r}; an input is driven twice; must be an input for each loop. Add "
            "two laws instead, as in PD(...) + PD(...)."
        )
    return loops


def single_loops(
    dae: DAE, loops: Mapping[str, str], rates: bool, references: References, where: str
) -> tuple[SingleLoop, ...]:
    """Return the loops of an arm; collect references for the measured variables and, with `rates`, their rates."""
    bound = []
    for name, driven in loops.items():
        dae.u.index(driven)
        variable = measured(dae, name, where)
        error = references.of(variable) - variable.value
        rate = references.of(variable, 1) - rate_of(dae, variable, where) if rates else None
        bound.append(SingleLoop(driven, variable, error, rate))
    return tuple(bound)


def errors(loops: tuple[SingleLoop, ...]) -> dict[str, Output]:
    """Return the control errors as outputs, ``error.joint1.angle``."""
    return {f"error.{loop.variable.name}": Output(loop.error, loop.variable.unit) for loop in loops}
