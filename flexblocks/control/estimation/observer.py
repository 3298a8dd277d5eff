"""State observers: estimates of all states of a model from a few measurements."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.control.design.arm_model import ArmModel, arm_model
from flexblocks.control.design.zero_order_hold import runge_kutta_step, sampled_matrices
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
        Whether f and h are the linearised or the full nonlinear equations of the model; L is constant.
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

    def estimate(self, dae: DAE, actuators: Actuators, sample_time: float | None = None) -> Estimate:
        """Return the observer in the symbols of a DAE; with a sample time [s], rates are changes per sample time."""
        where = type(self).__name__
        lin = self.linear_model(dae)
        model = arm_model(self.model, dae, None, where)
        # Measurements and inputs, in the symbols of the arm.
        states = self.states(lin)
        y = ca.vertcat(*[measured(dae, name, where).value for name in lin.outputs])
        for name in lin.inputs:
            dae.u.index(name)
        u = actuators.applied_to(lin.inputs)
        L = ca.DM(self.gain(lin, sample_time))
        if self.equations == "linear":
            rates = self._linear(lin, model.dae, states.symbol, u, y, L, sample_time)
        else:
            rates = self._nonlinear(lin, model, states.symbol, u, y, L, sample_time)
        return Estimate(dict(zip(lin.states, ca.vertsplit(states.symbol), strict=True)), states, rates)

    def designed_on(self, model: DAE) -> Observer:
        """Return the observer with `model` as its model of the arm, unless it already has one."""
        return self if self.model is not None else dataclasses.replace(self, model=model)

    def states(self, lin: LinearModel) -> Variables:
        """Return the estimates as states, which start at the operating point."""
        entries = zip(lin.states, lin.state_units, lin.state_values.tolist(), strict=True)
        return variables("state", [(prefixed(self.name, name), unit, start) for name, unit, start in entries])

    def _linear(
        self, lin: LinearModel, model: DAE, x: ca.SX, u: ca.SX, y: ca.SX, L: ca.DM, sample_time: float | None
    ) -> ca.SX:
        """Return the rates of the estimates by the linearised equations, or their changes per sample time."""
        point = lin.operating_point
        A, B = (lin.A, lin.B) if sample_time is None else sampled_matrices(lin.A, lin.B, sample_time)
        dx, du = x - ca.DM(lin.state_values), u - ca.DM(point.u)
        innovation = y - ca.DM(_outputs_at(model, lin)) - ca.DM(lin.C) @ dx - ca.DM(lin.D) @ du
        # A x + B u + L innovation: the rate in continuous time, the next deviation in discrete time.
        successor = ca.DM(A) @ dx + ca.DM(B) @ du + L @ innovation
        return successor if sample_time is None else (successor - dx) / sample_time

    def _nonlinear(
        self, lin: LinearModel, model: ArmModel, x: ca.SX, u: ca.SX, y: ca.SX, L: ca.DM, sample_time: float | None
    ) -> ca.SX:
        """Return the rates of the estimates by the nonlinear equations, or their changes per sample time."""
        f, h = model_functions(model.dae, lin, type(self).__name__)
        innovation = L @ (y - h(x, u))
        if sample_time is None:
            return f(x, u) + innovation
        return (runge_kutta_step(f, x, u, sample_time) - x + innovation) / sample_time


def model_functions(model: DAE, lin: LinearModel, where: str) -> tuple[ca.Function, ca.Function]:
    """Return f (x, u) -> der(x) and h (x, u) -> y of a model, with the parameters of the operating point.

    Raises
    ------
    ParameterError
        The model has algebraic variables or dependent states, which a nonlinear observer cannot integrate.
    """
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
    y = ca.vertcat(*[measured(model, name, where).value for name in lin.outputs])
    expressions = [model.expressions.rate, y]
    if len(model.p):
        expressions = ca.substitute(expressions, [model.p.symbol], [ca.SX(ca.DM(lin.operating_point.p))])
    symbols = [model.x.symbol, model.u.symbol]
    f, h = (ca.Function(name, symbols, [ca.densify(e)]) for name, e in zip("fh", expressions, strict=True))
    return f, h


def _outputs_at(model: DAE, lin: LinearModel) -> np.ndarray:
    """Return the measured variables at the operating point (ny,)."""
    point = lin.operating_point
    y = ca.vertcat(*[measured(model, name, "observer").value for name in lin.outputs])
    symbols = [model.x.symbol, model.z.symbol, model.u.symbol, model.p.symbol]
    return ca.Function("y", symbols, [ca.densify(y)])(point.x, point.z, point.u, point.p).full().ravel()
