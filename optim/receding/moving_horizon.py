"""Moving horizon estimation: states and parameters from a window of samples, as an observer of sampled laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.gains import gains
from flexblocks.control.estimation.observer import Estimate, Observer, require_integrable, sensor_functions
from flexblocks.control.naming import prefixed
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.linear.linear_model import LinearModel
from flexblocks.simulation.record import Record
from flexblocks.statics.operating_point import OperatingPoint

from .compiled_iteration import HIDDEN, CompiledIteration, iteration_source
from .interpreted.callback import EstimatorCallback
from .interpreted.estimator import Estimator
from .machine import compiled_or_interpreted
from .prediction import Prediction, estimation_model
from .scales import state_scales

WHERE = "MovingHorizon"
# Steps of Gauss and Newton at each sample, and of equations where a sample is added.
STEPS, NEWTON_STEPS = 2, 4
# Of unknown start states, as a share of their scale: a hundredth of the reach.
START = 0.1
KEPT, TIMED = 2048, 65536
# Sample times of a window by default.
SAMPLES = 10
FILES = ("condensed_headers.h", "products.c", "interval.c", "estimator.c", "ring.c", "estimator_store.c")


@dataclass(frozen=True, eq=False, init=False)
class MovingHorizon(Observer):
    """Moving horizon estimation, an observer of `control.Sampled` laws and of recorded data.

    The states, the process noise and some parameters that explain the samples of a window best, by least squares; what
    the window has left behind counts by a Kalman filter's estimate at its start (the arrival cost). Measurements that
    are far off count by their magnitude instead of its square (Huber).

    Parameters
    ----------
    dae : DAE
        The model of the arm; for `parameters` one that was assembled with these as symbols.
    measured : sequence of str
        Names of the measured outputs or states.
    process : dict
        Spectral densities [unit^2 s] of process noise, by the input through which it enters.
    noise : float, sequence or dict by measured name
        Standard deviations of a measurement [unit], > 0.
    sample_time : float
        [s]
    horizon : float, optional
        Length of the window [s], a whole number of sample times; by default ten. With one sample time it is an iterated
        extended Kalman filter.
    parameters : dict
        Parameters among the unknowns, with the standard deviation of what is known of each at the start.
    uncertainty : dict
        Standard deviations of states at the start, by name; by default a hundredth of the reach in displacement.
    huber : float
        Residual, in standard deviations of what is expected, from which on a measurement counts by its magnitude.
    at : OperatingPoint or dict, optional
        Where the estimate starts; see `flexblocks.linearize`.
    name : str
        Prefix of the states: ``estimate.joint1.angle``; parameters ``estimate.payload.mass`` with their standard
        deviations ``estimate.deviation.payload.mass``.

    Notes
    -----
    Its code is compiled when it is first used. Where there is no C compiler, NumPy does the same many times as slowly,
    with a warning; such a loop cannot be pickled. Loops with it have no derivatives.

    Raises
    ------
    FlexblocksError
        An unknown name or a value out of range; a model that `MPC` refuses.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models, optim
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=("payload.mass",))
    >>> measured = ["rotor1.angle", "rotor2.angle", "payload.x", "payload.y"]
    >>> mhe = optim.MovingHorizon(
    ...     dae, measured, noise=1e-4, process={"motor1.torque": 1e-6, "motor2.torque": 1e-6}, sample_time=5e-3,
    ...     horizon=0.025, parameters={"payload.mass": 0.05}
    ... )
    >>> run = fb.simulate(dae, [5e-3 * k for k in range(61)], u={"motor1.torque": 0.3}, p={"payload.mass": 0.12})
    >>> found = mhe.filter(fb.Record.from_trajectory(run, measured))
    >>> bool(abs(found["payload.mass"][-1] - 0.12) < 0.01)
    True
    """

    process: Mapping[str, float]
    noise: float | Sequence[float] | Mapping[str, float] | None
    sample_time: float
    horizon: float
    parameters: Mapping[str, float]
    uncertainty: Mapping[str, float]
    huber: float

    def __init__(
        self,
        dae: DAE,
        measured: Sequence[str],
        *,
        process: Mapping[str, float] = MappingProxyType({}),
        noise: float | Sequence[float] | Mapping[str, float] | None = None,
        sample_time: float,
        horizon: float | None = None,
        parameters: Mapping[str, float] = MappingProxyType({}),
        uncertainty: Mapping[str, float] = MappingProxyType({}),
        huber: float = 3.0,
        at: OperatingPoint | Mapping[str, Any] | None = None,
        name: str = "estimate",
    ) -> None:
        numbers = {"sample_time": sample_time, "huber": huber} | ({} if horizon is None else {"horizon": horizon})
        for argument, value in numbers.items():
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < np.inf:
                raise ParameterError(f"{WHERE}: {argument} = {value!r}; must be a number > 0.")
        dicts = {"process": process, "parameters": parameters, "uncertainty": uncertainty}
        for argument, given in dicts.items():
            if not isinstance(given, Mapping):
                raise ParameterError(f"{WHERE}: {argument} = {given!r}; must be a dict by name.")
        length = SAMPLES * sample_time if horizon is None else float(horizon)
        if not np.isclose(round(length / sample_time) * sample_time, length, rtol=1e-6, atol=0):
            raise ParameterError(
                f"{WHERE}: horizon = {horizon!r} s; must be a whole number of sample times, {sample_time:g} s each."
            )
        values = {"measured": measured, "at": at, "model": dae, "equations": "extended", "name": name, "noise": noise}
        values |= {"sample_time": float(sample_time), "horizon": length, "huber": float(huber)}
        for field, value in (values | {key: dict(given) for key, given in dicts.items()}).items():
            object.__setattr__(self, field, value)

    @property
    def window(self) -> int:
        """Samples that are explained together."""
        return round(self.horizon / self.sample_time)

    @classmethod
    def forms(cls) -> tuple[str, ...]:
        return ("extended",)

    def gain(self, lin: LinearModel, sample_time: float | None = None) -> np.ndarray:
        raise ParameterError(f"{WHERE}.gain: it has no constant gain; SampledKalman has one.")

    def estimate(self, dae: DAE, actuators: Actuators, sample_time: float | None = None) -> Estimate:
        if sample_time is None or not np.isclose(sample_time, self.sample_time, rtol=1e-9, atol=0):
            given = "in continuous time" if sample_time is None else f"Sampled every {sample_time:g} s"
            raise ParameterError(
                f"{WHERE}: the law is {given}; must be Sampled(law, {self.sample_time:g}), at its own sample time."
            )
        signals = self.signals(dae, actuators, sample_time)
        made = self._made(signals.model, signals.lin)
        states = made.states(self.name)
        after = made.iteration(states.symbol, signals.y, signals.before)
        first = len(LEADING)
        values = ca.vertsplit(after[first : first + len(signals.lin.states)])
        return Estimate(
            dict(zip(signals.lin.states, values, strict=True)), states, (after - states.symbol) / sample_time
        )

    def filter(self, record: Record) -> Estimates:
        """Return the estimates from recorded data.

        Parameters
        ----------
        record : Record
            All of the measured variables, nan where one is missing, and all inputs of the model but disturbances,
            sampled every `sample_time`. The estimate starts at its ``x0`` where that says, else at `at`.

        Raises
        ------
        ParameterError
            The samples have another distance.
        NameUnknownError
            The record lacks a measured variable or an input.
        """
        assert self.model is not None
        if not np.allclose(np.diff(record.t), self.sample_time, rtol=1e-6, atol=0):
            raise ParameterError(
                f"{WHERE}.filter: the record's samples are not {self.sample_time:g} s apart; must be. Use "
                "record.resampled."
            )
        lin = self.linear_model(self.model)
        made = self._made(self.model, lin, record.x0)
        y = np.column_stack([_series(record, name) for name in lin.outputs])
        group = self.model.u
        u = [
            np.full(len(record), group.start[i])
            if group.roles[i] == "disturbance" and name not in record
            else _series(record, name)
            for i, name in enumerate(group.names)
        ]
        held = np.column_stack(u) if u else np.zeros((len(record), 0))
        state, rows = np.zeros(len(made.states(self.name))), []
        for k in range(len(record)):
            # What acts between samples is what was held from the one before.
            state = made.iteration(state, y[k], held[max(k - 1, 0)]).full().ravel()
            rows.append(state[len(LEADING) :])
        names = [*lin.states, *self.parameters, *(f"deviation.{name}" for name in self.parameters)]
        return Estimates(record.t, np.array(rows), tuple(names))

    def _made(self, model: DAE, lin: LinearModel, x0: Mapping[str, float] | None = None) -> Made:
        return Made(self, model.interpreted, lin, tuple((x0 or {}).items()))


# States before the estimates.
LEADING = ("memory", "outliers", "restarts")


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates (k,) of states and parameters by name, ``found["payload.mass"]``.

    Attributes
    ----------
    t : ndarray (k,)
        [s]
    values : ndarray (k, n)
    names : tuple of str
        States, parameters, and ``deviation.`` of parameters.
    """

    t: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the estimates (k,) of one.

        Raises
        ------
        NameUnknownError
        """
        if name not in self.names:
            raise NameUnknownError(f"Estimates: there is no '{name}'{suggestion(name, self.names)}")
        return self.values[:, self.names.index(name)]


@dataclass(frozen=True, eq=False)
class Made:
    """An estimator made for one model: its code, and the states that it adds to a loop."""

    asked: MovingHorizon
    model: DAE
    lin: LinearModel
    x0: tuple[tuple[str, float], ...]

    def states(self, name: str) -> Variables:
        """Return the states: a key to the window, counts, estimates."""
        lin, p = self.lin, self.model.p
        entries = [(f"{name}.{entry}", "1", 0.0) for entry in LEADING]
        values = zip(lin.states, lin.state_units, self._start.tolist(), strict=True)
        entries += [(prefixed(name, state), unit, start) for state, unit, start in values]
        chosen = [(each, p.unit(each), float(p.start[p.index(each)])) for each in self.asked.parameters]
        entries += [(f"{name}.{each}", unit, start) for each, unit, start in chosen]
        entries += [(f"{name}.deviation.{each}", unit, 0.0) for each, unit, _ in chosen]
        return variables("state", entries)

    @cached_property
    def iteration(self) -> ca.Function:
        """One sample, function (state, measured, inputs that acted) -> state."""
        made = compiled_or_interpreted(
            WHERE,
            *iteration_source(*self.parts, FILES),
            (HIDDEN,),
            lambda name: EstimatorCallback(name, self.interpreted),
        )
        return made.foreign.function() if isinstance(made, CompiledIteration) else made

    @property
    def interpreted(self) -> Estimator:
        """The estimator in NumPy."""
        return Estimator(*self.parts)

    @cached_property
    def _start(self) -> np.ndarray:
        x = np.array(self.lin.state_values, dtype=float)
        for name, value in self.x0:
            if name in self.lin.states:
                x[self.lin.states.index(name)] = value
        return x

    @cached_property
    def parts(self) -> tuple[dict[str, ca.Function], dict[str, int], dict[str, np.ndarray | float]]:
        """Functions of the arm, sizes and constants, as `iteration_source` takes them."""
        asked, dae, lin = self.asked, self.model, self.lin
        require_integrable(dae, lin, WHERE)
        names = tuple(asked.parameters)
        if unknown := [name for name in asked.process if name not in dae.u]:
            raise NameUnknownError(
                f"{WHERE}: process: there is no input '{unknown[0]}'{suggestion(unknown[0], dae.u.names)}"
            )
        model, noise = estimation_model(dae, 20.0 / float(asked.sample_time or 1.0), WHERE), tuple(asked.process)
        theta = ca.vertcat(*[dae.p.symbol[dae.p.index(name)] for name in names], ca.SX(0, 1))
        fixed = [i for i, name in enumerate(dae.p.names) if name not in names]
        p = ca.vertcat(dae.u.symbol, *[dae.p.symbol[i] for i in fixed])
        functions = {
            "RESIDUAL": self._residual(model, noise, theta, p),
            "MEASURED": self._measured(theta, p),
        }
        scales = state_scales(
            dae, self._start, float(asked.sample_time or 1.0) * 100, np.array(dae.u.limits, dtype=float)
        )
        known = {name: gains(v, [name], f"{WHERE}: uncertainty[{name}]")[0] for name, v in asked.uncertainty.items()}
        if unknown := [name for name in known if name not in dae.x]:
            raise NameUnknownError(
                f"{WHERE}: uncertainty: there is no state '{unknown[0]}'{suggestion(unknown[0], dae.x.names)}"
            )
        deviations = [known.get(name, START * scale) for name, scale in zip(dae.x.names, scales, strict=True)]
        own = [
            gains(v, [name], f"{WHERE}: parameters[{name}]", positive=True)[0] for name, v in asked.parameters.items()
        ]
        densities = [gains(v, [name], f"{WHERE}: process[{name}]")[0] for name, v in asked.process.items()]
        ranges = np.array([dae.p.ranges[dae.p.index(name)] for name in names] if len(dae.p.ranges) else [])
        low, high = (
            ranges.reshape(-1, 2).T if len(ranges) else (np.full(len(names), -np.inf), np.full(len(names), np.inf))
        )
        constants: dict[str, np.ndarray | float] = {
            "PERIOD": float(asked.sample_time or 1.0),
            "VARIANCE": gains(asked.noise, lin.outputs, f"{WHERE}: noise", positive=True) ** 2,
            "PROCESS": np.array(densities) / float(asked.sample_time or 1.0),
            "HUBER": float(asked.huber),
            "UNCERTAINTY": np.array([*deviations, *own]) ** 2,
            "FIRST_X": self._start,
            "FIRST_THETA": np.array([dae.p.start[dae.p.index(name)] for name in names]),
            "FIXED": np.array([dae.p.start[i] for i in fixed]),
            "PARAMETER_LOW": low,
            "PARAMETER_HIGH": high,
        }
        sizes = {
            "W": asked.window,
            "NX": len(dae.x),
            "NQ": dae.tree.size,
            "NU": len(noise) + len(names),
            "NW": len(noise),
            "NPAR": len(names),
            "NF": 0,
            "NY": len(lin.outputs),
            "NKNOWN": len(dae.u),
            "NFIXED": len(fixed),
            "RATES_": model.rates.shape[0],
            "NEWTON_STEPS": NEWTON_STEPS,
            "GAUSS_NEWTON_STEPS": STEPS,
            "KEPT": KEPT,
            "TIMED": TIMED,
        }
        return functions, sizes, constants

    def _residual(self, model: Prediction, noise: tuple[str, ...], theta: ca.SX, p: ca.SX) -> ca.Function:
        """Return (x, rates, [noise, parameters], [inputs, others], none) -> residual and its derivatives."""
        dae = self.model
        w = ca.SX.sym("noise", len(noise))
        before = ca.vertcat(*[dae.u.symbol[dae.u.index(name)] for name in noise], ca.SX(0, 1))
        R = ca.substitute(model.residual, ca.vertcat(before, model.force), ca.vertcat(before + w, ca.SX.zeros(model.n)))
        v = ca.vertcat(w, theta)
        results = [R, *(ca.jacobian(R, symbol) for symbol in (dae.x.symbol, model.rates, v))]
        return model.function("arm_residual", results, [dae.x.symbol, model.rates, v, p, ca.SX.sym("none", 1)])

    def _measured(self, theta: ca.SX, p: ca.SX) -> ca.Function:
        """Return (x, parameters, [inputs, others]) -> measured variables and their derivatives."""
        dae = self.model
        h = sensor_functions(dae, self.lin.outputs, WHERE)(dae.x.symbol, dae.u.symbol, dae.p.symbol)[0]
        results = [h, ca.jacobian(h, dae.x.symbol), ca.jacobian(h, theta)]
        return ca.Function("arm_measured", [dae.x.symbol, theta, p], [ca.densify(each) for each in ca.cse(results)])


def _series(record: Record, name: str) -> np.ndarray:
    if name not in record or name == "time":
        known = (*record.names["u"], *record.names["y"])
        raise NameUnknownError(f"{WHERE}.filter: '{name}' is not in the record{suggestion(name, known, 'it has')}")
    return record[name]
