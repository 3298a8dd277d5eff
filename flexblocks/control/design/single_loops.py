"""Single loops: which measured variable drives which input."""

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
class Loop:
    """One loop: the input, the measured variable, its error and the rate of the error (None without need of one)."""

    input: str
    variable: Measured
    error: ca.SX
    error_rate: ca.SX | None


def checked_loops(loops: Any, where: str) -> Mapping[str, str]:
    """Return the loops; refuse what is no mapping from measured variables to inputs.

    Raises
    ------
    ParameterError
    """
    if not isinstance(loops, Mapping) or not loops:
        raise ParameterError(
            f"{where}: loops = {loops!r}; must be a dict from what is measured to the input it drives, such as "
            "{'joint1.angle': 'motor1.torque'}."
        )
    if len(set(loops.values())) < len(loops):
        raise ParameterError(f"{where}: loops = {dict(loops)!r}; an input is driven twice. Add two laws instead.")
    return loops


def open_loops(dae: DAE, loops: Mapping[str, str], rates: bool, references: References, where: str) -> tuple[Loop, ...]:
    """Return the loops of an arm, with references for the measured variables and, if asked for, their rates."""
    found = []
    for name, driven in loops.items():
        dae.u.index(driven)
        variable = measured(dae, name, where)
        error = references.of(variable) - variable.value
        rate = references.of(variable, 1) - rate_of(dae, variable, where) if rates else None
        found.append(Loop(driven, variable, error, rate))
    return tuple(found)


def errors(loops: tuple[Loop, ...]) -> dict[str, Output]:
    """Return the errors as outputs."""
    return {f"error.{loop.variable.name}": Output(loop.error, loop.variable.unit) for loop in loops}
