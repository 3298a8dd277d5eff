"""Targets that turn as they move: against SciPy's rotations, forward kinematics by hand, and differences of both."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.six_joints import START, forward, six_joints
from arms.turns import hinge
from flexblocks import optim
from flexblocks.optim.problem.serialization import from_data, to_data


def attitude(t: float) -> Rotation:
    return Rotation.from_euler("ZYX", [2.0 - 0.05 * t, -0.3, 0.4 + 0.1 * t])


def spin(t: float, h: float = 1e-6) -> np.ndarray:
    """Angular velocity in the axes of the target, by differences."""
    return (attitude(t - h).inv() * attitude(t + h)).as_rotvec() / (2 * h)


TURNING = ("0.4 + 0.1*time", -0.3, lambda t: 2.0 - 0.05 * t)


def matrix() -> tuple:
    """The same attitude as a matrix of functions of the time."""

    def entry(i: int, j: int):
        def value(t):
            yaw, pitch, roll = 2.0 - 0.05 * t, -0.3, 0.4 + 0.1 * t
            cy, sy, cp, sp, cr, sr = ca.cos(yaw), ca.sin(yaw), np.cos(pitch), np.sin(pitch), ca.cos(roll), ca.sin(roll)
            return [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ][i][j]

        return value

    return tuple(tuple(entry(i, j) for j in range(3)) for i in range(3))


@pytest.mark.parametrize("orientation", [TURNING, matrix()], ids=["angles", "matrix"])
def test_at_a_fixed_time_it_is_a_pose_in_motion(orientation):
    T, course = 3.0, optim.Course((0.1, "0.2*time", None), orientation)
    pose = optim.Pose((0.1, 0.6, None), attitude(T).as_matrix(), (0.0, 0.2, None), spin(T)).conditions("payload")
    met = course.conditions("payload", T)
    turns = {name: value for name, value in met.items() if ".turn(" in name}
    assert sorted(turns.values()) == [0.0, 0.0, 0.0]
    vector = [float(number) for number in next(iter(turns)).partition("(")[2].partition(")")[0].split(",")]
    np.testing.assert_allclose(vector, attitude(T).as_rotvec(), atol=1e-12)
    for name in set(pose) - {name for name in pose if ".turn(" in name}:
        assert met[name] == pytest.approx(pose[name], abs=1e-8), name
    # At rest where it passes: the same attitude and no rates.
    still = optim.Course((0.1, "0.2*time", None), orientation, matched=False).conditions("payload", T)
    assert set(still) == {"payload.x", "payload.y", *turns}


def test_angular_velocities_can_be_told_or_left_open():
    course = optim.Course(angular_velocity=(None, "0.3*time", 0.1), position=(0.5, None, None))
    assert course.conditions("tip", 2.0) == pytest.approx(
        {"tip.x": 0.5, "tip.velocity_x": 0.0, "tip.angular_velocity_y": 0.6, "tip.angular_velocity_z": 0.1}
    )
    # Given ones take the place of those of the orientation.
    both = optim.Course(orientation=TURNING, angular_velocity=(None, None, 0.1)).conditions("tip", 2.0)
    assert [name for name in both if "velocity" in name] == ["tip.angular_velocity_z"]


def test_goals_keep_one_attitude_when_the_time_changes():
    asked = optim.RestToRest({"joint1.angle": 0.0}, {"payload": optim.Course(orientation=(0, 0, "0.2*time"))}, 2.0)
    later = asked.problem.lasting([3.0], asked.objective).phases[0]
    (turn,) = (name for name in later.goal if name.endswith(").z"))
    assert float(turn.split(", ")[2].partition(")")[0]) == pytest.approx(0.6)
    assert sum(".turn(" in name for name in later.goal_at(1.0)) == 3
    assert from_data(to_data(asked, "problem"), "problem") == asked
    written = {"type": "RestToRest", "start": {"joint1.angle": 0.0}, "duration": 2.0}
    written["goal"] = {"payload": {"type": "Course", "orientation": [0, 0, "0.2*time"]}}
    assert from_data(written, "problem") == asked


def test_refused_by_name():
    for options, message in (
        ({}, "nothing is prescribed; give position or orientation"),
        ({"orientation": (0, 0)}, "orientation = .* must be roll, pitch and yaw"),
        ({"orientation": (0, None, 0)}, "None; must be roll, pitch and yaw"),
        ({"orientation": (0, 0, "0.1*tim")}, "only time is known"),
        ({"orientation": ((1, 0, 0), (0, 1, 0), (0, 0, 2))}, "at 0 s: .* is no rotation matrix"),
        ({"position": (0, 0, 0), "angular_velocity": (0, 0, 1), "matched": False}, "the arm comes to rest"),
        ({"angular_velocity": (0, 0, 1)}, "nothing is prescribed"),
        ({"orientation": (0, 0, "1 / time")}, "is not finite at 0 s"),
    ):
        with pytest.raises(optim.ProblemError, match=message):
            optim.Course(**options)
    with pytest.raises(optim.ProblemError, match=r"payload\.turn\(0, 0, 1\)\.z twice, by a course"):
        optim.RestToRest({}, {"payload": optim.Course(orientation=(0, 0, 1)), "payload.turn(0, 0, 1).z": 0.0}, 2.0)


@cache
def planar(size: float, axis: tuple = (0, 0, 1), mount: tuple = (0.0, 0.0, 0.0)) -> fb.DAE:
    """Three rigid links about one axis, at the end a hand that may be mounted askew."""
    model = fb.Model("three links")
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2, 3):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}", axis=axis))
        link = model.add(fb.RigidLink(f"link{i}", length=size, mass=size**3))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    hand = model.add(fb.FixedTransform("hand", rotation=mount))
    model.connect(place, hand.frame_a)
    model.connect(hand.frame_b, model.add(fb.Payload("payload", 0.5 * size**3, inertia=(0.01 * size**5,) * 3)).frame_a)
    return fb.assemble(model)


BENT = {"joint1.angle": 0.2, "joint2.angle": 0.5, "joint3.angle": 0.4}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")  # six intervals are few
def test_a_single_joint_meets_a_turning_target():
    course = optim.Course(orientation=(0, 0, "1.0 + 0.2*time"))
    plan = optim.plan(hinge(), optim.RestToRest({"joint1.angle": 0.0}, {"payload": course}, (0.5, 3.0)), intervals=6)
    assert plan.trajectory.x[-1] == pytest.approx([1.0 + 0.2 * plan.duration, 0.2], abs=1e-8)


@pytest.mark.slow
def test_planar_arms_meet_a_target_that_turns():
    """At the time that suits: place, heading and the rates of both, of arms of any size."""
    size = 1e3
    course = optim.Course((f"{size} * (2.0 - 0.3*time)", f"{size} * (1.2 + 0.2*time)", None), (0, 0, "1.5 - 0.4*time"))
    asked = optim.RestToRest(BENT, {"payload": course}, (0.8, 4.0))
    plan = optim.plan(planar(size), asked, intervals=8)
    T, (q, v) = plan.duration, np.split(plan.trajectory.x[-1], 2)
    heading, turning = np.cumsum(q), np.cumsum(v)
    np.testing.assert_allclose(np.cos(heading).sum(), 2.0 - 0.3 * T, atol=1e-7)
    np.testing.assert_allclose(np.sin(heading).sum(), 1.2 + 0.2 * T, atol=1e-7)
    np.testing.assert_allclose([heading[-1], turning[-1]], [1.5 - 0.4 * T, -0.4], atol=1e-7)
    np.testing.assert_allclose(-(np.sin(heading) * turning).sum(), -0.3, atol=1e-7)
    np.testing.assert_allclose((np.cos(heading) * turning).sum(), 0.2, atol=1e-7)


@pytest.mark.slow
def test_hands_may_be_mounted_askew_and_planes_be_any():
    """One turn is one condition, about whatever axis of the hand; a target that turns out of the plane is refused."""
    mount, axis = (0.3, 0.4, 0.2), (0, 1, 0)
    askew = Rotation.from_rotvec(mount)
    dae = planar(1.0, axis, mount)
    x, y, z = askew.as_matrix()
    first = [f"{a} * cos(0.4*time) + {c} * sin(0.4*time)" for a, c in zip(x, z, strict=True)]
    last = [f"{c} * cos(0.4*time) - {a} * sin(0.4*time)" for a, c in zip(x, z, strict=True)]
    turning = optim.Course(orientation=(first, y, last))
    plan = optim.plan(dae, optim.RestToRest(BENT, {"payload": turning}, (0.8, 4.0)), intervals=8)
    q, v = np.split(plan.trajectory.x[-1], 2)
    assert (q.sum(), v.sum()) == pytest.approx((0.4 * plan.duration, 0.4), abs=1e-7)
    tumbling = optim.Course(orientation=("0.1*(time - 2)", 0.3, 0.0), matched=False)
    with pytest.raises(optim.ProblemError, match="the arm turns payload only about"):
        optim.plan(planar(1.0, axis), optim.RestToRest(BENT, {"payload": tumbling}, (1.0, 3.0)), intervals=8)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")  # ten intervals are few for limits on rates
def test_six_joints_meet_a_target_that_tumbles():
    duration = (2.0, 6.0)
    dae = six_joints(0.3, 2.0, gravity=0.0)
    course = optim.Course(("0.24 + 0.015*time", 0.36, "0.39 - 0.03*time"), TURNING)
    limits = {f"der(joint{i}.angle)": 2.0 for i in range(1, 7)}
    plan = optim.plan(dae, optim.RestToRest(START, {"payload": course}, duration, limits=limits), intervals=10)
    T, (q, v) = plan.duration, dae.tree.split_state(plan.trajectory.x[-1])[:2]
    place, turn = forward(q, 0.3)
    np.testing.assert_allclose(place, [0.24 + 0.015 * T, 0.36, 0.39 - 0.03 * T], atol=1e-7)
    assert (attitude(T).inv() * turn).magnitude() < 1e-7
    h = 1e-6
    (after, later), (before, earlier) = forward(q + h * v, 0.3), forward(q - h * v, 0.3)
    np.testing.assert_allclose((after - before) / (2 * h), [0.015, 0.0, -0.03], atol=1e-6)
    np.testing.assert_allclose((earlier.inv() * later).as_rotvec() / (2 * h), spin(T), atol=1e-6)


@pytest.mark.slow
def test_a_target_that_comes_into_reach_later_is_met_then():
    """Out of reach at the middle of the range of times; met where it is within the three links' reach."""
    course = optim.Course(("9.0 - 1.0*time", 0.4, None), (0, 0, 0.3), matched=False)
    plan = optim.plan(planar(1.0), optim.RestToRest(BENT, {"payload": course}, (2.0, 8.0)), intervals=8)
    T, heading = plan.duration, np.cumsum(plan.trajectory.x[-1][:3])
    assert T > 6.0
    tip = [np.cos(heading).sum(), np.sin(heading).sum(), heading[-1]]
    np.testing.assert_allclose(tip, [9.0 - T, 0.4, 0.3], atol=1e-7)
