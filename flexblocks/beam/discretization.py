"""Spatial discretisation of a flexible beam: coordinates and shape functions of each deformation.

It is an argument of a beam block, so that another one leaves the model as it is. docs/discretizations.md shows how to
write one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import casadi as ca

from flexblocks.beam.kinematics.beam import Beam, BeamDeformation
from flexblocks.beam.kinematics.deflection import Flexure
from flexblocks.beam.kinematics.modal_deflection import ShapeFlexure
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.internal_forces import HeldCut
from flexblocks.beam.shapes.shape_functions import NoShapes, Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation, discretized_bending, discretized_rod
from flexblocks.errors import ParameterError
from flexblocks.interfaces import Coordinate, Frame, Local


class Discretization(ABC):
    """Base of all discretisations: the coordinates and shape functions of each deformation of a beam.

    Deformations are ``"y"`` and ``"z"`` (bending), ``"x"`` (extension) and ``"torsion"``. A subclass is a frozen
    dataclass (its hash lets equal beams share what is computed from it) with the three abstract methods; the other
    members state what else it supports.

    Attributes
    ----------
    keyword : str
        Its name on the command line, as in ``--beams modes:2``, if its one argument is a number; empty if it has none.
    flexure_type : type of Flexure
        How sections move: by shape functions, linear in the coordinates, unless it says otherwise.
    is_shaped : bool
        Whether the unloaded beam is curved or twisted.
    """

    keyword: ClassVar[str] = ""
    flexure_type: ClassVar[type[Flexure]] = ShapeFlexure
    is_shaped = False

    @abstractmethod
    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        """Return the coordinates of one deformation, one for each shape function; see `numbered_coordinates`.

        In bending those in m are amplitudes of the shape functions; those in rad are amplitudes in units of the beam's
        length.
        """

    def shear_coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        """Return coordinates of shear strains alone, where these have functions of their own.

        They follow those of bending along `axis` in a beam that shears and whose sections have rotary inertia. None
        where the shapes of bending have rotations apart from their slopes, as those of modes and elements.
        """
        del axis
        return ()

    def all_coordinates(self, axis: str, shears: bool) -> tuple[Coordinate, ...]:
        """Return the coordinates of one deformation, of bending with those of shear if it shears with inertia."""
        more = self.shear_coordinates(axis) if shears and axis in ("y", "z") else ()
        return (*self.coordinates(axis), *more)

    @abstractmethod
    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        """Return the shape functions of bending: zero at the root, with slope zero there where the beam is clamped.

        Parameters
        ----------
        tip : TipBody
            What `tip_body` has returned, in units of the beam: mass / m, inertia / (m l^2), static moment / (m l).
        profiles : BeamProfiles
            How the properties vary along the beam, dimensionless.
        """

    @abstractmethod
    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        """Return the shape functions of extension or torsion: zero at the root.

        The mass of `tip` is in units of the beam's mass; in torsion it is its polar inertia in units of the beam's.
        """

    @property
    def is_linear(self) -> bool:
        """Whether it takes deflections as small: whether they are linear in the coordinates."""
        return issubclass(self.flexure_type, ShapeFlexure)

    @property
    def can_shear(self) -> bool:
        """Whether the beam can be flexible in shear: whether its shapes have rotations apart from their slopes."""
        return False

    @property
    def follows_shear(self) -> bool:
        """Whether it has shapes for any EI/(kappa G A l^2), so that these may stay symbolic; see `following_shear`."""
        return False

    def following_shear(self, deformation: BeamDeformation) -> tuple[DiscretizedDeformation, ca.SX]:
        """Return a bending deformation with constant shapes, and the shares (m, n) of its own n amplitudes in these m.

        The shares follow `deformation.softness`, which is symbolic.
        """
        raise NotImplementedError(f"{type(self).__name__}: follows_shear without following_shear.")

    @property
    def can_slide(self) -> bool:
        """Whether its shapes may stretch with a beam that slides out of a hub: clamped, with second derivatives."""
        return False

    @property
    def can_guide(self) -> bool:
        """Whether a carriage may run along the beam: whether its axis has no kinks."""
        return self.flexure_type.moving_section is not Flexure.moving_section

    @property
    def can_guide_in_shear(self) -> bool:
        """Whether its axis has no kinks in a beam that shears, either."""
        return True

    def has_coordinates_of(self, other: Discretization) -> bool:
        """Whether coordinates of one name mean the same in another discretisation, so that values carry over."""
        return self == other

    def rigid(self) -> Discretization:
        """Return a discretisation in which the beam does not deform, of the shape that it has unloaded."""
        return Rigid()

    def richer(self) -> Discretization:
        """Return the next finer discretisation of its kind; itself if there is none."""
        return self

    def audited_by(self) -> Discretization:
        """Return a discretisation of its kind fine enough to judge this one by; itself if there is none."""
        return self

    def suited(self) -> Discretization:
        """Return the discretisation of its kind whose shapes are made for what the beam carries; usually itself."""
        return self

    def tip_body(self, carried: TipBody) -> TipBody:
        """Return the tip body that shapes the modes, from all that hangs on the tip; both in SI units."""
        return carried

    def feels_tip(self, damped: bool) -> bool:
        """Whether shapes, the damping of a beam that is `damped`, or a form of its tip depend on what hangs there."""
        del damped
        return True

    def flexure(self, beam: Beam, root: Frame, local: Local) -> Flexure:
        """Return the flexure of a beam so discretised, in terms of the block's symbols."""
        coordinates = {
            axis: self.all_coordinates(axis, bool(deformation.profiles.shear and deformation.profiles.rotary))
            for axis, deformation in beam.deformations.items()
        }
        q = {axis: _column([local[c.name] for c in of_axis]) for axis, of_axis in coordinates.items()}
        amplitudes = {
            axis: _column([_amplitude(axis, c, beam) * local[c.name] for c in of_axis])
            for axis, of_axis in coordinates.items()
        }
        planes = {axis: self.plane(axis, beam) for axis in beam.deformations}
        damped = {axis: (plane, amplitudes[axis]) for axis, plane in planes.items()}
        for axis, deformation in beam.deformations.items():
            if isinstance(deformation.softness, ca.SX) and q[axis].numel():
                planes[axis], shares = self.following_shear(deformation)
                q[axis], amplitudes[axis] = shares @ q[axis], shares @ amplitudes[axis]
        cuts = (HeldCut(cut, local) for cut in beam.cuts)
        released = tuple(cut for cut in cuts if cut.is_released)
        return self.flexure_type(beam, root, planes, q, amplitudes, damped, local.rate, released)

    def plane(self, axis: str, beam: Beam) -> DiscretizedDeformation:
        """Return one deformation of a beam so discretised, with its constants."""
        deformation = beam.deformations[axis]
        discretized = discretized_bending if axis in ("y", "z") else discretized_rod
        return discretized(self, deformation.tip, deformation.profiles)


