"""A delta robot, three closed loops in space, against its closed-form kinematics and statics, of any size."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

BASE, UPPER, ROD, PLATFORM = 0.2, 0.3, 0.6, 0.05  # radii and lengths of a robot of size 1 [m]
PLATFORM_MASS, ROD_MASS, UPPER_MASS = 0.3, 0.08, 0.1  # [kg]
AT = 0.3  # [rad], of each shoulder
SHOULDERS = [f"shoulder{i}.angle" for i in range(3)]


@cache
def delta(size: float = 1.0, flexible: bool = False) -> fb.DAE:
    """Return three driven upper arms, each with a rod on universal joints to the platform, which stays upright."""
    mass = size**3
    model = fb.Model("delta", gravity=(0.0, 0.0, -9.81))
    ground = model.add(fb.Ground("ground"))
    platform = model.add(fb.Payload("platform", PLATFORM_MASS * mass, 2e-4 * mass * size**2 * np.eye(3)))
    for i in range(3):
        turn = 2 * math.pi * i / 3
        at = (BASE * size * math.cos(turn), BASE * size * math.sin(turn), 0.0)
        mount = model.add(fb.FixedTransform(f"mount{i}", translation=at, rotation=(0.0, 0.0, turn)))
        shoulder = model.add(fb.Revolute(f"shoulder{i}", axis=(0, 1, 0), start=AT))
        motor = model.add(fb.TorqueSource(f"motor{i}"))
        if flexible:
            density, rigidity = UPPER_MASS / UPPER * size**2, 25.0 * size**5
            beam = fb.FlexibleBeam(
                f"upper{i}", UPPER * size, density, rigidity, fb.AssumedModes(1, tip="free"), bending="z"
            )
            upper = model.add(beam)
        else:
            upper = model.add(_rod(f"upper{i}", UPPER * size, UPPER_MASS * mass))
        elbow = model.add(fb.Universal(f"elbow{i}", axes=((0, 1, 0), (0, 0, 1)), start=(1.6, 0.0)))
        rod = model.add(_rod(f"rod{i}", ROD * size, ROD_MASS * mass))
        wrist = model.add(fb.Universal(f"wrist{i}", axes=((0, 0, 1), (0, 1, 0)), start=(0.0, -1.9)))
        to_center = model.add(fb.FixedTransform(f"to_center{i}", translation=(-PLATFORM * size, 0.0, 0.0)))
        back = model.add(fb.FixedTransform(f"back{i}", rotation=(0.0, 0.0, -turn)))
        chain = [mount, shoulder, upper, elbow, rod, wrist, to_center, back, platform]
        model.connect(ground.frame_b, mount.frame_a)
        model.connect(motor.flange_b, shoulder.axis)
        for before, after in pairwise(chain):
            model.connect(before.frame_b, after.frame_a)
    return fb.assemble(model)


def _rod(name: str, length: float, mass: float) -> fb.RigidLink:
    across = mass * length**2 / 12
    return fb.RigidLink(name, length, mass, np.diag([1e-3 * across, across, across]))


def height(angle: float) -> float:
    """Return the height of the platform of a robot of size 1 whose shoulders are all at an angle, elbows out [m]."""
    out = BASE + UPPER * math.cos(angle) - PLATFORM
    return -UPPER * math.sin(angle) - math.sqrt(ROD**2 - out**2)


def shoulder_angles(place: np.ndarray) -> np.ndarray:
    """Return the angles of the shoulders (3,) with the platform at a place (3,): each a circle that meets a sphere."""
    angles = []
    for i in range(3):
        turn = 2 * math.pi * i / 3
        x, y = (
            math.cos(turn) * place[0] + math.sin(turn) * place[1],
            math.cos(turn) * place[1] - math.sin(turn) * place[0],
        )
        # |(d + UPPER cos a, y, z + UPPER sin a)| = ROD, with a positive angle downwards
        d, z = BASE - PLATFORM - x, place[2]
        level = (ROD**2 - UPPER**2 - d**2 - y**2 - z**2) / (2 * UPPER)
        angles.append(math.atan2(z, d) + math.acos(level / math.hypot(d, z)))
    return np.array(angles)


@pytest.mark.parametrize("size", [0.05, pytest.param(8.0, marks=pytest.mark.slow)])
def test_it_hangs_where_its_lengths_say_and_is_held_by_the_torque_of_its_weight(size: float) -> None:
    dae = delta(size)
    point = fb.equilibrium(dae, dict.fromkeys(SHOULDERS, AT))
    assert point["platform.z"] == pytest.approx(size * height(AT), rel=1e-9)
    assert abs(point["platform.x"]) + abs(point["platform.y"]) < 1e-9 * size
    # Virtual work: the platform with half of each rod sinks by dz, elbows with the other halves by UPPER cos(angle)
    dz = (height(AT + 1e-6) - height(AT - 1e-6)) / 2e-6
    fallen = (PLATFORM_MASS + 1.5 * ROD_MASS) * dz
    fallen -= 3 * (UPPER_MASS / 2 + ROD_MASS / 2) * UPPER * math.cos(AT)
    torque = 9.81 * fallen / 3 * size**4
    assert [point[f"motor{i}.torque"] for i in range(3)] == pytest.approx([torque] * 3, rel=1e-6)


@pytest.mark.slow
def test_it_is_planned_to_a_place_from_cold() -> None:
    """In the time of its size, sqrt(size), for weight is part of the motion."""
    size = 0.05
    dae, place = delta(size), np.array([0.1, 0.05, -0.56])
    goal = {f"platform.{axis}": size * value for axis, value in zip("xyz", place.tolist(), strict=True)}
    start = dict.fromkeys(SHOULDERS, AT)
    plan = optim.plan(dae, optim.RestToRest(start, goal, 0.6 * math.sqrt(size), input_ends="holding"), intervals=15)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) <= 10
    reached = [plan.trajectory[name][-1] for name in SHOULDERS]
    np.testing.assert_allclose(reached, shoulder_angles(place), atol=1e-6)


@pytest.mark.slow
def test_with_soft_upper_arms_it_is_planned_and_replays() -> None:
    dae, start = delta(flexible=True), dict.fromkeys(SHOULDERS, AT)
    goal = {name: AT + 0.2 * (i + 1) / 3 for i, name in enumerate(SHOULDERS)}
    plan = optim.plan(dae, optim.RestToRest(start, goal, 0.6, input_ends="holding"), intervals=12)
    assert sum(attempt.iterations for attempt in plan.attempts) <= 40
    assert plan.replay().tip_miss < 1e-5
