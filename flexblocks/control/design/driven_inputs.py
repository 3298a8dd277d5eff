"""The inputs that a law drives where none are named, and what it knows of disturbances."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing


def driven_inputs(dae: DAE, inputs: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the inputs that a law drives: those named, or by default all actuators.

    Where laws or servos drive all actuators already, an outer law drives what they follow: their references, and
    rates of references that are no inputs themselves.
    """
    if inputs is not None:
        return (inputs,) if isinstance(inputs, str) else tuple(inputs)
    if actuators := dae.u.with_role("actuator"):
        return actuators
    followed = dae.u.with_role("reference", "reference_rate")
    return tuple(name for name in followed if dae.u.derivative_of[dae.u.index(name)] is None)


def without_disturbances(dae: DAE, expression: ca.SX, inputs: Sequence[str]) -> ca.SX:
    """Return what a law knows of an expression: disturbances that it does not drive itself are zero there."""
    unknown = [dae.u.index(name) for name in dae.u.with_role("disturbance") if name not in inputs]
    if not unknown:
        return expression
    return ca.substitute(expression, dae.u.symbol[unknown], ca.SX(ca.DM(dae.u.start[unknown])))


def nothing_to_drive(dae: DAE, where: str) -> ParameterError:
    """Return the error for an arm without an input that a law drives by default."""
    if not len(dae.u):
        return ParameterError(
            f"{where}: '{dae.name}' has no inputs; must have one at least. Add a TorqueSource or a ForceSource."
        )
    return ParameterError(
        f"{where}: the inputs of '{dae.name}' are disturbances ({listing(dae.u.names)}), zero unless they are given; "
        f"must have an actuator. Name those to drive, inputs=..., or give their block role='actuator'."
    )
