"""Gravity compensation: the inputs balance the gravity torques of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import casadi as ca

from flexblocks.control.design.arm_model import arm_model, driven_coordinates, input_map
from flexblocks.control.design.driven_inputs import driven_inputs
from flexblocks.control.design.linear_solve import solve
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import measured
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import total, weight_energies
from flexblocks.errors import ParameterError


@dataclass(frozen=True, eq=False)
class GravityCompensation(Law):
    """Gravity compensation u = g(q): the gravity torques of a model at the coordinates that the inputs act on.

    Parameters
    ----------
    model : DAE, optional
        By default the arm itself, with all its coordinates measured. For elastic joints give the rigid twin,
        `flexblocks.stiffen`, whose motors act on the joints directly and so feel their gravity torques.
    measured : dict, optional
        Variable of the arm that is measured for a coordinate of the model.
    inputs : sequence of str, optional
        By default the actuators of the model.
    posture : "measured" or "reference"
        Where g is evaluated: at the measured position, or at the reference position (Tomei, IEEE Trans. Automatic
        Control 36 (1991) 1208-1213, for elastic joints).

    Notes
    -----
    Added to a PD law of the same coordinates, g(q) of the arm itself gives a closed loop whose energy
    1/2 v'M v + V_elastic + 1/2 e'Kp e never rises under constant references (Takegaki & Arimoto 1981), as long as all
    gravity torques act on driven coordinates.
    """

    model: DAE | None = None
    measured: Mapping[str, str] | None = None
    inputs: Sequence[str] | None = None
    posture: Literal["measured", "reference"] = "measured"

    def __post_init__(self) -> None:
        if self.posture not in ("measured", "reference"):
            raise ParameterError(f"GravityCompensation: posture = {self.posture!r}; must be 'measured' or 'reference'.")

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        where = "GravityCompensation"
        model = arm_model(self.model, dae, self.measured, where)
        arm = model.dae
        inputs = driven_inputs(arm, self.inputs)
        B, _ = input_map(arm, inputs, where)
        rows = driven_coordinates(arm, B, inputs, where)
        weight = ca.gradient(total(weight_energies(arm.tree, arm.q)), arm.q)
        torque = solve(B[rows, :], weight[rows])
        references = References()
        if self.posture == "reference":
            # Only coordinates that the torque depends on become references.
            used = [i for i, name in enumerate(arm.q_names) if ca.depends_on(torque, arm.q[i])]
            positions = [references.of(measured(dae, model.coordinate(arm.q_names[i]), where)) for i in used]
            torque = ca.substitute(torque, arm.q[used], ca.vertcat(*positions, ca.SX(0, 1))) if used else torque
        commands = ca.vertsplit(model.in_arm_symbols(torque))
        return Bound(dict(zip(inputs, commands, strict=True)), references.variables())
