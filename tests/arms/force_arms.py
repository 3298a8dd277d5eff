"""Small machines with force elements: those of `oracles.force_equations`, and one with all elements."""

from __future__ import annotations

import numpy as np

import flexblocks as fb
from arms.pulled_arms import pulled
from arms.random_arms import Arm, Segment

BOOM = {
    "mass": 120.0, "rod": 3.0, "reach": 1.0, "cx": 0.4, "cy": -0.9, "area_a": 3e-3, "area_b": 2e-3,
    "retracted": 0.8, "extended": 1.3, "supply": 1.6e7, "tank": 2e5, "flow": 8e-4, "drop": 3.5e6, "bulk": 1e9,
    "dead_volume": 0.05, "leakage": 1e-13, "null": 0.01, "friction": 2e3,
}  # fmt: skip
HOIST = {"mass": 50.0, "bx": 1.0, "by": 4.0, "rigidity": 2e5, "time": 1e-3, "transition": 1e-4, "length": 7.0}
BALL = {
    "mass": 0.4, "radius": 0.05, "slope": 0.2, "stiffness": 4e4, "transition": 1e-4, "damping": 0.3, "friction": 0.5,
    "velocity": 1e-3,
}  # fmt: skip


def boom(h: dict[str, float] = BOOM, **ideal: float) -> fb.Model:
    """Return a rod lifted by a cylinder; with `max_speed` by an ideal one."""
    model = fb.Model("boom", gravity=(0, -9.81, 0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod = model.add(fb.RigidLink("rod", h["rod"], h["mass"]))
    foot = model.add(fb.FixedTransform("foot", (h["cx"], h["cy"], 0)))
    servo = {"supply_pressure": h["supply"], "tank_pressure": h["tank"], "rated_flow": h["flow"]}
    servo |= {"rated_drop": h["drop"], "leakage": h["leakage"], "null_opening": h["null"]}
    ram = fb.HydraulicCylinder(
        "ram",
        area_a=h["area_a"],
        area_b=h["area_b"],
        retracted=h["retracted"],
        extended=h["extended"],
        bulk_modulus=h["bulk"],
        dead_volume=h["dead_volume"],
        friction=h["friction"],
        **(ideal or servo),
    )
    model.add(ram)
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(ground.frame_b, foot.frame_a)
    model.connect(foot.frame_b, ram.frame_a)
    model.connect(rod.station(h["reach"]), ram.frame_b)
    return model


def _plane(name: str, spin: bool) -> tuple[fb.Model, fb.Port]:
    model = fb.Model(name, gravity=(0, -9.81, 0))
    place = model.add(fb.Ground("ground")).frame_b
    joints = [fb.Prismatic("x", axis=(1, 0, 0)), fb.Prismatic("y", axis=(0, 1, 0))]
    for joint in [*joints, fb.Revolute("spin")] if spin else joints:
        model.add(joint)
        model.connect(place, joint.frame_a)
        place = joint.frame_b
    return model, place


def hoist(h: dict[str, float] = HOIST) -> fb.Model:
    """Return a mass on a rope over a block, wound up by a winch on the ground."""
    model, place = _plane("hoist", spin=False)
    load = model.add(fb.LumpedMass("load", h["mass"]))
    block = model.add(fb.FixedTransform("block", (h["bx"], h["by"], 0)))
    rope = fb.Cable("rope", h["length"], h["rigidity"], 1, h["time"], h["transition"], winch=True)
    model.add(rope)
    model.connect(place, load.frame_a, rope.frame_b)
    model.connect("ground.frame_b", block.frame_a)
    model.connect("ground.frame_b", rope.frame_a)
    model.connect(block.frame_b, rope.port("frame_1"))
    return model


def ball(h: dict[str, float] = BALL) -> fb.Model:
    """Return a ball over a slope."""
    model, place = _plane("ball", spin=True)
    inertia = 0.4 * h["mass"] * h["radius"] ** 2
    body = model.add(fb.Payload("body", h["mass"], inertia))
    slope = model.add(fb.FixedTransform("slope", rotation=(0, 0, h["slope"])))
    values = {name: h[name] for name in ("stiffness", "transition", "radius", "damping", "friction", "velocity")}
    floor = model.add(fb.Contact("floor", normal=(0, 1, 0), **values))
    model.connect(place, body.frame_a)
    model.connect("ground.frame_b", slope.frame_a)
    model.connect(place, floor.frame_a)
    model.connect(slope.frame_b, floor.frame_b)
    return model


def everything() -> fb.DAE:
    """Return a beam and a rod in space with a force element of every kind between random places."""
    beam = fb.FlexibleBeam(
        "link1", 1.0, 1.0, 20.0, discretization=fb.AssumedModes(1, tip="free"), damping_ratio=0.01, bending="y"
    )
    load = fb.Payload("load", 1.0, np.eye(3) * 0.1)
    rod = fb.RigidLink("link2", 0.8, 1.0, (0.0, 0.1, 0.1))
    segments = (
        Segment(None, None, fb.Revolute("joint1", axis=(0, 1, 0), damping=0.5), (), False, beam, ()),
        Segment(
            0,
            None,
            fb.Revolute("joint2", damping=0.5),
            (),
            False,
            rod,
            ((None, load),),
        ),
    )
    return pulled(Arm(segments, (0.0, 0.0, -9.81)), False, 3).dae
