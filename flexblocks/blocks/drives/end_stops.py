"""End stops of a shaft."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.driven_joints import DrivenPrismatic, DrivenRevolute
from flexblocks.blocks.drives.flexible_joint import FlexibleJoint
from flexblocks.blocks.drives.play import Play
from flexblocks.blocks.drives.shaft import one_end, one_flange
from flexblocks.blocks.joints.prismatic import Prismatic
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    Block,
    Coordinate,
    Frame,
    Load,
    Local,
    Output,
    Physics,
    flange,
    parameter,
)


@dataclass(frozen=True)
class EndStops(Block):
    """Elastic end stops between a shaft and the body that carries it.

    Parameters
    ----------
    name : str
    lower, upper : float
        Angles of the shaft at which it touches the stops [rad].
    stiffness : float
        Of either stop: torque per angle beyond it [N m/rad].
    damping : float
        Relative growth of the torque per rate of approach [s/rad] (Hunt and Crossley 1975): what runs in slowly at the
        rate w keeps about 1 - 2/3 damping w of it.
    transition : float
        Angle over which a stop sets in, relative to the range between both: at the first touch the torque is
        ``stiffness * (upper - lower) * transition / 4``, and it falls with the cube of the distance from there.

    Notes
    -----
    Stops push only. Plans keep ``angle`` between them; simulations run into them. By a `Rack` they are those of a
    slide. Outputs: ``angle`` [rad], ``torque`` on the shaft [N m].
    """

    lower: float = parameter("rad")
    upper: float = parameter("rad")
    stiffness: float = parameter("N m/rad", POSITIVE)
    damping: float = parameter("s/rad", NOT_NEGATIVE, default=0.0)
    transition: float = parameter("1", POSITIVE, default=1e-3)

    ports = (flange("flange_b"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.upper <= self.lower:
            raise ParameterError(f"{self.where}: upper = {self.upper:g} rad; must be > lower, {self.lower:g} rad.")

    @classmethod
    def of(
        cls,
        joint: Revolute | DrivenRevolute | FlexibleJoint,
        name: str,
        stiffness: float,
        damping: float = 0.0,
        transition: float = 1e-3,
    ) -> EndStops:
        """Return stops at the limits of a hinge, to be connected to its port ``axis``; of one with a motor ``flange``.

        Stops of a slide touch the shaft of a `Rack`: ``EndStops(name, lower=low / radius, upper=high / radius, ...)``.

        Parameters
        ----------
        joint : Revolute, DrivenRevolute or FlexibleJoint
            With `low` and `high`.
        name : str
        stiffness, damping, transition : float
            As for `EndStops`.

        Raises
        ------
        ParameterError
            A block of another kind, as a slide, or a joint without both limits.

        Examples
        --------
        >>> import flexblocks as fb
        >>> fb.EndStops.of(fb.Revolute("joint1", low=-1.2, high=1.2), "stops1", stiffness=4e3).upper
        1.2
        """
        where = f"EndStops '{name}'"
        if isinstance(joint, (Prismatic, DrivenPrismatic)):
            raise ParameterError(
                f"{where}: {joint.where} is a slide, and end stops are of shafts. Put a fb.Rack(radius=r) on its port "
                "axis (of a driven one flange), and on the shaft of that EndStops with lower = low / r, "
                "upper = high / r, stiffness in N m/rad."
            )
        if not isinstance(joint, (Revolute, DrivenRevolute, FlexibleJoint)):
            raise ParameterError(
                f"{where}: joint = {joint!r}; must be a fb.Revolute, fb.DrivenRevolute or fb.FlexibleJoint."
            )
        if joint.low is None or joint.high is None:
            missing = " and ".join(end for end in ("low", "high") if getattr(joint, end) is None)
            raise ParameterError(f"{where}: {joint.where} has no {missing}; give the joint both limits, low and high.")
        return cls(name, joint.low, joint.high, stiffness, damping, transition)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return one_end()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return one_flange()

    def output_ranges(self) -> Mapping[str, tuple[float, float]]:
        return {"angle": (self.lower, self.upper)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        angle = local["angle"]
        transition = self.transition * (self.upper - self.lower)
        play = Play(self.lower, self.upper, self.stiffness, transition, self.damping)
        torque = play.torque(angle, local.rate(angle))
        return Physics(
            loads=(Load(torque, angle, play.energy(angle)),),
            outputs={"angle": Output(angle, "rad"), "torque": Output(torque, "N m")},
        )