def _amplitude(axis: str, coordinate: Coordinate, beam: Beam) -> float | ca.SX:
    """Return the amplitude of a shape for a unit of its coordinate."""
    return beam.length if coordinate.unit == "rad" and axis != "torsion" else 1.0


def numbered_coordinates(axis: str, n: int, stem: str = "bending", unit: str = "m") -> tuple[Coordinate, ...]:
    """Return `n` coordinates of one deformation under their usual names.

    ``extension[i]`` [m] along ``"x"``, ``torsion[i]`` [rad], and in bending ``<stem>_y[i]`` or ``<stem>_z[i]`` in
    `unit`; i = 1..n.
    """
    name, unit = {"x": ("extension", "m"), "torsion": ("torsion", "rad")}.get(axis, (f"{stem}_{axis}", unit))
    return tuple(Coordinate(f"{name}[{i}]", unit) for i in range(1, n + 1))


def _column(entries: list[ca.SX]) -> ca.SX:
    return ca.vertcat(*entries, ca.SX(0, 1))


@dataclass(frozen=True)
class Rigid(Discretization):
    """The rigid beam: it does not deform.

    Attributes
    ----------
    is_decided : bool
        False if it is the default of a beam whose user has said nothing.
    """

    is_decided: bool = field(default=True, init=False, repr=False)

    @property
    def can_shear(self) -> bool:
        """True, so that a beam with ``shear=True`` can be made rigid: nothing is left that could shear."""
        return True

    @property
    def follows_shear(self) -> bool:
        return True

    @property
    def can_slide(self) -> bool:
        return True

    def feels_tip(self, damped: bool) -> bool:
        del damped
        return False

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        del axis
        return ()

    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip, profiles
        return NoShapes()

    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip, profiles
        return NoShapes()


def undecided() -> Rigid:
    """Return the rigid beam used where no deformation is chosen; assembly warns of it."""
    rigid = Rigid()
    object.__setattr__(rigid, "is_decided", False)
    return rigid


def check_number(kind: str, n: object, most: int = 200) -> None:
    """Refuse a number of modes, elements or segments that is not a whole number from 1 to `most`."""
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= most:
        raise ParameterError(
            f"{kind}: n = {n!r}; must be a whole number > 0, {most} at the most (Rigid() is a beam that does not bend)."
        )
