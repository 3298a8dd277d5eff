"""Beams whose properties vary: wedge and cone by Bessel functions, a stepped beam by matching, statics by integrals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import det
from scipy.optimize import brentq
from scipy.special import iv, jv

import flexblocks as fb
from arms.fidelities import cantilever, frequencies, outputs, static_response
from flexblocks.beam.discretization import Discretization

MATERIAL = fb.Material(density=1.0, youngs_modulus=1.0)


def bessel_roots(order: int, count: int) -> np.ndarray:
    """Return k with J_order(k) I_{order+1}(k) + I_order(k) J_{order+1}(k) = 0: a pointed beam, clamped at its base.

    Wedge: order 1, cone: order 2 (Kirchhoff 1879), omega = (k/2)^2 sqrt(E I0/(rho A0))/l^2. With s the distance from
    the point over the length, (s^(n+2) v'')'' = (k/2)^4 s^n v has the solutions s^(-n/2) J_n(k sqrt s) and I_n that are
    finite at the point; v = v' = 0 at s = 1.
    """

    def equation(k: float) -> float:
        return jv(order, k) * iv(order + 1, k) + iv(order, k) * jv(order + 1, k)

    grid = np.arange(1.0, 40.0, 0.1)
    values = equation(grid)
    changes = np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:]))[:count]
    return np.array([brentq(equation, grid[i], grid[i + 1], xtol=1e-14) for i in changes])


def test_roots_of_the_pointed_beams() -> None:
    """Wedge 5.315, cone 8.719: Blevins 1979, table 8-10, first frequencies over sqrt(E I0/(rho A0))/l^2."""
    assert (bessel_roots(1, 1)[0] / 2) ** 2 == pytest.approx(5.315, abs=1e-3)
    assert (bessel_roots(2, 1)[0] / 2) ** 2 == pytest.approx(8.719, abs=1e-3)


def wedge(x: float) -> fb.Rectangle:
    return fb.Rectangle(width=0.1, height=max(0.2 * (1 - x), 1e-30))


def cone(x: float) -> fb.Tube:
    return fb.Tube(outer=max(0.2 * (1 - x), 1e-30))


POINTED: dict[str, tuple[Callable, float, int]] = {
    "wedge": (wedge, np.sqrt(0.2**2 / 12), 1),
    "cone": (cone, np.sqrt(0.1**2 / 4), 2),
}


@pytest.mark.parametrize("shape", POINTED)
def test_modes_of_a_pointed_beam_are_exact(shape: str) -> None:
    section, gyration, order = POINTED[shape]
    beam = fb.FlexibleBeam(
        "beam", 1.0, section=section, material=MATERIAL, discretization=fb.AssumedModes(3, tip="free")
    )
    expected = (bessel_roots(order, 3) / 2) ** 2 * gyration
    np.testing.assert_allclose(frequencies(fb.assemble(cantilever(beam))), expected, rtol=1e-9)


def rates(coarse: np.ndarray, fine: np.ndarray) -> np.ndarray:
    return np.log2(np.abs(coarse) / np.abs(fine))


@pytest.mark.parametrize(
    ("kind", "sizes", "order"), [(fb.FiniteElements, (8, 16), 4.0), (fb.RigidSegments, (8, 16), 2.0)]
)
def test_a_truncated_wedge_converges_at_the_rate_of_the_uniform_beam(kind, sizes, order: float) -> None:
    """Height falls to 0.4 of the base; against the exact modes, which wedge and cone have proved."""
    table = ((0.0, fb.Rectangle(width=0.1, height=0.2)), (1.0, fb.Rectangle(width=0.1, height=0.08)))

    def found(discretization: Discretization) -> np.ndarray:
        beam = fb.FlexibleBeam("beam", 1.0, section=table, material=MATERIAL, discretization=discretization)
        return frequencies(fb.assemble(cantilever(beam)))[:2]

    exact = found(fb.AssumedModes(2, tip="free"))
    np.testing.assert_allclose(rates(*(found(kind(n)) / exact - 1 for n in sizes)), order, atol=0.4)


def stepped_root(ratio: float) -> float:
    """Return beta l of a cantilever whose inner half has `ratio` times the rigidity of the outer, by matching."""

    def basis(b: float, xi: float) -> np.ndarray:
        c, s, ch, sh = np.cos(b * xi), np.sin(b * xi), np.cosh(b * xi), np.sinh(b * xi)
        rows = [[c, s, ch, sh], [-s, c, sh, ch], [-c, -s, ch, sh], [s, -c, sh, ch]]
        return np.array(rows) * (b ** np.arange(4))[:, None]

    def determinant(b: float) -> float:
        inner = b / ratio**0.25
        matrix = np.zeros((8, 8))
        matrix[:2, :4] = basis(inner, 0.0)[:2]
        weights = np.array([1.0, 1.0, ratio, ratio])[:, None]
        matrix[2:6, :4], matrix[2:6, 4:] = weights * basis(inner, 0.5), -basis(b, 0.5)
        matrix[6:, 4:] = basis(b, 1.0)[2:]
        return det(matrix)

    return brentq(determinant, 1.2, 3.5, xtol=1e-13)


def test_a_stepped_beam() -> None:
    """A table with two values at one place; the step is a node of the elements and the edge of a cell."""
    ratio = 4.0
    table = ((0.0, 2 * ratio), (0.35, 2 * ratio), (0.35, 2.0), (0.7, 2.0))
    expected = (stepped_root(ratio) / 0.7) ** 2 * np.sqrt(2.0 / 3.0)
    for discretization, error in (
        (fb.AssumedModes(1, tip="free"), 1e-10),
        (fb.FiniteElements(4), 2e-4),
        (fb.RigidSegments(40), 1e-3),
    ):
        beam = fb.FlexibleBeam("beam", 0.7, 3.0, table, discretization=discretization)
        assert frequencies(fb.assemble(cantilever(beam)))[0] == pytest.approx(expected, rel=error)


@pytest.mark.parametrize(
    ("kind", "sizes", "order"), [(fb.AssumedModes, (4, 8), 3.0), (fb.FiniteElements, (8, 16), 4.0)]
)
def test_static_deflection_of_a_tapered_beam(kind, sizes, order: float) -> None:
    """v(l) = int F (l - x)^2/EI dx. Modes converge with the cube of their number, elements at fourth order."""
    length, force = 2.0, 1e-6

    def rigidity(x: float) -> float:
        return 5.0 * (1 - x / 3) ** 3

    exact, _ = quad(lambda x: force * (length - x) ** 2 / rigidity(x), 0, length, epsabs=0)
    errors = []
    for n in sizes:
        beam = fb.FlexibleBeam("beam", length, 3.0, rigidity, discretization=kind(n))
        dae = fb.assemble(cantilever(beam))
        tip = dae.output.jacobian()(np.zeros(len(dae.x)), [], [], 0)[0][dae.y.index("beam.tip_deflection_y"), :]
        load = force * tip.full().ravel()[: dae.tree.size]
        errors.append(outputs(dae, static_response(dae, load))["beam.tip_deflection_y"] / exact - 1)
    assert abs(errors[-1]) < 1e-3
    np.testing.assert_allclose(rates(*errors), order, atol=0.5)


def test_mass_and_first_moment_of_a_tapered_beam() -> None:
    """The root carries the weight of the whole beam: int rho dx, int rho x dx."""
    length, g = 2.0, 9.81
    for discretization in (fb.Rigid(), fb.AssumedModes(1, tip="free"), fb.FiniteElements(1), fb.RigidSegments(3)):
        model = fb.Model("arm", gravity=(0.0, -g, 0.0))
        ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
        beam = model.add(fb.FlexibleBeam("beam", length, lambda x: 1.0 + x**2, 5.0, discretization=discretization))
        model.connect(ground.frame_b, joint.frame_a)
        model.connect(joint.frame_b, beam.frame_a)
        dae = fb.assemble(model)
        still = np.zeros(dae.tree.size)
        moment = dae.inverse_dynamics(still, still, still, []).full().ravel()[0]
        assert moment == pytest.approx(g * (length**2 / 2 + length**4 / 4), rel=1e-12)
        assert dae.mass_matrix(still, [])[0, 0] == pytest.approx(length**3 / 3 + length**5 / 5, rel=1e-12)


def test_a_table_of_equal_values_is_the_uniform_beam() -> None:
    same = {"linear_density": [(0, 3.0), (0.2, 3.0), (1.0, 3.0)], "flexural_rigidity": lambda x: 5.0 + 0 * x}
    for discretization in (fb.AssumedModes(3, tip=fb.TipBody(1.0, 0.1)), fb.FiniteElements(2), fb.RigidSegments(2)):
        for bending in ("y", "yz"):
            size = {"length": 1.0, "discretization": discretization, "bending": bending, "damping_ratio": 0.02}
            numbers = {"linear_density": 3.0, "flexural_rigidity": 5.0}
            daes = [fb.assemble(cantilever(fb.FlexibleBeam("beam", **size, **p))) for p in (numbers, same)]
            x = np.random.default_rng(0).uniform(-0.05, 0.05, len(daes[0].x))
            results = [dae.forward_dynamics(x, [], []).full() for dae in daes]
            np.testing.assert_allclose(results[0], results[1], rtol=1e-7)
