"""Redundant inputs hold the start and the goal within their limits, whatever the size of the arm."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

GRAVITY = 9.81  # [m/s2]


@cache
def on_two_motors(length: float, mass: float, weak: float, strong: float) -> fb.DAE:
    """Return a flexible arm on one joint with two motors, whose limits are shares of the moment of its load."""
    model = fb.Model("two motors", gravity=(0.0, -GRAVITY, 0.0))
    moment = mass * GRAVITY * length
    joint = model.add(fb.Revolute("joint", start=0.3))
    beam = fb.FlexibleBeam("beam", length, 0.1 * mass / length, 20 * moment * length, fb.AssumedModes(1, tip="free"))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, model.add(beam).frame_a)
    model.connect(beam.frame_b, model.add(fb.Payload("load", mass, 0.01 * mass * length**2)).frame_a)
    for name, share in (("weak", weak), ("strong", strong)):
        motor = model.add(fb.TorqueSource(name, limit=share * moment))
        model.connect(motor.flange_b, joint.axis)
    return fb.assemble(model)


def turn(length: float) -> optim.RestToRest:
    start, goal = {"joint.angle": 0.3}, {"joint.angle": 0.8}
    return optim.RestToRest(start, goal, 2.0 * np.sqrt(length), input_ends="holding")


@pytest.mark.parametrize(("length", "mass"), [(0.1, 0.005), (30.0, 2000.0)])
def test_a_weak_motor_is_helped_by_a_strong_one(length: float, mass: float) -> None:
    """Half of the load each, which is the least, is more than the weak one can."""
    dae = on_two_motors(length, mass, 0.2, 3.0)
    point = fb.equilibrium(dae, {"joint.angle": 0.3})
    assert point["weak.torque"] > 0.2 * mass * GRAVITY * length
    plan = optim.plan(dae, turn(length), intervals=20)
    assert plan.status == "converged"
    assert plan.statistics.iterations <= 20
    assert plan.trajectory.u[0].sum() == pytest.approx(point.u.sum(), rel=1e-6)
    assert np.abs(plan.trajectory["weak.torque"]).max() <= 0.2 * mass * GRAVITY * length * (1 + 1e-6)


def test_motors_that_are_too_weak_together_are_refused() -> None:
    with pytest.raises(optim.ProblemError, match=r"start: weak\.torque = .* to hold the arm at rest; its limits"):
        optim.plan(on_two_motors(1.0, 1.0, 0.2, 0.3), turn(1.0))
