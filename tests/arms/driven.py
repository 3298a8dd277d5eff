"""Small driven arms that tests of control close loops around."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import flexblocks as fb
from flexblocks.interfaces import GUEST, Coordinate, Frame, Local, Physics, flange, parameter

INERTIA = 0.1


@dataclass(frozen=True)
class ToGround(fb.Block):
    """A spring between a shaft and what carries it."""

    stiffness: float = parameter("N m/rad")

    ports = (flange("flange_b"),)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_b": ("angle", 1.0)}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        return Physics(potential=self.stiffness * local["angle"] ** 2 / 2)


@cache
def rotor(limit: float | None = None, symbolic=()) -> fb.DAE:
    """One rotor of inertia 0.1 kg m2 with a motor: a double integrator."""
    model = fb.Model("rotor")
    model.add(fb.Ground("ground"))
    motor = model.add(fb.TorqueSource("motor", limit=limit))
    wheel = model.add(fb.Rotor("wheel", inertia=INERTIA))
    model.connect(motor.flange_b, wheel.flange_a)
    return fb.assemble(model, symbolic)


@cache
def two_masses(stiffness: float = 20.0, symbolic=()) -> fb.DAE:
    """A motor's rotor and a load behind a spring."""
    model = fb.Model("two masses")
    model.add(fb.Ground("ground"))
    motor, wheel = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("wheel", inertia=INERTIA))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=stiffness, damping=0.05))
    load = model.add(fb.Rotor("load", inertia=0.3))
    model.connect(motor.flange_b, wheel.flange_a)
    model.connect(wheel.flange_b, spring.flange_a)
    model.connect(spring.flange_b, load.flange_a)
    return fb.assemble(model, symbolic)


def driven_links(
    *links: fb.RigidLink | fb.FlexibleBeam,
    load: fb.Payload,
    gravity: float = 0.0,
    limit: float | None = None,
    damping: float = 0.0,
) -> fb.DAE:
    """Links in a plane, each on a joint with a motor, and a load; gravity along -y."""
    model = fb.Model("driven links", gravity=(0.0, -gravity, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i, link in enumerate(links, 1):
        motor = model.add(fb.TorqueSource(f"motor{i}", limit=limit))
        joint = model.add(fb.Revolute(f"joint{i}", damping=damping))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, model.add(link).frame_a)
        place = link.frame_b
    model.connect(place, model.add(load).frame_a)
    return fb.assemble(model)


@cache
def upright_arm(links: int = 2, modes: int = 1, damping: float = 0.0, limit: float | None = None) -> fb.DAE:
    """Flexible links on driven joints, gravity along -y; modes=0 makes them rigid."""
    discretization = fb.AssumedModes(modes, tip="free") if modes else fb.Rigid()
    beams = [
        fb.FlexibleBeam(
            f"link{i}",
            length=0.5,
            linear_density=0.4,
            flexural_rigidity=5.0,
            discretization=discretization,
            bending="y",
        )
        for i in range(1, links + 1)
    ]
    load = fb.Payload("payload", mass=0.2, inertia=0.002)
    return driven_links(*beams, load=load, gravity=9.81, limit=limit, damping=damping)
