"""Computed-torque control: inverse dynamics of a model, usually of the rigid arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.control.design.arm_model import arm_model, driven_coordinates, input_map
from flexblocks.control.design.driven_inputs import driven_inputs
from flexblocks.control.design.linear_solve import solve
from flexblocks.control.design.tracking_error import commanded_accelerations
from flexblocks.control.law import Bound, Law
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing


@dataclass(frozen=True, eq=False)
class ComputedTorque(Law):
    """Computed torque: u = M(q) (r'' + Kd (r' - q') + Kp (r - q)) + h(q, q'), for a model fully actuated.

    Parameters
    ----------
    kp, kd : float, sequence or dict by coordinate (of the arm)
        Kp [1/s2] and Kd [1/s].
    model : DAE, optional
        With an input for each coordinate. By default the arm itself, which must then be rigid; for a flexible arm give
        the rigid twin, `flexblocks.stiffen`.
    measured : dict, optional
        Variable of the arm that is measured for a coordinate of the model: ``{"joint1.angle": "rotor1.angle"}``.
    inputs : sequence of str, optional
        By default the actuators of the model.

    Notes
    -----
    Spong, Hutchinson & Vidyasagar, *Robot Modeling and Control*, section 8.3. If the model is exact, each
    tracking error is a linear oscillator of its own. `Decoupling` does the same for arms with more coordinates than
    inputs.
    """

    kp: Any
    kd: Any
    model: DAE | None = None
    measured: Mapping[str, str] | None = None
    inputs: Sequence[str] | None = None

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        where = "ComputedTorque"
        model = arm_model(self.model, dae, self.measured, where)
        arm = model.dae
        inputs = driven_inputs(arm, self.inputs)
        if arm.tree.size != len(inputs):
            raise ParameterError(
                f"ComputedTorque: the model has {arm.tree.size} coordinates ({listing(arm.q_names)}) and {len(inputs)} "
                f"inputs ({listing(inputs)}); must be as many of each. Give model=fb.assemble(fb.stiffen(model)), the "
                "rigid arm, or use Decoupling."
            )
        # The model is B u + other = M a + h: refuse it unless every coordinate has an input.
        B, other = input_map(arm, inputs, where)
        driven_coordinates(arm, B, inputs, where)
        # Inverse dynamics at the accelerations that make the errors decay.
        references = References()
        names = [model.coordinate(name) for name in arm.q_names]
        accelerations, errors = commanded_accelerations(dae, names, self.kp, self.kd, references, where)
        a = ca.SX.sym("a", arm.tree.size)
        torque = solve(B, arm.expressions.balance(a) - other)
        commands = ca.substitute(model.in_arm_symbols(torque), a, accelerations)
        return Bound(dict(zip(inputs, ca.vertsplit(commands), strict=True)), references.variables(), outputs=errors)
