"""Floquet multipliers of a sampled closed loop: stability over one sample time."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksWarning, ParameterError
from flexblocks.libraries import scipy
from flexblocks.linear.linearize import linearize
from flexblocks.statics.operating_point import OperatingPoint


def multipliers(closed: DAE, at: OperatingPoint | Mapping[str, Any] | None = None) -> np.ndarray:
    """Return the Floquet multipliers of a sampled closed loop, its poles in z, largest first.

    Parameters
    ----------
    closed : DAE
        A loop closed by `close_loop` with a `Sampled` law; without algebraic variables.
    at : OperatingPoint or dict, optional
        Operating point, as for `flexblocks.linearize`, held commands included; by default the start values.

    Returns
    -------
    ndarray (nx,), complex
        Eigenvalues of the monodromy matrix, the linear map over one sample time: stable if all magnitudes are below 1.
        A continuous-time pole s corresponds to exp(s sample_time). Sensors count with their delays, of infinite
        resolution and without noise.

    Raises
    ------
    ParameterError
        No sampled controller, or several with different sample times; or algebraic variables.
    """
    periods = {clock.period for clock in closed.clocks}
    if len(periods) != 1:
        raise ParameterError(
            f"multipliers: sample times {sorted(periods)} s; must be one. For the poles of a loop in continuous time "
            "use linearize(closed).modes()."
        )
    # Between updates, the loop is a linear system in continuous time.
    (period,) = periods
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", FlexblocksWarning
        )  # no equilibrium: between samples the equations are not at rest
        lin = linearize(
            dataclasses.replace(closed, clocks=()), at or dict(zip(closed.x.names, closed.x.start, strict=True))
        )
    if len(closed.z) or lin.states != closed.x.names:
        raise ParameterError(
            "multipliers: the loop has algebraic variables or dependent states; must have neither. Use fixed mode "
            "shapes."
        )
    point = lin.operating_point
    # Over one period: an update, then free motion up to the next one. Updates at the same time act together.
    phases = sorted({clock.offset % period for clock in closed.clocks})
    monodromy = np.eye(len(closed.x))
    for phase, following in zip(phases, [*phases[1:], phases[0] + period], strict=True):
        changes = sum(
            _jacobian(closed, clock.differentiable)(point.x, point.u, point.p).full()
            for clock in closed.clocks
            if clock.offset % period == phase
        )
        monodromy = scipy.linalg.expm(lin.A * (following - phase)) @ (np.eye(len(closed.x)) + changes) @ monodromy
    eigenvalues = np.linalg.eigvals(monodromy)
    return eigenvalues[np.argsort(-np.abs(eigenvalues))]


def _jacobian(closed: DAE, change: ca.Function) -> ca.Function:
    """Return the function (x, u, p) -> Jacobian (nx, nx) of an update."""
    x, u, p = closed.x.symbol, closed.u.symbol, closed.p.symbol
    result = change(x, closed.z.symbol, u, p)
    return ca.Function("jacobian_of_change", [x, u, p], [ca.densify(ca.jacobian(result, x))])
