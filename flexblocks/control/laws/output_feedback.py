"""Output feedback: a state-feedback law acting on the estimates of an observer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import casadi as ca

from flexblocks.control.estimation.observer import Estimate, Observer
from flexblocks.control.law import Bindable, Bound, Law, as_law
from flexblocks.control.laws.lqr import LQR
from flexblocks.control.laws.time_varying_lqr import TimeVaryingLQR
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.control.sensing.sampler import split_delay
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing


@dataclass(frozen=True, eq=False)
class OutputFeedback(Law):
    """Output feedback: a law whose states are replaced by an observer's estimates.

    Parameters
    ----------
    law : Bindable
        State feedback, designed as if the state were known.
    observer : Observer
        It knows the inputs that reach the arm, saturated, without disturbances.
    """

    law: Bindable
    observer: Observer

    def __post_init__(self) -> None:
        as_law(self.law, type(self).__name__)
        if not isinstance(self.observer, Observer):
            raise ParameterError(f"{type(self).__name__}: observer = {self.observer!r}; must be of type Observer.")

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        return self._bound(dae, self._law.bind(dae, actuators), self.observer.estimate(dae, actuators))

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        if split_delay(self.predicted_delay, sample_time)[1]:
            raise ParameterError(
                f"{type(self).__name__}: the law predicts over a delay of {self.predicted_delay:g} s, but the observer "
                f"takes inputs as constant between samples, every {sample_time:g} s; must be whole samples. Round the "
                "delay up, or sample faster."
            )
        law = self._law.bind_sampled(dae, actuators, sample_time)
        return self._bound(dae, law, self.observer.estimate(dae, actuators, sample_time))

    def designed_on(self, model: DAE) -> OutputFeedback:
        return dataclasses.replace(self, law=self._law.designed_on(model), observer=self.observer.designed_on(model))

    @property
    def predicted_delay(self) -> float:
        return self._law.predicted_delay

    @property
    def _law(self) -> Law:
        return as_law(self.law, type(self).__name__)

    def _bound(self, dae: DAE, law: Bound, estimate: Estimate) -> Bound:
        # Estimates take the place of states, by symbols first: what they are made of may be measured anywhere.
        symbols = {name: ca.SX.sym(name) for name in estimate.values}
        known = [symbols.get(name, dae.x.symbol[i]) for i, name in enumerate(dae.x.names)]
        commands, rates = list(law.commands.values()), law.rates
        *commands, rates = ca.substitute([*commands, rates], [dae.x.symbol], [ca.vertcat(*known)])
        # Nothing else of the arm may be left in the law.
        used = ca.vertcat(*commands, rates)
        groups = [(dae.x, i, name) for i, name in enumerate(dae.x.names) if name not in estimate.values]
        groups += [(dae.z, i, name) for i, name in enumerate(dae.z.names)]
        unknown = [name for group, i, name in groups if ca.depends_on(used, group.symbol[i])]
        if unknown:
            raise ParameterError(
                f"{type(self).__name__}: the law uses {listing(unknown)}, which the observer does not estimate; must "
                "use estimated states only. Give both the same model=."
            )
        values = ca.vertcat(*estimate.values.values())
        *commands, rates = ca.substitute([*commands, rates], [ca.vertcat(*symbols.values())], [values])
        # The states of the law, then those of the observer.
        return Bound(
            dict(zip(law.commands, commands, strict=True)),
            law.references,
            grouped("state", [law.states, estimate.states]),
            ca.vertcat(rates, estimate.rates),
            law.outputs,
        )


@dataclass(frozen=True, eq=False)
class LQG(OutputFeedback):
    """Linear-quadratic-Gaussian control: an `LQR` or `TimeVaryingLQR` on the estimates of a `Kalman` filter.

    Parameters
    ----------
    law : LQR or TimeVaryingLQR
        Along a motion, use a Kalman filter with ``equations="extended"``, whose gain follows the estimate.
    observer : Kalman
        With the same operating point and model, the closed-loop poles are those of regulator and filter (separation
        principle).
    """

    law: LQR | TimeVaryingLQR
