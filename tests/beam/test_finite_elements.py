"""Finite elements of a beam: matrices, frequencies, static deflections, sections, damping and a swing."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.fidelities import (
    ARM,
    BEAM,
    assert_damping_ratio,
    cantilever,
    frequencies,
    outputs,
    static_response,
    swapped,
    swing,
    with_tip_body,
)
from flexblocks import models
from flexblocks.beam.shapes.hermite import HermiteShapes
from flexblocks.beam.shapes.shape_functions import shape_integrals


def elements(n: int, **values: object) -> fb.FlexibleBeam:
    size = {"length": 2.0, "linear_density": 3.0, "flexural_rigidity": 5.0}
    return fb.FlexibleBeam("beam", **{**size, **values}, discretization=fb.FiniteElements(n))


def matrices(dae: fb.DAE) -> tuple[np.ndarray, np.ndarray]:
    """Return mass and stiffness matrix about the straight beam."""
    zero = np.zeros(dae.tree.size)
    stiffness = ca.Function("K", [dae.q], [ca.hessian(dae.expressions.potential, dae.q)[0]])
    return dae.mass_matrix(zero, []).full(), stiffness(zero).full()


@pytest.mark.parametrize("axis", ["y", "z"])
def test_coordinates_are_deflection_and_slope_of_the_nodes(axis: str) -> None:
    dae = fb.assemble(cantilever(elements(2, bending=axis)))
    names = (f"deflection_{axis}[1]", f"slope_{axis}[1]", f"deflection_{axis}[2]", f"slope_{axis}[2]")
    assert dae.q_names == tuple(f"beam.{name}" for name in names)
    assert dae.x.units == ("m", "rad", "m", "rad", "m/s", "rad/s", "m/s", "rad/s")


def test_both_planes_have_coordinates_of_their_own() -> None:
    dae = fb.assemble(cantilever(elements(1, bending="yz", flexural_rigidity_z=20.0)))
    names = ("deflection_y[1]", "slope_y[1]", "deflection_z[1]", "slope_z[1]")
    assert dae.q_names == tuple(f"beam.{name}" for name in names)
    M, K = matrices(dae)
    np.testing.assert_allclose(M, np.kron(np.eye(2), M[:2, :2]), atol=1e-14)
    np.testing.assert_allclose(K, np.kron(np.diag([1, 4]), K[:2, :2]), atol=1e-14)


def consistent(h: float, rho: float, EI: float) -> tuple[np.ndarray, np.ndarray]:
    """Return mass and stiffness matrix of an element (Przemieniecki 1968, sections 5.6 and 11.4)."""
    mass = [[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]
    stiffness = [[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]]
    turn = np.diag([1, h, 1, h])
    return turn @ (rho * h / 420 * np.array(mass)) @ turn, turn @ (EI / h**3 * np.array(stiffness)) @ turn


def assembled(n: int, length: float, rho: float, EI: float) -> np.ndarray:
    """Return mass and stiffness matrix (2, 2n, 2n) of the clamped beam."""
    both = np.zeros((2, 2 * n + 2, 2 * n + 2))
    for k in range(n):
        both[:, 2 * k : 2 * k + 4, 2 * k : 2 * k + 4] += consistent(length / n, rho, EI)
    return both[:, 2:, 2:]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_matrices_are_the_assembled_consistent_ones(n: int) -> None:
    dae = fb.assemble(cantilever(elements(n)))
    for found, expected in zip(matrices(dae), assembled(n, 2.0, 3.0, 5.0), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * expected.max())


@pytest.mark.parametrize("n", [2, 7])
def test_integrals_are_bands_with_exact_zeros_that_cost_nothing(n: int) -> None:
    found, (mass, stiffness) = shape_integrals(HermiteShapes(n)), assembled(n, 1.0, 1.0, 1.0)
    assert np.array_equal(found.mass == 0, np.abs(mass) < 1e-14)
    assert np.array_equal(found.stiffness == 0, np.abs(stiffness) < 1e-9)
    # A slope at an inner node moves as much up as down.
    np.testing.assert_allclose(found.mean[::2], [*[1 / n] * (n - 1), 0.5 / n], rtol=1e-13)
    assert np.all(found.mean[1:-1:2] == 0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_frequencies_of_theodore_and_ghosal(n: int) -> None:
    beam = fb.FlexibleBeam("beam", 1.0, 0.3310, 1165.4916, discretization=fb.FiniteElements(n))
    printed = BEAM["theodore_ghosal_table_1_rad_s"]["fem"][str(n)]
    np.testing.assert_allclose(frequencies(fb.assemble(cantilever(beam))), printed, rtol=1e-6)


@pytest.mark.parametrize(("case", "axis"), zip(BEAM["clamped_mass"], "yz", strict=True), ids=["link 1", "link 2"])
def test_frequencies_with_a_tip_body_converge_at_fourth_order(case: dict, axis: str) -> None:
    found = [frequencies(fb.assemble(with_tip_body(case, fb.FiniteElements(n), axis)))[:3] for n in (3, 6, 12)]
    errors = np.array(found) / case["omega_rad_s"][:3] - 1
    # The first frequency is near the last digit of the reference from the start.
    assert np.all(errors[:, 1:] > 0)
    rates = np.log2(errors[:-1, 1:] / errors[1:, 1:])
    assert np.all(np.abs(rates - 4) < 0.25)
    assert np.all(np.abs(errors[-1]) < (2e-7, 2e-7, 2e-5))


@pytest.mark.parametrize("n", [1, 3])
def test_static_deflection_under_a_force_and_a_moment_at_the_tip_is_exact_everywhere(n: int) -> None:
    """v = F x^2 (3 l - x)/(6 EI) + M x^2/(2 EI): at the nodes, and between them as it is a cubic."""
    F, moment, length, EI = 1e-4, 2e-4, 2.0, 5.0
    model = cantilever(elements(n))
    places = (0.0, 0.3, 0.777, 1.5, 2.0)
    for i, x in enumerate(places):
        model.connect(model["beam"].station(x), model.add(fb.LumpedMass(f"probe{i}", 0.0)).frame_a)
    dae = fb.assemble(model)
    q = static_response(dae, np.r_[np.zeros(2 * n - 2), F, moment])
    x = length * np.arange(1, n + 1) / n
    np.testing.assert_allclose(q[::2], F * x**2 * (3 * length - x) / (6 * EI) + moment * x**2 / (2 * EI), rtol=1e-11)
    np.testing.assert_allclose(q[1::2], F * x * (2 * length - x) / (2 * EI) + moment * x / EI, rtol=1e-11)
    x, y = np.array(places), outputs(dae, q)
    expected = F * x**2 * (3 * length - x) / (6 * EI) + moment * x**2 / (2 * EI)
    np.testing.assert_allclose([y[f"probe{i}.y"] for i in range(len(x))], expected, rtol=1e-11, atol=1e-18)
    assert y["beam.tip_deflection_y"] == pytest.approx(expected[-1], rel=1e-11)


@pytest.mark.parametrize("n", [1, 4])
def test_deflection_under_weight_is_exact_at_the_nodes(n: int) -> None:
    """v = -rho g x^2 (6 l^2 - 4 l x + x^2)/(24 EI), and its slope."""
    g, length, EI = 0.2, 2.0, 5.0
    dae = fb.assemble(cantilever(elements(n), gravity=(0, -g, 0)))
    q = fb.equilibrium(dae).x[: 2 * n]
    x, w = length * np.arange(1, n + 1) / n, -3.0 * g
    np.testing.assert_allclose(q[::2], w * x**2 * (6 * length**2 - 4 * length * x + x**2) / (24 * EI), rtol=1e-9)
    np.testing.assert_allclose(q[1::2], w * x * (3 * length**2 - 3 * length * x + x**2) / (6 * EI), rtol=1e-9)


def test_a_positive_slope_turns_about_z_and_about_minus_y() -> None:
    slope_y, slope_z = 0.3, 0.2
    model = cantilever(elements(1, bending="yz"), fb.RigidLink("rod", 1.0))
    model.connect("beam.frame_b", model.add(fb.LumpedMass("probe", 0.0)).frame_a)
    y = outputs(fb.assemble(model), np.array([0.0, slope_y, 0.0, slope_z]))
    place = np.array([[y[f"{name}.{axis}"] for axis in "xyz"] for name in ("probe", "rod")])
    np.testing.assert_allclose(place[0], [2.0, 0.0, 0.0], atol=1e-15)
    expected = [np.cos(slope_z) * np.cos(slope_y), np.cos(slope_z) * np.sin(slope_y), np.sin(slope_z)]
    np.testing.assert_allclose(place[1] - place[0], expected, rtol=1e-12)


@pytest.mark.parametrize("axis", ["y", "z", "yz"])
@pytest.mark.parametrize("case", [None, BEAM["clamped_mass"][0]], ids=["free", "tip body"])
def test_damping_ratio_is_that_of_every_mode(case: dict | None, axis: str) -> None:
    damped = {"damping_ratio": 0.03, "flexural_rigidity_z": 3.0}
    if case:
        dae = fb.assemble(with_tip_body(case, fb.FiniteElements(2), axis, **damped))
    else:
        dae = fb.assemble(cantilever(elements(2, bending=axis, **damped)))
    assert_damping_ratio(dae, 0.03)


def test_symbolic_parameters_are_those_of_another_beam() -> None:
    names = ("beam.length", "beam.linear_density", "beam.flexural_rigidity")
    symbolic = fb.assemble(cantilever(elements(2), fb.Payload("load", 0.3, 0.1)), symbolic=names)
    p = (0.7, 1.3, 20.0)
    other = elements(2, **dict(zip(("length", "linear_density", "flexural_rigidity"), p, strict=True)))
    folded = fb.assemble(cantilever(other, fb.Payload("load", 0.3, 0.1)))
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-0.1, 0.1, (3, 4))
    expected = folded.inverse_dynamics(q, v, a, []).full()
    np.testing.assert_allclose(symbolic.inverse_dynamics(q, v, a, p).full(), expected, rtol=1e-11)
    np.testing.assert_allclose(symbolic.mass_matrix(q, p).full(), folded.mass_matrix(q, []).full(), atol=1e-13)
    rates = folded.forward_dynamics(np.r_[q, v], [], []).full()
    np.testing.assert_allclose(symbolic.forward_dynamics(np.r_[q, v], [], p).full(), rates, rtol=1e-9)


def test_frequencies_of_the_two_link_arm() -> None:
    reference = np.array(ARM["converged (9 functions a link)"])
    four, eight = (
        frequencies(fb.assemble(swapped(models.subudhi_morris_2002(), fb.FiniteElements(n))))[:8] for n in (4, 8)
    )
    assert np.all(four[:2] < 1e-3)
    np.testing.assert_allclose(four[2:6], reference[:4], rtol=1e-3)
    np.testing.assert_allclose(eight[2:], reference, rtol=1e-3)


def test_a_swing_is_that_of_the_modes() -> None:
    modes, elements = swing(fb.AssumedModes(6, tip="auto"), 0.2), swing(fb.FiniteElements(8), 0.2)
    assert np.abs(modes["link.tip_deflection_y"]).max() > 0.015
    for name in ("payload.x", "payload.y", "link.tip_deflection_y"):
        np.testing.assert_allclose(elements[name], modes[name], atol=5e-8)


def test_come_back_from_a_file(tmp_path: Path) -> None:
    model = cantilever(elements(3))
    model.save(tmp_path / "arm.yaml")
    assert "discretization: {type: FiniteElements, n: 3}" in (tmp_path / "arm.yaml").read_text()
    assert fb.load(tmp_path / "arm.yaml").blocks == model.blocks
