"""Lumped counterparts of the arms in `flexblocks.models`."""

from __future__ import annotations

from benchmarks.lumped_arm import Drive, LumpedArm, flexible_link
from flexblocks.models import subudhi_morris, yu_chen


def lumped_yu_chen(links: int, springs: int = 2) -> LumpedArm:
    """Return the arm of Yu & Chen: gravity, lumped masses at the ends of links, torques on the joints."""
    segments = []
    for i in range(1, links + 1):
        data = yu_chen.link_data(i)
        inboard = segments[-1].length if segments else 0.0
        link = flexible_link(data.length, data.mass, data.rigidity, springs, inboard)
        segments += [*link[:-1], link[-1].with_end_body(data.lumped_mass, 0.0)]
    return LumpedArm(tuple(segments), yu_chen.GRAVITY)


def lumped_subudhi_morris(springs: int = 2) -> LumpedArm:
    """Return the two-link arm of Subudhi & Morris: rotors behind springs, a payload, no gravity."""
    arm, segments = subudhi_morris, []
    for _ in range(2):
        inboard = segments[-1].length if segments else 0.0
        mass = arm.LENGTH * arm.LINEAR_DENSITY
        segments += flexible_link(arm.LENGTH, mass, arm.FLEXURAL_RIGIDITY, springs, inboard)
    segments[-1] = segments[-1].with_end_body(arm.PAYLOAD_MASS, arm.PAYLOAD_INERTIA)
    return LumpedArm(tuple(segments), drive=Drive(arm.ROTOR_INERTIA * arm.GEAR_RATIO**2, arm.JOINT_STIFFNESS))
