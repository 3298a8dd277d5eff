"""Exact time derivatives of signals, between their jumps."""

from __future__ import annotations

from dataclasses import dataclass

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

    def __post_init__(self) -> None:
        super().__post_init__()
        assert self.of is not None
        object.__setattr__(self, "source", self.of.source or self.of)

    @property
    def form(self) -> object:
        assert self.of is not None
        return self.of.form, "derivative"


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
    slope = ca.jacobian(ca.SX(signal.compiled(t)), t)
    return _Derivative(ca.Function("derivative", [t], [ca.densify(slope)]), signal.breakpoints, signal)


def _slopes(pieces: scipy.interpolate.PPoly) -> scipy.interpolate.PPoly:
    if len(pieces.c) > 1:
        return pieces.derivative()
    return scipy.interpolate.PPoly(np.zeros((1, len(pieces.x) - 1)), pieces.x)
