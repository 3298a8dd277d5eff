"""Rotary inertia: kinetic energy of the rotation of sections, in bending and in torsion.

A section turns against the chord by the angles (phi_x, phi_y, phi_z) = (torsion, -psi_z, psi_y): about z, then y, then
x. To the second order its angular velocity in its own axes, in which its inertia is constant, is omega + A + B with

    A_x = phi_z omega_y - phi_y omega_z + phi_x'
    A_y = phi_x omega_z - phi_z omega_x + phi_y'
    A_z = phi_y omega_x - phi_x omega_y + phi_z'
    B_x = -(phi_z^2 + phi_y^2)/2 omega_x                                              - phi_y phi_z'
    B_y = -(phi_z^2 + phi_x^2)/2 omega_y + phi_x phi_y omega_x                        + phi_x phi_z'
    B_z = -(phi_y^2 + phi_x^2)/2 omega_z + phi_y phi_z omega_y + phi_x phi_z omega_x  - phi_x phi_y'

and its energy the sum of J_i/2 (omega_i^2 + 2 omega_i A_i + A_i^2 + 2 omega_i B_i). In a plane that is exact. The terms
of sections that tilt in a rotating frame are as large as their rotary inertia (Banerjee 2001; Du, Lim & Liew 1994).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.kinematics.kinetic_energy import bilinear_form, dot, mass_moments, quadratic_form
from flexblocks.beam.properties.profile import UNIFORM, Profile
from flexblocks.beam.shapes.shape_functions import FINER, gram, without_rounding
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import skew

# By deformation the axis about which sections turn, and the sign: a positive slope w' turns about -y.
TURNS = {"y": (2, 1), "z": (1, -1), "torsion": (0, 1)}
Planes = Mapping[str, DiscretizedDeformation]


def rotary_energy(
    omega: ca.SX,
    beam: Beam,
    planes: Planes,
    q: Mapping[str, ca.SX],
    s: Mapping[str, ca.SX],
    part: tuple[float, float] = (0.0, 1.0),
) -> ca.SX:
    """Return the kinetic energy [J] of the rotation of sections about their centroids, to the second order in angles.

    Without rotary inertia in bending, where twist alone is resisted, to the first order.

    Parameters
    ----------
    omega : SX (3, 1)
        Angular velocity of the chord, in its axes.
    beam : Beam
    planes : dict of DiscretizedDeformation
        By deformation.
    q, s : dict of SX
        Their amplitudes, [m], in torsion [rad], and the rates of these.
    part : tuple of 2 floats
        Where the sections are, in units of the length; the integrals of `planes` go with it.
    """
    turns = _Turns(planes, beam.length, q, s)
    tilts = not beam.section_inertia.keys() <= {"torsion"}
    energy = ca.SX(1, 1)
    for axis, inertia in beam.section_inertia.items():
        i, weight = TURNS[axis][0], beam.rotary[axis]
        share = 1.0 if part == (0.0, 1.0) else mass_moments(weight, *part)[0]
        energy += (share * inertia / 2) * omega[i] ** 2
        first = _first_order(i, omega) if tilts else {("rate", i): 1.0}
        second = _second_order(i, omega) if tilts else {}
        for one, factor in first.items():
            energy += (inertia * omega[i]) * (factor * turns.mean(one, weight))
        for place, (one, factor) in enumerate(first.items()):
            energy += (inertia / 2) * (factor**2 * turns.product(one, one, weight))
            for other, partner in list(first.items())[:place]:
                energy += inertia * (factor * partner * turns.product(one, other, weight))
        for (one, other), factor in second.items():
            energy += (inertia * omega[i]) * (factor * turns.product(one, other, weight))
    return energy


def rotary_velocity_forces(
    omega: ca.SX, beam: Beam, planes: Planes, q: Mapping[str, ca.SX], s: Mapping[str, ca.SX]
) -> tuple[ca.SX, dict[str, ca.SX]]:
    """Return the velocity forces of the rotation of sections: the torque (3) on the chord, and those on amplitudes."""
    # On symbols of their own, of which the amplitudes are expressions.
    spin = ca.SX.sym("omega", 3)
    amplitudes, rates = ({axis: ca.SX.sym("a", a.numel()) for axis, a in q.items()} for _ in range(2))
    at, moving = ca.vertcat(*amplitudes.values(), ca.SX(0, 1)), ca.vertcat(*rates.values(), ca.SX(0, 1))
    energy = rotary_energy(spin, beam, planes, amplitudes, rates)
    momentum, impulse = ca.gradient(energy, spin), ca.gradient(energy, moving)
    torque = ca.jtimes(momentum, at, moving) + skew(spin) @ momentum
    forces = ca.jtimes(impulse, at, moving) - ca.gradient(energy, at)
    symbols = [spin, at, moving]
    values = [omega, ca.vertcat(*q.values(), ca.SX(0, 1)), ca.vertcat(*s.values(), ca.SX(0, 1))]
    torque, forces = (ca.sparsify(each) for each in ca.substitute([torque, forces], symbols, values))
    ends = np.cumsum([0, *(a.numel() for a in q.values())]).tolist()
    by_axis = {axis: forces[start:end] for axis, start, end in zip(q, ends[:-1], ends[1:], strict=True)}
    return torque, by_axis


# An angle or the rate of one, by the axis of the turn.
Turn = tuple[str, int]


def _first_order(i: int, omega: ca.SX) -> dict[Turn, ca.SX | float]:
    j, k = (i + 1) % 3, (i + 2) % 3
    return {("rate", i): 1.0, ("angle", k): omega[j], ("angle", j): -omega[k]}


def _second_order(i: int, omega: ca.SX) -> dict[tuple[Turn, Turn], ca.SX | float]:
    x, y, z = (("angle", k) for k in range(3))
    y_rate, z_rate = ("rate", 1), ("rate", 2)
    squares = {(k, k): -omega[i] / 2 for k in (x, y, z) if k[1] != i}
    others = (
        {(y, z_rate): -1.0},
        {(x, y): omega[0], (x, z_rate): 1.0},
        {(y, z): omega[1], (x, z): omega[0], (x, y_rate): -1.0},
    )
    return squares | others[i]


@dataclass(frozen=True, eq=False)
class _Turns:
    """Integrals over the sections of their angles and of products of two, each built once."""

    planes: Planes
    length: float | ca.SX
    q: Mapping[str, ca.SX]
    s: Mapping[str, ca.SX]
    _known: dict[tuple[Turn, Turn, Profile], ca.SX] = field(default_factory=dict)

    def mean(self, turn: Turn, weight: Profile) -> ca.SX:
        axis = self._axis(turn)
        if axis is None:
            return ca.SX(1, 1)
        return self._scale(axis) * dot(_mean(self.planes[axis], weight), self._amplitudes(turn, axis))

    def product(self, one: Turn, other: Turn, weight: Profile) -> ca.SX:
        first, second = self._axis(one), self._axis(other)
        if first is None or second is None:
            return ca.SX(1, 1)
        key = (one, other, weight)
        if key not in self._known:
            constants = _products(self.planes[first], self.planes[second], weight)
            left, right = self._amplitudes(one, first), self._amplitudes(other, second)
            form = quadratic_form(left, constants) if one == other else bilinear_form(left, constants, right)
            self._known[key] = self._scale(first) * self._scale(second) * form
        return self._known[key]

    def _axis(self, turn: Turn) -> str | None:
        """Return the deformation that turns sections about an axis; None if nothing does."""
        of_turn = next(axis for axis, (i, _) in TURNS.items() if i == turn[1])
        return of_turn if of_turn in self.planes and self.planes[of_turn].shapes.size else None

    def _amplitudes(self, turn: Turn, axis: str) -> ca.SX:
        return (self.q if turn[0] == "angle" else self.s)[axis]

    def _scale(self, axis: str) -> float | ca.SX:
        """Return the angle by a unit amplitude, signed."""
        return TURNS[axis][1] * (1.0 if axis == "torsion" else 1 / self.length)


@lru_cache(maxsize=256)
def _mean(plane: DiscretizedDeformation, weight: Profile) -> np.ndarray:
    """Return the integral (n,) of a weight, of mean 1, times rotations."""
    xi, w = plane.shapes.quadrature(weight.breaks, finer=2 * FINER)
    integral = plane.shapes.rotation(xi) @ (w * weight(xi))
    # Rounding, which would cost operations in every evaluation.
    return np.where(np.abs(integral) < 1e-12 * np.abs(integral).max(initial=0.0), 0.0, integral)


@lru_cache(maxsize=256)
def _products(first: DiscretizedDeformation, second: DiscretizedDeformation, weight: Profile) -> np.ndarray:
    """Return the integral (n, m) of a weight, of mean 1, times products of rotations of two deformations."""
    if first is second:
        return gram(first.shapes.product(first.shapes.rotation, weight))
    one, two = first.shapes, second.shapes
    finer = (0 if weight == UNIFORM else FINER) + max(0, two.points - one.points)
    xi, w = one.quadrature((*weight.breaks, *two.bounds), finer)
    w, f, g = w * weight(xi), one.rotation(xi), two.rotation(xi)
    return without_rounding((f * w) @ g.T, np.outer(np.sqrt(f**2 @ w), np.sqrt(g**2 @ w)))
