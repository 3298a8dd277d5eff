"""Poses as start and goal, and ends in motion: against forward kinematics by SciPy and differences along the replay."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from arms.library import subudhi_morris
from arms.six_joints import START, forward, six_joints
from flexblocks import optim
from flexblocks.dynamics.algorithms.frame_motions import frame_motion
from flexblocks.optim.presolve.ends.boundary_equilibrium import boundary_equilibrium
from flexblocks.optim.problem.serialization import from_data, to_data


@pytest.mark.parametrize(
    ("size", "mass"),
    [(0.3, 2.0), pytest.param(10.0, 2000.0, marks=pytest.mark.slow)],
)
def test_pose_of_a_six_jointed_arm_of_any_size(size, mass):
    """Position, all of the orientation and both velocities, far from the start; wrists do not wind up."""
    dae = six_joints(size, mass)
    wanted = Rotation.from_euler("ZYX", [2.0, -0.3, 0.4])
    position, velocity, spin = size * np.array([0.8, 1.2, 1.3]), size * np.array([0.05, 0.0, -0.1]), [0.0, 0.3, 0.02]
    pose = optim.Pose(position, (0.4, -0.3, 2.0), velocity, spin)
    start = boundary_equilibrium(dae, START, dae.p.start, "plan: start").point
    point = boundary_equilibrium(dae, pose.conditions("payload"), dae.p.start, "plan: goal", near=start).point
    q, v = dae.tree.split_state(point.x)[:2]
    place, turn = forward(q, size)
    np.testing.assert_allclose(place, position, atol=1e-7 * size)
    assert (wanted.inv() * turn).magnitude() < 1e-7
    assert np.abs(q - start.x[:6]).max() < np.pi
    # Velocities by differences of the independent kinematics.
    h = 1e-6
    (after, later), (before, earlier) = forward(q + h * v, size), forward(q - h * v, size)
    np.testing.assert_allclose((after - before) / (2 * h), velocity, atol=1e-6 * size)
    np.testing.assert_allclose((earlier.inv() * later).as_rotvec() / (2 * h), spin, atol=1e-6)


def test_a_matrix_is_the_same_pose_and_half_a_turn_is_none():
    angles = (0.4, -0.3, 2.0)
    R = Rotation.from_euler("ZYX", angles[::-1]).as_matrix()
    by_angles, by_matrix = (optim.Pose(orientation=each) for each in (angles, R))
    np.testing.assert_allclose(by_matrix.rotation_vector, by_angles.rotation_vector, atol=1e-15)
    # The signal: twice the tangent of half the turn, along its axis, at any attitude.
    dae = six_joints(0.3, 1.0)
    motion = frame_motion(dae.tree, "payload", dae.q, dae.v)
    turn = ca.Function("turn", [dae.q], [motion.turn(by_angles.rotation_vector)])
    for seed in range(5):
        q = np.random.default_rng(seed).uniform(-3, 3, 6)
        away = (Rotation.from_matrix(R).inv() * forward(q, 0.3)[1]).as_rotvec()
        angle = np.linalg.norm(away)
        np.testing.assert_allclose(turn(q).full().ravel(), 2 * np.tan(angle / 2) * away / angle, rtol=1e-9)
    # It is an output like others, by name; and so in the conditions.
    name = next(name for name in by_angles.conditions("payload") if name.endswith(".z"))
    seen = dae.with_outputs(name)
    assert seen.y.units[-1] == "rad"
    assert float(seen.output(np.r_[q, 0 * q], np.zeros(6), [])[-1]) == pytest.approx(float(turn(q)[2]))


@pytest.mark.slow
def test_plan_from_one_motion_into_another():
    """Two flexible links: from a turning base joint to a tip that moves on a straight line; and it replays."""
    dae = subudhi_morris(modes=1).with_outputs("payload.velocity_x")
    start = {"joint1.angle": 0.0, "joint2.angle": 0.0, "der(joint1.angle)": 0.1}
    goal = {"payload": optim.Pose(position=(0.3, 0.7, None), velocity=(0.05, 0.0, None))}
    plan = optim.plan(dae, optim.RestToRest(start=start, goal=goal, duration=2.0), intervals=20)
    motion = plan.trajectory
    # The rotor and the joint move as one, the other joint stands still, deflections keep their static values.
    for name, rate in (("joint1", 0.1), ("rotor1", 0.1), ("joint2", 0.0), ("rotor2", 0.0)):
        assert motion[f"der({name}.angle)"][0] == pytest.approx(rate, abs=1e-12)
    assert motion["der(link1.bending_y[1])"][[0, -1]] == pytest.approx(0.0, abs=1e-12)
    assert (motion["payload.x"][-1], motion["payload.y"][-1]) == pytest.approx((0.3, 0.7), abs=1e-9)
    assert motion["payload.velocity_x"][-1] == pytest.approx(0.05, abs=1e-9)
    replay = plan.replay()
    assert replay.tip_miss < 5e-4
    assert np.isnan(replay.energy_left)
    late = replay.trajectory.t > 1.99
    speed = [np.polyfit(replay.trajectory.t[late], replay.trajectory[f"payload.{axis}"][late], 2) for axis in "xy"]
    np.testing.assert_allclose([np.polyval(np.polyder(each), 2.0) for each in speed], [0.05, 0.0], atol=1e-2)
    assert "in motion in 2 s" in plan.summary()


def test_whole_poses_of_planar_arms():
    """What no posture changes is no condition, and conditions that follow from others are met, too."""
    dae = subudhi_morris(modes=0)
    start = boundary_equilibrium(dae, {"joint1.angle": 0.0, "joint2.angle": 0.5}, dae.p.start, "plan: start").point
    tip = 0.5 * np.array([np.cos(0.3) + np.cos(1.5), np.sin(0.3) + np.sin(1.5), 0.0])
    pose = optim.Pose(position=tip, orientation=(0.0, 0.0, 1.5)).conditions("payload")
    point = boundary_equilibrium(dae, pose, dae.p.start, "plan: goal", near=start).point
    assert (point["joint1.angle"], point["joint2.angle"]) == pytest.approx((0.3, 1.2), abs=1e-7)


def test_deflections_that_are_told_replace_the_static_ones():
    dae = subudhi_morris(modes=1)
    told = {"link1.bending_y[1]": 0.01, "der(link1.bending_y[1])": 0.2}
    ask = {"joint1.angle": 0.1, "joint2.angle": 0.2, "der(joint2.angle)": -0.3} | told
    point = boundary_equilibrium(dae, ask, dae.p.start, "plan: start").point
    for name, value in ask.items():
        assert point[name] == pytest.approx(value, abs=1e-12)
    assert point["der(joint1.angle)"] == pytest.approx(0.0, abs=1e-12)
    assert point["der(rotor2.angle)"] == pytest.approx(-0.3)


@pytest.mark.slow
def test_plan_of_six_joints_into_a_moving_pose():
    dae = six_joints(0.3, 2.0, gravity=0.0)
    pose = optim.Pose((0.24, 0.36, 0.39), (0.4, -0.3, 2.0), velocity=(0.015, 0.0, 0.0), angular_velocity=(0, 0, 0.02))
    limits = {f"der(joint{i}.angle)": 2.0 for i in range(1, 7)}
    plan = optim.plan(dae, optim.RestToRest(START, {"payload": pose}, duration=4.0, limits=limits), intervals=20)
    q, v = dae.tree.split_state(plan.trajectory.x[-1])[:2]
    place, turn = forward(q, 0.3)
    np.testing.assert_allclose(place, pose.position, atol=1e-7)
    assert (Rotation.from_euler("ZYX", [2.0, -0.3, 0.4]).inv() * turn).magnitude() < 1e-7
    moved = forward(q + 1e-6 * v, 0.3)[0] - forward(q - 1e-6 * v, 0.3)[0]
    np.testing.assert_allclose(moved / 2e-6, pose.velocity, atol=1e-6)
    assert plan.replay().tip_miss < 0.01


def test_refused_by_name():
    with pytest.raises(optim.ProblemError, match="nothing is prescribed"):
        optim.Pose(position=(None, None, None))
    with pytest.raises(optim.ProblemError, match=r"position = \(1, 2\); must be three"):
        optim.Pose(position=(1, 2))
    with pytest.raises(optim.ProblemError, match="velocity: nan; must be three finite"):
        optim.Pose(velocity=(0, np.nan, 0))
    with pytest.raises(optim.ProblemError, match="no rotation matrix"):
        optim.Pose(orientation=-np.eye(3))
    with pytest.raises(optim.ProblemError, match=r"payload\.x twice"):
        optim.RestToRest({"joint1.angle": 0}, {"payload": optim.Pose((1, 0, 0)), "payload.x": 1.0}, duration=1.0)
    dae = subudhi_morris(modes=0)
    start = {"joint1.angle": 0.0, "joint2.angle": 0.5}
    for pose, message in (
        (
            optim.Pose((0.3, 0.7, None), velocity=(0.1, 0.0, None), angular_velocity=(None, None, 5.0)),
            r"goal: no motion of the arm has .*payload\.angular_velocity_z = 5",
        ),
        (optim.Pose((0.3, 0.7, None), velocity=(0.1, 0.0, 0.2)), r"payload\.velocity_z = 0.2, but it is 0 in every"),
        (optim.Pose(position=(0.3, 0.7, 1.0)), r"payload\.z = 1, but it is 0 in every posture"),
        (optim.Pose(position=(0.3, 0.7, 0.0), orientation=(0.0, 0.0, 1.0)), "the arm cannot be at rest with"),
    ):
        with pytest.raises(optim.ProblemError, match=message):
            optim.plan(dae, optim.RestToRest(start, {"payload": pose}, duration=1.0))
    with pytest.raises(optim.ProblemError, match=r"no coordinate, output .*'paylod.x'.*Did you mean payload.x"):
        optim.plan(dae, optim.RestToRest(start, {"paylod": optim.Pose(position=(0.3, 0.7, None))}, duration=1.0))


def test_poses_are_written_to_files_and_read_back():
    pose = optim.Pose(position=(0.3, 0.7, None), orientation=(0.0, 0.0, 0.3), velocity=(0.05, 0, 0))
    problem = optim.RestToRest({"joint1.angle": 0.0, "der(joint1.angle)": 0.1}, {"payload": pose}, duration=2.0)
    assert from_data(to_data(problem, "problem"), "problem") == problem
    written = {"type": "RestToRest", "start": {"joint1.angle": 0.0, "der(joint1.angle)": 0.1}, "duration": 2.0}
    written["goal"] = {
        "payload": {"type": "Pose", "position": [0.3, 0.7, None], "orientation": [0, 0, 0.3], "velocity": [0.05, 0, 0]}
    }
    assert from_data(written, "problem") == problem
