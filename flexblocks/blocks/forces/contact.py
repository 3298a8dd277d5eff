"""Contact of a sphere or a point with a plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.blocks.forces.one_sided import one_sided_energy, positive_part
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

# Width, relative to 1, over which the damping factor of Hunt and Crossley bends into 0 at fast separation.
RELEASE = 0.1


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

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        a, b = frames["frame_a"], frames["frame_b"]
        n = ca.sparsify(ca.DM(list(self.normal)))
        seen = a.seen_from(b)
        place = seen.r
        gap = ca.dot(n, place) - self.radius
        energy, elastic = _elastic(self.stiffness, gap, self.transition)
        # The normal and the velocity in the axes of a, where they are cheap: the plane is often the ground's.
        across = seen.R.T @ n
        approach = -ca.dot(across, seen.v)
        normal_force, loads = elastic, []
        if not _is_zero(self.damping):
            # Scaled to 1 at rest, so that damping changes no equilibrium.
            factor = positive_part(1 + self.damping * approach, RELEASE) * (1 / positive_part(1.0, RELEASE))
            normal_force = elastic * factor
            loads.append(Load(normal_force - elastic, gap))
        drag, power = ca.SX(3, 1), ca.SX(1, 1)
        if not _is_zero(self.friction):
            # What slides is the deepest point; along the normal it moves as the centre does.
            sliding = seen.v + approach * across
            if not _is_zero(self.radius):
                sliding += ca.cross(seen.omega, -self.radius * across)
            held = -self.friction * normal_force / ca.sqrt(ca.sumsqr(sliding) + self.velocity**2) * sliding
            drag = seen.R @ held
            torque = None if _is_zero(self.radius) else ca.cross(-self.radius * across, held)
            power = a.power(force=held, torque=torque) + b.power(
                force=-drag, torque=ca.cross(drag, place - self.radius * n)
            )
        return Physics(
            potential=energy,
            loads=tuple(loads),
            power=power,
            outputs={
                "gap": Output(gap, "m"),
                "normal_force": Output(normal_force, "N"),
                **{f"friction_{axis}": Output(drag[i], "N") for i, axis in enumerate("xyz")},
            },
        )


def _elastic(stiffness: float | ca.SX, gap: ca.SX, transition: float | ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the energy [J] of the penalty spring and its force [N], in the operations of the energy's gradient."""
    g = ca.SX.sym("gap")
    energy = stiffness * one_sided_energy(-g, transition)
    return ca.substitute(energy, g, gap), ca.substitute(-ca.gradient(energy, g), g, gap)


def _is_zero(value: float | ca.SX) -> bool:
    """Return whether a parameter is the number 0; a symbol may take other values."""
    return not isinstance(value, ca.SX) and value == 0
