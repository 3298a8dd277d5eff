"""How finely a FlexibleBeam bends: an argument of the block, not another model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from flexblocks.beam.bending import bending
from flexblocks.beam.flexure import Flexure
from flexblocks.beam.shape_flexure import ShapeFlexure
from flexblocks.beam.shapes import NoShapes, Shapes
from flexblocks.beam.tip_body import TipBody
from flexblocks.beam.uniform_beam import UniformBeam
from flexblocks.errors import ParameterError
from flexblocks.frame import Frame
from flexblocks.physics import Coordinate, Local


class Discretization(ABC):
    """Base of all: gives the coordinates and the shape functions of each plane of bending."""

    kind: ClassVar[type[Flexure]] = ShapeFlexure

    @abstractmethod
    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        """Return the coordinates of the deflection along `axis`, one for each shape function.

        Those in m are amplitudes of the shape functions; those in rad are amplitudes in units of the beam's length.
        """

    @abstractmethod
    def shapes(self, tip: TipBody) -> Shapes:
        """Return the shape functions; `tip` in units of the beam."""

    def richer(self) -> Discretization:
        """Return the next finer one of its kind; itself where there is none."""
        return self

    def audited_by(self) -> Discretization:
        """Return one of its kind fine enough to judge this one by; itself where there is none."""
        return self

    def tip_body(self, carried: TipBody) -> TipBody:
        """Return the tip body that shapes the modes, given all that hangs on the tip; both in SI units."""
        return carried

    def flexure(self, beam: UniformBeam, root: Frame, local: Local) -> Flexure:
        """Return a beam that bends as this discretization lets it, in terms of the block's symbols."""
        coordinates = {axis: self.coordinates(axis) for axis in beam.rigidity}
        q = {axis: _column([local[c.name] for c in found]) for axis, found in coordinates.items()}
        amplitudes = {
            axis: _column([local[c.name] * (beam.length if c.unit == "rad" else 1) for c in found])
            for axis, found in coordinates.items()
        }
        planes = {axis: bending(self, beam.tip[axis]) for axis in beam.rigidity}
        return self.kind(beam, root, planes, q, amplitudes, local.rate)


def _column(entries: list[ca.SX]) -> ca.SX:
    return ca.vertcat(*entries, ca.SX(0, 1))


@dataclass(frozen=True)
class Rigid(Discretization):
    """The beam does not bend."""

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        del axis
        return ()

    def shapes(self, tip: TipBody) -> Shapes:
        del tip
        return NoShapes()


def check_number(kind: str, n: object) -> None:
    """Refuse a number of modes, elements or segments that is not a whole number > 0."""
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise ParameterError(f"{kind}: n = {n!r}; must be a whole number > 0 (Rigid() is a beam that does not bend).")
