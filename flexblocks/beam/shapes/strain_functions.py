"""Strain functions: along a beam, the curvatures, twists, extensions and shear strains that its coordinates scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.polynomial import legendre

from flexblocks.beam.properties.beam_profiles import RelativeProfile
from flexblocks.beam.properties.profile import UNIFORM, Profile
from flexblocks.beam.properties.quadrature import gauss_legendre, panels
from flexblocks.beam.shapes.strain_shapes import PiecewisePolynomials

# Degree of the polynomials that stand for a function on each panel: 1/EI of a cone that tapers to a third, or a full
# wave, within 1e-13.
DEGREE = 28
# A rigidity that falls below this share of its mean somewhere: a strain in inverse proportion would be all there.
STIFF_ENOUGH = 0.02
# A function jumps where its values on both sides differ by more than this share of its largest.
JUMP = 1e-6


def polynomial_strains(count: int, rigidity: Profile = UNIFORM, breaks: Sequence[float] = ()) -> PiecewisePolynomials:
    """Return strains under moments (or forces) that are Legendre polynomials, `count` on each piece between `breaks`.

    A strain is the moment over the rigidity, in units of its mean: polynomials themselves where it is uniform. It then
    jumps where the rigidity does.
    """
    pieces = panels(breaks)
    if rigidity == UNIFORM:
        return PiecewisePolynomials(pieces, _polynomials(len(pieces) - 1, count))
    ends = panels(breaks, rigidity.breaks)
    xi, _ = gauss_legendre(DEGREE, ends)
    relative = rigidity(xi)
    weight = 1 / relative if relative.min() > STIFF_ENOUGH * relative.max() else np.ones_like(relative)
    moments = PiecewisePolynomials(pieces, _polynomials(len(pieces) - 1, count))
    return _projected(ends, moments(xi) * weight)


def balancing_shear(curvature: PiecewisePolynomials, rigidity: Profile, shear: RelativeProfile) -> PiecewisePolynomials:
    """Return the shear strains under Q = -M', the balance of sections without inertia, for each curvature."""
    ends = panels(curvature.ends, rigidity.breaks, shear.profile.breaks)
    xi, _ = gauss_legendre(DEGREE, ends)
    force = _projected(ends, curvature(xi) * rigidity(xi)).derivative(xi)
    return _projected(ends, -force / (shear.ratio * shear.profile(xi)))


def own_strains(functions: Sequence[Callable[[float], float]], breaks: Sequence[float] = ()) -> PiecewisePolynomials:
    """Return functions of x/l as they are, smooth between `breaks`."""
    ends = panels(breaks)
    xi, _ = gauss_legendre(DEGREE, ends)
    return _projected(ends, np.array([[float(function(place)) for place in xi.tolist()] for function in functions]))


def sizes(functions: PiecewisePolynomials) -> np.ndarray:
    """Return the root mean squares (n,) of functions."""
    xi, w = gauss_legendre(functions.coefficients.shape[2], functions.ends)
    return np.sqrt(functions(xi) ** 2 @ w)


def jumps(functions: PiecewisePolynomials) -> tuple[float, ...]:
    """Return the places inside the beam at which one of the functions jumps."""
    before = functions.coefficients.sum(axis=2)[:, :-1]  # Legendre's polynomials are 1 at the end of a panel
    signs = (-1.0) ** np.arange(functions.coefficients.shape[2])
    after = (functions.coefficients @ signs)[:, 1:]
    largest = np.abs(functions.coefficients).sum(axis=2).max(axis=1)
    jumping = (np.abs(after - before) > JUMP * largest[:, None]).any(axis=0)
    return tuple(functions.ends[1:-1][jumping].tolist())


def lagrange(ends: np.ndarray, points: int) -> PiecewisePolynomials:
    """Return Lagrange's polynomials of `points` Gauss points on each panel: 1 at one of them and 0 at the others."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    # Discrete orthogonality: l_k = sum_p (2 p + 1)/2 w_k P_p(x_k) P_p.
    on_panel = legendre.legvander(nodes, points - 1) * weights[:, None] * (2 * np.arange(points) + 1) / 2
    pieces = len(ends) - 1
    coefficients = np.einsum("pr,kc->pkrc", np.eye(pieces), on_panel)
    return PiecewisePolynomials(ends, coefficients.reshape(pieces * points, pieces, points))


def lagrange_at(places: np.ndarray) -> PiecewisePolynomials:
    """Return Lagrange's polynomials of `places` in [0, 1]: 1 at one of them and 0 at the others."""
    values = legendre.legvander(2 * places - 1, len(places) - 1)
    return PiecewisePolynomials(np.array([0.0, 1.0]), np.linalg.inv(values).T[:, None, :])


def _polynomials(pieces: int, count: int) -> np.ndarray:
    """Return coefficients (pieces * count, pieces, count) of Legendre's polynomials, each on one piece alone."""
    if not count:
        return np.zeros((0, pieces, 1))
    return np.eye(pieces * count).reshape(pieces * count, pieces, count)


def _projected(ends: np.ndarray, values: np.ndarray) -> PiecewisePolynomials:
    """Return functions from their values (n, panels * DEGREE) at Gauss points of each panel."""
    on_panels = values.reshape(len(values), len(ends) - 1, DEGREE)
    polynomials = lagrange(np.array([0.0, 1.0]), DEGREE).coefficients[:, 0]
    coefficients = np.einsum("npk,kc->npc", on_panels, polynomials)
    # What is rounding would cost operations in every evaluation.
    largest = np.abs(coefficients).max(axis=(1, 2), keepdims=True)
    return PiecewisePolynomials(ends, np.where(np.abs(coefficients) < 1e-14 * largest, 0.0, coefficients))
