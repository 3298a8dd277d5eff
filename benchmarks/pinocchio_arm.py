"""A lumped arm in Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from benchmarks.lumped_arm import LumpedArm


def pinocchio_model(arm: LumpedArm) -> pin.Model:
    """Return the tree of the segments, without the rotors and the springs, which Pinocchio does not have."""
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -arm.gravity, 0.0])
    parent = 0
    for i, segment in enumerate(arm.segments):
        place = pin.SE3(np.eye(3), np.array([segment.inboard_length, 0.0, 0.0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"hinge{i}")
        inertia = np.diag([0.0, segment.inertia, segment.inertia])
        body = pin.Inertia(segment.mass, np.array([segment.center, 0.0, 0.0]), inertia)
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
    return model
