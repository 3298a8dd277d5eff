"""StrainModes against the elastica, Kirchhoff's rod, closed forms, and the derivatives of its own energy."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from arms.fidelities import BEAM, cantilever, frequencies, outputs, with_tip_body
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.evaluate import block_terms
from flexblocks.errors import ParameterError
from flexblocks.interfaces import Carried
from oracles.elastic_rods import elastica, kirchhoff_rod, places
from oracles.published import reference


def slow(*cases: object) -> list:
    """Return cases of a parameter that only the slow tests take."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


# Errors of the tip's place, in lengths, by number of functions and P l^2/(EI); twice what was measured.
ELASTICA = {
    2: {0.5: 2e-5, 1.0: 2.2e-4, 2.0: 2.2e-3, 5.0: 1.7e-2, 10.0: 4.5e-2},
    3: {0.5: 1.2e-7, 1.0: 1.8e-6, 2.0: 2.4e-5, 5.0: 5e-4, 10.0: 2.8e-3},
    4: {0.5: 1.5e-8, 1.0: 3.5e-7, 2.0: 4.3e-6, 5.0: 2.7e-5, 10.0: 5.5e-5},
}
RECTANGLE = {"section": fb.Rectangle(width=0.02, height=0.03), "material": fb.Material(2700.0, 1e8, 0.3)}
STEPPED = ((0.0, 4.0), (0.3, 4.0), (0.3, 1.0), (0.9, 0.5))


def pulled(beam: fb.FlexibleBeam, *more: fb.Block) -> fb.DAE:
    """Return a cantilever with a point at its tip on which forces act."""
    return fb.assemble(cantilever(beam, fb.LumpedMass("tip", 1e-6), fb.WorldForce("pull"), *more))


def tip(dae: fb.DAE, **inputs: float) -> np.ndarray:
    u = dict.fromkeys(dae.u.names, 0.0) | {name.replace("_", ".", 1): value for name, value in inputs.items()}
    y = outputs(dae, fb.equilibrium(dae, u=u).x[: dae.tree.size])
    return np.array([y[f"tip.{axis}"] for axis in "xyz"])


@pytest.mark.parametrize("n", [3, *slow(4)])
def test_elastica(n: int) -> None:
    """A beam of 20 m under tons and one of 1 m alike: only P l^2/(EI) counts."""
    for length, rigidity, loads in ((1.0, 1.0, (0.5, 2.0, 10.0)), (20.0, 3e7, (1.0, 5.0))):
        dae = pulled(fb.FlexibleBeam("beam", length, 1e-3, rigidity, fb.StrainModes(n)))
        for load in loads:
            found = tip(dae, pull_force_y=load * rigidity / length**2) / length
            assert np.linalg.norm(found - [*elastica(load), 0.0]) < ELASTICA[n][load]


@pytest.mark.parametrize("bending", ["y", *slow("yz")])
def test_an_end_moment_bends_a_beam_to_a_circle(bending: str) -> None:
    """One constant function, EI k = M; by steps in space to what their tangents of half angles are off."""
    beam = fb.FlexibleBeam("beam", 2.0, 1e-3, 3.0, fb.StrainModes(1, points=10), bending)
    dae = pulled(beam, fb.WorldTorque("turn"))
    axis, sign = ("z", 1) if "y" in bending else ("y", -1)
    found = tip(dae, **{f"turn_torque_{axis}": sign * 2 * np.pi * 3.0 / 2.0})
    assert np.linalg.norm(found) < (1e-5 if bending == "yz" else 1e-10) * 2.0
    quarter = tip(dae, **{f"turn_torque_{axis}": sign * np.pi / 2 * 3.0 / 2.0})
    expected = np.array([1.0, 1.0, 0.0]) if axis == "z" else np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(quarter, 2.0 / (np.pi / 2) * expected, atol=1e-8)


@pytest.mark.parametrize(("n", "bound"), [(2, 2e-3), *slow((3, 2e-4))])
def test_kirchhoff_rod_out_of_its_plane(n: int, bound: float) -> None:
    """A force across, one along and a dead moment about the beam: it bends in both planes by 0.4 lengths and twists."""
    force, rigidities = np.array([0.3, 1.0, 1.5]), (0.8, 1.0, 2.0)
    moment = np.array([0.2, 0.0, 0.1])
    exact = kirchhoff_rod(rigidities, force, moment)
    beam = fb.FlexibleBeam(
        "beam", 1.0, 1e-3, rigidities[2], fb.StrainModes(n), "yz", flexural_rigidity_z=rigidities[1],
        torsion=True, torsional_rigidity=rigidities[0], polar_inertia=1e-6,
    )  # fmt: skip
    dae = pulled(beam, fb.WorldTorque("turn"))
    inputs = {f"pull_force_{a}": f for a, f in zip("xyz", force, strict=True)}
    inputs |= {f"turn_torque_{a}": m for a, m in zip("xyz", moment, strict=True)}
    assert np.linalg.norm(exact[1:]) > 0.35
    assert np.linalg.norm(tip(dae, **inputs) - exact) < bound


