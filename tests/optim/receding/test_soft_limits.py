"""Soft limits of model predictive control: regions of places, largest stress, accelerations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, optim
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError, FlexblocksWarning

SAMPLE = 0.01
START = {"joint1.angle": 0.4}
BALL = optim.Sphere((0.5, 0.35), 0.06)  # the goal is inside


@cache
def arm() -> DAE:
    """Return one flexible link of steel with a motor on its joint, level."""
    model = fb.Model("lever", gravity=(0.0, 0.0, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor, rotor = model.add(fb.TorqueSource("motor1", limit=6.0)), model.add(fb.Rotor("rotor1", inertia=0.02))
    steel = fb.Material(7800.0, 2.1e11)
    section = fb.Rectangle(width=0.02, height=0.004)
    beam = fb.FlexibleBeam(
        "link1", 0.6, section=section, material=steel, discretization=fb.AssumedModes(1), bending="y",
        damping_ratio=0.02, largest_stress=1,
    )  # fmt: skip
    link, load = model.add(beam), model.add(fb.Payload("payload", mass=0.2, inertia=0.001))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    return fb.assemble(model)


@cache
def run(kind: str = "") -> fb.Trajectory:
    """Return a motion of the tip to a height, with limits of a kind."""
    options: dict[str, dict[str, Any]] = {
        "": {},
        "height": {"limits": {"payload.y": (-np.inf, 0.27)}},
        "out": {"path": optim.KeepOut(BALL, frames="payload")},
        "in": {"path": [optim.KeepIn(optim.HalfSpace((0.0, 0.27), (0.0, 1.0)), frames="payload")]},
        "stress": {"limits": {"link1.largest_stress": 15e6}},
        "acceleration": {"limits": {"der(der(joint1.angle))": 4.0}},
    }
    task = optim.Tracking({"payload.y": 0.3}, tolerance=2e-3)
    # Stress follows torque at once, and the bending has 13 Hz.
    sample = SAMPLE / 4 if kind == "stress" else SAMPLE
    mpc = optim.MPC(arm(), task, sample, 0.6, 8, at=START, **options[kind])
    motion = fb.simulate(control.close_loop(arm(), mpc), np.arange(0.0, 0.8, sample), x0=START, rtol=1e-6)
    assert not mpc.report(motion).lost
    return motion


def clearance(motion: fb.Trajectory) -> float:
    """Return the least distance [m] of the tip from the ball's surface."""
    return float(np.hypot(motion["payload.x"] - 0.5, motion["payload.y"] - 0.35).min()) - 0.06


def test_the_tip_keeps_out_of_an_obstacle_in_which_its_goal_is() -> None:
    assert clearance(run()) < -5e-3
    assert abs(clearance(run("out"))) < 1e-3


def test_a_limit_on_a_place_and_the_region_that_it_bounds_command_the_same() -> None:
    with pytest.warns(FlexblocksWarning, match="the reference of payload.y reaches 0.3; its limits are -inf to 0.27"):
        height = run("height")
    region = run("in")
    assert abs(height["payload.y"].max() - 0.27) < 1e-3
    assert np.abs(height["motor1.torque"] - region["motor1.torque"]).max() < 1e-3


def test_the_largest_stress_stays_within_its_limit_and_the_goal_is_reached() -> None:
    free, kept = run()["link1.largest_stress"], run("stress")
    assert free.max() > 100e6
    assert kept["link1.largest_stress"].max() < 1.01 * 15e6
    assert abs(kept["payload.y"][-1] - 0.3) < 1e-3


def test_accelerations_stay_within_their_limit() -> None:
    a = [np.abs(np.gradient(run(kind)["der(joint1.angle)"], SAMPLE)).max() for kind in ("", "acceleration")]
    assert a[0] > 20.0
    assert a[1] < 1.1 * 4.0


def test_what_cannot_be_a_limit_is_refused() -> None:
    task = optim.Tracking({"payload.y": 0.3}, tolerance=2e-3)
    with pytest.raises(FlexblocksError, match="must be a sequence of optim"):
        optim.MPC(arm(), task, SAMPLE, 0.6, 8, path="ball")  # type: ignore[arg-type]
    with pytest.raises(FlexblocksError, match="Rates of inputs have their own argument"):
        optim.MPC(arm(), task, SAMPLE, 0.6, 8, {"der(motor1.torque)": 1.0})
