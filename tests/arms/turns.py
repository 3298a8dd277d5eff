"""Motions for tests: a rigid body on a hinge, and a quarter turn of the two-link arm."""

from functools import cache

import numpy as np

import flexblocks as fb
from flexblocks import optim

INERTIA = 0.3
TORQUE = "motor1.torque"


@cache
def hinge(gravity=0.0, limit=None, symbolic=()):
    """A rigid body on a driven hinge: 0.3 kg m2 about it, 1 kg at 0.5 m."""
    model = fb.Model("hinge", gravity=(0.0, -gravity, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    motor = model.add(fb.TorqueSource("motor1", limit=limit))
    load = model.add(fb.Payload("payload", mass=1.0, inertia=0.05, center=(0.5, 0.0, 0.0)))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    return fb.assemble(model, symbolic=symbolic)


def swing(distance, duration="free", **more):
    return optim.RestToRest({"joint1.angle": 0.2}, {"joint1.angle": 0.2 + distance}, duration, **more)


def quarter_turn(torques=(1.0, 0.5), full=0.05, duration="free", objective="time"):
    """From (0, 0) to (pi/2, pi/6); the full torque is reached in `full` [s]."""
    limits = {f"motor{i}.torque": torque for i, torque in enumerate(torques, 1)}
    limits |= {f"der({name})": torque / full for name, torque in limits.items()}
    return optim.RestToRest(
        {"joint1.angle": 0.0, "joint2.angle": 0.0},
        {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6},
        duration,
        objective=objective,
        limits=limits,
        input_ends="holding",
    )
