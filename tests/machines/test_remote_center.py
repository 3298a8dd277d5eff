"""A surgical arm: two parallelograms turn the instrument about a point outside of them, in which it is pushed in."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.interfaces import Port

CRANK, BAR, FOOT, PITCH = 0.4, 0.35, 0.1, 1.2  # [m] of the arm of the size 1; rad at the start
APART = 0.08  # of the two parallelograms [m]


@cache
def arm(size: float) -> fb.DAE:
    """Return such an arm: masses grow by the third power of its size, torques by the fourth, times by the root."""
    mass, torque, inertia = size**3, size**4, size**5 * 1e-3 * np.eye(3)
    model = fb.Model("remote centre", gravity=(0.0, -9.81, 0.0))

    def at(name: str, on: Port, x: float) -> Port:
        place = model.add(fb.FixedTransform(name, (x * size, 0.0, 0.0)))
        model.connect(on, place.frame_a)
        return place.frame_b

    def bar(name: str, on: Port, start: float, length: float, weight: float) -> tuple[fb.Revolute, fb.RigidLink]:
        hinge = model.add(fb.Revolute(f"{name}_hinge", start=start))
        link = model.add(fb.RigidLink(name, length * size, mass=weight * mass, inertia=inertia))
        model.connect(on, hinge.frame_a)
        model.connect(hinge.frame_b, link.frame_a)
        return hinge, link

    def close(name: str, on: Port, to: Port, start: float) -> None:
        pin = model.add(fb.Revolute(name, start=start))
        model.connect(on, pin.frame_a)
        model.connect(pin.frame_b, to)

    ground = model.add(fb.Ground("ground")).frame_b
    pitch, crank = bar("crank", ground, PITCH, CRANK, 0.4)
    motor = model.add(fb.TorqueSource("pitch_motor", limit=20.0 * torque))
    rotor = model.add(fb.Rotor("pitch_rotor", inertia=2e-3 * size**5))
    gear = model.add(fb.TorsionalSpring("pitch_gear", stiffness=2e3 * torque, damping=0.5 * torque * math.sqrt(size)))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, gear.flange_a)
    model.connect(gear.flange_b, pitch.axis)
    _, follower = bar("follower", at("foot", ground, FOOT), PITCH, CRANK, 0.4)
    upper_hinge, upper = bar("upper", crank.frame_b, -PITCH, BAR, 0.3)
    close("first_loop", follower.frame_b, at("first_place", upper_hinge.frame_b, FOOT), -PITCH)
    holder_hinge, holder = bar("holder", upper.frame_b, PITCH - math.pi, 0.1, 0.2)
    _, lower = bar("lower", at("lower_foot", pitch.frame_b, CRANK - APART), -PITCH, BAR, 0.3)
    close("second_loop", lower.frame_b, at("second_place", holder_hinge.frame_b, APART), PITCH - math.pi)
    slide = model.add(fb.Prismatic("insertion", axis=(1.0, 0.0, 0.0)))
    pusher = model.add(fb.ForceSource("insertion_motor", limit=20.0 * mass))
    tool, tip = model.add(fb.RigidLink("tool", 0.3 * size, 0.1 * mass, inertia)), fb.Payload("tip", 0.05 * mass)
    model.connect(holder.frame_b, slide.frame_a)
    model.connect(pusher.flange_b, slide.axis)
    model.connect(slide.frame_b, tool.frame_a)
    model.connect(tool.frame_b, model.add(tip).frame_a)
    return fb.assemble(model)


def task(size: float) -> optim.RestToRest:
    start = {"crank_hinge.angle": PITCH, "insertion.displacement": 0.0}
    goal = {"crank_hinge.angle": 1.5, "insertion.displacement": 0.05 * size}
    return optim.RestToRest(start, goal, math.sqrt(size))


def test_the_instrument_turns_about_a_point_that_stays() -> None:
    """On the line of the feet, as far from the first as the bars are long."""
    dae = arm(1.0).with_outputs(("holder.frame_a.x", "holder.frame_a.y", "tip.x", "tip.y"))
    for angle in (0.9, 1.2, 1.7):
        at = fb.equilibrium(dae, {"crank_hinge.angle": angle, "insertion.displacement": 0.0})
        hinge, tip = (np.array([at[f"{place}.x"], at[f"{place}.y"]]) for place in ("holder.frame_a", "tip"))
        center = hinge + CRANK * (tip - hinge) / np.linalg.norm(tip - hinge)
        assert center == pytest.approx([BAR, 0.0], abs=1e-9)


@pytest.mark.slow
def test_least_effort_takes_the_same_iterations_at_any_size() -> None:
    size = 0.1
    plan = optim.plan(arm(size), task(size), intervals=30)
    assert [attempt.iterations for attempt in plan.attempts] == [6]
    assert plan.replay().tip_miss < 1e-5 * size
