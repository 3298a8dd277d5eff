"""The rigid-segment (pseudo-joint) method: a beam as a chain of rods with torsional springs between them."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.beam.discretization import Discretization, check_number, numbered_coordinates
from flexblocks.beam.kinematics.segment_deflection import SegmentFlexure
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.axial_torsional import StepShapes
from flexblocks.beam.shapes.hinges import PseudoJoints
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.interfaces import Coordinate


@dataclass(frozen=True)
class RigidSegments(Discretization):
    """The beam is rigid but for `n` pseudo-joints with torsional springs, one in the middle of each of `n` equal cells.

    Parameters
    ----------
    n : int
        Cells of length l/n, and pseudo-joints.

    Raises
    ------
    ParameterError
        `n` is not a whole number > 0.

    Notes
    -----
    Coordinates: ``bend_y[i]``, ``bend_z[i]`` [rad], i = 1..n, the angle of pseudo-joint i at x = (i - 1/2) l/n: about
    +z, then (a universal joint) about -y. The angles may be of any size; the axis keeps its length, so that the tip
    comes nearer as the beam bends. On request ``extension[i]`` [m] and ``torsion[i]`` [rad], about x after the bending,
    at the same places. A station has the pose of the rod that it falls on.

    The spring constant EI n/l is that of a cell under constant moment; where properties vary, the flexibility of each
    cell and the mass of each rod are integrated. With the joint in the middle of its cell the
    compliance is integrated by the midpoint rule, whatever the moment at root and tip: frequencies and deflections
    converge with error (1/n)^2, and a force at the tip deflects it by F l^3/(3 EI) (1 - 1/(4 n^2)). Joints at the ends
    of segments would leave out half a cell at the tip, and be of first order under a moment there, as of a payload with
    inertia.

    Modal damping is that of the straight beam with everything outboard, rigid and in the zero configuration.
    """

    n: int

    keyword = "segments"
    flexure_type = SegmentFlexure

    def __post_init__(self) -> None:
        check_number("RigidSegments", self.n, most=1000)

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        return numbered_coordinates(axis, self.n, "bend", "rad")

    def feels_tip(self, damped: bool) -> bool:
        return damped

    def richer(self) -> RigidSegments:
        return RigidSegments(self.n + 1)

    def audited_by(self) -> RigidSegments:
        return RigidSegments(2 * self.n)

    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip, profiles
        return PseudoJoints(self.n)

    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip, profiles
        return StepShapes(PseudoJoints(self.n))
