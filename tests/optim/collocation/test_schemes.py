"""Collocation schemes and parametrised inputs: published coefficients, orders, exact integrals."""

import numpy as np
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest

from flexblocks import optim
from flexblocks.optim.collocation.cost_functions import squared_inputs
from flexblocks.optim.collocation.input_parametrization import SHAPES, control_points, input_shape, weights
from flexblocks.optim.collocation.schemes import lobatto, radau


@pytest.mark.parametrize(("degree", "step"), [(1, 0.01), (2, 0.05), (3, 0.1), (4, 0.25)])
def test_radau_is_of_its_order(degree, step):
    """One step on der(x) = -x is the Pade approximation of exp(-h) with order 2 degree - 1."""
    scheme = radau(degree)

    def error(h):
        rates = np.linalg.solve(np.eye(degree) + h * scheme.integral, -np.ones(degree))
        return abs(1 + h * scheme.integral[-1] @ rates - np.exp(-h))

    assert scheme.nodes[-1] == 1.0
    assert np.log2(error(step) / error(step / 2)) == pytest.approx(2 * degree, abs=0.25)


def test_radau_3_is_the_published_one():
    """Hairer & Wanner, Solving ODEs II, table IV.5.6."""
    r = np.sqrt(6)
    expected = [
        [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
        [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
        [(16 - r) / 36, (16 + r) / 36, 1 / 9],
    ]
    np.testing.assert_allclose(radau(3).integral, expected, atol=1e-14)


def test_lobatto_3_is_the_published_one():
    """Hairer & Wanner, Solving ODEs II, table IV.5.7."""
    expected = [[0, 0, 0], [5 / 24, 1 / 3, -1 / 24], [1 / 6, 2 / 3, 1 / 6]]
    np.testing.assert_allclose(lobatto(3).integral, expected, atol=1e-15)


@pytest.mark.parametrize(("angle", "damped"), [(0.5, 1 - 1e-6), (3.0, 0.95), (30.0, 0.2)])
def test_lobatto_leaves_an_oscillation_its_energy(angle, damped):
    """One step of `angle` [rad] on der(x) = i x; Radau takes energy from what it does not resolve."""

    def growth(scheme):
        rates = np.linalg.solve(np.eye(scheme.degree) - 1j * angle * scheme.integral, np.full(scheme.degree, 1j))
        return abs(1 + angle * scheme.integral[-1] @ rates)

    for degree in (2, 3, 4, 5):
        assert growth(lobatto(degree)) == pytest.approx(1.0, abs=1e-12)
        assert lobatto(degree).is_symmetric
        assert not radau(degree).is_symmetric
    assert growth(radau(3)) < damped


@pytest.mark.parametrize("shape", SHAPES.values(), ids=str)
def test_inputs_between_mesh_points(shape):
    """Values and rates at the ends are the knots, and the polynomial lies within its control points."""
    h, rng = 0.3, np.random.default_rng(1)
    knots = rng.normal(size=len(shape.knots))
    for knot, value in zip(shape.knots, knots, strict=True):
        assert weights(shape, np.array([knot.end]), order=int(knot.rate)).at(h)[0] @ knots == pytest.approx(value)
    s = np.linspace(0, 1, 201)
    u, du = (weights(shape, s, order).at(h) @ knots for order in (0, 1))
    np.testing.assert_allclose(np.gradient(u, h * s, edge_order=2)[1:-1], du[1:-1], atol=2e-3)
    for order, curve in ((0, u), (1, du)):
        points = control_points(shape, order).at(h) @ knots
        assert points.min() - 1e-12 <= curve.min()
        assert curve.max() <= points.max() + 1e-12


@pytest.mark.parametrize(("name", "rate_weight"), [("cubic", 0.3), ("linear", 0.3), ("constant", 0.0)])
def test_effort_is_exact(name, rate_weight):
    shape, h = input_shape(name), 0.7
    knots = np.random.default_rng(2).normal(size=(len(shape.knots), 2))
    found = squared_inputs(shape, optim.Effort(rate_weight).input_weights("ab"))(knots.ravel(), h)
    s = np.linspace(0, 1, 20001)
    u, du = (weights(shape, s, order).at(h) @ knots for order in (0, 1))
    assert float(found) == pytest.approx(np.trapezoid(np.sum(u**2 + rate_weight * du**2, axis=1), h * s), rel=1e-7)
