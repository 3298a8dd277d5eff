"""Nonlinear decoupling of joints: to each of them the arm becomes a double integrator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.control.design.arm_model import ArmModel, arm_model
from flexblocks.control.design.linear_solve import solve
from flexblocks.control.design.tracking_error import wanted_accelerations
from flexblocks.control.law import Bound, Law
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing


@dataclass(frozen=True, eq=False)
class Decoupling(Law):
    """Model-based decoupling: the coordinates get the accelerations r'' + Gv (r' - q') + Gp (r - q).

    Parameters
    ----------
    coordinates : sequence of str
        What is decoupled; as many as inputs. Each input must accelerate them at once: a joint behind a spring cannot
        be decoupled, its rotor can.
    kp, kv : float, sequence or dict by coordinate
        Gp [1/s2] and Gv [1/s]. With both 0 the only references are the accelerations
        ``der(reference.joint1.angle,2)``: the inputs of a decoupled arm, for another law to drive.
    inputs : sequence of str, optional
        By default all inputs of the arm.
    model : DAE, optional
        What the law takes the arm to be; by default what it is. Its states are measured at the arm.
    measured : dict, optional
        Which coordinate of the arm stands for a coordinate of the model, where the names differ.

    Notes
    -----
    Theodore & Ghosal, Int. J. Robotics Research 14 (1995), eqs 31-33. With M_ff from the rest of the coordinates, eq 31
    is u = (M_rr - M_rf M_ff^-1 M_fr) a + h_r - M_rf M_ff^-1 h_f. Here it is read off the accelerations of the model,
    which are linear in the inputs, so that it holds for any way in which inputs act.
    """

    coordinates: Sequence[str]
    kp: Any = 0.0
    kv: Any = 0.0
    inputs: Sequence[str] | None = None
    model: DAE | None = None
    measured: Mapping[str, str] | None = None

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        where = "Decoupling"
        model = arm_model(self.model, dae, self.measured, where)
        inputs = dae.u.names if self.inputs is None else tuple(self.inputs)
        rows = self._rows(model, inputs)
        references = References()
        names = [model.coordinate(name) for name in self.coordinates]
        wanted, errors = wanted_accelerations(dae, names, self.kp, self.kv, references, where)
        u = ca.vertcat(*[model.dae.u.symbol[model.dae.u.index(name)] for name in inputs])
        a = model.dae.acceleration_expression[rows]
        G = ca.sparsify(ca.jacobian(a, u))
        if ca.depends_on(G, u):
            raise ParameterError(
                f"Decoupling: the accelerations are not linear in {listing(inputs)} (limits of an inner loop?)."
            )
        free = ca.substitute(a, u, ca.SX.zeros(u.shape))
        try:
            commands = solve(model.seen(G), wanted - model.seen(free))
        except ZeroDivisionError:
            raise ParameterError(
                f"Decoupling: the inputs {listing(inputs)} do not accelerate {listing(self.coordinates)} at once, "
                "independently of each other. Decouple the coordinates that the inputs act on, such as rotors."
            ) from None
        return Bound(dict(zip(inputs, ca.vertsplit(commands), strict=True)), references.variables(), outputs=errors)

    def _rows(self, model: ArmModel, inputs: Sequence[str]) -> list[int]:
        if isinstance(self.coordinates, str) or len(self.coordinates) != len(inputs):
            raise ParameterError(
                f"Decoupling: coordinates = {self.coordinates!r} for the inputs {listing(inputs)}; must be as many "
                "names of coordinates as there are inputs; give inputs=[...] if some are to be left alone."
            )
        n = model.dae.tree.size
        rows = [model.dae.x.index(name) for name in self.coordinates]
        if bad := [name for name, row in zip(self.coordinates, rows, strict=True) if row >= n]:
            raise ParameterError(
                f"Decoupling: {listing(bad)}: not a coordinate; must be one of {listing(model.dae.q_names)}."
            )
        return rows
