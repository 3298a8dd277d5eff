"""Rotary inertia of sections that tilt and twist in a rotating frame, by Ritz's method and integrals of energies."""

from __future__ import annotations

from itertools import pairwise

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from flexblocks.beam.discretization import Discretization
from flexblocks.beam.from_block import beam_from_block
from flexblocks.beam.kinematics.rotary_energy import rotary_energy
from flexblocks.dynamics.evaluation.evaluate import block_terms
from flexblocks.interfaces import Carried
from oracles import rotating_rayleigh

KINDS = (fb.AssumedModes(5, tip="free"), fb.FiniteElements(4), fb.StrainModes(5))
SECTIONS = {"rotary_inertia": True, "section_inertia": 0.01, "section_inertia_z": 0.004}


def rotating(kind: Discretization, speed: float, size: float = 1.0, **beam: object) -> np.ndarray:
    """Return the frequencies [rad/s] of a blade of this length on a hub that turns about z at this speed [rad/s]."""
    model = fb.Model("blade")
    hub, blade = model.add(fb.Revolute("hub")), model.add(fb.FlexibleBeam("blade", size, discretization=kind, **beam))
    model.connect(model.add(fb.Ground("ground")).frame_b, hub.frame_a)
    model.connect(hub.frame_b, blade.frame_a)
    lin = fb.linearize(fb.assemble(model, prescribed="hub.angle"), {"der(hub.angle)": speed})
    values = np.linalg.eigvals(np.linalg.solve(lin.E, lin.A)).imag
    return np.sort(values[values > 1e-6 * speed])


@pytest.mark.parametrize(
    ("kind", "axis", "size"), [(KINDS[0], "y", 1.0), (KINDS[1], "z", 30.0), (KINDS[2], "z", 1.0)], ids=repr
)
def test_frequencies_about_a_rotation_are_those_of_ritz(kind: Discretization, axis: str, size: float) -> None:
    speed = 8.0
    expected = rotating_rayleigh.frequencies(speed, 0.01, 0.004, 0.014, out_of_plane=axis == "z")
    # In units in which density and EI are one, a length l has frequencies in 1/l^2 and sections of inertia l^2.
    turning = {"section_inertia": 0.01 * size**2, "section_inertia_z": 0.004 * size**2}
    found = rotating(
        kind, speed / size**2, size, linear_density=1.0, flexural_rigidity=1.0, bending=axis, stiffening=True,
        rotary_inertia=True, **turning,
    )  # fmt: skip
    np.testing.assert_allclose(found[:2] * size**2, expected[:2], rtol=2e-3)


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_a_blade_that_rotates_is_stiffer_in_torsion_if_it_is_flat(kind: Discretization) -> None:
    """The propeller moment turns a flat section into the plane of rotation (Houbolt & Brooks 1957)."""
    speed = 20.0
    found = rotating(
        kind, speed, linear_density=1.0, flexural_rigidity=1e6, bending="y", torsion=True, torsional_rigidity=2.0,
        **SECTIONS,
    )  # fmt: skip
    polar, flat = 0.014, 0.006
    expected = np.sqrt((np.pi / 2) ** 2 * 2.0 / polar + speed**2 * flat / polar)
    assert found[0] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(("kind", "size", "tapered"), [(KINDS[0], 2e-3, True), (KINDS[1], 3e-2, False)], ids=repr)
def test_kinetic_energy_is_that_of_turned_sections(kind: Discretization, size: float, tapered: bool) -> None:
    """To the second order in the angles, at any angular velocity of the root: the error is of the third."""
    errors = [_error_of_energy(kind, tapered, each) for each in (size, size / 2)]
    assert errors[0] < 1e-5
    assert errors[1] < errors[0] / 6


