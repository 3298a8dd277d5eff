"""Exact time derivatives of signals, between their jumps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial
from flexblocks.simulation.signals.signal import Signal, TimeSignal


@dataclass(frozen=True)
class _Derivative(Signal):
    """The derivative of a compiled signal `of`; runs with the same signal have the same derivative."""

    of: Signal | None = None

    @property
    def form(self) -> object:
        assert self.of is not None
        return self.of.form, "derivative"

    @cached_property
    def compiled(self) -> ca.Function:  # pyright: ignore[reportIncompatibleVariableOverride]
        t = ca.SX.sym("t")
        return ca.Function("signal", [t], [self.function(t)])


def derivative(signal: TimeSignal) -> TimeSignal:
    """Return the time derivative of a signal; at jumps that on either side, without an impulse.

    Raises
    ------
    ParameterError
        The signal is a function that takes no CasADi symbol.
    """
    if isinstance(signal, PiecewisePolynomial):
        return PiecewisePolynomial(_slopes(signal.pieces), signal.domain)
    if not isinstance(signal, Signal) or signal.compiled is None:
        raise ParameterError("is a function that takes no CasADi symbol, so that it has no derivative")
    t = ca.SX.sym("t")
    slope = ca.Function("derivative", [t], [ca.densify(ca.jacobian(ca.SX(signal.compiled(t)), t))])

    def value(time: Any) -> Any:
        result = slope(time)
        return float(result) if isinstance(result, ca.DM) else result

    return _Derivative(value, signal.breakpoints, signal)


def _slopes(pieces: scipy.interpolate.PPoly) -> scipy.interpolate.PPoly:
    if len(pieces.c) > 1:
        return pieces.derivative()
    return scipy.interpolate.PPoly(np.zeros((1, len(pieces.x) - 1)), pieces.x)
