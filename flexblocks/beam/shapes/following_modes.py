"""Integrals of clamped-mass modes that follow the extension of an axially moving beam, in closed form.

A mode phi of root b depends on the extension l through its root and through the tip body relative to the beam. With
psi = (1 - xi) phi' + l dphi/dl, the rate of the mode at a particle, and the root's rate,

    phi'''' = lambda phi,    psi'''' = lambda psi + nu phi,    lambda = b^4,    nu = l dlambda/dl - 4 lambda,

with phi = phi' = psi = 0 and psi' = phi'' at the clamp. Integrals of products of two such functions are differences of
their values at both ends: by Green's identity for two different modes, and for one mode with itself by integrating
xi^k y z, y and z solutions for the same lambda, since psi = eps xi phi' + h with eps = nu/(4 lambda) and
h'''' = lambda h. All values at the ends are those of `mode_ends` and their derivatives in l.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip
from flexblocks.beam.shapes.mode_ends import ModeEnds, mode_ends
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes
from flexblocks.interfaces import Local


def clamped_mass_shapes(
    roots: ca.SX, tip: RelativeTip, local: Local, extension: str, start: np.ndarray, start_tip: RelativeTip
) -> SlidingShapes:
    """Return the integrals of the clamped-mass modes whose roots (n, 1) change with the coordinate `extension` [m].

    The modes have mean square 1; with the roots `start` (n,) and the tip body `start_tip`, in numbers, the tip's
    deflections are positive.
    """
    out, n = local[extension], roots.numel()

    def change(expression: ca.SX) -> ca.SX:
        """Return l times the derivative in the extension l."""
        return out * local.slope(expression, extension)

    modes = []
    for b, ends in zip(ca.vertsplit(roots), following_ends(roots, tip, local, start, start_tip), strict=True):
        power = b**4
        modes.append(_Mode(ends, ModeEnds.of(change(ends.stacked)), power, change(power) - 4 * power))
    mass, stiffness = ca.SX(n, n), ca.SX(n, n)
    for i, mode in enumerate(modes):
        mass[i, i], stiffness[i, i] = 1, mode.power + _edge(mode, mode)
        for j, other in enumerate(modes[:i]):
            mass[i, j] = mass[j, i] = _green(mode.phi, other.phi) / (other.power - mode.power)
            stiffness[i, j] = stiffness[j, i] = other.power * mass[i, j] + _edge(mode, other)
    mass = local.intermediate("mass", mass, order=1)
    growth = change(ca.vec(ca.densify(mass)))
    coupling, moved = ca.SX(n, n), ca.SX(n, n)
    for i, mode in enumerate(modes):
        coupling[i, i], moved[i, i] = 1 / 2, mode.moved
        for j, other in enumerate(modes[:i]):
            gap = other.power - mode.power
            of_clamp = mode.ends.clamp[0] * other.ends.clamp[0]
            coupling[i, j] = (_green(mode.phi, other.psi) - of_clamp - other.drive * mass[i, j]) / gap
            # Both together are the change of the mass along the beam and with its length.
            coupling[j, i] = mass[i, j] + growth[i * n + j] - coupling[i, j]
            of_clamp = mode.ends.clamp[0] * other.bend - mode.bend * other.ends.clamp[0]
            driven = mode.drive * coupling[i, j] - other.drive * coupling[j, i]
            moved[i, j] = moved[j, i] = (_green(mode.psi, other.psi) + of_clamp + driven) / gap
    flexing, flexed = _of_curvatures(modes, coupling, moved)
    mean, moment = (ca.vertcat(*[getattr(mode.ends, name) for mode in modes]) for name in ("mean", "moment"))
    of_mean, of_moment = (ca.vertcat(*[getattr(mode.change, name) for mode in modes]) for name in ("mean", "moment"))
    return SlidingShapes(
        mean=mean,
        moment=moment,
        drift=local.intermediate("drift", mean + of_mean),
        swing=local.intermediate("swing", 2 * (moment - mean) + of_moment),
        mass=mass,
        coupling=local.intermediate("coupling", coupling),
        change=local.intermediate("change", moved),
        stiffness=local.intermediate("stiffness", stiffness),
        flexing=flexing,
        flexed=flexed,
        value=ca.vertcat(*[mode.ends.tip[0] for mode in modes]),
        slope=ca.vertcat(*[mode.ends.tip[1] for mode in modes]),
    )


def following_ends(
    roots: ca.SX, tip: RelativeTip, local: Local, start: np.ndarray, start_tip: RelativeTip
) -> list[ModeEnds]:
    """Return the values of these modes at clamp and tip; arguments as for `clamped_mass_shapes`."""
    all_ends = []
    for i, (b, at) in enumerate(zip(ca.vertsplit(roots), start.tolist(), strict=True)):
        sign = math.copysign(1.0, float(mode_ends(i, ca.SX(at), at, start_tip).tip[0]))
        ends = local.intermediate(f"mode[{i + 1}]", mode_ends(i, b, at, tip, sign).stacked, order=1)
        all_ends.append(ModeEnds.of(ends))
    return all_ends


@dataclass(frozen=True)
class _Mode:
    """A mode, the change of its values at the ends, lambda, and nu, which drives psi."""

    ends: ModeEnds
    change: ModeEnds
    power: ca.SX
    drive: ca.SX

    @property
    def phi(self) -> list[ca.SX]:
        """phi and its derivatives at the tip."""
        return ca.vertsplit(self.ends.tip)

    @property
    def psi(self) -> list[ca.SX]:
        """psi and its derivatives at the tip."""
        changes = ca.vertsplit(self.change.tip)
        return [change - k * value for k, (change, value) in enumerate(zip(changes, self.phi, strict=True))]

    @property
    def bend(self) -> ca.SX:
        """psi'' at the clamp."""
        return self.ends.clamp[1] - 2 * self.ends.clamp[0] + self.change.clamp[0]

    @property
    def moved(self) -> ca.SX:
        """Integral of psi^2, psi = eps xi phi' + h."""
        power, (v, s, B, Q), k = self.power, self.phi, self.ends.clamp[0]
        eps = self.drive / (4 * power)
        h = [
            psi - eps * (i * a + b)
            for i, (psi, a, b) in enumerate(zip(self.psi, self.phi, [s, B, Q, power * v], strict=True))
        ]
        h_bend = self.bend - 2 * eps * k
        hh = h[0] ** 2 + (3 * h[0] * h[3] - 2 * h[1] * h[3] - h[1] * h[2] + h[2] ** 2 + k * h_bend) / power
        yh = (
            ((3 * s - 3 * v - B) * h[3] + (Q - B) * h[2] + (B - Q) * h[1] - k**2) / power
            + 3 * v * h[0]
            + s * h[0]
            - v * h[1]
        )
        yy = (
            ((5 / 8 * v - s / 4 - B / 4 + Q / 12) * Q + (3 * B - 3 * s) * B / 8) / power
            - 5 / 8 * v**2
            + 3 / 4 * s * v
            + s**2 / 12
            - B * v / 6
        )
        return hh / 4 + eps * (yh / 4 + eps * yy)


