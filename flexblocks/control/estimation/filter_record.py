"""Kalman filter over recorded data, sample by sample."""

from __future__ import annotations

import logging

import casadi as ca
import numpy as np

from flexblocks.control.estimation.filter_equations import FilterEquations
from flexblocks.control.estimation.filtered import Filtered
from flexblocks.dae.compiler import CompilerError, load
from flexblocks.errors import ComputationError, NameUnknownError, suggestion
from flexblocks.simulation.integrators.buffered_call import BufferedCall
from flexblocks.simulation.record import Record

LOG = logging.getLogger("flexblocks.control")


def filter_step(equations: FilterEquations) -> ca.Function:
    """Return one sample of the filter, and the prediction of the next.

    It is a function (x, P, y, known, u, step, p, R, Q) -> corrected x and P, innovation, its covariance, its normalised
    square, gain, whitening, predicted x and P. Parameters p and variances R of the measurements and Q of the inputs are
    arguments where the equations have them as symbols, otherwise empty.
    """
    nx, ny, nu = len(equations.lin.states), len(equations.lin.outputs), len(equations.lin.inputs)
    sizes = {"x": (nx, 1), "P": (nx, nx), "y": (ny, 1), "known": (ny, 1), "u": (nu, 1), "step": (1, 1)}
    symbols = {name: ca.SX.sym(name, *size) for name, size in sizes.items()}
    x, P, y, known, u, step = symbols.values()
    noise = equations.noise
    more = [each if isinstance(each, ca.SX) else ca.SX(0, 1) for each in (equations.p, noise.measured, noise.inputs)]
    # Of the covariance, which is symmetric, the upper triangle counts.
    now = equations.corrected(x, ca.triu2symm(ca.triu(P)), y, u, known)
    parts = now.x, now.P, now.innovation, now.covariance, now.nis, now.gain, now.whitening
    results = [*parts, *equations.predicted(now.x, now.P, u, step)]
    dense = [ca.densify(result) for result in ca.cse(results)]
    return ca.Function("filter_step", [*symbols.values(), *more], dense)


def filtered(equations: FilterEquations, record: Record, start: np.ndarray, compiled: bool) -> Filtered:
    """Return the estimates from a record, with the covariance `start` (nx, nx) before its first sample.

    Raises
    ------
    NameUnknownError
        The record lacks a measured variable or an input, or knows the start of no state.
    ComputationError
        The estimate is not finite.
    """
    lin, where = equations.lin, equations.where
    y = np.stack([_series(record, name, where, "y") for name in lin.outputs], axis=1)
    u = _inputs(equations, record)
    known = np.isfinite(y)
    x = np.array(lin.state_values, dtype=float)
    for name, value in record.x0.items():
        if name in lin.states:
            x[lin.states.index(name)] = value
    call = BufferedCall(_compiled(filter_step(equations)) if compiled else filter_step(equations))
    steps = np.append(np.diff(record.t), record.t[-1] - record.t[-2])
    corrected = []
    P = start
    for k in range(len(record)):
        given = x, P, np.where(known[k], y[k], 0.0), known[k], u[k], steps[k]
        for place, value in zip(call.arguments[: len(given)], given, strict=True):
            place[:] = value  # P is symmetric, its rows are columns
        call()
        *now, _, _, x, P = (np.squeeze(result).copy() for result in call.results)
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(P))):
            raise ComputationError(
                f"{where}.filter: the estimate is not finite after the sample at t = {record.t[k]:.6g} s; check units "
                "and start of the record, and noise= and process=, of which one is perhaps far too small."
            )
        corrected.append(now)
    nx, ny = len(lin.states), len(lin.outputs)
    states, covariances, innovations, predicted, nis = (np.array(part) for part in zip(*corrected, strict=True))
    return Filtered(
        record.t,
        states.reshape(-1, nx),
        covariances.reshape(-1, nx, nx),
        np.where(known, innovations.reshape(-1, ny), np.nan),
        predicted.reshape(-1, ny, ny),
        nis.ravel(),
        known.sum(axis=1),
        lin.states,
        lin.outputs,
        dict(zip(lin.states, lin.state_units, strict=True)),
    )


def _series(record: Record, name: str, where: str, group: str) -> np.ndarray:
    if name not in record or name == "time":
        known = (*record.names["u"], *record.names["y"])
        what = "the observer measures" if group == "y" else "the model has the input"
        raise NameUnknownError(
            f"{where}.filter: {what} '{name}', which is not in the record{suggestion(name, known, 'it has')}"
        )
    return record[name]


def _inputs(equations: FilterEquations, record: Record) -> np.ndarray:
    """Return the inputs of the model (k, nu); disturbances that were not recorded are at their start values."""
    group = equations.model.u
    columns = [
        np.full(len(record), group.start[i])
        if group.roles[i] == "disturbance" and name not in record
        else _series(record, name, equations.where, "u")
        for i, name in enumerate(group.names)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(record), 0))


def _compiled(function: ca.Function) -> ca.Function:
    try:
        return load([function], True)[1][function.name()]
    except CompilerError as error:
        LOG.warning("%s; the filter is evaluated by CasADi's virtual machine", error)
        return function
