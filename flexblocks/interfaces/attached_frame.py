"""Attached frames: pose and motion of a frame on which a force element acts, and the power that it supplies there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import casadi as ca

from flexblocks.errors import ParameterError
from flexblocks.interfaces.frame import Frame, Vector, column


@dataclass
class Watch:
    """What an element has looked at: where in the world it is (`absolute`), and the `distances` of which frames."""

    absolute: bool = False
    distances: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class AttachedFrame:
    """A frame on which a force element acts.

    Attributes
    ----------
    name : str
        The port.
    axes, origin : SX (3, 3), SX (3, 1)
        Its pose in the base, symbols [m]: in the world, or in any frame if the element may not depend on where it is.
    spin, velocity : SX (3, 1)
        Its angular velocity [rad/s] and the velocity of its origin [m/s] relative to the base, in its own axes.
    virtual_spin, virtual_velocity : SX (3, 1)
        Virtual velocities in its own axes; power is linear in them.
    rate : callable
        Time derivative of an expression of poses.
    watch : Watch

    Notes
    -----
    An element that only looks at distances and at frames seen from other frames is the same wherever the arm stands.
    It then costs the way between its ends, not that from the ground.
    """

    name: str
    rate: Callable[[ca.SX], ca.SX]
    watch: Watch
    axes: ca.SX = field(default_factory=lambda: ca.SX.sym("R", 3, 3))
    origin: ca.SX = field(default_factory=lambda: ca.SX.sym("r", 3))
    spin: ca.SX = field(default_factory=lambda: ca.SX.sym("omega", 3))
    velocity: ca.SX = field(default_factory=lambda: ca.SX.sym("v", 3))
    virtual_spin: ca.SX = field(default_factory=lambda: ca.SX.sym("virtual_omega", 3))
    virtual_velocity: ca.SX = field(default_factory=lambda: ca.SX.sym("virtual_v", 3))

    @property
    def R(self) -> ca.SX:
        """Orientation SX (3, 3): the columns are this frame's axes in the world."""
        self.watch.absolute = True
        return self.axes

    @property
    def r(self) -> ca.SX:
        """Origin in the world SX (3, 1) [m]."""
        self.watch.absolute = True
        return self.origin

    @property
    def omega(self) -> ca.SX:
        """Angular velocity SX (3, 1) [rad/s] relative to the world, in this frame's axes."""
        self.watch.absolute = True
        return self.spin

    @property
    def v(self) -> ca.SX:
        """Velocity of the origin SX (3, 1) [m/s] relative to the world, in this frame's axes."""
        self.watch.absolute = True
        return self.velocity

    def distance(self, other: AttachedFrame) -> ca.SX:
        """Return the distance of the origins of this frame and another [m].

        It has no rate where it is zero, and an arm that starts there is refused.
        """
        self.watch.distances.append((other.name, self.name))
        return ca.sqrt(self.squared_distance(other))

    def squared_distance(self, other: AttachedFrame) -> ca.SX:
        """Return the square of the distance [m2], which has a rate everywhere."""
        return ca.sumsqr(self.origin - other.origin)

    def seen_from(self, other: AttachedFrame) -> Frame:
        """Return this frame as another sees it: pose in the other's axes, twist relative to it in this one's axes."""
        back, apart = other.axes.T, other.axes.T @ (self.origin - other.origin)
        turned = back @ self.axes
        velocity = self.velocity - turned.T @ (other.velocity + ca.cross(other.spin, apart))
        return Frame(turned, apart, self.spin - turned.T @ other.spin, velocity, self.rate)

    def power(
        self,
        force: Vector | None = None,
        torque: Vector | None = None,
        resolve_in: AttachedFrame | str = "frame",
    ) -> ca.SX:
        """Return the power [W] of a force (3) [N] at the origin and a torque (3) [N m] on this frame.

        They are resolved in this frame's axes, in those of another frame, or in the ``"world"``. They may depend on
        all poses, twists, states, inputs and algebraic variables.

        Raises
        ------
        ParameterError
            `resolve_in` is something else.
        """
        if resolve_in == "world":
            self.watch.absolute = True
        elif resolve_in != "frame" and not isinstance(resolve_in, AttachedFrame):
            raise ParameterError(
                f"{self.name}.power: resolve_in = {resolve_in!r}; must be 'frame', 'world' or one of the frames."
            )
        total = ca.SX(1, 1)
        for effort, flow in ((force, self.virtual_velocity), (torque, self.virtual_spin)):
            if effort is None:
                continue
            there = column(effort)
            if isinstance(resolve_in, AttachedFrame) and resolve_in is not self:
                there = resolve_in.axes @ there
            total += ca.dot(there if resolve_in in ("frame", self) else self.axes.T @ there, flow)
        return total
