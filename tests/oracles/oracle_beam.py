"""The beams of the oracle: what they are made of point by point, what they store, and how they shorten."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import casadi as ca
import numpy as np
from scipy.interpolate import BSpline

import flexblocks as fb
from flexblocks.beam.from_block import beam_from_block
from flexblocks.beam.properties.beam_profiles import BeamProfiles

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)
POINTS, WEIGHTS = (POINTS + 1) / 2, WEIGHTS / 2
# The functions (x/l, order) -> derivatives (n,).
ShapeFunctions = Callable[[float, int], np.ndarray]


def value(given: float | tuple, x: float) -> float:
    """Return a number, or what a table (x, value) has at x."""
    if isinstance(given, float):
        return given
    for (start, inner), (end, outer) in pairwise(given):
        if start <= x < end:
            return inner + (outer - inner) * (x - start) / (end - start)
    return given[-1][1]


def breaks(link: fb.FlexibleBeam) -> set[float]:
    """Return where on [0, 1] a property of a beam has a corner or a jump."""
    tables = (t for t in (link.linear_density, link.flexural_rigidity) if isinstance(t, tuple))
    return {x / link.length for table in tables for x, _ in table}


def joints(n: int) -> np.ndarray:
    """Return where the joints of rigid segments are, in the middle of equal cells, over the length."""
    return (np.arange(1, n + 1) - 0.5) / n


def gauss_points(link: fb.FlexibleBeam) -> tuple[np.ndarray, np.ndarray]:
    """Return points and weights on [0, 1], several for each piece on which the beam is smooth."""
    kind, ends = link.discretization, {0.0, 1.0, *breaks(link)}
    if isinstance(kind, fb.FiniteElements):
        ends |= set(np.linspace(0, 1, kind.n + 1).tolist())
    elif isinstance(kind, fb.RigidSegments):
        ends |= set(joints(kind.n).tolist())
    pieces = list(pairwise(sorted(ends)))
    points = np.concatenate([start + (end - start) * POINTS for start, end in pieces])
    return points, np.concatenate([(end - start) * WEIGHTS for start, end in pieces])


def beam_particles(link: fb.FlexibleBeam) -> list[tuple[float, float]]:
    """Return place x/l and mass [kg] of particles."""
    points = zip(*gauss_points(link), strict=True)
    return [(xi, w * link.length * value(link.linear_density, xi * link.length)) for xi, w in points]


def beam_mass(link: fb.FlexibleBeam) -> float:
    return sum(m for _, m in beam_particles(link))


def line(link: fb.FlexibleBeam, deformation: str) -> BeamProfiles:
    """Return what assumed modes are made for; how they come out of it is tested elsewhere."""
    return beam_from_block(link, np.zeros((6, 6))).deformations[deformation].profiles


def bending_energy(
    link: fb.FlexibleBeam, axis: str, shapes: ShapeFunctions | None, amplitudes: ca.SX, angles: list[ca.SX]
) -> ca.SX:
    """Return the integral of 1/2 EI times the squared curvature along a beam [J]; segments have `angles` instead."""
    rigidity = link.flexural_rigidity_z if axis == "z" and link.flexural_rigidity_z else link.flexural_rigidity
    found = ca.SX(0)
    if isinstance(link.discretization, fb.RigidSegments):
        # The curvature of a cell of length l/n is all in its joint.
        return sum(a**2 / (2 * c) for a, c in zip(angles, flexibilities(link, rigidity), strict=True))
    if shapes is not None:
        for xi, w in zip(*gauss_points(link), strict=True):
            curvature = ca.dot(ca.DM(shapes(xi, 2)), amplitudes) / link.length**2
            found += w * link.length * value(rigidity, xi * link.length) * curvature**2 / 2
    return found


def flexibilities(link: fb.FlexibleBeam, rigidity: float | tuple) -> np.ndarray:
    """Return the integral of 1/EI over each cell of a beam of rigid segments [1/(N m)]."""
    n, found = link.discretization.n, np.zeros(link.discretization.n)
    ends = sorted({*np.linspace(0, 1, n + 1).tolist(), *breaks(link)})
    for start, end in pairwise(ends):
        cell = min(int((start + end) / 2 * n), n - 1)
        for place, w in zip(start + (end - start) * POINTS, (end - start) * WEIGHTS, strict=True):
            found[cell] += w * link.length / value(rigidity, place * link.length)
    return found


def extensions(link: fb.FlexibleBeam, q: dict[str, ca.SX]) -> ca.SX:
    return ca.vertcat(*[q[f"{link.name}.extension[{k}]"] for k in range(1, link.discretization.n + 1)])


def axial_energy(link: fb.FlexibleBeam, shapes: ShapeFunctions | None, q: dict[str, ca.SX]) -> ca.SX:
    """Return the integral of 1/2 EA times the squared strain along a beam [J]."""
    if isinstance(link.discretization, fb.RigidSegments):
        return link.axial_rigidity * link.discretization.n / link.length * ca.sumsqr(extensions(link, q)) / 2
    found = ca.SX(0)
    if shapes is not None:
        for xi, w in zip(*gauss_points(link), strict=True):
            strain = ca.dot(ca.DM(shapes(xi, 1)), extensions(link, q)) / link.length
            found += w * link.length * link.axial_rigidity * strain**2 / 2
    return found


def rod_shapes(link: fb.FlexibleBeam, tip_mass: float) -> ShapeFunctions | None:
    """Return the shape functions of extension; none for segments and rigid beams."""
    kind = link.discretization
    if isinstance(kind, fb.FiniteElements):
        nodes = np.linspace(0, 1, kind.n + 1)
        hats = [BSpline(np.r_[nodes[0], nodes, nodes[-1]], row, 1) for row in np.eye(kind.n + 1)[1:]]
        return lambda xi, order: np.array([hat(xi, order) for hat in hats])
    if isinstance(kind, fb.AssumedModes):
        return kind.rod_shapes(fb.TipBody(tip_mass / beam_mass(link)), line(link, "x")).derivative
    return None


def shortening(
    link: fb.FlexibleBeam, shapes: dict[str, ShapeFunctions], xi: float, amplitudes: dict[str, ca.SX]
) -> ca.SX:
    """Return the integral of half the squared slopes from the root [m]."""
    found = ca.SX(0)
    kind = link.discretization
    nodes = np.linspace(0, 1, kind.n + 1).tolist() if isinstance(kind, fb.FiniteElements) else breaks(link)
    for start, end in pairwise(sorted({0.0, xi, *(node for node in nodes if node < xi)})):
        for place, weight in zip(start + (end - start) * POINTS, (end - start) * WEIGHTS, strict=True):
            for axis, function in shapes.items():
                slope = ca.dot(ca.DM(function(place, 1)), amplitudes[axis]) / link.length
                found += weight * link.length * slope**2 / 2
    return found
