"""State feedback about an operating point, with a gain that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.design_model import DesignModel, design_model
from flexblocks.control.design.gains import gain_matrix
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import measured
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False)
class StateFeedback(Law):
    """State feedback u = u0 - K (x - x0) with the gain K, from a paper, a laboratory or another design tool.

    Parameters
    ----------
    K : array (inputs, states), or dict by input of dicts by state
        ``[[2.0, 0.7]]``, or ``{"motor1.torque": {"joint1.angle": 2.0, "der(joint1.angle)": 0.7}}``, where what is not
        named is 0. In the units of the input per unit of the state.
    at : OperatingPoint or dict, optional
        The point (x0, u0), see `flexblocks.linearize`; by default the equilibrium next to the start values.
    states : sequence of str, optional
        The states that the columns of K belong to; by default those of the linearised model, in its order.
    inputs : sequence of str, optional
        The inputs that its rows belong to; by default all of the model's, or those that a dict names.
    references : sequence of str
        States whose set point x0 becomes an input of the closed loop, ``reference.joint1.angle``.
    model : DAE, optional
        The model that has the operating point; by default the arm itself. Its states are measured at the arm, by name.

    Notes
    -----
    `Sampled`, it keeps the gain: K is then that of the sampled arm.
    """

    K: Any
    at: OperatingPoint | Mapping[str, Any] | None = None
    states: Sequence[str] | None = None
    inputs: Sequence[str] | None = None
    references: Sequence[str] = ()
    model: DAE | None = None

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        where = "StateFeedback"
        inputs = self.inputs
        if inputs is None and isinstance(self.K, Mapping) and self.K:
            inputs = tuple(self.K)
        design = design_model(self.model or dae, self.at, inputs, where)
        states = _checked_states(self.states, design, where)
        K = gain_matrix(self.K, design.inputs, states, f"{where}: K", "inputs", "states")
        return state_feedback(dae, design, K, states, self.references, where)


def state_feedback(
    dae: DAE, design: DesignModel, K: np.ndarray, states: Sequence[str], references: Sequence[str], where: str
) -> Bound:
    """Return u = u0 - K (x - x0) of a design model, bound to an arm.

    Parameters
    ----------
    dae : DAE
        The arm, at which the states are measured.
    design : DesignModel
        It has the point (x0, u0).
    K : ndarray (inputs, states)
    states : sequence of str
        States of the design model, those of the columns of K.
    references : sequence of str
        States whose set points are inputs of the closed loop.
    where : str
        The law, for messages.

    Raises
    ------
    NameUnknownError
        A reference to a state that is not fed back, or a state that the arm does not have.
    """
    references = (references,) if isinstance(references, str) else tuple(references)
    for name in references:
        if name not in states:
            raise NameUnknownError(f"{where}: references: there is no state '{name}'{suggestion(name, states)}")
    at_point = design.lin.operating_point
    set_points = References()
    deviations = []
    for name in states:
        variable = measured(dae, name, where)
        deviations.append(variable.value - (set_points.of(variable) if name in references else at_point[name]))
    commands = ca.DM(design.u0) - ca.DM(K) @ ca.vertcat(*deviations)
    return Bound(dict(zip(design.inputs, ca.vertsplit(commands), strict=True)), set_points.variables())


def _checked_states(states: Sequence[str] | None, design: DesignModel, where: str) -> tuple[str, ...]:
    """Return the states that are fed back; refuse unknown and repeated ones."""
    if states is None:
        return design.lin.states
    names = (states,) if isinstance(states, str) else tuple(states)
    known = design.lin.operating_point.states
    for name in names:
        if name not in known:
            raise NameUnknownError(f"{where}: states: there is no state '{name}'{suggestion(name, known)}")
    if not names or len(set(names)) < len(names):
        raise ParameterError(f"{where}: states = {states!r}; must be one state or more, each of them once.")
    return names
