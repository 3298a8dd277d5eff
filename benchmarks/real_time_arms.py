"""Arms on which model predictive control is measured."""

from __future__ import annotations

from typing import Any

import flexblocks as fb

RADIUS = 0.03  # of gyration of rigid links about their own axis [m]


def six_joints(booms: int) -> fb.Model:
    """Return a robot of six elastic joints, 24 states; two of its links bend if they have modes, two states each."""
    model = fb.Model("six joints", gravity=(0.0, 0.0, -9.81))
    at = model.add(fb.Ground("ground")).frame_b
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    lengths, masses = [0.3, 0.5, 0.45, 0.15, 0.12, 0.08], [6.0, 5.0, 4.0, 2.0, 1.2, 0.6]
    stiffness, inertia = [9e3, 9e3, 6e3, 2e3, 1.5e3, 1e3], [1.2, 1.2, 0.8, 0.25, 0.2, 0.1]
    limits = [150.0, 250.0, 120.0, 30.0, 25.0, 12.0]
    for i in range(6):
        joint = model.add(fb.Revolute(f"joint{i + 1}", axis=axes[i]))
        motor = model.add(fb.TorqueSource(f"motor{i + 1}", limit=limits[i]))
        rotor = model.add(fb.Rotor(f"rotor{i + 1}", inertia=inertia[i]))
        spring = model.add(fb.TorsionalSpring(f"spring{i + 1}", stiffness=stiffness[i], damping=5e-4 * stiffness[i]))
        about, across = masses[i] * RADIUS**2, masses[i] * lengths[i] ** 2 / 12
        link: Any = fb.RigidLink(f"link{i + 1}", length=lengths[i], mass=masses[i], inertia=(about, across, across))
        if booms and i in (1, 2):
            link = fb.FlexibleBeam(
                f"link{i + 1}", length=lengths[i], linear_density=masses[i] / lengths[i], flexural_rigidity=2.5e3,
                discretization=fb.AssumedModes(booms), bending="yz",
            )  # fmt: skip
        link = model.add(link)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(at, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        at = link.frame_b
    model.connect(at, model.add(fb.Payload("payload", mass=3.0, inertia=(0.01, 0.01, 0.01))).frame_a)
    return model
