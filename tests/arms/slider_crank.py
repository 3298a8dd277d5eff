"""A slider-crank: a motor, a crank and a rod in one loop, and a piston."""

from __future__ import annotations

import math

import flexblocks as fb

CRANK, ROD, ANGLE = 0.05, 0.15, 0.5  # [m], [m], [rad] at the start


def slider_crank() -> fb.Model:
    """Return the model, its crank on `joint`, its piston on `slide` along x; no gravity."""
    model = fb.Model("slider-crank")
    ground = model.add(fb.Ground("ground"))
    rod_angle = -math.asin(CRANK / ROD * math.sin(ANGLE))
    joint, motor = model.add(fb.Revolute("joint", start=ANGLE)), model.add(fb.TorqueSource("motor"))
    crank, rod = model.add(fb.RigidLink("crank", CRANK, 0.2)), model.add(fb.RigidLink("rod", ROD, 0.3))
    pin = model.add(fb.Revolute("pin", start=rod_angle - ANGLE))
    wrist = model.add(fb.Revolute("wrist", start=-rod_angle))
    out = CRANK * math.cos(ANGLE) + ROD * math.cos(rod_angle)
    slide = model.add(fb.Prismatic("slide", axis=(1.0, 0.0, 0.0), start=out))
    piston = model.add(fb.Payload("piston", 0.4))
    model.connect(ground.frame_b, joint.frame_a, slide.frame_a)
    model.connect(motor.flange_b, joint.axis)
    for one, other in ((joint, crank), (crank, pin), (pin, rod), (rod, wrist)):
        model.connect(one.frame_b, other.frame_a)
    model.connect(slide.frame_b, piston.frame_a, wrist.frame_b)
    return model
