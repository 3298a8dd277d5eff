"""Predictions of recorded measurements, sample by sample, with their exact derivatives in the unknowns.

With the state x at a sample, gains K and whitening W that are given for each sample, and offsets b:

    e = y - h(x, u + b_u, p) - b_y,    r = W e,    x <- F(x + K e, u + b_u, p),

where F is the implicit step of `flexblocks.control.design.implicit_step`. Without gains this is a simulation (output
error); with those of a Kalman filter the predictor of the prediction-error method (Ljung, System Identification,
sections 3.3 and 7.2). Derivatives are propagated along, with the gains held.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import casadi as ca
import numpy as np

from flexblocks.control.design.implicit_step import implicit_step
from flexblocks.control.estimation.observer import sensor_functions
from flexblocks.dae.compiler import CompilerError, load
from flexblocks.dae.dae import DAE
from flexblocks.identification.prediction.recorded import Recorded

LOG = logging.getLogger("flexblocks.identification")
_KEPT: WeakKeyDictionary[DAE, dict[Hashable, Any]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Gains:
    """What weighs the innovations of a record.

    Attributes
    ----------
    correction : ndarray (n, nx, ny)
        By which they move the state; zeros for a simulation.
    whitening : ndarray (n, ny, ny)
        What makes residuals of unit variance of them, lower triangular; rows of zeros where nothing was measured.
    """

    correction: np.ndarray
    whitening: np.ndarray


@dataclass(frozen=True)
class Columns:
    """The unknowns in whose directions derivatives are taken, by their positions.

    Attributes
    ----------
    parameters, output_offsets, input_offsets, starts : tuple of int
        Among the parameters, measured variables, inputs and states.
    """

    parameters: tuple[int, ...]
    output_offsets: tuple[int, ...] = ()
    input_offsets: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()

    def __len__(self) -> int:
        return self.common + len(self.starts)

    @property
    def common(self) -> int:
        """How many are common to all records."""
        return len(self.parameters) + len(self.output_offsets) + len(self.input_offsets)


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions of one record.

    Attributes
    ----------
    innovations : ndarray (n, ny)
        Measured less predicted; nan in gaps.
    residuals : ndarray (n, ny)
        Whitened; 0 in gaps.
    derivatives : ndarray (n, ny, k)
        Of the residuals.
    last : ndarray (nx,)
        State a step after the last sample.
    last_derivatives : ndarray (nx, k)
    """

    innovations: np.ndarray
    residuals: np.ndarray
    derivatives: np.ndarray
    last: np.ndarray
    last_derivatives: np.ndarray


class Predictor:
    """Predictor of an arm, compiled where there is a compiler.

    Parameters
    ----------
    dae : DAE
    measured : sequence of str
    columns : Columns
    compiled : bool
    """

    def __init__(self, dae: DAE, measured: Sequence[str], columns: Columns, compiled: bool) -> None:
        self.dae, self.measured, self.columns = dae, tuple(measured), columns
        key = "predictor", self.measured, columns, compiled
        self._step = kept(dae, key, lambda: self._made(compiled))
        self._runs: dict[int, ca.Function] = {}

    def __call__(
        self, record: Recorded, gains: Gains, x0: np.ndarray, p: np.ndarray, offsets: tuple[np.ndarray, np.ndarray]
    ) -> Prediction:
        """Return the predictions from a state x0 (nx,), with parameters p and offsets of measurements and inputs."""
        n, ny, nx, k = len(record), len(self.measured), len(x0), len(self.columns)
        start = np.zeros((nx, 1 + k))
        start[:, 0] = x0
        for column, state in enumerate(self.columns.starts, self.columns.common):
            start[state, 1 + column] = 1.0
        y, u = record.y - record.known * offsets[0], record.u + offsets[1]
        if n not in self._runs:
            self._runs[n] = self._step.mapaccum(n)
        states, results = self._runs[n](
            start,
            y.T,
            gains.correction.transpose(1, 0, 2).reshape(nx, n * ny),
            gains.whitening.transpose(1, 0, 2).reshape(ny, n * ny),
            u.T,
            record.steps[None],
            np.repeat(p[:, None], n, axis=1),
        )
        last = np.array(states)[:, -(1 + k) :]
        blocks = np.array(results).reshape(ny, n, 2 + k).transpose(1, 0, 2)
        innovations = np.where(record.known, blocks[:, :, 0], np.nan)
        return Prediction(innovations, blocks[:, :, 1], blocks[:, :, 2:], last[:, 0], last[:, 1:])

    def _made(self, compiled: bool) -> ca.Function:
        function = predictor_step(self.dae, self.measured, self.columns)
        return machine_code(function, "identification") if compiled else function


def kept(dae: DAE, key: Hashable, made: Callable[[], Any]) -> Any:
    """Return what is made of an arm once, and kept as long as the arm is."""
    own = _KEPT.setdefault(dae, {})
    if key not in own:
        own[key] = made()
    return own[key]


def predictor_step(dae: DAE, measured: Sequence[str], columns: Columns) -> ca.Function:
    """Return one sample: (x and its derivatives, y, K, W, u, step, p) -> the next ones; e, r and the derivatives of r.

    Parameters p are all of the arm's; offsets are in y and u already, and have derivatives alone.
    """
    nx, ny, nu, k = len(dae.x), len(measured), len(dae.u), len(columns)
    sizes = {"X": (nx, 1 + k), "y": (ny, 1), "K": (nx, ny), "W": (ny, ny), "u": (nu, 1), "step": (1, 1)}
    symbols = [*(ca.SX.sym(name, *size) for name, size in sizes.items()), ca.SX.sym("p", len(dae.p))]
    X, y, K, W, u, step, p = symbols
    first = len(columns.parameters)
    second = first + len(columns.output_offsets)
    by_p = _directions(len(dae.p), columns.parameters, 0, k)
    by_y = _directions(ny, columns.output_offsets, first, k)
    by_u = _directions(nu, columns.input_offsets, second, k)
    x, S = X[:, 0], X[:, 1:]
    h, by_state, by_input, by_parameter = sensor_functions(dae, measured, "identify")(x, u, p)
    e = y - h
    E = -(ca.sparsify(by_state) @ S + ca.sparsify(by_input) @ by_u + ca.sparsify(by_parameter) @ by_p + by_y)
    own = implicit_step(dae, x + K @ e, u, p, step)
    after = ca.horzcat(own.after, own.along(S + K @ E, by_u, by_p))
    results = ca.horzcat(e, W @ e, W @ E)
    return ca.Function("predictor", symbols, [ca.densify(each) for each in ca.cse([after, results])])


def machine_code(function: ca.Function, what: str) -> ca.Function:
    """Return a function as machine code; itself, with the reason in the log, where it cannot be compiled."""
    try:
        return load([function])[1][function.name()]
    except CompilerError as error:
        LOG.warning("%s; the %s is evaluated by CasADi's virtual machine", error, what)
        return function


def _directions(size: int, positions: Sequence[int], first: int, count: int) -> ca.SX:
    """Return the derivatives (size, count) of variables in unknowns that are these themselves."""
    matrix = ca.SX(size, count)
    for column, position in enumerate(positions, first):
        matrix[position, column] = 1
    return matrix
