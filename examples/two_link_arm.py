"""The two-link flexible arm of Subudhi & Morris (2002), block by block: equations, modes and a simulation.

python examples/two_link_arm.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np

import flexblocks as fb


def two_link_arm() -> fb.Model:
    """Return the arm: rotor and joint spring drive each link, and the tip carries a payload."""
    model = fb.Model("two-link arm", gravity=(0.0, 0.0, 0.0))  # it moves in a horizontal plane
    ground = model.add(fb.Ground("ground"))
    payload = model.add(fb.Payload("payload", mass=0.1, inertia=0.005))
    carrier = ground.frame_b
    for i in (1, 2):
        motor = model.add(fb.TorqueSource(f"motor{i}", limit=2.0))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=0.02, gear_ratio=1.0))
        spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=100.0))
        joint = model.add(fb.Revolute(f"joint{i}", axis=(0, 0, 1)))
        link = model.add(
            fb.FlexibleBeam(
                f"link{i}",
                length=0.5,
                linear_density=0.2,
                flexural_rigidity=1.0,
                discretization=fb.AssumedModes(2, tip="auto"),
                bending="y",
            )
        )
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(carrier, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        carrier = link.frame_b
    model.connect(carrier, payload.frame_a)
    return model


def main(picture: str | None = None) -> fb.Trajectory:
    """Run the example and return the motion."""
    dae = fb.assemble(two_link_arm())
    print(dae)
    print(fb.linearize(dae).modes())

    def swing(t: float) -> float:
        return 0.2 * np.sin(2 * np.pi * t) * (t < 1.0)

    motion = fb.simulate(dae, t=np.linspace(0.0, 2.0, 401), u={"motor1.torque": swing, "motor2.torque": swing})
    print(f"The tip of link 1 bends by up to {1e3 * np.abs(motion['link1.tip_deflection_y']).max():.1f} mm.")
    if picture:
        from flexblocks import plot

        plot.snapshots(motion).figure.savefig(picture)
    return motion


if __name__ == "__main__":
    main(*sys.argv[1:2])
