"""State observers: estimates of all states of a model from a few measurements."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.control.design.arm_model import arm_model
from flexblocks.control.design.implicit_step import implicit_step
from flexblocks.control.design.zero_order_hold import sampled_matrices
from flexblocks.control.measured import measured
from flexblocks.control.naming import prefixed
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linearize
from flexblocks.statics.operating_point import OperatingPoint

EQUATIONS = ("linear", "nonlinear")


@dataclass(frozen=True, eq=False)
class Estimate:
    """An observer bound to an arm, as expressions in its symbols.

    Attributes
    ----------
    values : dict of SX
        The estimate of each state of the model, by its name.
    states : Variables
        The states of the observer.
    rates : SX
        Their time derivatives, as in `Bound`.
    """

    values: Mapping[str, ca.SX]
    states: Variables
    rates: ca.SX


@dataclass(frozen=True, eq=False)
class Signals:
    """What an observer gets, in the symbols of the arm.

    Attributes
    ----------
    lin : LinearModel
        The model linearised at the operating point, its outputs the measured variables.
    model : DAE
    y : SX (ny, 1)
        Measured variables.
    u : SX (nu, 1)
        Inputs of the model that act, as the controller knows them; sampled, from this sample on.
    before : SX (nu, 1)
        Those that act when y is measured; sampled, until this sample.
    """

    lin: LinearModel
    model: DAE
    y: ca.SX
    u: ca.SX
    before: ca.SX


@dataclass(frozen=True, eq=False)
class Observer(ABC):
    """State observer x^' = f(x^, u) + L (y - h(x^, u)) of a model's states x.

    Parameters
    ----------
    measured : sequence of str
        Names of the measured outputs or states y.
    at : OperatingPoint or dict, optional
        Operating point at which the gain is designed and linear equations hold; see `flexblocks.linearize`.
    model : DAE, optional
        By default the arm itself.
    equations : "linear" or "nonlinear"
        Whether f and h are the linearised or the full nonlinear equations of the model; L is constant. `Sampled`,
        nonlinear equations advance by one implicit step a sample, in which vibrations faster than the samples decay.
    name : str
        Prefix of the states: ``estimate.joint1.angle``, ``der(estimate.joint1.angle)``. They start at the operating
        point.
    """

    measured: Sequence[str]
    at: OperatingPoint | Mapping[str, Any] | None = None
    model: DAE | None = None
    equations: Literal["linear", "nonlinear", "extended"] = "linear"
    name: str = "estimate"

    @abstractmethod
    def gain(self, lin: LinearModel, sample_time: float | None = None) -> np.ndarray:
        """Return the gain L (nx, ny) for a linear model whose outputs are the measured variables.

        With a sample time [s] it is the gain of x^[k+1] = Ad x^[k] + Bd u[k] + L (y[k] - C x^[k] - D u[k]).
        """

    def linear_model(self, dae: DAE) -> LinearModel:
        """Return the model linearised at the operating point, with the measured variables as outputs."""
        where = type(self).__name__
        names = (self.measured,) if isinstance(self.measured, str) else tuple(self.measured)
        if not names:
            raise ParameterError(f"{where}: nothing is measured; must name one output or state at least.")
        if self.equations not in self.forms():
            raise ParameterError(f"{where}: equations = {self.equations!r}; must be one of {', '.join(self.forms())}.")
        for name in names:
            measured(dae, name, where)
        return linearize(self.model or dae, self.at, names)

    @classmethod
    def forms(cls) -> tuple[str, ...]:
        """Return the values that `equations` may have."""
        return EQUATIONS

    def sampled_gain(self, lin: LinearModel, sample_time: float, transition: np.ndarray) -> np.ndarray:
        """Return the gain L (nx, ny) for a sample time [s], of an observer whose steps have the matrix `transition`.

        By default that for the exact matrix, `gain`.
        """
        del transition
        return self.gain(lin, sample_time)

    def estimate(self, dae: DAE, actuators: Actuators, sample_time: float | None = None) -> Estimate:
        """Return the observer in the symbols of a DAE; with a sample time [s], rates are changes per sample time."""
        signals = self.signals(dae, actuators, sample_time)
        lin, states = signals.lin, self.states(signals.lin)
        advance = self._linear if self.equations == "linear" else self._nonlinear
        rates = advance(signals, states.symbol, sample_time)
        return Estimate(dict(zip(lin.states, ca.vertsplit(states.symbol), strict=True)), states, rates)

    def signals(self, dae: DAE, actuators: Actuators, sample_time: float | None) -> Signals:
        """Return the model, and the measurements and inputs that the observer gets, in the symbols of the arm.

        Raises
        ------
        FlexblocksError
            The arm lacks what is measured, or an input of the model; the model has closed kinematic loops.
        """
        where = type(self).__name__
        lin = self.linear_model(dae)
        model = arm_model(self.model, dae, None, where)
        for name in lin.inputs:
            dae.u.index(name)
        y = ca.vertcat(*[measured(dae, name, where).value for name in lin.outputs])
        u = actuators.applied_to(lin.inputs)
        return Signals(lin, model.dae, y, u, u if sample_time is None else actuators.before_at(lin.inputs))

    def designed_on(self, model: DAE) -> Observer:
        """Return the observer with `model` as its model of the arm, unless it already has one."""
        return self if self.model is not None else dataclasses.replace(self, model=model)

    def states(self, lin: LinearModel) -> Variables:
        """Return the estimates as states, which start at the operating point."""
        entries = zip(lin.states, lin.state_units, lin.state_values.tolist(), strict=True)
        return variables("state", [(prefixed(self.name, name), unit, start) for name, unit, start in entries])

    def _linear(self, signals: Signals, x: ca.SX, sample_time: float | None) -> ca.SX:
        """Return the rates of the estimates by the linearised equations, or their changes per sample time."""
        lin, point = signals.lin, signals.lin.operating_point
        A, B = (lin.A, lin.B) if sample_time is None else sampled_matrices(lin.A, lin.B, sample_time)
        dx, du, before = (
            value - ca.DM(at) for value, at in ((x, lin.state_values), (signals.u, point.u), (signals.before, point.u))
        )
        innovation = signals.y - ca.DM(_outputs_at(signals.model, lin)) - ca.DM(lin.C) @ dx - ca.DM(lin.D) @ before
        # A x + B u + L innovation: the rate in continuous time, the next deviation in discrete time.
        successor = ca.DM(A) @ dx + ca.DM(B) @ du + ca.DM(self.gain(lin, sample_time)) @ innovation
        return successor if sample_time is None else (successor - dx) / sample_time

    def _nonlinear(self, signals: Signals, x: ca.SX, sample_time: float | None) -> ca.SX:
        """Return the rates of the estimates by the nonlinear equations, or their changes per sample time."""
        lin, where = signals.lin, type(self).__name__
        f, h = model_functions(signals.model, lin, where)
        innovation = signals.y - h(x, signals.before)
        if sample_time is None:
            return f(x, signals.u) + ca.DM(self.gain(lin)) @ innovation
        p = ca.SX(ca.DM(lin.operating_point.p))
        own = implicit_step(signals.model, x, signals.u, p, sample_time)
        # The gain is that of the observer's own steps.
        slope = ca.Function("slope", [x, signals.u], [own.by_state])
        transition = slope(lin.operating_point.x, lin.operating_point.u).full()
        L = self.sampled_gain(lin, sample_time, transition)
        return (own.after - x + ca.DM(L) @ innovation) / sample_time


def require_integrable(model: DAE, lin: LinearModel, where: str) -> None:
    """Refuse a model that a nonlinear observer cannot integrate.

    Raises
    ------
    ParameterError
        It has algebraic variables, dependent states or prescribed coordinates.
    """
    if model.prescribed:
        raise ParameterError(
            f"{where}: the motion of {listing(model.prescribed)} is prescribed in the model; must be free here. Use "
            "equations='linear', or give model=, the DAE of an arm without prescribed motions."
        )
    if len(model.z):
        raise ParameterError(
            f"{where}: the model has algebraic variables ({model.z.names[0]}, ...); must have none here. Use "
            "equations='linear', where they are eliminated."
        )
    if lin.states != model.x.names:
        raise ParameterError(
            f"{where}: states of the model depend on each other ({listing(set(model.x.names) - set(lin.states))} "
            "follow); must be independent here. Use equations='linear', where only independent ones are estimated."
        )


def model_functions(model: DAE, lin: LinearModel, where: str) -> tuple[ca.Function, ca.Function]:
    """Return f (x, u) -> der(x) and h (x, u) -> y of a model, with the parameters of the operating point.

    Raises
    ------
    ParameterError
        A nonlinear observer cannot integrate the model.
    """
    require_integrable(model, lin, where)
    y = ca.vertcat(*[measured(model, name, where).value for name in lin.outputs])
    expressions = [model.expressions.rate, y]
    if len(model.p):
        expressions = ca.substitute(expressions, [model.p.symbol], [ca.SX(ca.DM(lin.operating_point.p))])
    symbols = [model.x.symbol, model.u.symbol]
    f, h = (ca.Function(name, symbols, [ca.densify(e)]) for name, e in zip("fh", expressions, strict=True))
    return f, h


def sensor_functions(model: DAE, names: Sequence[str], where: str) -> ca.Function:
    """Return the function (x, u, p) -> measured variables h (ny,), and their derivatives in x, u and p."""
    h = ca.vertcat(*[measured(model, name, where).value for name in names])
    symbols = [model.x.symbol, model.u.symbol, model.p.symbol]
    results = ca.cse([h, *(ca.jacobian(h, symbol) for symbol in symbols)])
    return ca.Function("measured", symbols, [ca.densify(each) for each in results])


def _outputs_at(model: DAE, lin: LinearModel) -> np.ndarray:
    """Return the measured variables at the operating point (ny,)."""
    point = lin.operating_point
    y = ca.vertcat(*[measured(model, name, "observer").value for name in lin.outputs])
    symbols = [model.x.symbol, model.z.symbol, model.u.symbol, model.p.symbol]
    return ca.Function("y", symbols, [ca.densify(y)])(point.x, point.z, point.u, point.p).full().ravel()
