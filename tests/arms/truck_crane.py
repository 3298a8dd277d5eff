"""A truck crane: a motor slews it, an ideal cylinder luffs its boom."""

from __future__ import annotations

from functools import cache

import numpy as np

import flexblocks as fb

FASTEST = 0.2  # m/s, of the cylinder
POSTURES = {"slew.angle": 0.0, "luff.angle": -0.7}, {"slew.angle": 1.2, "luff.angle": -0.4}


@cache
def truck_crane() -> fb.DAE:
    m = fb.Model("truck crane", gravity=(0, 0, -9.81))
    ground, slew, luff = m.add(fb.Ground("ground")), m.add(fb.Revolute("slew")), m.add(fb.Revolute("luff", (0, 1, 0)))
    motor, rotor = m.add(fb.TorqueSource("motor")), m.add(fb.Rotor("rotor", 0.02, gear_ratio=200.0))
    gear = m.add(fb.TorsionalSpring("gear", 4e6, 2e4))
    inertia = np.diag([2e3, 2e3, 1e3])
    tower = m.add(fb.RigidBody("tower", 3000.0, inertia, center=(0, 0, 0.5), reach=(0, 0, 2.0)))
    foot = m.add(fb.FixedTransform("foot", (1.0, 0, -1.2)))
    modes = fb.AssumedModes(1, tip="auto")
    boom = m.add(fb.FlexibleBeam("boom", 10.0, 90.0, 6e7, modes, bending="yz", damping_ratio=0.01))
    ram = m.add(fb.HydraulicCylinder("ram", 0.03, 0.02, 2.2, 4.2, max_speed=FASTEST))
    load = m.add(fb.Payload("load", 1500.0, np.eye(3) * 100.0))
    for one, other in (
        (ground.frame_b, slew.frame_a),
        (motor.flange_b, rotor.flange_a),
        (rotor.flange_b, gear.flange_a),
        (gear.flange_b, slew.axis),
        (slew.frame_b, tower.frame_a),
        (tower.frame_b, luff.frame_a),
        (tower.frame_b, foot.frame_a),
        (luff.frame_b, boom.frame_a),
        (boom.frame_b, load.frame_a),
        (foot.frame_b, ram.frame_a),
        (boom.station(3.0), ram.frame_b),
    ):
        m.connect(one, other)
    return fb.assemble(m)
