"""An elastic joint with a beam and a payload, as one measures it, with damping everywhere; and other values."""

from __future__ import annotations

from functools import cache

import numpy as np

import flexblocks as fb

TRUE = {
    "joint.stiffness": 200.0,
    "joint.spring_damping": 0.1,
    "joint.damping": 0.3,
    "link.flexural_rigidity": 100.0,
    "link.damping_ratio": 0.004,
    "payload.mass": 0.5,
}
OTHER = {
    "joint.stiffness": 500.0,
    "joint.spring_damping": 0.3,
    "joint.damping": 0.1,
    "link.flexural_rigidity": 40.0,
    "link.damping_ratio": 0.01,
    "payload.mass": 0.4,
}
MOTOR = "joint.motor.torque"
RATES = ("der(joint.rotor.angle)", "der(joint.angle)")


@cache
def measured_arm(symbolic: tuple[str, ...] = (), *, true: bool = True, gravity: float = 0.0) -> fb.DAE:
    """The arm; `symbolic` ones of TRUE have other values unless it is the true one."""
    values = TRUE if true else TRUE | {name: OTHER[name] for name in symbolic}
    model = fb.Model("arm", gravity=(0.0, -gravity, 0.0))
    joint = fb.FlexibleJoint(
        "joint",
        stiffness=values["joint.stiffness"],
        inertia=0.05,
        spring_damping=values["joint.spring_damping"],
        damping=values["joint.damping"],
    )
    link = fb.FlexibleBeam(
        "link",
        length=1.0,
        linear_density=1.0,
        flexural_rigidity=values["link.flexural_rigidity"],
        damping_ratio=values["link.damping_ratio"],
        discretization=fb.AssumedModes(2, tip="auto"),
        bending="y",
    )
    for block in (fb.Ground("ground"), joint, link, fb.Payload("payload", mass=values["payload.mass"])):
        model.add(block)
    model.connect("ground.frame_b", "joint.frame_a")
    model.connect("joint.frame_b", "link.frame_a")
    model.connect("link.frame_b", "payload.frame_a")
    return fb.assemble(model, symbolic)


@cache
def measured_record(duration: float, noise: float, seed: int) -> fb.Record:
    """A record at 1 kHz of the true arm under white torque, with noise in parts of the spread of each rate."""
    sample_time = 1e-3
    count = round(duration / sample_time)
    rng = np.random.default_rng(seed)
    torque = rng.normal(size=count)
    arm = measured_arm()
    states = fb.stepper(arm, sample_time).rollout(None, {MOTOR: torque[None]})[0]
    y = {}
    for name in RATES:
        series = states[:count, arm.x.index(name)]
        y[name] = series + noise * np.std(series) * rng.normal(size=count)
    units = {MOTOR: "N m", **dict.fromkeys(RATES, "rad/s")}
    return fb.Record(sample_time * np.arange(count), {MOTOR: torque}, y, units=units)
