"""Outputs of the arm: those of its blocks, tip positions, loop forces, signals of control laws, motion of frames."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from flexblocks.dynamics.algorithms.element_forces import element_values
from flexblocks.dynamics.algorithms.frame_motions import POSITION, frame_quantities
from flexblocks.dynamics.algorithms.generalized_forces import block_arguments
from flexblocks.dynamics.algorithms.internal_forces import internal_forces
from flexblocks.dynamics.algorithms.kinematics import Motion, motions, outlet_motion
from flexblocks.dynamics.algorithms.prescribed_motion import driving_efforts
from flexblocks.dynamics.algorithms.totals import totals
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.dependent_variables import dependent_rates
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.interfaces.frame import skew
from flexblocks.interfaces.ports import Kind


def output_units(tree: Tree) -> dict[str, str]:
    """Return the units of all outputs by name, in the order of the tree."""
    units = {}
    for body in tree.bodies:
        units |= {f"{body.name}.{name}": output.unit for name, output in body.terms.physics.outputs.items()}
    for element in tree.elements:
        units |= {f"{element.name}.{name}": output.unit for name, output in element.terms.physics.outputs.items()}
    for index in _ends(tree):
        units |= {f"{tree.bodies[index].name}.{axis}": "m" for axis in POSITION}
    units |= dict(lock.effort for lock in tree.locks)
    units |= dict(prescription.effort for prescription in tree.prescribed)
    units |= dict(zip(tree.loops.multipliers, tree.loops.units, strict=True))
    return units if tree.feedback is None else units | dict(tree.feedback.units)


def outputs(
    tree: Tree,
    x: ca.SX,
    z: ca.SX,
    u: ca.SX,
    names: tuple[str, ...],
    accelerations: Callable[[], ca.SX],
    multipliers: Callable[[], ca.SX],
) -> ca.SX:
    """Return the outputs of these names as a dense column; x must be the symbols themselves.

    `accelerations` gives the second derivatives (n) of the coordinates, `multipliers` the loop forces (m). They are
    called only if an output needs them.
    """
    # Motion of all frames, and accelerations if a sensor needs them.
    n, (q, v, _) = tree.size, tree.split_state(x)
    inlets = motions(tree, q, v)
    felt = bool(tree.locks) or any(body.terms.senses_effort for body in tree.bodies)
    sensed_accelerations = any(body.terms.senses_acceleration for body in tree.bodies)
    a = accelerations() if felt or sensed_accelerations or tree.prescribed else ca.SX(n, 1)
    # Accelerometers differentiate velocities: the variables these depend on, and their rates.
    motion = ca.SX(0, 1), ca.SX(0, 1)
    if sensed_accelerations:
        motion = ca.vertcat(q, v, tree.dependent), ca.vertcat(v, a, dependent_rates(tree, q, v))
    # Loop forces, and section forces if a sensor needs them.
    forces = multipliers() if tree.loops.closures else ca.SX(0, 1)
    by_name = dict(zip(tree.loops.multipliers, ca.vertsplit(forces), strict=True)) if tree.loops.closures else {}
    inputs = tree.block_inputs(x, z, u)
    efforts, holding = internal_forces(tree, x, z, inputs, a, forces) if felt else ({}, ca.SX(0, 1))
    by_name |= {lock.effort[0]: holding[i] for i, lock in enumerate(tree.locks)}
    if tree.prescribed:
        drives = driving_efforts(tree, x, z, u, a, forces)
        by_name |= {prescription.effort[0]: drives[prescription.column] for prescription in tree.prescribed}
    # Mass and momenta of the whole arm, if a sensor needs them.
    whole = ca.SX(10, 1)
    if any(body.terms.senses_totals for body in tree.bodies):
        whole = totals(tree, inlets, q, v)
    # Outputs of every block.
    for inlet, body in zip(inlets, tree.bodies, strict=True):
        sensed = _acceleration(inlet, *motion) if body.terms.senses_acceleration else ca.SX(3, 1)
        arguments = block_arguments(tree, body, x, z, inputs)
        effort = efforts.get(body.name, ca.SX(len(body.terms.held), 1))
        (values,) = call(body.terms.outputs, *inlet, sensed, inlet[0].T @ tree.gravity, effort, whole, *arguments)
        by_name |= {f"{body.name}.{name}": values[i] for i, name in enumerate(body.terms.physics.outputs)}
    of_elements = element_values(tree, "outputs", x, z, inputs).values() if tree.elements else ()
    for element, values in zip(tree.elements, of_elements, strict=True):
        by_name |= {f"{element.name}.{name}": values[i] for i, name in enumerate(element.terms.physics.outputs)}
    # Positions of the tips.
    for index in _ends(tree):
        body = tree.bodies[index]
        ends_in_frame = "frame_b" in body.terms.outlets
        _, r, _ = outlet_motion(tree, inlets, index, "frame_b", q, v) if ends_in_frame else inlets[index]
        by_name |= {f"{body.name}.{axis}": r[i] for i, axis in enumerate(POSITION)}
    # Signals of control laws.
    if tree.feedback is not None:
        (values,) = call(tree.feedback.outputs, x, z, u, tree.p)
        by_name |= {name: values[i] for i, name in enumerate(tree.feedback.units)}
    # Motion of other frames, only of those that are requested.
    others = [name for name in names if name not in by_name]
    if others:
        by_name |= dict(zip(others, frame_quantities(tree, others, q, v), strict=True))
    return ca.densify(ca.vertcat(*[by_name[name] for name in names], ca.SX(0, 1)))


def _acceleration(motion: Motion, moving: ca.SX, rates: ca.SX) -> ca.SX:
    """Return the acceleration (3) of a frame's origin relative to the world, in the axes of the frame.

    The velocity is an expression of the symbols `moving`, whose time derivatives are `rates`; its components change,
    and the axes rotate.
    """
    _, _, V = motion
    change = ca.jtimes(V[3:], moving, rates)
    return ca.sparsify(change + skew(ca.sparsify(V[:3])) @ V[3:])


def _ends(tree: Tree) -> list[int]:
    """Return the tips: bodies in the tree of frames that carry nothing."""
    carrying = {body.parent for body in tree.bodies}
    return [
        i
        for i, body in enumerate(tree.bodies)
        if body.parent is not None and i not in carrying and _has_place(body.block)
    ]


def _has_place(block: object) -> bool:
    ports = getattr(block, "ports", ())
    return any(spec.kind is Kind.FRAME and not spec.outlet and not spec.optional for spec in ports)
