"""Geometrically exact kinematics of a beam by its strains: sections move and turn by any amount.

Sections turn as the curvatures say (`section_rotations`), and the axis follows the tangent R (1 + e, g_y, g_z), with
the extension e and the shear strains g. The tangent at a few points, interpolated between them, makes the position
P(x) = l sum_k a_k(x/l) t_k: functions a_k with integrals that are constants, scaled by tangents t_k (3) that take the
place of amplitudes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.deflection import Flexure, turned
from flexblocks.beam.kinematics.kinetic_energy import dot, mass_moments
from flexblocks.beam.kinematics.pieces import Piece, on_piece, pieces
from flexblocks.beam.kinematics.plane_inertia import PlaneCurve
from flexblocks.beam.kinematics.rotary_energy import TURNS
from flexblocks.beam.kinematics.section_rotations import AboutOneAxis, InSpace, SectionRotation, SectionRotations
from flexblocks.beam.kinematics.strain_inertia import Tangents, in_unit, rotating, translating, weighted
from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.profile import Distribution, Profile
from flexblocks.beam.properties.quadrature import gauss_legendre, panels, within
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.shape_functions import Shapes, moving
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.beam.shapes.strain_shapes import PiecewisePolynomials, RodStrainShapes, with_rest
from flexblocks.beam.shapes.tangent_shapes import TangentInterpolation, tangent_interpolation
from flexblocks.interfaces import Frame, InertialBody, Local, skew

# Gauss points on each smooth piece of a load.
POINTS = 48


@dataclass(frozen=True, eq=False)
class StrainFlexure(Flexure):
    """A beam whose strains are linear in the coordinates, at strains and deflections of any size.

    Attributes
    ----------
    points : int
        Gauss points on each piece at which the tangent is taken, or Gauss-Lobatto points without the root.
    local : Local
        The symbols of the block.
    rest : dict of PiecewisePolynomials
        Curvatures and twist per length of the unloaded beam, times its length, by deformation; none of a straight one.
    """

    points: int = 0
    rest: Mapping[str, PiecewisePolynomials] = field(default_factory=dict)
    local: Local = field(default_factory=lambda: Local({}, ca.SX(0, 1), ca.SX(0, 1)))

    @property
    def base(self) -> Frame:
        return self.root

    @cached_property
    def _interpolation(self) -> TangentInterpolation:
        strained = (*(plane.shapes for plane in self.planes.values()), *self._turning.values())
        return tangent_interpolation(strained, self.points, not self._about_one_axis)

    @property
    def _axis(self) -> RodStrainShapes:
        return self._interpolation.shapes

    @property
    def _places(self) -> np.ndarray:
        return self._interpolation.places

    @property
    def _about_one_axis(self) -> bool:
        return len(self._turning) == 1 and "torsion" not in self._turning

    @cached_property
    def _turning(self) -> dict[str, Shapes]:
        """The shapes that turn sections."""
        bent = {axis: plane.shapes for axis, plane in self.planes.items() if axis in TURNS and plane.shapes.size}
        return bent | {axis: with_rest(bent.get(axis), strain) for axis, strain in self.rest.items()}

    @cached_property
    def _turned_by(self) -> dict[str, ca.SX]:
        """What scales these shapes: coordinates, and 1 for the curvature at rest."""
        return {axis: ca.vertcat(self.q.get(axis, ca.SX(0, 1)), *[1.0] * (axis in self.rest)) for axis in self._turning}

    @cached_property
    def _rotations(self) -> SectionRotations:
        if self._about_one_axis:
            ((axis, shapes),) = self._turning.items()
            return AboutOneAxis(axis, shapes, self._turned_by[axis], self.local)
        return InSpace(self._turning, self._turned_by, tuple(sorted({0.0, *self._places.tolist()})), self.local)

    @cached_property
    def _sections(self) -> list[SectionRotation]:
        return [self._rotations.at(place) for place in self._places.tolist()]

    def _along(self, xi: float) -> ca.SX:
        """Return the tangent (3) in the axes of the section: 1 + extension, and the shear strains."""
        tangent = ca.SX(3, 1)
        tangent[0] = 1
        for axis, plane in self.planes.items():
            if axis == "x":
                tangent[0] += dot(plane.shapes.strain(xi), self.q["x"], 1 / self.beam.length)
            elif axis in ("y", "z"):
                tangent["xyz".index(axis)] = dot(_without_zeros(plane.shapes.shear(xi)), self.q[axis])
        return ca.sparsify(tangent)

    @cached_property
    def _tangents(self) -> tuple[list[ca.SX], list[ca.SX]]:
        """The tangents (3) at the Gauss points in the axes of the root, and their derivatives (3, n)."""
        tangents, jacobians = [], []
        for along, section in zip(self._alongs, self._sections, strict=True):
            tangent = ca.sparsify(section.R @ along)
            stretching = section.R @ ca.sparsify(ca.jacobian(along, self.local.coordinates))
            tangents.append(tangent)
            jacobians.append(ca.sparsify(skew(tangent).T @ section.turning + stretching))
        return tangents, jacobians

    @cached_property
    def _curve(self) -> PlaneCurve | None:
        """The axis by its angles, where it bends in one plane and is neither stretched nor sheared."""
        rotations = self._rotations
        if not isinstance(rotations, AboutOneAxis) or any(
            along.nnz() > 1 or not along[0].is_one() for along in self._alongs
        ):
            return None
        angles = [rotations.angle(place) for place in self._places.tolist()]
        shares = [ca.evalf(ca.jacobian(angle, self.local.coordinates)).full()[0] for angle in angles]
        return PlaneCurve(rotations.axis, angles, np.array(shares))

    @cached_property
    def _alongs(self) -> list[ca.SX]:
        return [self._along(place) for place in self._places.tolist()]

    def _moved(self, shares: np.ndarray) -> ca.SX:
        """Return the derivatives (3, n) of a weighted sum of the tangents."""
        return weighted(shares, self._tangents[1]) if self._curve is None else self._curve.moved(shares)

    def _drift(self, k: int, omega: ca.SX) -> ca.SX:
        """Return the second derivative (3) of a tangent relative to the world that is left without accelerations.

        In the axes of the root, which turns at `omega`.
        """
        section, tangent = self._sections[k], self._tangents[0][k]
        if self._curve is not None:
            # About one axis, the square of the angular velocity goes with the axis of the section.
            spin, drift = (skew(ca.sparsify(section.R.T @ each)) for each in section.spin(omega))
            along = self._alongs[k]
            return ca.sparsify(section.R @ ca.sparsify(spin @ ca.sparsify(spin @ along) + drift @ along))
        spin, drift = (skew(ca.sparsify(each)) for each in section.spin(omega))
        stretching = 2 * (section.R @ ca.sparsify(self.rate(self._alongs[k])))
        return ca.sparsify(spin @ ca.sparsify(spin @ tangent + stretching) + drift @ tangent)

    def _position(self, shares: np.ndarray) -> ca.SX:
        """Return a weighted sum of the tangents (3) times the length [m]."""
        return ca.sparsify(self.beam.length * weighted(shares, self._tangents[0]))

    @cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        """The parts between the cuts, from the root outward; one if there are none."""
        at_rest = Frame(ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 1), self.rate)
        return pieces(self.root, self.cuts, lambda xi: self._section(at_rest, xi))

    def section(self, xi: float) -> Frame:
        # What is at a cut is outboard of it.
        root = [piece.frame for piece in self._pieces if piece.start <= xi][-1]
        return self._section(root, xi)

    def moving_section(self, xi: ca.SX) -> Frame:
        return on_piece(self._pieces, lambda piece: self._moving_section(piece.frame, xi), xi)

    def _moving_section(self, root: Frame, xi: ca.SX) -> Frame:
        """Return the frame of the section at a symbol when the root is at `root`."""
        place = self.beam.length * (ca.horzcat(*self._tangents[0]) @ moving(self._axis, "deflection", xi))
        moved = root.translate(ca.sparsify(place))
        if isinstance(self._rotations, AboutOneAxis):
            return turned(moved, self._rotations.axis, self._rotations.angle(xi))
        assert isinstance(self._rotations, InSpace)  # the only other kind
        R = self._rotations.moving(xi)
        spin = ca.sparsify(R.T @ self.rate(R))
        return moved.reorient(R, ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0]))

    def _section(self, root: Frame, xi: float) -> Frame:
        """Return the frame of the section at xi when the root is at `root`."""
        if not xi:
            return root
        shares, unit = in_unit(self._axis.deflection(xi), self.beam.length)
        place = ca.sparsify(unit * weighted(shares, self._tangents[0]))
        rate = unit * self._moved(shares) @ self.local.rates
        drift = unit * weighted(shares, [self._drift(k, root.omega) for k in range(len(self._places))])
        velocity = root.v + skew(ca.sparsify(root.omega)) @ place + ca.sparsify(rate)
        moved = replace(root, r=root.r + root.R @ place, v=velocity, turn=None, drift=None)
        drift = ca.sparsify(drift)
        # Of a piece that is moved by a cut the drift is to be derived: the cut has one, too.
        is_known = root is self.root
        if isinstance(self._rotations, AboutOneAxis):
            known = ca.vertcat(ca.SX(3, 1), drift) if is_known else None
            return turned(replace(moved, drift=known), self._rotations.axis, self._rotations.angle(xi))
        section = self._rotations.at(xi)
        if not is_known:
            return moved.reorient(section.R, ca.sparsify(section.R.T @ section.turning) @ self.local.rates)
        omega = ca.sparsify(root.omega + section.turning @ self.local.rates)
        known = ca.vertcat(section.spin(root.omega)[1], drift)
        return replace(moved, omega=omega, drift=known).reorient(section.R)

    def resultant(self, weight: Distribution) -> tuple[float | ca.SX, ca.SX]:
        length, total, place = self.beam.length, 0.0, ca.SX(3, 1)
        for piece in self._pieces:
            xi, w = gauss_legendre(POINTS, within(panels(weight.breaks, self._axis.bounds), piece.start, piece.end))
            force = w * weight(xi)
            along = self._position(self._axis.deflection(xi) @ force)
            total += float(force.sum()) * length
            place += length * piece.moved(float(force.sum()), along)
        return total, place

    def tip_deflection(self, axis: str) -> ca.SX:
        tip = self._position(self._axis.deflection(1.0))["xyz".index(axis)]
        if not self.rest:
            return tip
        return tip - ca.substitute(tip, self.local.coordinates, ca.SX.zeros(self.local.coordinates.shape[0], 1))

    def kinetic(self) -> ca.SX:
        energy = ca.SX(1, 1)
        for body in self._bodies:
            motion = ca.sparsify(ca.vertcat(body.frame.twist, self.local.rates))
            energy += ca.dot(motion, ca.sparsify(body.inertia @ motion)) / 2
        return energy

    def bodies(self) -> tuple[InertialBody, ...]:
        return self._bodies

    @cached_property
    def _bodies(self) -> tuple[InertialBody, ...]:
        return tuple(self._body(piece) for piece in self._pieces if piece.end > piece.start)

    def _body(self, piece: Piece) -> InertialBody:
        """Return the inertia of one piece, which moves with the root as it is moved by the cuts inboard."""
        beam, plane = self.beam, piece.of(_interpolated(self._axis, self.beam.density))
        share = mass_moments(beam.density, piece.start, piece.end)[0]
        if self._curve is not None:
            omega, rates = piece.frame.omega, self.local.rates
            inertia, bias = self._curve.translating(plane.integrals, beam.mass, share, beam.length, omega, rates)
        else:
            tangents = Tangents(*self._tangents, [self._drift(k, piece.frame.omega) for k in range(len(self._places))])
            inertia, bias = translating(tangents, plane.integrals, beam.mass, share, beam.length)
        if beam.section_inertia:
            products = {
                axis: plane.shapes.product(plane.shapes.strain, beam.rotary[axis]) for axis in beam.section_inertia
            }
            turning, gyroscopic = rotating(
                self._sections, products, beam.section_inertia, piece.frame.omega, self.local.rates
            )
            inertia, bias = inertia + turning, bias + gyroscopic
        return InertialBody(piece.frame, inertia, ca.sparsify(bias))


@lru_cache(maxsize=256)
def _interpolated(shapes: RodStrainShapes, density: Profile) -> DiscretizedDeformation:
    return DiscretizedDeformation(shapes, FREE, BeamProfiles(density=density))


def _without_zeros(values: np.ndarray) -> np.ndarray:
    return np.where(np.abs(values) < 1e-13 * np.abs(values).max(initial=0.0), 0.0, values)
