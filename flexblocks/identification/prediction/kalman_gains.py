"""Gains of predictions: of a simulation, and of the extended Kalman filter where inputs are noisy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

import casadi as ca
import numpy as np

from flexblocks.control.estimation.filter_equations import FilterEquations, Noise
from flexblocks.control.estimation.filter_record import filter_step
from flexblocks.control.estimation.observer import require_integrable
from flexblocks.dae.dae import DAE
from flexblocks.identification.prediction.predictor import Gains, kept, machine_code
from flexblocks.identification.prediction.recorded import Recorded
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.integrators.buffered_call import BufferedCall


def linear_model(dae: DAE, measured: Sequence[str]) -> LinearModel:
    """Return the arm linearised at its start, for the names of its variables, and refuse one that takes no such step.

    Raises
    ------
    ParameterError
        The arm has closed kinematic loops, algebraic variables or prescribed motions.
    """
    lin = kept(dae, ("linear", tuple(measured)), lambda: linearize(dae, None, measured))
    require_integrable(dae, lin, "identify")
    return lin


def output_error_gains(record: Recorded, deviations: np.ndarray, states: int) -> Gains:
    """Return those of a simulation, with standard deviations (ny,) of the measurements."""
    n, ny = record.known.shape
    whitening = np.zeros((n, ny, ny))
    whitening[:, np.arange(ny), np.arange(ny)] = record.known / deviations
    return Gains(np.zeros((n, states, ny)), whitening)


class KalmanGains:
    """Gains of the extended Kalman filter of `control.SampledKalman` along a record.

    Parameters
    ----------
    dae : DAE
    lin : LinearModel
    inputs : dict of float
        Standard deviations of the inputs [unit], which err by the same over a sample.
    uncertainty : dict of float
        Standard deviations of the state at the start of a record, by name; others are known.
    compiled : bool
    """

    def __init__(
        self,
        dae: DAE,
        lin: LinearModel,
        inputs: Mapping[str, float],
        uncertainty: Mapping[str, float],
        compiled: bool,
    ) -> None:
        # One filter of an arm for any noise: its variances are arguments.
        key = "filter", lin.outputs, compiled
        self._step = BufferedCall(kept(dae, key, lambda: self._made(dae, lin, compiled)))
        self._inputs = np.array([inputs.get(name, 0.0) for name in lin.inputs])
        self._spread = np.diag([uncertainty.get(name, 0.0) ** 2 for name in dae.x.names])

    def _made(self, dae: DAE, lin: LinearModel, compiled: bool) -> ca.Function:
        parameters, measured = ca.SX.sym("p", len(dae.p)), ca.SX.sym("R", len(lin.outputs))
        inputs = ca.SX.sym("Q", len(lin.inputs))
        noise = Noise(measured, inputs, np.zeros(len(lin.inputs)), {})
        equations = FilterEquations(dae, lin, noise, "identify", parameters)
        step = filter_step(equations)
        return machine_code(step, "filter") if compiled else step

    def averaged(self, count: int) -> KalmanGains:
        """Return those of inputs that are means over `count` samples."""
        averaged = copy(self)
        averaged._inputs = self._inputs / np.sqrt(count)
        return averaged

    def __call__(
        self,
        record: Recorded,
        deviations: np.ndarray,
        x0: np.ndarray,
        p: np.ndarray,
        offsets: tuple[np.ndarray, np.ndarray],
    ) -> Gains | None:
        """Return the gains along a record, for standard deviations (ny,) of measurements; None if a state overflows."""
        n, ny = record.known.shape
        gains = Gains(np.zeros((n, len(x0), ny)), np.zeros((n, ny, ny)))
        y, u = record.y - record.known * offsets[0], record.u + offsets[1]
        x, P, variances = x0, self._spread, deviations**2
        arguments, results = self._step.arguments, self._step.results
        for place, value in zip(arguments[6:], (p, variances, self._inputs**2), strict=True):
            place[:] = value
        for k in range(n):
            given = x, P, y[k], record.known[k], u[k], record.steps[k]
            for place, value in zip(arguments[:6], given, strict=True):
                place[:] = value
            self._step()
            gain, whitening, x, P = results[5:]
            if not np.all(np.isfinite(x)):
                return None
            gains.correction[k], gains.whitening[k] = gain.T, whitening.T
        return gains
