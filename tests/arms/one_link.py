"""Small arms that several tests take apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import flexblocks as fb
from flexblocks.interfaces import GUEST, POSITIVE, Coordinate, Frame, Load, Local, Physics, Variable, flange, parameter

G = 9.81


def joint_arm(
    *,
    beam: fb.FlexibleBeam | fb.RigidLink,
    payload: fb.Payload | None = None,
    start: float = 0.0,
    gravity: float = G,
    drive: tuple[fb.Block, ...] = (),
    rotor: fb.Rotor | None = None,
    spring: fb.TorsionalSpring | None = None,
    damping: float = 0.0,
) -> fb.Model:
    """One link on one hinge, gravity along -y; `drive` acts on the rotor behind the spring, else on the hinge."""
    model = fb.Model("arm", gravity=(0.0, -gravity, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", start=start, damping=damping))
    model.add(beam)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    if payload is not None:
        model.connect(beam.frame_b, model.add(payload).frame_a)
    shaft = joint.axis
    if rotor is not None and spring is not None:
        model.add(rotor)
        model.add(spring)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        shaft = rotor.flange_a
    for block in drive:
        model.connect(model.add(block).flange_b, shaft)
    return model


def cantilever(beam: fb.FlexibleBeam, payload: fb.Payload | None = None, gravity: float = 0.0) -> fb.Model:
    """A beam clamped to the ground."""
    model = fb.Model("cantilever", gravity=(0.0, -gravity, 0.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, model.add(beam).frame_a)
    if payload is not None:
        model.connect(beam.frame_b, model.add(payload).frame_a)
    return model


@dataclass(frozen=True)
class DCMotor(fb.Block):
    """A motor with inductance: L i' = voltage - R i - k angle', torque k i."""

    resistance: float = parameter("Ohm", POSITIVE, default=2.0)
    inductance: float = parameter("H", POSITIVE, default=0.01)
    constant: float = parameter("N m/A", POSITIVE, default=0.5)

    ports = (flange("flange_b"),)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_b": ("angle", 1.0)}

    def states(self) -> tuple[Variable, ...]:
        return (Variable("current", "A"),)

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable("voltage", "V"),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        i, voltage = local["current"], local["voltage"]
        drop = voltage - self.resistance * i - self.constant * local.rate(local["angle"])
        return Physics(
            loads=(Load(self.constant * i, local["angle"]),), derivatives={"current": drop / self.inductance}
        )


@dataclass(frozen=True)
class HardeningSpring(fb.Block):
    """A spring to the ground by its compliance: angle = compliance torque + cubic torque^3, torque algebraic."""

    compliance: float = parameter("rad/(N m)", default=0.1)
    cubic: float = parameter("rad/(N m)3", default=0.01)

    ports = (flange("flange_b"),)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_b": ("angle", 1.0)}

    def algebraics(self) -> tuple[Variable, ...]:
        return (Variable("torque", "N m"),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        torque = local["torque"]
        return Physics(
            loads=(Load(-torque, local["angle"]),),
            residuals=(local["angle"] - self.compliance * torque - self.cubic * torque**3,),
        )
