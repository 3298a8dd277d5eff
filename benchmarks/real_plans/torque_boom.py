"""The placing boom of a concrete pump with torques at its joints, in the place of cylinders and knuckle."""

from __future__ import annotations

from itertools import pairwise

import flexblocks as fb

STEEL = fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)
LENGTHS = (8.0, 7.0, 6.0, 5.0)  # [m]
SIZES = ((0.6, 0.4, 8e-3), (0.44, 0.32, 7e-3), (0.32, 0.26, 6e-3), (0.22, 0.2, 5e-3), (0.16, 0.16, 4e-3))  # [m]
BOXES = tuple(fb.Box(height=height, width=width, wall=wall) for height, width, wall in SIZES)


def torque_boom(hose: float = 120.0, start: tuple[float, ...] = (0.9, -0.5, -0.6, -0.5)) -> fb.Model:
    """Return the boom: four tapered box beams in a vertical plane, 26 m.

    Parameters
    ----------
    hose : float
        Mass at the tip [kg].
    start : (4,)
        Start values of the joints: the first above the horizontal, the others from straight [rad].
    """
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for number, (angle, length, (root, tip)) in enumerate(zip(start, LENGTHS, pairwise(BOXES), strict=True), 1):
        joint = model.add(fb.Revolute(f"joint{number}", start=angle))
        motor = model.add(fb.TorqueSource(f"motor{number}"))
        section = fb.FlexibleBeam(
            f"boom{number}",
            length,
            section=[(0.0, root), (length, tip)],
            material=STEEL,
            discretization=fb.AssumedModes(1, tip="auto"),
            bending="y",
        )
        model.connect(place, joint.frame_a)
        model.connect(motor.flange_b, joint.axis)
        model.connect(joint.frame_b, model.add(section).frame_a)
        place = section.frame_b
    model.connect(place, model.add(fb.Payload("hose", hose)).frame_a)
    return model