@pytest.mark.parametrize("axis", slow("z"))
def test_frequencies_with_a_tip_body(axis: str) -> None:
    """Roots of the frequency equation: the second with one function more than the first."""
    for case in BEAM["clamped_mass"][:2]:
        exact = np.array(case["omega_rad_s"])
        for n, bounds in ((2, (2e-4, 4e-1)), (4, (1e-6, 2e-3))):
            found = frequencies(fb.assemble(with_tip_body(case, fb.StrainModes(n), axis)))
            assert np.all(np.abs(found[:2] / exact[:2] - 1) < bounds)


def test_frequencies_of_a_cantilever() -> None:
    """(b l)^2 with cos b cosh b = -1. Modes have the second one sooner, polynomials the first."""
    exact = np.array([1.8751040687, 4.6940911330]) ** 2
    for kind, bounds in (
        (fb.StrainModes(3), (4e-4, 1e-2)),
        (fb.StrainModes(5), (1e-7, 4e-5)),
        (fb.StrainModes(3, functions="modes"), (1e-5, 1e-2)),
    ):
        found = frequencies(fb.assemble(cantilever(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, kind))))[:2]
        assert np.all(np.abs(found / exact - 1) < bounds)


def test_a_step_of_the_rigidity_needs_no_function_more() -> None:
    """int M^2/EI dx of a cantilever under a force at its tip; two functions have its moment exactly."""
    beam = fb.FlexibleBeam("beam", 0.9, 1e-3, STEPPED, fb.StrainModes(2))
    xi, w = np.polynomial.legendre.leggauss(40)
    compliance = 0.0
    for (start, inner), (end, outer) in pairwise(STEPPED):
        x = start + (end - start) * (xi + 1) / 2
        EI = inner + (outer - inner) * (x - start) / (end - start) if end > start else np.ones_like(x)
        compliance += (end - start) / 2 * w @ ((0.9 - x) ** 2 / EI)
    assert tip(pulled(beam), pull_force_y=1e-5)[1] == pytest.approx(compliance * 1e-5, rel=1e-4)


@pytest.mark.parametrize("turns", [True, *slow(False)])
def test_shear_and_extension(turns: bool) -> None:
    """P l^3/(3 EI) + P l/(kappa GA) across and P l/EA along."""
    beam = fb.FlexibleBeam(
        "beam", 0.5, 1.0, 2.0, fb.StrainModes(2), shear=True, shear_rigidity=40.0, rotary_inertia=turns,
        axial=True, axial_rigidity=70.0, **({"section_inertia": 0.01} if turns else {}),
    )  # fmt: skip
    dae = pulled(beam)
    assert dae.q_names == (
        "beam.curvature_y[1]", "beam.curvature_y[2]", *("beam.shear_y[1]", "beam.shear_y[2]") * turns,
        "beam.extension[1]", "beam.extension[2]",
    )  # fmt: skip
    assert tip(dae, pull_force_y=1e-6)[1] == pytest.approx(1e-6 * (0.5**3 / 6 + 0.5 / 40), rel=1e-9)
    assert tip(dae, pull_force_x=1e-6)[0] == pytest.approx(0.5 + 1e-6 * 0.5 / 70, abs=1e-14)


def test_functions_of_ones_own_and_pieces() -> None:
    """Functions of one's own that are the polynomials make the same arm; breaks give each piece its own."""
    legendre = (lambda x: 1.0, lambda x: 2 * x - 1)
    same, own = (
        fb.assemble(cantilever(fb.FlexibleBeam("beam", 1.3, 1.0, 1.0, kind, bending="yz")))
        for kind in (fb.StrainModes(2), fb.StrainModes(2, functions=legendre, points=3))
    )
    q = np.array([0.4, -0.3, 0.5, 0.2])
    np.testing.assert_allclose(own.mass_matrix(q, []).full(), same.mass_matrix(q, []).full(), rtol=1e-12, atol=1e-14)
    pieces = pulled(fb.FlexibleBeam("beam", 1.0, 1e-3, 1.0, fb.StrainModes(2, breaks=(0.5,))))
    assert pieces.tree.size == 4
    whole = np.linalg.norm(tip(pieces, pull_force_y=5.0) - [*elastica(5.0), 0.0])
    assert whole < ELASTICA[2][5.0] / 10


def curvatures(n: int):
    """Return twist and curvatures of a rod as functions of its place, from its coordinates y, z, torsion."""

    def at(xi: float, q: np.ndarray) -> np.ndarray:
        y, z, twist = (np.polynomial.legendre.legval(2 * xi - 1, part) for part in q.reshape(3, n))
        return np.array([twist, -z, y])

    return at


