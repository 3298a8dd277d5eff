"""An arm of one rigid link, on a hinge or a slide with limits, for any size."""

from __future__ import annotations

import flexblocks as fb


def limited(joint: fb.Revolute | fb.Prismatic, size: float = 1.0, extra: tuple[fb.Block, ...] = ()) -> fb.Model:
    """Return a level arm of 2 kg at `size` [m] from a joint with a drive; blocks beside it act on its axis.

    About the hinge its inertia is 2 size^2 kg m2.
    """
    model = fb.Model("limited")
    drive = fb.TorqueSource("motor") if isinstance(joint, fb.Revolute) else fb.ForceSource("motor")
    ground, motor = model.add(fb.Ground("ground")), model.add(drive)
    model.add(joint)
    load = model.add(fb.RigidBody("load", mass=2.0, inertia=0.0, center=(size, 0.0, 0.0)))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    model.connect(motor.flange_b, joint.axis, *(model.add(block).flange_b for block in extra))
    return model
