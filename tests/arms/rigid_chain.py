"""A chain of three rigid links in the plane, in any size."""

from __future__ import annotations

from functools import cache

import flexblocks as fb


@cache
def chain(size: float = 1.0) -> fb.DAE:
    """Three rigid links in the plane, each half of `size` [m] long, and a load."""
    model = fb.Model("chain")
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2, 3):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}"))
        link = model.add(fb.RigidLink(f"link{i}", length=0.5 * size, mass=size**3))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", 0.5 * size**3)).frame_a)
    return fb.assemble(model)
