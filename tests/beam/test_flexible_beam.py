"""The flexible beam: roots, modes, integrals, frequencies, damping, weight, and where its sections are."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad_vec

import flexblocks as fb
from arms.fidelities import assert_damping_ratio, cantilever, frequencies, with_tip_body
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.euler_bernoulli_modes import SineModes, clamped_modes, roots
from flexblocks.beam.shapes.ritz_modes import ritz_modes
from flexblocks.beam.shapes.shape_functions import shape_integrals
from flexblocks.errors import FlexblocksWarning
from oracles.published import reference

REFERENCE = reference("beam")
CASES = {"link 1": REFERENCE["clamped_mass"][0], "link 2": REFERENCE["clamped_mass"][1]}


def tip_of(case: dict) -> fb.TipBody:
    return fb.TipBody(case["tip_mass_kg"], case["tip_inertia_kgm2"], case["tip_static_moment_kgm"])


def relative_tip(case: dict) -> fb.TipBody:
    link = case["link"]
    return tip_of(case).relative(link["linear_density"] * link["length"], link["length"])


def test_roots_of_the_clamped_free_beam():
    np.testing.assert_allclose(roots(FREE, 4), REFERENCE["clamped_free_beta_l"], rtol=0, atol=1e-8)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_roots_with_a_tip_body(case):
    found = roots(relative_tip(case), 4)
    np.testing.assert_allclose(found, case["beta_l"], rtol=0, atol=1e-8)
    link = case["link"]
    omega = (found / link["length"]) ** 2 * np.sqrt(link["flexural_rigidity"] / link["linear_density"])
    np.testing.assert_allclose(omega, case["omega_rad_s"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("tip", ["auto", "given"])
@pytest.mark.parametrize("axis", ["y", "z"])
def test_frequencies_of_a_beam_that_carries_a_body(case, tip, axis):
    modes = fb.AssumedModes(4, tip="auto" if tip == "auto" else tip_of(case))
    dae = fb.assemble(with_tip_body(case, modes, axis))
    np.testing.assert_allclose(frequencies(dae), case["omega_rad_s"], rtol=0, atol=1e-6)


def test_frequencies_of_theodore_and_ghosal():
    beam = fb.FlexibleBeam("beam", 1.0, 0.3310, 1165.4916, discretization=fb.AssumedModes(6, tip="free"))
    exact = REFERENCE["theodore_ghosal_table_1_rad_s"]["exact"]
    np.testing.assert_allclose(frequencies(fb.assemble(cantilever(beam))), exact, rtol=1e-4)


@st.composite
def tip_bodies(draw: st.DrawFn) -> fb.TipBody:
    """Draw a tip body in units of the beam, from none to a very heavy one."""
    mass, reach, radius = (draw(st.floats(0, high)) for high in (50.0, 3.0, 2.0))
    return fb.TipBody(mass, mass * (reach**2 + radius**2), mass * reach)


def frequency_equation(b: np.ndarray, tip: fb.TipBody) -> np.ndarray:
    """Return Subudhi & Morris 2002, eq 39 corrected, over cosh b."""
    M, J, D = tip.mass, tip.inertia, tip.static_moment
    c, s, th, one = np.cos(b), np.sin(b), np.tanh(b), 1 / np.cosh(b)
    return (
        one
        + c
        - M * b * (s - th * c)
        - J * b**3 * (s + th * c)
        + (M * J - D**2) * b**4 * (one - c)
        - 2 * D * b**2 * th * s
    )


@settings(max_examples=15)
@given(tip_bodies())
def test_roots_are_those_of_the_frequency_equation(tip):
    found = roots(tip, 5)
    # A root is as good as the equation changes its sign within the last digits, and none is left out in between.
    assert np.all(frequency_equation(found * (1 - 1e-9), tip) * frequency_equation(found * (1 + 1e-9), tip) < 0)
    grid = np.concatenate([np.geomspace(1e-2, 0.5, 500), np.linspace(0.5, found[-1] + 1e-6, 5000)])
    signs = np.sign(frequency_equation(grid[grid > 0.9 * found[0]], tip))
    assert np.count_nonzero(np.diff(signs)) == len(found)


@settings(max_examples=15)
@given(tip_bodies())
def test_modes_are_orthogonal_in_the_product_with_the_tip_body(tip):
    modes = clamped_modes(4, tip)
    integrals, value, slope = shape_integrals(modes), modes.deflection(1.0), modes.slope(1.0)
    coupling = np.outer(value, slope)
    mass = integrals.mass + tip.mass * np.outer(value, value) + tip.inertia * np.outer(slope, slope)
    mass += tip.static_moment * (coupling + coupling.T)
    np.testing.assert_allclose(np.diag(integrals.mass), 1.0, rtol=1e-12)
    scale = np.sqrt(np.outer(np.diag(mass), np.diag(mass)))
    np.testing.assert_allclose(mass / scale, np.eye(4), rtol=0, atol=1e-11)
    stiffness = integrals.stiffness / np.sqrt(np.outer(np.diag(integrals.stiffness), np.diag(integrals.stiffness)))
    np.testing.assert_allclose(stiffness, np.eye(4), rtol=0, atol=1e-8)
    np.testing.assert_allclose(np.diag(integrals.stiffness), modes.b**4 * np.diag(mass), rtol=1e-8)
    assert np.all(value > 0)


@pytest.mark.parametrize("tip", [(1e3, 4e2, 5e2), (1e6, 1e6, 3e5), (1e8, 1e11, 2e9)])
def test_modes_under_a_heavy_body_keep_their_digits(tip: tuple[float, float, float]) -> None:
    """The two lowest are a rigid body on a spring without mass, the third that of a beam clamped at both ends."""
    mass, inertia, moment = tip
    modes = clamped_modes(3, fb.TipBody(mass, inertia, moment))
    compliance, body = np.array([[1 / 3, 1 / 2], [1 / 2, 1]]), np.array([[mass, moment], [moment, inertia]])
    squares, vectors = np.linalg.eig(compliance @ body)
    first = np.argmax(squares)
    np.testing.assert_allclose(modes.b[0], squares[first] ** -0.25, rtol=1 / mass)
    shape = np.array([modes.deflection(1.0)[0], modes.slope(1.0)[0]])
    np.testing.assert_allclose(shape[1] / shape[0], vectors[1, first] / vectors[0, first], rtol=1 / mass)
    # Cubic but for the mass of the beam: phi'' falls along it on a straight line.
    xi = np.linspace(0.0, 1.0, 5)
    curvature = modes.derivative(xi, 2)[0]
    np.testing.assert_allclose(np.diff(curvature, 2), 0.0, atol=(1 / mass + 1e-14) * np.ptp(curvature))
    np.testing.assert_allclose(modes.b[2], 4.730040744862704, rtol=10 / mass)
    others = ritz_modes(3, fb.TipBody(mass, inertia, moment), EULER_BERNOULLI)
    np.testing.assert_allclose(modes.deflection(xi), others.deflection(xi), rtol=0, atol=1e-12)


def test_closed_forms_of_clamped_free_modes_up_to_the_twentieth():
    n = 20
    modes, signs = clamped_modes(n), (-1.0) ** np.arange(n)
    b = modes.b
    sigma = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
    integrals = shape_integrals(modes)
    np.testing.assert_allclose(b[11:], (np.arange(12, n + 1) - 0.5) * np.pi, rtol=1e-14)
    np.testing.assert_allclose(modes.deflection(1.0), 2.0, rtol=1e-12)
    np.testing.assert_allclose(modes.slope(1.0), 2 * sigma * b, rtol=1e-11)
    np.testing.assert_allclose(integrals.mean, signs * 2 * sigma / b, rtol=1e-10)
    np.testing.assert_allclose(integrals.moment, signs * 2 / b**2, rtol=1e-10)
    np.testing.assert_allclose(integrals.mass, np.eye(n), rtol=0, atol=1e-12)
    np.testing.assert_allclose(integrals.stiffness, np.diag(b**4), rtol=1e-11)


@pytest.mark.parametrize(
    "shapes", [clamped_modes(3, fb.TipBody(2.0, 1.0, 0.5)), SineModes(3)], ids=["clamped", "pinned"]
)
def test_integrals_by_adaptive_quadrature(shapes):
    found = shape_integrals(shapes)
    integrands = {
        "mean": shapes.deflection,
        "moment": lambda x: x * shapes.deflection(x),
        "mass": lambda x: np.outer(shapes.deflection(x), shapes.deflection(x)),
        "stiffness": lambda x: np.outer(shapes.strain(x), shapes.strain(x)),
    }
    for name, integrand in integrands.items():
        expected, _ = quad_vec(integrand, 0, 1, epsabs=1e-12, epsrel=1e-12)
        np.testing.assert_allclose(getattr(found, name), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_derivatives_of_shapes():
    h = 1e-5
    for shapes in (clamped_modes(3, fb.TipBody(2.0, 1.0, 0.5)), SineModes(3)):
        for xi in (0.1, 0.5, 0.9):
            slope = (shapes.deflection(xi + h) - shapes.deflection(xi - h)) / (2 * h)
            bend = (shapes.slope(xi + h) - shapes.slope(xi - h)) / (2 * h)
            np.testing.assert_allclose(shapes.slope(xi), slope, atol=1e-6)
            np.testing.assert_allclose(shapes.strain(xi), bend, rtol=1e-6, atol=1e-5)


def test_pinned_shapes_are_sines_on_a_chord():
    i = np.arange(1, 6)
    found = shape_integrals(SineModes(5))
    np.testing.assert_allclose(found.mean, np.sqrt(2) * (1 - np.cos(i * np.pi)) / (i * np.pi), atol=1e-14)
    np.testing.assert_allclose(found.moment, -np.sqrt(2) * np.cos(i * np.pi) / (i * np.pi), atol=1e-14)
    np.testing.assert_allclose(found.mass, np.eye(5), atol=1e-13)
    np.testing.assert_allclose(found.stiffness, np.diag((i * np.pi) ** 4), rtol=1e-12)
    # The inlet is tangent to the beam: with both ends clamped so, the tip swings by the root's slope.
    beam = fb.FlexibleBeam("beam", 2.0, 1.0, 1.0, discretization=fb.AssumedModes(1, tip="pinned"))
    dae = fb.assemble(cantilever(beam, fb.LumpedMass("end", 0.0)))
    q, slope = 0.1, np.sqrt(2) * np.pi / 2.0 * 0.1
    y = dict(zip(dae.y.names, dae.output([q, 0], [], []).full().ravel(), strict=True))
    assert (y["end.x"], y["end.y"]) == pytest.approx((2 * np.cos(slope), -2 * np.sin(slope)), rel=1e-13)


def assert_converges_from_above(found: list[float], exact: float) -> None:
    """Assert that the error halves as the number of shapes doubles, and extrapolates to nothing."""
    errors = np.array(found) / exact - 1
    assert np.all(errors > 0)
    np.testing.assert_allclose(errors[:-1] / errors[1:], 2.0, atol=0.3)
    assert abs(2 * errors[-1] - errors[-2]) < 1e-3


def test_pinned_shapes_converge_to_the_cantilever():
    beam = fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, fb.Rigid())
    shapes = (fb.AssumedModes(n, tip="pinned") for n in (4, 8, 16))
    found = [frequencies(fb.assemble(cantilever(replace(beam, discretization=d))))[0] for d in shapes]
    assert_converges_from_above(found, roots(FREE, 1)[0] ** 2)


def test_free_shapes_converge_to_the_frequency_with_a_tip_body():
    case = CASES["link 2"]
    load = fb.Payload("load", case["tip_mass_kg"], case["tip_inertia_kgm2"])
    beam = fb.FlexibleBeam("beam", **case["link"])
    shapes = (fb.AssumedModes(n, tip="free") for n in (4, 8, 16))
    with pytest.warns(FlexblocksWarning, match="modes of a free tip"):
        found = [frequencies(fb.assemble(cantilever(replace(beam, discretization=d), load)))[0] for d in shapes]
    assert_converges_from_above(found, case["omega_rad_s"][0])


@pytest.mark.parametrize("bending", ["y", "z", "yz"])
@pytest.mark.parametrize("tip", ["free", "auto"])
def test_damping_ratio_is_that_of_every_mode(bending, tip):
    modes = fb.AssumedModes(3, tip=tip)
    beam = fb.FlexibleBeam("beam", 0.5, 0.2, 1.0, modes, bending=bending, flexural_rigidity_z=3.0, damping_ratio=0.03)
    loads = (fb.Payload("load", 0.2, np.diag([0.1, 0.1, 0.1])),) if tip == "auto" else ()
    assert_damping_ratio(fb.assemble(cantilever(beam, *loads)), 0.03)


def static_tip(n: int, gravity: float, force: float) -> float:
    """Return the tip deflection [m] of a cantilever (l = 2, rho = 3, EI = 5) under its weight and a force [N]."""
    beam = fb.FlexibleBeam("beam", 2.0, 3.0, 5.0, discretization=fb.AssumedModes(n, tip="free"))
    dae = fb.assemble(cantilever(beam, gravity=(0, -gravity, 0)))
    zero = np.zeros(n)
    stiffness = ca.Function("K", [dae.q], [ca.jacobian(dae.expressions.bias, dae.q)])
    tip = ca.Function("tip", [dae.q], [dae.expressions.output[dae.y.index("beam.tip_deflection_y")]])
    shape = tip.jacobian()(zero, 0).full().ravel()
    K = ca.DM(ca.substitute(stiffness(dae.q), ca.vertcat(dae.q, dae.v), ca.DM.zeros(2 * n))).full()
    weight = -dae.inverse_dynamics(zero, zero, zero, []).full().ravel()
    return float(shape @ np.linalg.solve(K, weight + force * shape))


def test_static_deflection_under_weight_and_load():
    # Gravity is small, so that the weight does not stiffen or soften what it bends.
    g, F, n = 1e-6, 1e-6, 12
    assert static_tip(n, g, 0.0) == pytest.approx(-3.0 * g * 2.0**4 / (8 * 5.0), rel=1e-6)
    rest = 4 / ((np.arange(n + 1, 5000) - 0.5) * np.pi) ** 4  # the modes left out: 4/b^4 each
    assert static_tip(n, 0.0, F) == pytest.approx(F * 2.0**3 / 5.0 * (1 / 3 - rest.sum()), rel=1e-9)
