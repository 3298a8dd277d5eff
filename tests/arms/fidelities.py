"""What tests of a beam's fidelities share: the same arm with another discretisation, and its frequencies."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
from scipy.linalg import eigh

import flexblocks as fb
from flexblocks.beam.discretization import Discretization
from oracles.published import reference

BEAM = reference("beam")
ARM = reference("subudhi_morris_2002")["frequencies_rad_s_at_theta2_0"]


def swapped(model: fb.Model, discretization: Discretization) -> fb.Model:
    """Return the same model with another discretisation of all its beams."""
    other = fb.Model(model.name, model.gravity)
    for block in model.blocks.values():
        other.add(replace(block, discretization=discretization) if isinstance(block, fb.FlexibleBeam) else block)
    for ports in model.connections:
        other.connect(*map(str, ports))
    return other


def frequencies(dae: fb.DAE) -> np.ndarray:
    """Return the natural frequencies [rad/s] about the start; a motion of the whole arm has zero, but for rounding."""
    zero = np.zeros(dae.tree.size)
    stiffness = ca.Function("stiffness", [dae.q], [ca.hessian(dae.expressions.potential, dae.q)[0]])(zero).full()
    squares = eigh(stiffness, dae.mass_matrix(zero, []).full(), eigvals_only=True)
    return np.sqrt(np.abs(squares))


def cantilever(beam: fb.FlexibleBeam, *loads: fb.Block, gravity=(0.0, 0.0, 0.0)) -> fb.Model:
    """Return a beam clamped to the ground, all loads on its tip."""
    model = fb.Model("cantilever", gravity=gravity)
    model.add(beam)
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    for load in loads:
        model.connect(beam.frame_b, model.add(load).frame_a)
    return model


def with_tip_body(case: dict, discretization: Discretization, axis: str = "y", **beam: float) -> fb.Model:
    """Return the cantilever of a case in references/beam.json, a payload in place of its tip body."""
    mass, reach = case["tip_mass_kg"], case["tip_static_moment_kgm"] / case["tip_mass_kg"]
    inertia = np.diag([0.0, 1.0, 1.0]) * (case["tip_inertia_kgm2"] - mass * reach**2)
    load = fb.Payload("load", mass, inertia, center=(reach, 0, 0))
    link = fb.FlexibleBeam("beam", **case["link"], discretization=discretization, bending=axis, **beam)
    return cantilever(link, load)


def swing(discretization: Discretization, torque: float) -> fb.Trajectory:
    """Return one second of a hinged link with a payload under a torque that continuesce to and fro, smoothly [N m]."""
    model = fb.Model("swing")
    ground, motor, joint = (model.add(b) for b in (fb.Ground("g"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    link = model.add(fb.FlexibleBeam("link", 0.5, 0.2, 1.0, discretization=discretization, bending="y"))
    load = model.add(fb.Payload("payload", 0.1, 0.005))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    # The cube of the sine leaves modes alone that no discretisation of this size resolves.
    drive = {"motor.torque": lambda t: torque * np.sin(2 * np.pi * t) ** 3}
    return fb.simulate(fb.assemble(model), t=np.linspace(0.0, 1.0, 41), u=drive)


def static_response(dae: fb.DAE, force: np.ndarray) -> np.ndarray:
    """Return the small displacements (n) of the coordinates under constant generalised forces (n)."""
    stiffness = ca.Function("stiffness", [dae.q], [ca.hessian(dae.expressions.potential, dae.q)[0]])
    return np.linalg.solve(stiffness(np.zeros(dae.tree.size)).full(), force)


def outputs(dae: fb.DAE, q: np.ndarray) -> dict[str, float]:
    """Return the outputs by name, at rest at the coordinates `q` (n)."""
    values = dae.output(np.r_[q, 0 * np.asarray(q)], [], []).full().ravel()
    return dict(zip(dae.y.names, values, strict=True))


def assert_damping_ratio(dae: fb.DAE, ratio: float) -> None:
    """Assert that all modes about the start have this share of critical damping, and frequencies as without damping."""
    A = ca.Function("A", [dae.x.symbol], [ca.jacobian(dae.expressions.rate, dae.x.symbol)])(np.zeros(len(dae.x))).full()
    poles = np.linalg.eigvals(A)
    np.testing.assert_allclose(-poles.real / np.abs(poles), ratio, rtol=1e-7)
    np.testing.assert_allclose(np.sort(np.abs(poles))[::2], frequencies(dae), rtol=1e-8)
