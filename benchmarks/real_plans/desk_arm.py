"""A desk-size arm that carries 50 g: three elastic joints, two carbon tubes of a decimetre and a half."""

from __future__ import annotations

import flexblocks as fb

CARBON = fb.Material(density=1550.0, youngs_modulus=7e10, poissons_ratio=0.3)
LENGTH = 0.15  # of each tube [m]
UP, ACROSS = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)


def desk_arm(payload: float = 0.05, start: tuple[float, float, float] = (0.0, 0.4, -0.8)) -> fb.Model:
    """Return the arm: turn, shoulder and elbow; tubes that bend both ways; gravity along -z.

    Parameters
    ----------
    payload : float
        [kg].
    start : (3,)
        Start values of the joints [rad].
    """
    model = fb.Model("desk arm", gravity=(0.0, 0.0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    for number, angle in enumerate(start, 1):
        joint = model.add(
            fb.FlexibleJoint(
                f"joint{number}",
                inertia=2e-7,
                stiffness=20.0,
                gear_ratio=50.0,
                spring_damping=5e-3,
                axis=UP if number == 1 else ACROSS,
                start=angle,
            )
        )
        model.connect(place, joint.frame_a)
        place = joint.frame_b
        if number == 1:
            continue
        tube = fb.FlexibleBeam(
            f"link{number}",
            LENGTH,
            section=fb.Tube(outer=8e-3, inner=7e-3),
            material=CARBON,
            bending="yz",
            discretization=fb.AssumedModes(1, tip="auto"),
        )
        model.connect(place, model.add(tube).frame_a)
        place = tube.frame_b
    model.connect(place, model.add(fb.Payload("payload", payload)).frame_a)
    return model