@pytest.mark.slow
def test_kinetic_energy_is_that_of_the_rod() -> None:
    """Velocities of points by differences of places that an integrator of the directors finds; of fourth order."""
    q, s, step = np.array([0.6, -0.3, 0.5, 0.4, 0.3, -0.5]), np.array([1.0, 0.4, -0.7, 0.3, 0.5, -0.2]), 1e-4
    xi, w = np.polynomial.legendre.leggauss(12)
    xi, w = (xi + 1) / 2, w / 2
    (before, turned_before), (after, turned_after) = (
        places(curvatures(2), q + sign * step * s, xi) for sign in (-1, 1)
    )
    energy = 0.7 * w @ np.sum(((after - before) / (2 * step)) ** 2, axis=1) / 2
    rate = (turned_after - turned_before) / (2 * step)
    spin = np.einsum("ki,ki->k", rate[:, :, 1], places(curvatures(2), q, xi)[1][:, :, 2])
    energy += 0.2 * w @ spin**2 / 2
    errors = []
    for points in (5, 11):
        beam = fb.FlexibleBeam(
            "beam", 1.0, 0.7, 1.0, fb.StrainModes(2, points=points), "yz", torsion=True, torsional_rigidity=1.0,
            polar_inertia=0.2,
        )  # fmt: skip
        found = s @ fb.assemble(cantilever(beam)).mass_matrix(q, []).full() @ s / 2
        errors.append(abs(found / energy - 1))
    assert errors[0] < 1e-4
    assert errors[1] < errors[0] / 8


BEAMS = {
    "planar": (fb.StrainModes(2), {"linear_density": 0.7, "flexural_rigidity": 2.0, "internal_forces": (0.3,)}),
    "in space": (
        fb.StrainModes(1),
        {**RECTANGLE, "bending": "yz", "torsion": True, "axial": True, "shear": True, "rotary_inertia": True},
    ),
    "modes, tapered, cut": (
        fb.StrainModes(2, functions="modes"),
        {
            "section": ((0.0, fb.Rectangle(width=0.02, height=0.03)), (0.9, fb.Rectangle(width=0.01, height=0.01))),
            "material": RECTANGLE["material"], "bending": "z", "shear": True, "rotary_inertia": True,
            "internal_forces": (0.0, 0.4),
        },
    ),
    "stepped": (fb.StrainModes(2), {"linear_density": 0.7, "flexural_rigidity": STEPPED, "bending": "yz"}),
}  # fmt: skip


@pytest.mark.parametrize("case", ["planar", "in space", *slow("modes, tapered, cut", "stepped")])
def test_stated_forces_are_those_derived_from_the_energy(case: str) -> None:
    """Hamel's equations by automatic differentiation of the kinetic energy, with and without the cuts released."""
    kind, options = BEAMS[case]
    beam = fb.FlexibleBeam("beam", 0.9, discretization=kind, **options)
    rng = np.random.default_rng(2)
    for released in (False, True) if "internal_forces" in options else (False,):
        stated = block_terms(beam, ("frame_b",), True, Carried(), ca.SX(0, 1), released=released)
        derived: BlockTerms = replace(stated, physics=replace(stated.physics, bodies=()))
        q, s, omega = 0.7 * rng.normal(size=stated.size), rng.normal(size=stated.size), rng.normal(size=3)
        q[list(stated.held)] = s[list(stated.held)] = 0.0
        np.testing.assert_allclose(stated.inertia(q, []).full(), derived.inertia(q, []).full(), atol=1e-12)
        for one, other in zip(stated.bias(omega, q, s, []), derived.bias(omega, q, s, []), strict=True):
            np.testing.assert_allclose(one.full(), other.full(), atol=1e-12)


@pytest.mark.parametrize(("n", "bound"), [(4, 2e-3), *slow((8, 1e-4))])
def test_a_pendulum_that_falls_far_bent_against_exudyn(n: int, bound: float) -> None:
    """Places of the tip by ANCF cable elements, converged within 2e-5 of the length; it bends by a third of it."""
    known = reference("exudyn_pendulum")
    beam = fb.FlexibleBeam("beam", 1.0, 0.2, 0.1, fb.StrainModes(n))
    model = chain(fb.Revolute("joint"), beam, fb.LumpedMass("tip", 0.0), gravity=(0.0, -9.81, 0.0))
    run = fb.simulate(fb.assemble(model), np.array([0.0, *known["t_s"]]), rtol=1e-7, atol=1e-9)
    assert np.abs(run["beam.tip_deflection_y"]).max() > 0.25
    found = np.column_stack([run["tip.x"], run["tip.y"]])[1:]
    assert np.linalg.norm(found - known["tip_m"], axis=1).max() < bound


def test_bad_arguments_are_refused() -> None:
    for arguments, words in (
        ((0,), "n = 0; must be a whole number"),
        ((2, "cosines"), "functions = 'cosines'; must be 'polynomials', 'modes' or a tuple of 2"),
        ((2, (np.cos,)), "a tuple of 2 functions"),
        ((2, (np.cos, np.cos)), "independent"),
        ((2, "modes", (0.5,)), "modes know where"),
        ((2, "polynomials", (1.5,)), r"breaks = \(1.5,\); must be places"),
        ((2, "polynomials", (), 0), "points = 0"),
    ):
        with pytest.raises(ParameterError, match=words):
            fb.StrainModes(*arguments)
