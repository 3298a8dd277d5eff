"""Cranes that stand up: unstable without feedback."""

import flexblocks as fb


def crane(links=1, size=10.0, load=1000.0, modes=1, gravity=9.81):
    """Booms of `size` [m], each on an elastic joint with a motor; gravity downwards, angles from the horizontal."""
    model = fb.Model("crane", gravity=(0.0, -gravity, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(1, links + 1):
        motor = model.add(fb.TorqueSource(f"motor{i}"))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=2000.0 / i))
        spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=2e7 / i, damping=1e4))
        joint = model.add(fb.Revolute(f"joint{i}"))
        boom = model.add(
            fb.FlexibleBeam(
                f"boom{i}",
                length=size,
                linear_density=60.0,
                flexural_rigidity=4e7 / i,
                discretization=fb.AssumedModes(modes, tip="free"),
                damping_ratio=0.01,
                bending="y",
            )
        )
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, boom.frame_a)
        place = boom.frame_b
    payload = model.add(fb.Payload("payload", mass=load, inertia=50.0))
    model.connect(place, payload.frame_a)
    return fb.assemble(model)
