"""Rotations of the sections of a beam whose curvatures and twist are prescribed functions: R' = R kappa.

About one axis the angle is the integral of the curvature. In space the rotation is a product of steps over cells, each
the fourth-order Magnus expansion of its cell; a step is a Cayley map, rational in the coordinates and a rotation
exactly, whatever the step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.kinetic_energy import dot
from flexblocks.beam.kinematics.rotary_energy import TURNS
from flexblocks.beam.properties.moving_place import at_symbol, panel_of
from flexblocks.beam.properties.quadrature import gauss_legendre, within
from flexblocks.beam.shapes.shape_functions import Shapes, moving, without_rounding
from flexblocks.interfaces import Local, rotation, skew


@dataclass(frozen=True)
class SectionRotation:
    """The axes of a section relative to those of the root.

    Attributes
    ----------
    R : SX (3, 3)
        They are the columns.
    turning : SX (3, n)
        Angular velocity by each rate, in the axes of the root.
    step : SX (3, 1)
        Angular velocity relative to the section before, in the axes of the root.
    lag : SX (3, 1)
        What is left of its rate, seen from there, when no coordinate accelerates.
    before : SectionRotation, optional
        That of the section before; by default the root.
    """

    R: ca.SX
    turning: ca.SX
    step: ca.SX
    lag: ca.SX
    before: SectionRotation | None = None

    def spin(self, omega: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the angular velocity (3) relative to the world, and its drift, from `omega` (3) of the root."""
        inner, drift = (ca.sparsify(omega), ca.SX(3, 1)) if self.before is None else self.before.spin(omega)
        return ca.sparsify(inner + self.step), drift + skew(inner) @ self.step + self.lag


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
    local: Local

    def angle(self, xi: float | ca.SX) -> ca.SX:
        """Return the angle of a section, positive as a positive slope is [rad]."""
        return dot(moving(self.shapes, "rotation", xi), self.q)

    def at(self, xi: float) -> SectionRotation:
        i, sign = TURNS[self.axis]
        about, angle = [0.0, 0.0, 0.0], self.angle(xi)
        about[i] = sign
        turning = ca.SX(3, self.local.rates.numel())
        turning[i, :] = sign * ca.jacobian(angle, self.local.coordinates)
        turning = ca.sparsify(turning)
        return SectionRotation(rotation(about, angle), turning, ca.sparsify(turning @ self.local.rates), ca.SX(3, 1))


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
    local : Local
        The symbols of the block.
    """

    shapes: Mapping[str, Shapes]
    q: Mapping[str, ca.SX]
    places: tuple[float, ...]
    local: Local
    _known: dict[float, SectionRotation] = field(default_factory=dict)

    def at(self, xi: float) -> SectionRotation:
        if xi <= self.places[0]:
            n = self.local.rates.numel()
            return SectionRotation(ca.SX.eye(3), ca.SX(3, n), ca.SX(3, 1), ca.SX(3, 1))
        if xi not in self._known:
            inner = max(place for place in self.places if place < xi)
            self._known[xi] = self._stepped(self.at(inner), self._half_turn(inner, xi))
        return self._known[xi]

    def moving(self, xi: ca.SX) -> ca.SX:
        """Return the axes (3, 3) of the section at a symbol `xi`: a step from the end of the cell before it."""
        ends = np.array(sorted({*self.places, 1.0}))
        starts, inside = ends[:-1], panel_of(ends, xi)
        points = 1 + max(shapes.points for shapes in self.shapes.values())

        def of_cells(function: Callable[[float, float], np.ndarray], count: int) -> ca.SX:
            """Return function(start, place) (m,) of each cell, as polynomials of the place on its pieces."""
            pieces = np.unique([*ends, *(b for shapes in self.shapes.values() for b in shapes.bounds)])

            def at(places: np.ndarray) -> np.ndarray:
                cells = np.searchsorted(ends, places, side="right") - 1
                return np.array([function(float(starts[k]), float(x)) for k, x in zip(cells, places, strict=True)]).T

            return at_symbol(at, pieces, count, xi)

        half = ca.SX(3, 1)
        for axis, shapes in self.shapes.items():
            i, sign = TURNS[axis]
            turn = of_cells(lambda a, b, f=shapes.rotation: f(b) - f(a), points)
            half[i] += dot(turn, self.q[axis], sign / 2)
        for one, other, out, handed in self._pairs:
            first, second = self.shapes[one], self.shapes[other]
            areas = of_cells(lambda a, b, f=first, g=second: _areas(f, g, a, b).ravel(), 2 * points)
            C = ca.reshape(areas, second.size, first.size).T
            half[out] += handed / 4 * (self.q[one].T @ C @ self.q[other])
        half = ca.sparsify(half)
        square, V = ca.dot(half, half), skew(half)
        w, g = 1 + square * (square / 105 - 3 / 7), 1 - square * (2 / 21)
        twice = 2 / (w * w + g * g * square)
        step = ca.SX.eye(3) + twice * w * g * V + twice * g * g * (V @ V)
        inner = sum((inside[k] * self.at(float(start)).R for k, start in enumerate(starts)), ca.SX(3, 3))
        return ca.sparsify(inner @ step)

    def _stepped(self, inner: SectionRotation, half: ca.SX) -> SectionRotation:
        """Return the rotation after a step from `inner`, by half the angle of the step about its axis (3)."""
        # Rotation by a quaternion w + v of any size: 1 + 2 (w V + V V)/(w^2 + v.v), with V V = v v' - v.v. With
        # v = g half it has tan a = a (105 - 10 a^2)/(105 - 45 a^2 + a^4): 1e-8 off at half a radian.
        square = ca.dot(half, half)
        w, g = 1 + square * (square / 105 - 3 / 7), 1 - square * (2 / 21)
        twice = 2 / (w * w + g * g * square)
        along, across = twice * w * g, twice * g * g
        V, outer = skew(half), mirrored(half @ half.T)
        # Angular velocity 2 (w v' - w' v + v x v')/(w^2 + v.v) in the axes before the step.
        stretch = twice * (2 / 3 - square * (4 / 105 - square * (4 / 2205)))
        by_half = along * ca.SX.eye(3) + across * V + stretch * outer
        of_half = ca.sparsify(ca.jacobian(half, self.local.coordinates))
        carried = ca.sparsify(inner.R @ by_half)
        turning = ca.sparsify(inner.turning + carried @ of_half)
        half_rate = ca.sparsify(of_half @ self.local.rates)
        by_step = ca.sparsify(carried @ half_rate)
        # Its rate, from w'' and v'' = u + (...) half.
        half_second = ca.sparsify(self.local.rate(half_rate))
        square_rate = 2 * ca.dot(half, half_rate)
        square_second = 2 * (ca.dot(half_rate, half_rate) + ca.dot(half, half_second))
        w_slope = square * (2 / 105) - 3 / 7
        u = ca.sparsify(g * half_second - (4 / 21) * square_rate * half_rate)
        w_second = (2 / 105) * square_rate**2 + w_slope * square_second
        of_second = twice * (w * u - ((2 / 21) * w * square_second + w_second * g) * half + g * (V @ u))
        growth = twice * square_rate * (w * w_slope + g * (g / 2 - square * (2 / 21)))
        lag = ca.sparsify(inner.R @ of_second - growth * by_step)
        if inner.before is None:
            R = (1 - across * square) * ca.SX.eye(3) + along * V + across * outer
        else:
            # The step is 1 + V by_half, so that the columns of R move by r x those of R by_half, with r = R half.
            r = skew(inner.R @ half)
            first, second = (inner.R[:, k] + r @ carried[:, k] for k in (0, 1))
            R = ca.horzcat(first, second, skew(first) @ second)
        return SectionRotation(ca.sparsify(R), turning, by_step, lag, inner)

    def _half_turn(self, start: float, end: float) -> ca.SX:
        """Return half the vector (3) of the rotation from one section to another, of fourth order."""
        half = ca.SX(3, 1)
        for axis, shapes in self.shapes.items():
            i, sign = TURNS[axis]
            half[i] += dot(sign / 2 * (shapes.rotation(end) - shapes.rotation(start)), self.q[axis])
        return ca.sparsify(half + self._commutator(start, end))

    def _commutator(self, start: float, end: float) -> ca.SX:
        """Return a quarter of the integral of kappa(t) x kappa(s) over start < t < s < end, of Magnus' second term."""
        result = ca.SX(3, 1)
        for one, other, out, handed in self._pairs:
            C = _areas(self.shapes[one], self.shapes[other], start, end)
            result[out] += _bilinear(self.q[one], handed / 4 * C, self.q[other])
        return result

    @property
    def _pairs(self) -> list[tuple[str, str, int, int]]:
        """Two deformations each that turn sections about different axes, the third axis, and its sign."""
        found = []
        for one, other in combinations(self.shapes, 2):
            (i, sign), (j, other_sign) = TURNS[one], TURNS[other]
            out = 3 - i - j
            cyclic = 1 if (i, j, out) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1
            found.append((one, other, out, int(sign * other_sign * cyclic)))
        return found


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


def mirrored(matrix: ca.SX) -> ca.SX:
    """Return a symmetric matrix from its upper triangle."""
    return ca.triu2symm(ca.triu(matrix))
