"""Extended Kalman filter in discrete time, in sampled laws and on recorded data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.control.design.gains import gains
from flexblocks.control.design.hautus_test import refuse_undetectable
from flexblocks.control.design.riccati import predicted_covariance
from flexblocks.control.estimation.covariance_states import covariance_states
from flexblocks.control.estimation.filter_equations import FilterEquations, Noise
from flexblocks.control.estimation.filter_record import filtered
from flexblocks.control.estimation.filtered import Filtered
from flexblocks.control.estimation.observer import Estimate, Observer, require_integrable
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators, actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.scaling import state_scales
from flexblocks.simulation.record import Record


@dataclass(frozen=True, eq=False)
class SampledKalman(Observer):
    """The extended Kalman filter in discrete time: an observer of `Sampled` laws, and of recorded data.

    It predicts by an implicit step of the equations of motion, which is stable at any sample time, and corrects by what
    is measured; its covariance follows with the exact derivatives of that step, in Joseph's form.

    Parameters
    ----------
    measured : sequence of str
        Names of the measured outputs or states.
    at : OperatingPoint or dict, optional
        Where the estimate starts; see `flexblocks.linearize`.
    model : DAE, optional
        By default the arm itself. It has no closed kinematic loops, algebraic variables and prescribed motions.
    equations : "extended"
        There is no other form.
    name : str
        Prefix of the states: ``estimate.joint1.angle``, and ``estimate.covariance[i,j]`` of the upper triangle of the
        covariance. Both are predictions for the next sample; the law gets the estimate that the sample has corrected.
    process : dict
        Spectral densities [unit^2 s] of process noise, by the input through which it enters (as a random torque), or by
        the state whose rate it disturbs, as for `Kalman`. It is held over a sample, with the variance density / sample
        time.
    noise : float, sequence or dict by measured name
        Standard deviations of a measurement [unit], > 0, as of a `Sensor`.
    inputs : dict, optional
        Standard deviations of inputs that are known from measurements [unit], by name.
    sample_time : float, optional
        [s]; by default that of the `Sampled` law, or the time between the samples of a record.
    uncertainty : dict, optional
        Standard deviations of the estimate at the start, by state; those left out are known. By default the covariance
        is the stationary one at the operating point, for which the model must be detectable there.

    Notes
    -----
    In a `Sampled` law, measurements with direct feedthrough, as of an Accelerometer, contain the inputs that acted
    until the sample, and predictions those that act from it on. In a record, a sample holds its own inputs.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import control, models
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    >>> torques = {"motor1.torque": 1e-4, "motor2.torque": 1e-4}
    >>> observer = control.SampledKalman(["rotor1.angle", "rotor2.angle"], model=dae, process=torques, noise=1e-4)
    >>> run = fb.simulate(dae, [0.01 * k for k in range(51)], u={"motor1.torque": 0.05})
    >>> result = observer.filter(fb.Record.from_trajectory(run, ["rotor1.angle", "rotor2.angle"]))
    >>> bool(abs(result["joint2.angle"][-1] - run["joint2.angle"][-1]) < 1e-3)
    True
    """

    equations: Literal["extended"] = "extended"
    process: Mapping[str, float] = field(default_factory=dict)
    noise: Any = None
    inputs: Mapping[str, float] = field(default_factory=dict)
    sample_time: float | None = None
    uncertainty: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        given = self.sample_time
        if given is not None and not (isinstance(given, (int, float)) and not isinstance(given, bool) and given > 0):
            raise ParameterError(f"SampledKalman: sample_time = {given!r}; must be a number > 0 [s], or None.")

    @classmethod
    def forms(cls) -> tuple[str, ...]:
        return ("extended",)

    def gain(self, lin: LinearModel, sample_time: float | None = None) -> np.ndarray:
        """Return the stationary gain L (nx, ny) at the operating point, as of a filter with a constant one."""
        if self.model is None or sample_time is None:
            raise ParameterError(
                "SampledKalman.gain: model or sample_time is missing; the gain is that of a model and a sample time."
            )
        equations = self._equations(self.model, lin)
        A, _, R = equations.stationary_noise(sample_time)
        P = self._stationary(equations, sample_time)
        return np.linalg.solve(np.diag(R) + lin.C @ P @ lin.C.T, lin.C @ P @ A.T).T

    def estimate(self, dae: DAE, actuators: Actuators, sample_time: float | None = None) -> Estimate:
        if sample_time is None:
            raise ParameterError(
                "SampledKalman: the law is in continuous time; must be Sampled(law, sample_time). In continuous time, "
                "use Kalman(..., equations='extended')."
            )
        if self.sample_time is not None and not np.isclose(self.sample_time, sample_time, rtol=1e-9, atol=0):
            raise ParameterError(
                f"SampledKalman: sample_time = {self.sample_time:g} s in a Sampled law of {sample_time:g} s; must be "
                "the same, or left out."
            )
        signals = self.signals(dae, actuators, sample_time)
        equations = self._equations(signals.model, signals.lin)
        states = self.states(signals.lin)
        spread = covariance_states(self.name, signals.lin, self._start_covariance(equations, sample_time))
        now = equations.corrected(states.symbol, spread.matrix, signals.y, signals.before)
        x, P = equations.predicted(now.x, now.P, signals.u, sample_time)
        every = grouped("state", [states, spread.states])
        after = ca.vertcat(x, *spread.entries(P))
        values = dict(zip(signals.lin.states, ca.vertsplit(now.x), strict=True))
        return Estimate(values, every, (after - every.symbol) / sample_time)

    def filter(self, record: Record, *, compiled: bool = False) -> Filtered:
        """Return the estimates from recorded data.

        Parameters
        ----------
        record : Record
            All of the measured variables, nan where one is missing, and all inputs of the model but disturbances. The
            estimate starts at its ``x0`` where that says, else at the operating point.
        compiled : bool
            Whether a C compiler makes machine code of the filter, which is worth it for long records.

        Returns
        -------
        Filtered

        Raises
        ------
        ParameterError
            There is no model=, or a state of ``x0`` is unknown.
        NameUnknownError
            The record lacks a measured variable or an input.
        ComputationError
            The estimate is not finite.
        """
        if self.model is None:
            raise ParameterError("SampledKalman.filter: model is missing; give the DAE of the arm, model=dae.")
        signals = self.signals(self.model, actuators(self.model, limits=False), None)
        equations = self._equations(signals.model, signals.lin)
        sample_time = self.sample_time or float(np.median(np.diff(record.t)))
        return filtered(equations, record, self._start_covariance(equations, sample_time), compiled)

    def _equations(self, model: DAE, lin: LinearModel) -> FilterEquations:
        where = type(self).__name__
        require_integrable(model, lin, where)
        for argument, given in (("process", self.process), ("inputs", self.inputs)):
            if not isinstance(given, Mapping):
                raise ParameterError(f"{where}: {argument} = {given!r}; must be a dict by name.")
        known = (*lin.inputs, *lin.states)
        if unknown := [name for name in self.process if name not in known]:
            told = suggestion(unknown[0], known)
            raise NameUnknownError(f"{where}: process: there is no input or state '{unknown[0]}'{told}")
        if unknown := [name for name in self.inputs if name not in lin.inputs]:
            raise NameUnknownError(
                f"{where}: inputs: there is no input '{unknown[0]}'{suggestion(unknown[0], lin.inputs)}"
            )
        densities = {name: gains(value, [name], f"{where}: process[{name}]")[0] for name, value in self.process.items()}
        deviations = {name: gains(value, [name], f"{where}: inputs[{name}]")[0] for name, value in self.inputs.items()}
        noise = Noise(
            gains(self.noise, lin.outputs, f"{where}: noise", positive=True) ** 2,
            np.array([deviations.get(name, 0.0) ** 2 for name in lin.inputs]),
            np.array([densities.get(name, 0.0) for name in lin.inputs]),
            {i: densities[name] for i, name in enumerate(lin.states) if name in densities},
        )
        return FilterEquations(model, lin, noise, where)

    def _start_covariance(self, equations: FilterEquations, sample_time: float) -> np.ndarray:
        """Return the covariance (nx, nx) of the estimate before the first sample."""
        if self.uncertainty is None:
            return self._stationary(equations, sample_time)
        states = equations.lin.states
        if unknown := [name for name in self.uncertainty if name not in states]:
            raise NameUnknownError(
                f"SampledKalman: uncertainty: there is no state '{unknown[0]}'{suggestion(unknown[0], states)}"
            )
        given = [(n, gains(v, [n], f"SampledKalman: uncertainty[{n}]")[0]) for n, v in self.uncertainty.items()]
        return np.diag([dict(given).get(name, 0.0) ** 2 for name in states])

    def _stationary(self, equations: FilterEquations, sample_time: float) -> np.ndarray:
        """Return the stationary covariance (nx, nx) of predictions at the operating point.

        Raises
        ------
        ComputationError
            A mode that does not decay is not seen in the measurements, or not driven by the noise.
        """
        lin = equations.lin
        A, Q, R = equations.stationary_noise(sample_time)
        noise = equations.noise
        W = lin.B @ np.diag(noise.process_inputs + noise.inputs * sample_time) @ lin.B.T
        for i, density in noise.process_states.items():
            W[i, i] += density
        refuse_undetectable(lin.A, lin.C, W, lin.states)
        return predicted_covariance(A, lin.C, Q, np.diag(R), state_scales(lin.A))
