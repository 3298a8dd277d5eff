"""Rotations of the sections of a beam whose curvatures and twist are prescribed functions: R' = R kappa.

About one axis the angle is the integral of the curvature. In space the rotation is a product of steps over cells, each
the fourth-order Magnus expansion of its cell; a step is a Cayley map, rational in the coordinates and a rotation
exactly, whatever the step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.kinetic_energy import dot
from flexblocks.beam.kinematics.rotary_energy import TURNS
from flexblocks.beam.properties.quadrature import gauss_legendre, within
from flexblocks.beam.shapes.shape_functions import Shapes, without_rounding
from flexblocks.interfaces import rotation, skew


@dataclass(frozen=True)
class SectionRotation:
    """The axes of a section relative to those of the root.

    Attributes
    ----------
    R : SX (3, 3)
        They are the columns.
    omega, drift : SX (3, 1)
        Their angular velocity, in themselves, and what of its rate is left when no coordinate accelerates.
    """

    R: ca.SX
    omega: ca.SX
    drift: ca.SX

    def spin(self, omega: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the angular velocity (3) relative to the world, and its drift, from `omega` (3) of the root."""
        carried = ca.sparsify(self.R.T @ omega)
        return carried + self.omega, skew(carried) @ self.omega + self.drift


class SectionRotations(ABC):
    """Rotations of sections anywhere along a beam."""

    @abstractmethod
    def at(self, xi: float) -> SectionRotation:
        """Return the rotation of the section at x = xi l."""


@dataclass(frozen=True, eq=False)
class AboutOneAxis(SectionRotations):
    """Bending in one plane: all sections turn about one axis, by angles that are sums of integrated curvatures."""

    axis: str
    shapes: Shapes
    q: ca.SX
    rate: Callable[[ca.SX], ca.SX]

    def angle(self, xi: float) -> ca.SX:
        """Return the angle of a section, positive as a positive slope is [rad]."""
        return dot(self.shapes.rotation(xi), self.q)

    def at(self, xi: float) -> SectionRotation:
        i, sign = TURNS[self.axis]
        about = [0.0, 0.0, 0.0]
        about[i] = sign
        omega = ca.SX(3, 1)
        omega[i] = sign * self.rate(self.angle(xi))
        return SectionRotation(rotation(about, self.angle(xi)), omega, ca.SX(3, 1))


@dataclass(frozen=True, eq=False)
class InSpace(SectionRotations):
    """Bending in both planes, or with torsion: steps from each of `places` to the next.

    Attributes
    ----------
    shapes : dict of Shapes
        By deformation those that turn sections; their `rotation` is the integral of a curvature.
    q : dict of SX
        Coordinates by deformation, [rad].
    places : tuple of float
        Ends x/l of the cells, the root first.
    rate : callable
    """

    shapes: Mapping[str, Shapes]
    q: Mapping[str, ca.SX]
    places: tuple[float, ...]
    rate: Callable[[ca.SX], ca.SX]
    _known: dict[float, SectionRotation] = field(default_factory=dict)

    def at(self, xi: float) -> SectionRotation:
        if xi <= self.places[0]:
            return SectionRotation(ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1))
        if xi not in self._known:
            inner = max(place for place in self.places if place < xi)
            self._known[xi] = self._stepped(self.at(inner), inner, xi)
        return self._known[xi]

    def _stepped(self, inner: SectionRotation, start: float, end: float) -> SectionRotation:
        # Rotation by a quaternion w + v of any size: 1 + 2 (w V + V V)/(w^2 + v.v), with V V = v v' - v.v.
        w, v = self._quaternion(start, end)
        w_rate, v_rate = self.rate(w), self.rate(v)
        V = skew(v)
        twice = 2 / (w * w + ca.dot(v, v))
        step = (1 - twice * ca.dot(v, v)) * ca.SX.eye(3) + twice * (w * V + v @ v.T)
        # Its angular velocity 2 (w v' - w' v - v x v')/(w^2 + v.v), and the drift of that.
        by_step = ca.sparsify(twice * (w * v_rate - w_rate * v - V @ v_rate))
        w_second, v_second = self.rate(w_rate), self.rate(v_rate)
        growth = twice * (w * w_rate + ca.dot(v, v_rate))
        lag = twice * (w * v_second - w_second * v - V @ v_second) - growth * by_step
        carried = ca.sparsify(step.T @ inner.omega)
        drift = step.T @ inner.drift + skew(carried) @ by_step + lag
        return SectionRotation(ca.sparsify(inner.R @ step), ca.sparsify(carried + by_step), ca.sparsify(drift))

    def _quaternion(self, start: float, end: float) -> tuple[ca.SX, ca.SX]:
        """Return a quaternion, scalar and vector (3), in the direction of that of a step."""
        turn = ca.SX(3, 1)
        for axis, shapes in self.shapes.items():
            i, sign = TURNS[axis]
            turn[i] += sign * dot(shapes.rotation(end) - shapes.rotation(start), self.q[axis])
        half = ca.sparsify(turn + self._commutator(start, end)) / 2
        # tan a = a (105 - 10 a^2)/(105 - 45 a^2 + a^4), half the angle of the step: 1e-8 off at half a radian.
        square = ca.dot(half, half)
        return 1 + square * (square / 105 - 3 / 7), (1 - square * (2 / 21)) * half

    def _commutator(self, start: float, end: float) -> ca.SX:
        """Return half the integral of kappa(t) x kappa(s) over start < t < s < end, the second term of Magnus."""
        axes = list(self.shapes)
        result = ca.SX(3, 1)
        for k, one in enumerate(axes):
            for other in axes[k + 1 :]:
                (i, sign), (j, other_sign) = TURNS[one], TURNS[other]
                out = 3 - i - j
                handed = sign * other_sign * (1 if (i, j, out) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1)
                C = _areas(self.shapes[one], self.shapes[other], start, end)
                result[out] += handed / 2 * _bilinear(self.q[one], C, self.q[other])
        return result


def _areas(first: Shapes, second: Shapes, start: float, end: float) -> np.ndarray:
    """Return the integrals (n, m) of f_i(t) g_j(s) - f_i(s) g_j(t) over start < t < s < end, of two sets of strains."""
    bounds = within(np.unique([*first.bounds, *second.bounds]), start, end)
    xi, w = gauss_legendre(first.points + second.points, bounds)
    of_first = first.rotation(xi) - first.rotation(start)[:, None]
    of_second = second.rotation(xi) - second.rotation(start)[:, None]
    f, g = first.strain(xi), second.strain(xi)
    areas = (of_first * w) @ g.T - (f * w) @ of_second.T
    sizes = np.sqrt(np.outer(f**2 @ w, g**2 @ w)) * (end - start)
    return without_rounding(areas, sizes)


def _bilinear(left: ca.SX, C: np.ndarray, right: ca.SX) -> ca.SX:
    """Return left' C right from products of coordinates that all cells have in common."""
    total = ca.SX(1, 1)
    if C.shape[0] == C.shape[1] and np.allclose(C, -C.T, rtol=0.0, atol=1e-12 * np.abs(C).max(initial=0.0)):
        pairs = [(i, j, left[i] * right[j] - left[j] * right[i]) for i in range(len(C)) for j in range(i + 1, len(C))]
    else:
        pairs = [(i, j, left[i] * right[j]) for i in range(C.shape[0]) for j in range(C.shape[1])]
    for i, j, product in pairs:
        if C[i, j]:
            total += C[i, j] * product
    return total