def _error_of_energy(kind: Discretization, tapered: bool, size: float) -> float:
    """Return the error [J] of the energy of sections that turn by angles and at rates of this size."""
    section_inertia = [(0.0, 0.015), (0.7, 0.005)] if tapered else 0.01
    block = fb.FlexibleBeam(
        "beam", 0.7, linear_density=1.3, flexural_rigidity=2.0, discretization=kind, bending="yz", torsion=True,
        torsional_rigidity=1.0, shear=True, shear_rigidity=50.0, **(SECTIONS | {"section_inertia": section_inertia}),
    )  # fmt: skip
    beam = beam_from_block(block, np.zeros((6, 6)))
    planes, rng = {axis: kind.plane(axis, beam) for axis in beam.deformations}, np.random.default_rng(1)
    q, s = ({axis: size * rng.uniform(-1, 1, plane.shapes.size) for axis, plane in planes.items()} for _ in range(2))
    omega = np.array([2.0, -1.0, 3.0])
    symbols = [{axis: ca.SX(values) for axis, values in of.items()} for of in (q, s)]
    found = float(ca.evalf(rotary_energy(ca.SX(omega), beam, planes, *symbols)))
    # The same by rotations of sections, and their differences in time.
    xi, w = np.polynomial.legendre.leggauss(40)
    bounds, expected, step = np.linspace(0.0, 1.0, 7), 0.0, 1e-6
    for start, end in pairwise(bounds):
        for place, weight in zip(start + (end - start) * (xi + 1) / 2, w * (end - start) / 2, strict=True):
            turns = {axis: plane.shapes.rotation(float(place)) for axis, plane in planes.items()}

            def section(time: float, turns: dict[str, np.ndarray] = turns) -> np.ndarray:
                angle = {axis: turns[axis] @ (q[axis] + time * s[axis]) for axis in turns}
                return Rotation.from_euler("ZYX", [angle["y"] / 0.7, -angle["z"] / 0.7, angle["torsion"]]).as_matrix()

            R = section(0.0)
            relative = R.T @ (section(step) - section(-step)) / (2 * step)
            turning = R.T @ omega + np.array([relative[2, 1], relative[0, 2], relative[1, 0]])
            about_z = 0.015 - 0.01 * place if tapered else 0.01
            expected += 0.7 * weight * float(np.array([about_z + 0.004, 0.004, about_z]) @ turning**2) / 2
    return abs(found - expected)


@pytest.mark.parametrize("bending", ["y", "z", "yz"])
def test_velocity_forces_are_those_of_the_energy(bending: str) -> None:
    block = fb.FlexibleBeam(
        "beam", 0.7, linear_density=1.3, flexural_rigidity=2.0, discretization=fb.FiniteElements(2), bending=bending,
        **SECTIONS,
    )  # fmt: skip
    terms = block_terms(block, ("frame_b",), True, Carried(), ca.SX(0, 1))
    rng = np.random.default_rng(2)
    values = [rng.normal(size=3), *(0.1 * rng.normal(size=(2, terms.size))), []]
    assert terms.physics.velocity_forces is not None
    for stated, derived in zip(terms.bias(*values), terms.derived_bias(*values), strict=True):
        np.testing.assert_allclose(stated.full(), derived.full(), rtol=1e-10, atol=1e-12)


def test_polar_inertia_is_the_sum_of_its_parts() -> None:
    blade = {"linear_density": 1.0, "flexural_rigidity": 1.0, "bending": "z", "stiffening": True}
    tables = {
        "section_inertia": lambda x: 0.01 + 0.01 * x,
        "section_inertia_z": [(0.0, 0.004), (0.4, 0.01), (1.0, 0.0)],
    }
    sums = {"polar_inertia": [(0.0, 0.014), (0.4, 0.024), (1.0, 0.02)]}
    for sections, polar in ((SECTIONS, {"polar_inertia": 0.014}), (SECTIONS | tables, sums)):
        left_out, given = (rotating(fb.StrainModes(3), 12.0, **blade, **sections, **more) for more in ({}, polar))
        np.testing.assert_allclose(left_out, given, rtol=1e-9)
    # Of twist as well.
    twisting = {"torsion": True, "torsional_rigidity": 1.0, **blade, **SECTIONS}
    left_out, given = (rotating(KINDS[1], 3.0, **twisting, **more) for more in ({}, {"polar_inertia": 0.014}))
    np.testing.assert_allclose(left_out, given, rtol=1e-9)
