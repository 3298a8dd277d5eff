"""An arm of six joints with a spherical wrist, and its forward kinematics by SciPy."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

import flexblocks as fb

AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
LENGTHS = (1.0, 1.5, 1.2, 0.3, 0.3, 0.2)  # of the first link
START = {f"joint{i}.angle": angle for i, angle in enumerate((0.0, -0.5, 1.2, 0.0, 0.8, 0.0), 1)}


@cache
def six_joints(size: float, mass: float, gravity: float = 9.81) -> fb.DAE:
    """An arm with a spherical wrist; its first link has this length [m], each link this mass [kg]."""
    model = fb.Model("six joints", gravity=(0.0, 0.0, -gravity))
    before = model.add(fb.Ground("ground")).frame_b
    for i, (axis, share) in enumerate(zip(AXES, LENGTHS, strict=True), 1):
        length = share * size
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}", axis=axis))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=0.01 * mass * size**2))
        inertia = mass * length**2 / 12 * np.diag([0.1, 1.0, 1.0])
        link = model.add(fb.RigidLink(f"link{i}", length=length, mass=mass, inertia=inertia))
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, joint.axis)
        model.connect(before, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        before = link.frame_b
    load = model.add(fb.Payload("payload", mass=mass / 2, inertia=mass * size**2 / 20 * np.eye(3)))
    model.connect(before, load.frame_a)
    return fb.assemble(model)


def forward(q: np.ndarray, size: float) -> tuple[np.ndarray, Rotation]:
    """Position and orientation of the payload."""
    place, turn = np.zeros(3), Rotation.identity()
    for angle, axis, share in zip(q, AXES, LENGTHS, strict=True):
        turn = turn * Rotation.from_rotvec(angle * np.array(axis))
        place = place + turn.apply([share * size, 0, 0])
    return place, turn
