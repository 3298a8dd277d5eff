"""Euler-Bernoulli modes of a uniform beam: clamped with a tip body, clamped-free, pinned-pinned.

With b = beta l two of the solutions that a uniform beam has meet the clamp. Moment and shear at the tip make a 2 x 2
matrix of them: its determinant vanishes at the roots b, its null vector holds the coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import numpy as np

from flexblocks.beam.properties.tip_body import FREE, TipBody
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.libraries import scipy

SMALL = 2.0  # b, below which power series are summed
TERMS = 7  # of them: the next is 1e-24 there


def _clamped(b: float | np.ndarray, xi: float | np.ndarray, order: int) -> np.ndarray:
    """Return the `order`-th derivative of the two clamped solutions, divided by b**order; first axis: the two.

    At one b, or at one place for an array of them on one side of SMALL.

    Higher modes are written with decaying exponentials, since cosh - sinh loses their digits. Modes of a beam under a
    heavy body are almost polynomials: there exponentials and circular functions cancel but for b^3, and the two
    solutions are the power series of (cosh b xi - cos b xi) / (2 b^2) and (sinh b xi - sin b xi) / (2 b^3).
    """
    xi = np.asarray(xi, float)
    if np.all(b < SMALL):
        return np.stack([_series(b, xi, first, order) for first in (2, 3)])
    phase = b * xi + order * np.pi / 2
    c, s, decaying = np.cos(phase), np.sin(phase), (-1.0) ** order * np.exp(-b * xi)
    return np.stack([decaying - c + s, np.exp(-b * (1 - xi)) - np.exp(-b) * (c + s)])


def _series(b: float | np.ndarray, xi: np.ndarray, first: int, order: int) -> np.ndarray:
    """Return the `order`-th derivative of sum_k b^(4 k) xi^(4 k + first) / (4 k + first)!, divided by b**order."""
    powers = [4 * k + first - order for k in range(TERMS)]
    terms = [b ** (power - first) * xi**power / float(factorial(power)) for power in powers if power >= 0]
    return np.sum(terms, axis=0)


def tip_conditions(b: float | np.ndarray, tip: TipBody) -> np.ndarray:
    """Return the residuals of moment and shear at the tip, rows of norm one; `tip` in units of the beam.

    They are (2, 2), at k values of b (2, 2, k).

    Moment and shear carry the body: phi'' = b^4 (J phi' + D phi), phi''' = -b^4 (M phi + D phi') (eqs 29, 30, with J on
    the slope and D on the deflection in the moment).
    """
    value, slope, moment, shear = (_clamped(b, 1.0, order) for order in range(4))
    rows = np.stack(
        [
            moment - b**3 * tip.inertia * slope - b**2 * tip.static_moment * value,
            shear + b * tip.mass * value + b**2 * tip.static_moment * slope,
        ]
    )
    # That leaves the roots, and keeps heavy tips from drowning the rest.
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def roots(tip: TipBody, count: int) -> np.ndarray:
    """Return the first `count` roots b = beta l of the clamped beam with a tip body in units of the beam."""

    def determinant(b: float | np.ndarray) -> float | np.ndarray:
        (a, c), (d, e) = tip_conditions(b, tip)
        return a * e - c * d

    # Roots lie about pi apart. A heavy tip sends the first two far down: not below what the squared periods of beam,
    # mass and inertia, each alone, add up to (Dunkerley).
    lowest = 0.9 * (1 / 12.3 + tip.mass / 3 + tip.static_moment + tip.inertia) ** -0.25
    grid = np.arange(max(0.5, lowest), (count + 2) * np.pi, 0.1)
    if lowest < grid[0]:
        steps = 2 + int(np.log(grid[0] / lowest) / np.log(1.2))
        grid = np.concatenate([np.geomspace(lowest, grid[0], steps)[:-1], grid])
    signs = np.sign(np.concatenate([determinant(grid[grid < SMALL]), determinant(grid[grid >= SMALL])]))
    changes = np.flatnonzero(signs[:-1] != signs[1:])[:count]
    return np.array(
        [scipy.optimize.brentq(determinant, grid[i], grid[i + 1], xtol=1e-300, rtol=np.float64(1e-15)) for i in changes]
    )


@dataclass(frozen=True)
class BeamModes(Shapes):
    """Modes of the clamped beam with a tip body, scaled to a mean square of 1 and a positive tip.

    Attributes
    ----------
    b : ndarray (n,)
        Roots beta l.
    coefficients : ndarray (n, 2)
        Of the two clamped solutions.
    """

    b: np.ndarray
    coefficients: np.ndarray

    @property
    def size(self) -> int:
        return len(self.b)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        rows = zip(self.b.tolist(), self.coefficients, strict=True)
        return np.array([b**order * np.tensordot(c, _clamped(b, xi, order), 1) for b, c in rows])


@lru_cache(maxsize=256)
def clamped_modes(count: int, tip: TipBody = FREE) -> BeamModes:
    """Return the first `count` modes of the clamped beam; `tip` in units of the beam."""
    b = roots(tip, count)
    null = np.array([np.linalg.svd(tip_conditions(root, tip))[2][-1] for root in b.tolist()])
    modes = BeamModes(b, null)
    tip_values = modes.deflection(1.0)
    if tip == FREE:  # ends at twice its root mean square: one constant, where quadrature would give each its rounding
        return BeamModes(b, null * (2 / tip_values)[:, None])
    xi, w = modes.quadrature()
    norm = np.sqrt(modes.deflection(xi) ** 2 @ w)
    return BeamModes(b, null * (np.sign(tip_values) / norm)[:, None])


@dataclass(frozen=True)
class SineModes(Shapes):
    """Modes sqrt(2) sin(i pi xi) of the beam pinned at both ends (Yu & Chen 2019), mean square 1."""

    count: int

    @property
    def size(self) -> int:
        return self.count

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        k = np.arange(1, self.count + 1) * np.pi
        phase = np.multiply.outer(k, xi) + order * np.pi / 2
        scale = np.sqrt(2) * k**order
        sine = np.sin(phase)
        # At the pins it is zero, and not the rounding of pi: such a term would stand in every equation.
        sine = np.where(np.abs(sine) <= np.finfo(float).eps * phase, 0.0, sine)
        return scale.reshape(-1, *[1] * np.ndim(xi)) * sine
