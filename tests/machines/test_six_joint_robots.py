"""Robots of six joints with gravity and direct drives, rigid or with elastic joints."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))
LENGTHS, MASSES = (0.4, 0.5, 0.4, 0.1, 0.1, 0.08), (8.0, 6.0, 4.0, 2.0, 1.5, 0.5)
NAMES = [f"joint{i}.angle" for i in range(1, 7)]
START = dict(zip(NAMES, (0.0, 0.4, 0.6, 0.2, 0.5, 0.0), strict=True))
GOAL = dict(zip(NAMES, (1.2, 0.9, 1.2, -0.5, 1.0, 0.8), strict=True))
TORQUES = dict(zip((f"motor{i}.torque" for i in range(1, 7)), (150.0, 200.0, 120.0, 30.0, 25.0, 5.0), strict=True))


@cache
def robot(*, elastic: bool) -> fb.DAE:
    """Return 22 kg and a tool of 2 kg, motors at the joints or behind springs."""
    model = fb.Model("robot", gravity=(0.0, 0.0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    for i, (axis, length, mass) in enumerate(zip(AXES, LENGTHS, MASSES, strict=True), 1):
        joint, motor = model.add(fb.Revolute(f"joint{i}", axis=axis)), model.add(fb.TorqueSource(f"motor{i}"))
        if elastic:
            rotor = model.add(fb.Rotor(f"rotor{i}", 0.015 * mass))
            spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=1250.0 * mass, damping=5.0))
            model.connect(motor.flange_b, rotor.flange_a)
            model.connect(rotor.flange_b, spring.flange_a)
            model.connect(spring.flange_b, joint.axis)
        else:
            model.connect(motor.flange_b, joint.axis)
        inertia = np.diag([1.0, 1.0, 0.1]) * mass * length**2 / 12 + 1e-4 * np.eye(3)
        link = model.add(fb.RigidBody(f"link{i}", mass, inertia, center=(0.0, 0.0, length / 2)))
        tip = model.add(fb.FixedTransform(f"tip{i}", (0.0, 0.0, length)))
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        model.connect(joint.frame_b, tip.frame_a)
        place = tip.frame_b
    model.connect(place, model.add(fb.Payload("tool", 2.0, 1e-2 * np.eye(3))).frame_a)
    return fb.assemble(model)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*too coarse")
def test_elastic_joints_are_planned_at_once() -> None:
    task = optim.RestToRest(START, GOAL, 1.0, limits=TORQUES, input_ends="holding")
    plan = optim.plan(robot(elastic=True), task, intervals=20)
    assert plan.status == "converged"
    assert len(plan.attempts) == 1
    assert plan.replay().tip_miss < 2e-3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*too coarse")
def test_direct_drives_spin_no_faster_than_a_few_times_the_guess() -> None:
    """Without gears the least effort spins the wrist ever faster; its rates are bounded, and a warning says so."""
    task = optim.RestToRest(START, GOAL, 1.0, input_ends="holding")
    with pytest.warns(optim.PlanWarning, match="times the rates of the first guess, within which it is planned"):
        plan = optim.plan(robot(elastic=False), task, intervals=30)
    assert plan.status in ("converged", "unresolved")
    assert sum(attempt.iterations or 0 for attempt in plan.attempts) < 600
    assert plan.replay(law="tracking").tip_miss < 0.02
    quintic = optim.rigid_motion(robot(elastic=False), task, intervals=30)
    fastest = max(np.abs(quintic[f"der({name})"]).max() for name in NAMES)
    assert max(np.abs(plan.trajectory[f"der({name})"]).max() for name in NAMES) < 2.1 * fastest
