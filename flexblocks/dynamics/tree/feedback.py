"""Feedback: control laws between the inputs of a closed loop and those of the blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.dynamics.tree.foreign_functions import refuse_unpicklable


@dataclass(frozen=True, eq=False)
class Feedback:
    """Control laws around a tree, between the inputs of the closed loop and those of the blocks.

    The arguments of all functions are (x, z, u, p) of the closed loop; x ends with the states of the laws.

    Attributes
    ----------
    inputs : casadi.Function
        The inputs of the blocks, in the order of their slices.
    rates : casadi.Function
        Time derivatives of the states of the laws.
    outputs : casadi.Function
        Signals of the laws, in the order of `units`.
    units : dict of str
        Units of the outputs, by name.
    rest : casadi.Function or None
        What is zero at rest for the states of the laws; None means their rates.
    """

    inputs: ca.Function
    rates: ca.Function
    outputs: ca.Function
    units: Mapping[str, str]
    rest: ca.Function | None = None

    def __getstate__(self) -> dict[str, Any]:
        for function in (self.inputs, self.rates, self.outputs):
            refuse_unpicklable(function)
        return vars(self)


def feedback_around(
    inner: Feedback | None,
    arguments: Sequence[ca.SX],
    symbols: Sequence[ca.SX],
    rates: ca.SX,
    outputs: ca.SX,
    units: Mapping[str, str],
    rest: ca.SX | None = None,
) -> Feedback:
    """Return the feedback of laws around a tree, or around the `inner` feedback of a loop that is closed already.

    Parameters
    ----------
    inner : Feedback, optional
    arguments : sequence of 4 SX
        x, z, u and p of the tree, or of the inner loop, as expressions in the `symbols`.
    symbols : sequence of 4 SX
        x, z, u and p of the whole loop.
    rates, outputs : SX
        Of the new laws.
    units : dict of str
        Units of their outputs, by name.
    rest : SX, optional
        What is zero at rest for their states, by default their rates.
    """
    inputs = arguments[2]
    still = None
    if rest is not None or (inner is not None and inner.rest is not None):
        before = () if inner is None else ((inner.rest or inner.rates)(*arguments),)
        still = _function("rest", symbols, ca.vertcat(*before, rates if rest is None else rest))
    if inner is not None:
        inputs = inner.inputs(*arguments)
        rates = ca.vertcat(inner.rates(*arguments), rates)
        outputs, units = ca.vertcat(inner.outputs(*arguments), outputs), {**inner.units, **units}
    inputs, rates, outputs = ca.cse([inputs, rates, outputs])
    return Feedback(
        _function("inputs", symbols, inputs),
        _function("rates", symbols, rates),
        _function("shown", symbols, outputs),
        units,
        still,
    )


def _function(name: str, symbols: Sequence[ca.SX], result: ca.SX) -> ca.Function:
    return ca.Function(name, [*symbols], [ca.densify(result)], ["x", "z", "u", "p"], [name])
