"""The internal model of a law: a DAE whose states are measured at the controlled arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from flexblocks.control.design.driven_inputs import without_disturbances
from flexblocks.control.measured import measured
from flexblocks.control.sensing.sensed_arm import without_sensors
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion


@dataclass(frozen=True, eq=False)
class ArmModel:
    """A model of the arm inside a law, its states measured at the controlled arm.

    Attributes
    ----------
    dae : DAE
        The model: a rigid arm, a coarser one, one with other parameters, or the controlled arm itself.
    plant : DAE
        The controlled arm.
    measured : dict of str
        State or output of the arm measured for a coordinate of the model; all others have the same name in both.
    where : str
        The law or observer, for messages.
    """

    dae: DAE
    plant: DAE
    measured: Mapping[str, str]
    where: str

    def in_arm_symbols(self, expression: ca.SX) -> ca.SX:
        """Return an expression of the model's x, z, u and p in the symbols of the arm.

        Raises
        ------
        NameUnknownError
            It depends on a variable that the arm does not have.
        """
        if self.is_the_arm and not self.measured:
            return expression
        # Only variables that the expression depends on have to exist at the arm.
        used = [(group, i) for group in (self.dae.x, self.dae.z, self.dae.u) for i in range(len(group))]
        used = [(group, i) for group, i in used if ca.depends_on(expression, group.symbol[i])]
        symbols, values = [], []
        for group, i in used:
            name = group.names[i]
            symbols.append(group.symbol[i])
            values.append(self._input(name) if group is self.dae.u else self._value(name))
        # Parameters of the arm itself stay symbols; those of another model have their values.
        p = self.dae.p.symbol if self.is_the_arm else ca.SX(ca.DM(self.dae.p.start))
        return ca.substitute(expression, ca.vertcat(*symbols, self.dae.p.symbol), ca.vertcat(*values, p))

    @property
    def is_the_arm(self) -> bool:
        """Whether the model is the controlled arm itself."""
        return self.dae.tree is self.plant.tree  # whatever its outputs and sensors are

    def coordinate(self, name: str) -> str:
        """Return what a coordinate of the model is called in the arm."""
        return self.measured.get(name, name)

    def _value(self, name: str) -> ca.SX:
        if name.startswith("der(") and name[4:-1] in self.measured:
            name = f"der({self.measured[name[4:-1]]})"
        return measured(self.plant, self.measured.get(name, name), self.where).value

    def _input(self, name: str) -> ca.SX:
        if name not in self.plant.u:
            raise NameUnknownError(
                f"{self.where}: the arm has no input '{name}' as the model has ({listing(self.plant.u.names)}). Give a "
                "model with the inputs of the arm."
            )
        return self.plant.u.symbol[self.plant.u.index(name)]


def arm_model(model: DAE | None, plant: DAE, measured_as: Mapping[str, str] | None, where: str) -> ArmModel:
    """Return the model of a law: the DAE that it was given, or by default the arm itself.

    Raises
    ------
    NameUnknownError
        `measured_as` names a coordinate that the model does not have.
    ParameterError
        The model has closed kinematic loops, whose constraint forces the law would leave out.
    """
    model = model or without_sensors(plant)
    if model.tree.loops.closures:
        raise ParameterError(
            f"{where}: the model has closed kinematic loops, and this law leaves out their constraint forces. Use "
            "PD, PID or LQR, or give model=, the DAE of an arm without loops."
        )
    image = ArmModel(model, plant, dict(measured_as or {}), where)
    for name in image.measured:
        if name not in image.dae.q_names:
            known = image.dae.q_names
            raise NameUnknownError(f"{where}: measured: the model has no coordinate '{name}'{suggestion(name, known)}")
    return image


def input_map(dae: DAE, inputs: Sequence[str], where: str) -> tuple[ca.SX, ca.SX]:
    """Return the input matrix B (n, k) and r (n,): generalised forces are B u + r in the k inputs u; r holds the rest.

    Disturbances that are none of these inputs are not known, and zero.

    Raises
    ------
    NameUnknownError
        The arm does not have the input.
    ParameterError
        The forces are not linear in the inputs.
    """
    u = ca.vertcat(*[dae.u.symbol[dae.u.index(name)] for name in inputs], ca.SX(0, 1))
    force = without_disturbances(dae, dae.expressions.applied, inputs)
    B = ca.sparsify(ca.jacobian(force, u))
    if ca.depends_on(B, u):
        raise ParameterError(
            f"{where}: the generalised forces are not linear in {listing(inputs)}; must be, for this law."
        )
    return B, ca.sparsify(ca.substitute(force, u, ca.SX.zeros(u.shape)))


def driven_coordinates(dae: DAE, B: ca.SX, inputs: Sequence[str], where: str) -> list[int]:
    """Return the coordinates that the inputs act on, as many as there are inputs.

    Raises
    ------
    ParameterError
        The inputs act on more or fewer coordinates.
    """
    rows = sorted(set(B.sparsity().get_triplet()[0]))
    if len(rows) != len(inputs):
        raise ParameterError(
            f"{where}: the inputs {listing(inputs)} act on {len(rows)} coordinates "
            f"({listing(dae.q_names[row] for row in rows)}); must be as many. Name the inputs that act on one each."
        )
    return rows
