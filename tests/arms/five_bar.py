"""A five-bar linkage in the plane: two motors, two rigid cranks, two rods that bend, a load on the pin between them."""

from __future__ import annotations

import flexblocks as fb


def five_bar(stiffer: float = 1.0, length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> fb.Model:
    """Return the linkage, feet 0.3 m apart on the x axis, cranks of 0.3 m, rods of 0.4 m; no gravity.

    Parameters
    ----------
    stiffer : float
        Factor of the rods' rigidity.
    length, mass, time : float
        Units [m, kg, s]: the same linkage in other magnitudes.
    """
    model = fb.Model("five-bar linkage")
    ground = model.add(fb.Ground("ground"))
    foot = model.add(fb.FixedTransform("foot", (0.3 * length, 0.0, 0.0)))
    model.connect(ground.frame_b, foot.frame_a)
    ends = []
    for side, place, angle, elbow in (("left", ground.frame_b, 2.0, -1.2), ("right", foot.frame_b, 1.1, 1.0)):
        motor = model.add(fb.TorqueSource(f"{side}_motor"))
        hinge = model.add(fb.Revolute(side, start=angle))
        crank = model.add(fb.RigidLink(f"{side}_crank", 0.3 * length, 0.2 * mass))
        pin = model.add(fb.Revolute(f"{side}_pin", start=elbow))
        rod = model.add(
            fb.FlexibleBeam(
                f"{side}_rod",
                0.4 * length,
                linear_density=0.216 * mass / length,
                flexural_rigidity=7.5 * stiffer * mass * length**3 / time**2,
                discretization=fb.AssumedModes(1, tip="auto"),
                bending="y",
            )
        )
        model.connect(place, hinge.frame_a)
        model.connect(motor.flange_b, hinge.axis)
        model.connect(hinge.frame_b, crank.frame_a)
        model.connect(crank.frame_b, pin.frame_a)
        model.connect(pin.frame_b, rod.frame_a)
        ends.append(rod.frame_b)
    top = model.add(fb.Revolute("top"))
    model.connect(ends[0], top.frame_a)
    model.connect(top.frame_b, ends[1])  # here the loop closes: the pin bears forces, and no torque
    model.connect(ends[0], model.add(fb.Payload("tool", 0.5 * mass)).frame_a)
    return model
