"""The contract of force elements: what their physics may contain, with a message to the author where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import casadi as ca

from flexblocks.dynamics.evaluation.variable_names import check_names, check_roles
from flexblocks.errors import ModelError
from flexblocks.interfaces.attached_frame import AttachedFrame
from flexblocks.interfaces.force_element import ForceElement
from flexblocks.interfaces.local import Local
from flexblocks.interfaces.physics import Physics

# What a state says of an output, and how messages call that.
TOLD = {"starts_at": "starts at", "follows": "follows"}


def check_element(
    block: ForceElement,
    frames: tuple[AttachedFrame, ...],
    local: Local,
    physics: Physics,
    vectors: Mapping[str, ca.SX],
) -> None:
    """Refuse physics that break the contract, with a message to the author of the element."""
    where = f"{block.where}: physics()"
    check_names(block, physics)
    check_roles(block)
    if physics.outlets or ca.sparsify(ca.SX(physics.kinetic)).nnz():
        raise ModelError(
            f"{where} returned outlets or a kinetic energy; a ForceElement carries nothing and has no mass."
        )
    if block.dependent_variables(local):
        raise ModelError(f"{block.where}: dependent_variables() returned some; a ForceElement has no coordinates.")
    states, derived = sorted(variable.name for variable in block.states()), sorted(physics.derivatives)
    if derived != states:
        raise ModelError(f"{where} returned derivatives of {derived}; its states are {states}.")
    if (count := len(physics.residuals)) != (wanted := len(block.algebraics())):
        raise ModelError(f"{where} returned {count} residuals for {wanted} algebraic variables.")
    foreign = ca.vertcat(local.acceleration, local.totals.stacked, *local.efforts.values())
    if ca.depends_on(everything(physics), foreign):
        raise ModelError(f"{where} uses local.acceleration, local.totals or local.effort; a ForceElement has none.")
    # What is differentiated in the poses must depend on them alone.
    flow = ca.vertcat(*[part for f in frames for part in (f.spin, f.velocity)])
    virtual = ca.vertcat(*[part for f in frames for part in (f.virtual_spin, f.virtual_velocity)])
    named = [(state, verb, getattr(state, name)) for state in block.states() for name, verb in TOLD.items()]
    for state, verb, name in named:
        output = physics.outputs.get(name)
        if name and (output is None or ca.depends_on(ca.SX(output.value), ca.vertcat(flow, *vectors.values()))):
            raise ModelError(
                f"{block.where}: states(): {state.name} {verb} '{name}'; that must be an output which depends on poses "
                "alone."
            )
    stored = ca.vertcat(physics.stored, *[load.displacement for load in physics.loads])
    if ca.depends_on(stored, ca.vertcat(flow, virtual, *vectors.values())):
        raise ModelError(
            f"{where} returned a potential or a load's displacement that depends on twists, states, algebraic "
            "variables or inputs; both are functions of poses. Write such a force as a load's effort, or as a power."
        )
    if ca.depends_on(ca.SX(physics.dissipation), ca.vertcat(virtual, *vectors.values())):
        raise ModelError(
            f"{where} returned a dissipation that depends on more than poses and twists; write it as a load."
        )
    inner = ca.vertcat(vectors["w"], vectors["z"])
    for load in physics.loads:
        if ca.sparsify(ca.SX(load.energy)).nnz() and ca.depends_on(ca.SX(load.effort), inner):
            raise ModelError(
                f"{where} returned the energy of a load whose effort depends on states or algebraic variables; such "
                "an effort is an applied force, which stores nothing."
            )
    power, equations = ca.SX(physics.power), everything(replace(physics, power=0.0))
    if ca.depends_on(equations, virtual):
        raise ModelError(f"{where} uses frame.power(...) elsewhere than in the power that it returns.")
    none = ca.sparsify(ca.substitute(power, virtual, ca.SX.zeros(virtual.shape)))
    if none.nnz() or ca.depends_on(ca.gradient(power, virtual), virtual):
        raise ModelError(
            f"{where} returned a power that is not a sum of frame.power(force=..., torque=...); it must be linear "
            "in the twists, so that its coefficients are the forces."
        )


def everything(physics: Physics) -> ca.SX:
    """Return all that an element's physics contains, as a column."""
    loads = [part for load in physics.loads for part in (load.effort, load.displacement, load.energy)]
    outputs = [output.value for output in physics.outputs.values()]
    parts = [physics.potential, physics.dissipation, physics.power, *loads, *physics.residuals, *outputs]
    return ca.vertcat(*[ca.SX(part) for part in (*parts, *physics.derivatives.values())])
