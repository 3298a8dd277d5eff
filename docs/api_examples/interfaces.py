"""Examples of what a block is made of."""

# %%
from dataclasses import dataclass

import casadi as ca
import numpy as np

import flexblocks as fb
from flexblocks.interfaces import (
    Block,
    Coordinate,
    Frame,
    InertialBody,
    Local,
    Output,
    Physics,
    PortUnknownError,
    Range,
    Totals,
    Vector,
    attachment,
    checked_fields,
    column,
    inlet,
    outlet,
    parameter,
    rotation,
    skew,
)

# %% interfaces.Range
BELOW_ONE = Range("<= 1", lambda value: value <= 1.0, high=1.0)


@dataclass(frozen=True)
class Slope(Block):
    """A fixed turn about z by a gradient of at most 1."""

    gradient: float = parameter("1", BELOW_ONE)

    ports = (inlet(), outlet())

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        return Physics(outlets={"frame_b": frame.rotate((0.0, 0.0, 1.0), ca.atan(self.gradient))})


# %% Block interfaces.Frame interfaces.Local interfaces.JOINT
@dataclass(frozen=True)
class Screw(Block):
    """A screw joint along z: one turn advances by the lead."""

    lead: float = parameter("m")

    ports = (inlet(), outlet())

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad"),)  # of rank JOINT

    def physics(self, frame: Frame, local: Local) -> Physics:
        angle = local["angle"]
        turned = frame.rotate((0.0, 0.0, 1.0), angle)
        return Physics(
            outlets={"frame_b": turned.translate((0.0, 0.0, self.lead / (2 * np.pi) * angle))},
            outputs={"rate": Output(local.rate(angle), "rad/s")},
        )


# %% interfaces.Totals
@dataclass(frozen=True)
class Height(Block):
    """A sensor of the height of the arm's centre of mass."""

    ports = (inlet(),)

    def physics(self, frame: Frame, local: Local) -> Physics:
        totals: Totals = local.totals
        return Physics(outputs={"center": Output(totals.center[2], "m")})


# %% interfaces.AttachedFrame
@dataclass(frozen=True)
class Magnet(fb.ForceElement):
    """Two frames that attract each other with a force that falls with the square of the distance."""

    strength: float = parameter("N m2")

    ports = (attachment("frame_a"), attachment("frame_b"))

    def physics(self, frames, local: Local) -> Physics:
        a, b = frames["frame_a"], frames["frame_b"]  # AttachedFrame
        return Physics(potential=-self.strength / a.distance(b))


# %% interfaces.InertialBody
def point_mass(frame: Frame, mass: float, place: Vector) -> InertialBody:
    """Return a point mass of a block without coordinates, for `Physics.bodies`."""
    at = frame.translate(place)
    inertia = ca.SX(ca.diagcat(ca.SX.zeros(3, 3), mass * ca.SX.eye(3)))
    return InertialBody(at, inertia, ca.vertcat(ca.SX.zeros(3), mass * skew(at.omega) @ at.v))


# %% interfaces.Vector interfaces.column interfaces.rotation
turn = rotation((0.0, 0.0, 1.0), ca.SX(np.pi / 2))  # (3, 3)
place: Vector = (1.0, 0.0, 0.0)
print(turn @ column(place))

# %% interfaces.checked_fields
print(checked_fields("an example", fb.Revolute("hinge", damping=0.1)))

# %% interfaces.PortUnknownError
try:
    fb.Revolute("hinge").port("frame_c")
except PortUnknownError as error:
    print(error)

# %% beam.properties.Profile beam.properties.RelativeProfile beam.properties.BeamProfiles beam.properties.EULER_BERNOULLI
from flexblocks.beam.properties import EULER_BERNOULLI, BeamProfiles, Profile

uniform = BeamProfiles()  # constant density and rigidity, no shear: what EULER_BERNOULLI is
tapering = BeamProfiles(density=Profile(lambda s: 1.0 - 0.5 * s))
print(uniform == EULER_BERNOULLI)
