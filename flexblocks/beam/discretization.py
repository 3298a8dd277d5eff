"""How finely a FlexibleBeam bends: an argument of the block, not another model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from flexblocks.beam.kinematics.beam import Beam
from flexblocks.beam.kinematics.deflection import Flexure
from flexblocks.beam.kinematics.modal_deflection import ShapeFlexure
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.internal_forces import HeldCut
from flexblocks.beam.shapes.linear_theory import PLAIN, Line
from flexblocks.beam.shapes.shape_functions import NoShapes, Shapes
from flexblocks.beam.shapes.shape_integrals import Bending, bending, stretching
from flexblocks.errors import ParameterError
from flexblocks.interfaces import Coordinate, Frame, Local


class Discretization(ABC):
    """Base of all: gives the coordinates and the shape functions of each deformation of a beam.

    Deformations are ``"y"`` and ``"z"`` (bending), ``"x"`` (extension) and ``"torsion"``.
    """

    kind: ClassVar[type[Flexure]] = ShapeFlexure

    @abstractmethod
    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        """Return the coordinates of one deformation, one for each shape function.

        In bending those in m are amplitudes of the shape functions; those in rad are amplitudes in units of the beam's
        length.
        """

    @abstractmethod
    def shapes(self, tip: TipBody, line: Line = PLAIN) -> Shapes:
        """Return the shape functions of bending; `tip` in units of the beam."""

    @abstractmethod
    def rod_shapes(self, tip: TipBody, line: Line = PLAIN) -> Shapes:
        """Return the shape functions of extension or torsion; the mass of `tip` in units of the beam."""

    @property
    def can_shear(self) -> bool:
        """Whether the beam can be flexible in shear."""
        return True

    def richer(self) -> Discretization:
        """Return the next finer one of its kind; itself where there is none."""
        return self

    def audited_by(self) -> Discretization:
        """Return one of its kind fine enough to judge this one by; itself where there is none."""
        return self

    def tip_body(self, carried: TipBody) -> TipBody:
        """Return the tip body that shapes the modes, given all that hangs on the tip; both in SI units."""
        return carried

    def flexure(self, beam: Beam, root: Frame, local: Local) -> Flexure:
        """Return a beam that deforms as this discretization lets it, in terms of the block's symbols."""
        coordinates = {axis: self.coordinates(axis) for axis in beam.deformations}
        q = {axis: _column([local[c.name] for c in found]) for axis, found in coordinates.items()}
        amplitudes = {
            axis: _column([_amplitude(axis, c, beam) * local[c.name] for c in found])
            for axis, found in coordinates.items()
        }
        planes = {axis: self._plane(axis, beam) for axis in beam.deformations}
        cuts = tuple(HeldCut(cut, local) for cut in beam.cuts)
        return self.kind(beam, root, planes, q, amplitudes, local.rate, cuts)

    def _plane(self, axis: str, beam: Beam) -> Bending:
        given = beam.deformations[axis]
        return (bending if axis in ("y", "z") else stretching)(self, given.tip, given.line)


def _amplitude(axis: str, coordinate: Coordinate, beam: Beam) -> float | ca.SX:
    """Return the amplitude of a shape by a unit of its coordinate."""
    return beam.length if coordinate.unit == "rad" and axis != "torsion" else 1.0


def numbered(stem: str, unit: str, n: int) -> tuple[Coordinate, ...]:
    """Return coordinates ``stem[1]``, ``stem[2]``, ... ``stem[n]``."""
    return tuple(Coordinate(f"{stem}[{i}]", unit) for i in range(1, n + 1))


# What coordinates of extension and torsion are called, whatever the discretization, and their units.
STEMS = {"x": ("extension", "m"), "torsion": ("torsion", "rad")}


def _column(entries: list[ca.SX]) -> ca.SX:
    return ca.vertcat(*entries, ca.SX(0, 1))


@dataclass(frozen=True)
class Rigid(Discretization):
    """The beam does not deform."""

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        del axis
        return ()

    def shapes(self, tip: TipBody, line: Line = PLAIN) -> Shapes:
        del tip, line
        return NoShapes()

    def rod_shapes(self, tip: TipBody, line: Line = PLAIN) -> Shapes:
        del tip, line
        return NoShapes()


def check_number(kind: str, n: object) -> None:
    """Refuse a number of modes, elements or segments that is not a whole number > 0."""
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise ParameterError(f"{kind}: n = {n!r}; must be a whole number > 0 (Rigid() is a beam that does not bend).")
