"""The parts of a beam between its cuts, each moved as a rigid body by the cuts inboard of it.

What is outboard of a cut turns about the section there and is shifted along the axes of that section, deflected as it
is. So the effort that holds the cut is the moment, or the force, of all that is outboard about the place where the
section is, and statics hold on the bent beam. Held coordinates are zero: their first order is all that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import casadi as ca
import numpy as np

from flexblocks.beam.properties.moving_place import panel_of
from flexblocks.beam.shapes.internal_forces import HeldCut
from flexblocks.beam.shapes.restricted import Restricted, restricted
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Frame, skew


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a beam from `start` to `end`, in units of the length.

    Attributes
    ----------
    frame : Frame
        The chord of the beam, moved along with this part.
    turn, shift : SX (3, 1)
        How far [rad], [m], in the axes of the chord and about its origin.
    """

    start: float
    end: float
    frame: Frame
    turn: ca.SX
    shift: ca.SX

    @property
    def is_whole(self) -> bool:
        return self.start == 0.0 and self.end == 1.0

    def of(self, plane: DiscretizedDeformation) -> DiscretizedDeformation:
        """Return a deformation whose integrals extend over this part."""
        return plane if self.is_whole else restricted(plane, self.start, self.end)

    def of_shapes(self, shapes: Shapes) -> Shapes:
        """Return shapes whose integrals extend over this part."""
        return shapes if self.is_whole else Restricted(shapes, self.start, self.end)

    def moved(self, weight: float, place: ca.SX) -> ca.SX:
        """Return the integral (3) of a weight times the position, from that before this part was moved."""
        return place + skew(self.turn) @ place + weight * self.shift

    def about_root(self, moments: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return the mass and its moments about the root, from those of this part about its inner end.

        The latter are the mass in units of the beam's, and the moments of a unit mass in units of the part's length.
        """
        share, first, second = moments
        if self.is_whole:
            return 1.0, first, second
        size = self.end - self.start
        about = self.start + size * first, self.start**2 + 2 * self.start * size * first + size**2 * second
        return share, share * about[0], share * about[1]


def pieces(chord: Frame, cuts: Sequence[HeldCut], section: Callable[[float], Frame]) -> tuple[Piece, ...]:
    """Return the parts of a beam between cuts, from the root outward.

    Parameters
    ----------
    chord : Frame
        In which the deflection is measured.
    cuts : sequence of HeldCut
        From the root outward.
    section : callable
        Gives the frame of a section seen from the chord, in its axes.
    """
    bounds = [0.0, *(cut.xi for cut in cuts), 1.0]
    parts = [Piece(bounds[0], bounds[1], chord, ca.SX(3, 1), ca.SX(3, 1))]
    for cut, (start, end) in zip(cuts, pairwise(bounds[1:]), strict=True):
        at = section(cut.xi)
        turned = at.R @ ca.vertcat(cut["torque"], -cut["moment_z"], cut["moment_y"])
        shifted = at.R @ ca.vertcat(cut["tension"], cut["shear_y"], cut["shear_z"])
        turn = ca.sparsify(parts[-1].turn + turned)
        shift = ca.sparsify(parts[-1].shift + shifted - skew(ca.sparsify(turned)) @ at.r)
        parts.append(Piece(start, end, _moved(chord, turn, shift), turn, shift))
    return tuple(parts)


def on_piece(parts: Sequence[Piece], section: Callable[[Piece], Frame], xi: ca.SX) -> Frame:
    """Return the frame of the section at a symbol `xi` = x/l, on the piece that it is on.

    `section` gives it as a section of each piece.
    """
    if len(parts) == 1:
        return section(parts[0])
    inside = panel_of(np.array([*(part.start for part in parts), parts[-1].end]), xi)
    frames = [section(part) for part in parts]

    def chosen(values: list[ca.SX]) -> ca.SX:
        return sum((inside[k] * value for k, value in enumerate(values)), ca.SX(*values[0].shape))

    series = {name: chosen([getattr(frame, name) for frame in frames]) for name in ("R", "r", "omega", "v")}
    return replace(frames[0], **series, turn=None, drift=None)


def _moved(chord: Frame, turn: ca.SX, shift: ca.SX) -> Frame:
    """Return the chord turned and shifted, in its axes, to the first order."""
    omega = chord.omega + chord.rate(turn) - skew(turn) @ chord.omega
    v = chord.v + skew(ca.sparsify(chord.omega)) @ shift + chord.rate(shift) - skew(turn) @ chord.v
    R = chord.R @ (ca.SX.eye(3) + skew(turn))
    return replace(chord, R=R, r=chord.r + chord.R @ shift, omega=omega, v=v, turn=None)
