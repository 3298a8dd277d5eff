"""A four-bar linkage whose last hinge is skewed: rigid bars lock, so that it moves only as its bars bend and twist."""

from __future__ import annotations

import numpy as np

import flexblocks as fb

SPEED = 0.6  # of the crank, backward [rad/s]


def misaligned_four_bar(discretization: fb.Discretization, skew: float = np.radians(5.0)) -> fb.Model:
    """Return the linkage of Bauchau and others (2016): steel bars of 0.12, 0.24, 0.12 m, its crank turned by ``A``."""
    model = fb.Model("misaligned four-bar")
    ground = model.add(fb.Ground("ground"))
    steel = fb.Material(density=7800.0, youngs_modulus=207e9, poissons_ratio=0.3)
    thick, thin = fb.Rectangle(width=0.016, height=0.016), fb.Rectangle(width=0.008, height=0.008)
    bars = {}
    for name, length, section in (("bar1", 0.12, thick), ("bar2", 0.24, thick), ("bar3", 0.12, thin)):
        beam = fb.FlexibleBeam(
            name,
            length,
            section=section,
            material=steel,
            discretization=discretization,
            bending="yz",
            torsion=True,
        )
        bars[name] = model.add(beam)
    a, b = model.add(fb.Revolute("A", start=np.pi / 2)), model.add(fb.Revolute("B", start=-np.pi / 2))
    foot, d = model.add(fb.FixedTransform("foot", (0.24, 0, 0))), model.add(fb.Revolute("D", start=np.pi / 2))
    c = model.add(fb.Revolute("C", axis=(np.sin(skew), 0, np.cos(skew))))
    upright = model.add(fb.FixedTransform("upright", rotation=(0, 0, -np.pi / 2)))
    for one, other in ((a, bars["bar1"]), (bars["bar1"], b), (b, bars["bar2"]), (bars["bar2"], c), (foot, d)):
        model.connect(one.frame_b, other.frame_a)
    model.connect(ground.frame_b, a.frame_a, foot.frame_a)
    model.connect(d.frame_b, bars["bar3"].frame_a)
    model.connect(bars["bar3"].frame_b, upright.frame_a)
    model.connect(c.frame_b, upright.frame_b)
    return model