def _of_curvatures(modes: Sequence[_Mode], coupling: ca.SX, moved: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the integrals of phi_i'' psi_j'' and of psi_i'' psi_j'', by parts twice."""
    n = len(modes)
    flexing, flexed = ca.SX(n, n), ca.SX(n, n)
    for i, mode in enumerate(modes):
        for j, other in enumerate(modes):
            at_clamp = other.ends.clamp[0]
            phi, psi, along = mode.phi, mode.psi, other.psi
            flexing[i, j] = phi[2] * along[1] - phi[3] * along[0] - mode.ends.clamp[0] * at_clamp
            flexing[i, j] += mode.power * coupling[i, j]
            if j <= i:
                edge = psi[2] * along[1] - psi[3] * along[0] - mode.bend * at_clamp
                flexed[i, j] = flexed[j, i] = edge + mode.power * moved[i, j] + mode.drive * coupling[i, j]
    return flexing, flexed


def _green(y: Sequence[ca.SX], z: Sequence[ca.SX]) -> ca.SX:
    """Return y z''' - y' z'' + y'' z' - y''' z at the tip."""
    return y[0] * z[3] - y[1] * z[2] + y[2] * z[1] - y[3] * z[0]


def _edge(mode: _Mode, other: _Mode) -> ca.SX:
    """Return what integration by parts leaves of phi_i'' phi_j'' besides lambda_j phi_i phi_j."""
    return mode.phi[1] * other.phi[2] - mode.phi[0] * other.phi[3]
