"""Stability of sampled closed loops: what one sample time makes of small deviations."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np
import scipy.linalg

from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksWarning, ParameterError
from flexblocks.linear.linearize import linearize
from flexblocks.statics.operating_point import OperatingPoint


def multipliers(closed: DAE, at: OperatingPoint | Mapping[str, Any] | None = None) -> np.ndarray:
    """Return the poles in z of a closed loop with a sampled controller, largest first.

    Parameters
    ----------
    closed : DAE
        What `close_loop` returned for a `Sampled` law; without algebraic variables.
    at : OperatingPoint or dict, optional
        Where it is linearised, as for `flexblocks.linearize`, held commands included; by default at the start values.

    Returns
    -------
    ndarray (nx,), complex
        Eigenvalues of the map over one sample time; small deviations die out if all magnitudes are below 1. A pole s in
        continuous time is z = exp(s sample_time).

    Raises
    ------
    ParameterError
        There is no sampled controller, or several with different sample times; or there are algebraic variables.
    """
    periods = {clock.period for clock in closed.clocks}
    if len(periods) != 1:
        raise ParameterError(
            f"multipliers: sample times {sorted(periods)} s; must be one. A loop in continuous time has poles: "
            "linearize(closed).modes()."
        )
    (period,) = periods
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)  # between samples, nothing is at rest
        lin = linearize(
            dataclasses.replace(closed, clocks=()), at or dict(zip(closed.x.names, closed.x.start, strict=True))
        )
    if len(closed.z) or lin.states != closed.x.names:
        raise ParameterError("multipliers: the loop has algebraic variables or dependent states; not supported.")
    point = lin.operating_point
    phases = sorted({clock.offset % period for clock in closed.clocks})
    total = np.eye(len(closed.x))
    for phase, following in zip(phases, [*phases[1:], phases[0] + period], strict=True):
        changes = sum(
            _jacobian(closed, clock.change)(point.x, point.u, point.p).full()
            for clock in closed.clocks
            if clock.offset % period == phase
        )
        total = scipy.linalg.expm(lin.A * (following - phase)) @ (np.eye(len(closed.x)) + changes) @ total
    found = np.linalg.eigvals(total)
    return found[np.argsort(-np.abs(found))]


def _jacobian(closed: DAE, change: ca.Function) -> ca.Function:
    x, u, p = closed.x.symbol, closed.u.symbol, closed.p.symbol
    result = change(x, closed.z.symbol, u, p)
    return ca.Function("jacobian_of_change", [x, u, p], [ca.densify(ca.jacobian(result, x))])
