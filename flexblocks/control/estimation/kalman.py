"""Kalman filter: linear, nonlinear with constant gain, or extended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.gains import gains
from flexblocks.control.design.riccati import error_covariance, kalman_gain, sampled_kalman_gain
from flexblocks.control.estimation.covariance_states import covariance_states
from flexblocks.control.estimation.observer import EQUATIONS, Estimate, Observer, model_functions
from flexblocks.control.estimation.sampled_kalman import SampledKalman
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.linear.linear_model import LinearModel


@dataclass(frozen=True, eq=False)
class Kalman(Observer):
    """The Kalman filter: the minimum-variance observer under white process and measurement noise.

    Parameters
    ----------
    measured, at, model, name
        As for `Observer`.
    process : dict
        Spectral densities [unit^2 s] of process noise, by the input through which it enters (as a random torque), or by
        the state whose rate it disturbs.
    noise : float, sequence or dict by measured name
        Spectral densities of the measurement noise [unit^2 s], > 0.
    equations : "linear", "nonlinear" or "extended"
        ``"extended"`` is the extended Kalman filter: nonlinear equations, and a gain from the Riccati equation along
        the estimate; the covariances are states ``estimate.covariance[i,j]``, which start at their stationary values at
        the operating point. `Sampled`, it is the filter in discrete time, `SampledKalman`.

    Notes
    -----
    `Sampled`, the noises have the same densities: the process noise accumulates over a sample time, and the
    measurement noise has the covariance noise / sample_time.
    """

    process: Mapping[str, float] = field(default_factory=dict)
    noise: Any = None

    @classmethod
    def forms(cls) -> tuple[str, ...]:
        return (*EQUATIONS, "extended")

    def gain(self, lin: LinearModel, sample_time: float | None = None) -> np.ndarray:
        W, R = self.process_noise(lin), self.measurement_noise(lin)
        if sample_time is None:
            return kalman_gain(lin.A, lin.C, W, R, lin.states)
        return sampled_kalman_gain(lin.A, lin.C, W, R, sample_time, lin.states)

    def sampled_gain(self, lin: LinearModel, sample_time: float, transition: np.ndarray) -> np.ndarray:
        W, R = self.process_noise(lin), self.measurement_noise(lin)
        return sampled_kalman_gain(lin.A, lin.C, W, R, sample_time, lin.states, transition)

    def process_noise(self, lin: LinearModel) -> np.ndarray:
        """Return the spectral density matrix (nx, nx) of the process noise."""
        if not isinstance(self.process, Mapping) or not self.process:
            raise ParameterError(
                f"Kalman: process = {self.process!r}; must be a dict of spectral densities by the name of an input or "
                "state, such as {'motor1.torque': 1e-4}."
            )
        W = np.zeros((len(lin.states),) * 2)
        known = (*lin.inputs, *lin.states)
        for name, value in self.process.items():
            if name not in known:
                raise NameUnknownError(f"Kalman: process: there is no input or state '{name}'{suggestion(name, known)}")
            (density,) = gains(value, [name], f"Kalman: process[{name}]")
            unit = np.eye(len(lin.states))
            column = lin.B[:, lin.inputs.index(name)] if name in lin.inputs else unit[lin.states.index(name)]
            W += density * np.outer(column, column)
        return W

    def measurement_noise(self, lin: LinearModel) -> np.ndarray:
        """Return the spectral density matrix (ny, ny) of the measurement noise."""
        return np.diag(gains(self.noise, lin.outputs, "Kalman: noise", positive=True))

    def estimate(self, dae: DAE, actuators: Actuators, sample_time: float | None = None) -> Estimate:
        if self.equations != "extended":
            return super().estimate(dae, actuators, sample_time)
        if sample_time is not None:
            return self._sampled(dae, sample_time).estimate(dae, actuators, sample_time)
        # The model, its inputs and measurements.
        signals = self.signals(dae, actuators, None)
        lin, u, y = signals.lin, signals.u, signals.y
        f, h = model_functions(signals.model, lin, "Kalman")
        states = self.states(lin)
        W, R = self.process_noise(lin), self.measurement_noise(lin)
        start = error_covariance(lin.A, lin.C, W, R, lin.states)
        spread = covariance_states(self.name, lin, start)
        P = spread.matrix
        x = states.symbol
        # The Riccati differential equation, with the Jacobians at the estimate.
        A, C = ca.jacobian(f(x, u), x), ca.jacobian(h(x, u), x)
        L = P @ C.T @ ca.DM(np.linalg.inv(R))
        dP = A @ P + P @ A.T + ca.DM(W) - L @ ca.DM(R) @ L.T
        rates = ca.vertcat(f(x, u) + L @ (y - h(x, u)), *spread.entries(dP))
        values = dict(zip(lin.states, ca.vertsplit(x), strict=True))
        return Estimate(values, grouped("state", [states, spread.states]), rates)

    def _sampled(self, dae: DAE, sample_time: float) -> SampledKalman:
        """Return the extended filter in discrete time, for noises of the same densities."""
        lin = self.linear_model(dae)
        self.process_noise(lin)
        deviations = np.sqrt(np.diag(self.measurement_noise(lin)) / sample_time)
        return SampledKalman(self.measured, self.at, self.model, name=self.name, process=self.process, noise=deviations)
