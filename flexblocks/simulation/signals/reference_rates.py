"""References and their rates: a rate that is not given is the exact derivative of its reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.reference_chains import unused_inputs
from flexblocks.errors import ParameterError
from flexblocks.simulation.signals.derivative import derivative
from flexblocks.simulation.signals.inputs import signal
from flexblocks.simulation.signals.signal import TimeSignal


def with_reference_rates(dae: DAE, u: Any, times: np.ndarray, sampled: bool, where: str) -> Any:
    """Return the inputs of a run with the rates of references that are given without them.

    Parameters
    ----------
    dae : DAE
    u : dict or None
        By name of an input. What is given stays as it is.
    times : ndarray (k,)
        Output times [s].
    sampled : bool
        Whether the user passed these times, so that arrays refer to them.
    where : str
        For messages.

    Raises
    ------
    ParameterError
        A reference that has no derivative, or a rate without its reference, which the equations use.
    """
    lower_of = {name: lower for name, lower in zip(dae.u.names, dae.u.derivative_of, strict=True) if lower is not None}
    if not isinstance(u, Mapping) or not any(name in u for name in (*lower_of, *lower_of.values())):
        return u
    inputs = dict(u)
    signals: dict[int, TimeSignal] = {}  # of one function for several references
    # A rate comes after its reference, and what is the rate of that after both.
    for name in sorted(lower_of, key=lambda name: _order(name, lower_of)):
        lower = lower_of[name]
        if name in u and lower not in inputs:
            _refuse_rate(dae, name, lower, u[name], where)
        if name in u or lower not in inputs:
            continue
        try:
            value = inputs[lower]
            inputs[lower] = signals.setdefault(id(value), signal(value, times if sampled else None))
        except ParameterError as error:
            raise ParameterError(f"{where}: input {lower}: {error}") from None
        try:
            inputs[name] = derivative(inputs[lower])
        except ParameterError as error:
            if name in unused_inputs(dae):
                continue
            raise ParameterError(
                f"{where}: input {lower}: {error}, which is {name} here. Write it with functions of NumPy or CasADi, "
                f"such as np.sin(t), give samples (times, values), or give {name}, too."
            ) from None
    return inputs


def _order(name: str, lower_of: Mapping[str, str]) -> int:
    return 1 + _order(lower_of[name], lower_of) if name in lower_of else 0


def _refuse_rate(dae: DAE, name: str, lower: str, value: Any, where: str) -> None:
    """Refuse a rate without its reference, unless it is zero, or nothing depends on the reference."""
    if (isinstance(value, (int, float)) and value == 0) or lower in unused_inputs(dae):
        return
    raise ParameterError(
        f"{where}: u: {name} without {lower}, whose derivative it is; must be both, or {lower} alone, from which "
        f"{name} follows."
    )
