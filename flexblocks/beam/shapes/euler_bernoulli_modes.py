"""Euler-Bernoulli modes of a uniform beam: clamped with a tip body, clamped-free, pinned-pinned.

With b = beta l the general solution is c_1 cos(b xi) + c_2 sin(b xi) + c_3 exp(-b xi) + c_4 exp(-b (1 - xi)). Written
with decaying exponentials it keeps all digits of high modes, which cosh - sinh loses. The four boundary
conditions make a 4 x 4 matrix: its determinant vanishes at the roots b, its null vector holds the coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.beam.properties.tip_body import FREE, TipBody
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.libraries import scipy


def _basis(b: np.ndarray, xi: float | np.ndarray, order: int) -> np.ndarray:
    """Return the `order`-th derivative of the four basic solutions, divided by b**order; first axis: the four."""
    phase = b * xi + order * np.pi / 2
    return np.stack(
        [np.cos(phase), np.sin(phase), (-1.0) ** order * np.exp(-b * xi), np.exp(-b * (1 - np.asarray(xi)))]
    )


def clamped_tip_body(b: np.ndarray, tip: TipBody) -> np.ndarray:
    """Return the boundary matrix (..., 4, 4): clamped root, tip body in units of the beam.

    Moment and shear at the tip carry the body: phi'' = b^4 (J phi' + D phi), phi''' = -b^4 (M phi + D phi')
    (eqs 29, 30, with J on the slope and D on the deflection in the moment).
    """
    value, slope, moment, shear = (_basis(b, 1.0, order) for order in range(4))
    rows = [
        _basis(b, 0.0, 0),
        _basis(b, 0.0, 1),
        moment - b**3 * tip.inertia * slope - b**2 * tip.static_moment * value,
        shear + b * tip.mass * value + b**2 * tip.static_moment * slope,
    ]
    return np.moveaxis(np.stack(rows), (0, 1), (-2, -1))


def roots(tip: TipBody, count: int) -> np.ndarray:
    """Return the first `count` roots b = beta l of the clamped beam with a tip body in units of the beam."""

    def determinant(b: np.ndarray) -> np.ndarray:
        matrix = clamped_tip_body(np.asarray(b), tip)
        # Scaling the rows leaves the roots and keeps heavy tips from drowning the rest.
        return np.linalg.det(matrix / np.linalg.norm(matrix, axis=-1, keepdims=True))

    # Roots lie about pi apart; a heavy tip sends the first two far down, hence the geometric start.
    grid = np.concatenate([np.geomspace(1e-3, 0.5, 600), np.arange(0.5, (count + 2) * np.pi, 0.01)[1:]])
    values = determinant(grid)
    changes = np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:]))[:count]
    return np.array(
        [scipy.optimize.brentq(determinant, grid[i], grid[i + 1], xtol=1e-15, rtol=np.float64(1e-15)) for i in changes]
    )


@dataclass(frozen=True)
class BeamModes(Shapes):
    """Modes of the clamped beam with a tip body, scaled to a mean square of 1 and a positive tip.

    Attributes
    ----------
    b : ndarray (n,)
        Roots beta l.
    coefficients : ndarray (n, 4)
        Of the four basic solutions.
    """

    b: np.ndarray
    coefficients: np.ndarray

    @property
    def size(self) -> int:
        return len(self.b)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        rows = zip(self.b, self.coefficients, strict=True)
        return np.array([b**order * np.tensordot(c, _basis(b, xi, order), 1) for b, c in rows])


def clamped_modes(count: int, tip: TipBody = FREE) -> BeamModes:
    """Return the first `count` modes of the clamped beam; `tip` in units of the beam."""
    b = roots(tip, count)
    null = np.array([np.linalg.svd(clamped_tip_body(np.asarray(root), tip))[2][-1] for root in b])
    modes = BeamModes(b, null)
    xi, w = modes.quadrature()
    norm = np.sqrt(modes.deflection(xi) ** 2 @ w)
    return BeamModes(b, null * (np.sign(modes.deflection(1.0)) / norm)[:, None])


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
