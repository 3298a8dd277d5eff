"""Feedback linearisation: decoupled joints, a double integrator each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.control.design.arm_model import ArmModel, arm_model
from flexblocks.control.design.driven_inputs import driven_inputs, without_disturbances
from flexblocks.control.design.linear_solve import solve
from flexblocks.control.design.tracking_error import commanded_accelerations
from flexblocks.control.law import Bound, Law
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing


@dataclass(frozen=True, eq=False)
class Decoupling(Law):
    """Partial feedback linearisation: some coordinates get the accelerations r'' + Gv (r' - q') + Gp (r - q).

    Parameters
    ----------
    coordinates : sequence of str
        The coordinates to decouple, as many as inputs. The inputs must act on their accelerations directly: the rotor
        in front of a joint spring can be decoupled, the joint behind it cannot.
    kp, kd : float, sequence or dict by coordinate
        Gp [1/s2] and Gv [1/s]. With both 0 the only references are the accelerations
        ``der(reference.joint1.angle,2)``: inputs of the decoupled arm that another law can drive.
    inputs : sequence of str, optional
        By default the actuators of the arm.
    model : DAE, optional
        Model of the arm; by default the arm itself. Its states are measured at the arm.
    measured : dict, optional
        Variable of the arm that is measured for a coordinate of the model, where the names differ.

    Notes
    -----
    Theodore & Ghosal, Int. J. Robotics Research 14 (1995), eqs 31-33. With r the decoupled coordinates
    and f the others, eq 31 is u = (M_rr - M_rf M_ff^-1 M_fr) a + h_r - M_rf M_ff^-1 h_f. Here it is taken from the
    accelerations of the model, which are linear in the inputs, so that it holds wherever inputs act.
    """

    coordinates: Sequence[str]
    kp: Any = 0.0
    kd: Any = 0.0
    inputs: Sequence[str] | None = None
    model: DAE | None = None
    measured: Mapping[str, str] | None = None

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        where = "Decoupling"
        model = arm_model(self.model, dae, self.measured, where)
        inputs = driven_inputs(dae, self.inputs)
        rows = self._rows(model, inputs)
        references = References()
        names = [model.coordinate(name) for name in self.coordinates]
        accelerations, errors = commanded_accelerations(dae, names, self.kp, self.kd, references, where)
        # Their accelerations are a = G u + drift.
        u = ca.vertcat(*[model.dae.u.symbol[model.dae.u.index(name)] for name in inputs])
        a = without_disturbances(model.dae, model.dae.expressions.acceleration[rows], inputs)
        G = ca.sparsify(ca.jacobian(a, u))
        if ca.depends_on(G, u):
            raise ParameterError(
                f"Decoupling: the accelerations are not linear in {listing(inputs)}; must be. If the arm is a closed "
                "loop, close that one with limits=False."
            )
        drift = ca.substitute(a, u, ca.SX.zeros(u.shape))
        try:
            commands = solve(model.in_arm_symbols(G), accelerations - model.in_arm_symbols(drift))
        except ZeroDivisionError:
            raise ParameterError(
                f"Decoupling: the inputs {listing(inputs)} do not accelerate {listing(self.coordinates)} at once and "
                "independently of each other; must do so. Decouple coordinates that the inputs act on, such as rotors."
            ) from None
        return Bound(dict(zip(inputs, ca.vertsplit(commands), strict=True)), references.variables(), outputs=errors)

    def _rows(self, model: ArmModel, inputs: Sequence[str]) -> list[int]:
        """Return the rows of the decoupled coordinates among those of the model."""
        if isinstance(self.coordinates, str) or len(self.coordinates) != len(inputs):
            raise ParameterError(
                f"Decoupling: coordinates = {self.coordinates!r} for the inputs {listing(inputs)}; must be as many "
                "names of coordinates as there are inputs; give inputs=[...] to leave inputs out."
            )
        n = model.dae.tree.size
        rows = [model.dae.x.index(name) for name in self.coordinates]
        if bad := [name for name, row in zip(self.coordinates, rows, strict=True) if row >= n]:
            raise ParameterError(
                f"Decoupling: {listing(bad)} is not a coordinate; must be one of {listing(model.dae.q_names)}."
            )
        return rows
