"""Contact of a sphere or a point with a plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.blocks.one_sided import IMPACT_AT_REST, impact_growth, one_sided_energy
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    AttachedFrame,
    ForceElement,
    Load,
    Local,
    Output,
    Physics,
    attachment,
    parameter,
    unit_vector,
)


@dataclass(frozen=True)
class Contact(ForceElement):
    """Penalty contact of a sphere or a point at `frame_a` with a plane of `frame_b`, smooth, with friction.

    Parameters
    ----------
    name : str
    stiffness : float
        Normal force per depth [N/m].
    transition : float
        Depth over which the contact sets in [m]: at the first touch the force is ``stiffness * transition / 4``, and it
        falls with the cube of the distance from there. A hundredth of the depth under load is a good start.
    normal : (3,)
        Outward normal of the plane, in `frame_b`; the plane contains the origin of `frame_b`.
    radius : float
        Of the sphere about the origin of `frame_a`; 0 for a point [m].
    damping : float
        Relative growth of the normal force per speed of approach [s/m] (Hunt and Crossley 1975). A ball that comes in
        slowly at v keeps about 1 - 2/3 damping v of its speed.
    friction : float
        Coefficient of dry friction.
    velocity : float
        Regularisation of friction: sliding speed at which 71 % of it is reached [m/s].

    Notes
    -----
    The contact never pulls; what stands on a slope creeps. The plane has no edge. Outputs ``gap`` [m], negative in
    contact, ``normal_force`` [N], and ``friction_x``, ``friction_y``, ``friction_z`` [N] on the sphere, in the axes of
    `frame_b`.
    """

    stiffness: float = parameter("N/m", POSITIVE)
    transition: float = parameter("m", POSITIVE)
    normal: tuple[float, ...] = parameter("1", shape=(3,), default=(0.0, 0.0, 1.0))
    radius: float = parameter("m", NOT_NEGATIVE, default=0.0)
    damping: float = parameter("s/m", NOT_NEGATIVE, default=0.0)
    friction: float = parameter("1", NOT_NEGATIVE, default=0.0)
    velocity: float = parameter("m/s", POSITIVE, default=0.01)

    ports = (attachment("frame_a"), attachment("frame_b"))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "normal", unit_vector(self.where, "normal", self.normal))

    def axes(self) -> Mapping[str, ca.DM]:
        """Return the axes of the plane at `frame_b`: the third is its normal."""
        n = np.array(self.normal)
        along = np.eye(3)[np.argmin(np.abs(n))]
        along = (along - n * (n @ along)) / np.linalg.norm(np.cross(n, along))
        return {"frame_b": ca.DM(np.column_stack([along, np.cross(n, along), n]))}

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        a, plane = frames["frame_a"], frames["frame_b"]
        seen = a.seen_from(plane)
        gap = seen.r[2] - self.radius
        # What follows is in the axes of a, where normal and velocity are cheap: the plane is often the ground's.
        normal = seen.R[2, :].T
        approach = -ca.dot(normal, seen.v)
        root = ca.sqrt(gap**2 + self.transition**2)
        energy = self.stiffness * one_sided_energy(-gap, self.transition)
        normal_force = (root - gap) ** 2 / root
        stiffness = self.stiffness / 4
        if not _is_zero(self.damping):
            # Scaled to 1 at rest, so that damping changes no equilibrium.
            normal_force *= impact_growth(approach, self.damping)
            stiffness /= IMPACT_AT_REST
        normal_force *= stiffness
        drag, power = ca.SX(3, 1), ca.SX(1, 1)
        if not _is_zero(self.friction):
            # What slides is the deepest point; along the normal it moves as the centre does.
            sliding = seen.v + approach * normal
            if not _is_zero(self.radius):
                sliding += ca.cross(seen.omega, -self.radius * normal)
            held = -self.friction * normal_force / ca.sqrt(ca.sumsqr(sliding) + self.velocity**2) * sliding
            drag = seen.R @ held
            torque = None if _is_zero(self.radius) else ca.cross(-self.radius * normal, held)
            foot = ca.vertcat(seen.r[:2], gap)
            power = a.power(force=held, torque=torque) + plane.power(force=-drag, torque=ca.cross(drag, foot))
        told = self.axes()["frame_b"] @ drag
        return Physics(
            loads=(Load(normal_force, gap, energy),),
            power=power,
            outputs={
                "gap": Output(gap, "m"),
                "normal_force": Output(normal_force, "N"),
                **{f"friction_{axis}": Output(told[i], "N") for i, axis in enumerate("xyz")},
            },
        )


def _is_zero(value: float | ca.SX) -> bool:
    """Return whether a parameter is the number 0; a symbol may take other values."""
    return not isinstance(value, ca.SX) and value == 0
