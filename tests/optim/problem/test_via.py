"""Via points, and ends given by where the tip is."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.optim.collocation.mesh import uniform_mesh
from flexblocks.optim.presolve.postures.values_at_rest import values_at_rest
from flexblocks.optim.presolve.rigid_motion.waypoint_spline import spline_through

HOME = {"joint1.angle": 0.0, "joint2.angle": 0.0}
HALF_TURN = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}


@pytest.fixture(scope="module")
def arm():
    return subudhi_morris()


def problem(start=HOME, goal=HALF_TURN, duration=2.0, **more):
    return optim.RestToRest(start, goal, duration, **more)


@pytest.mark.parametrize("through", [(), (0.385,), (0.01, 0.02, 0.5), (0.3, 0.301, 0.999)])
def test_mesh_goes_through_via_points(through):
    mesh = uniform_mesh(2.0, 12, through)
    assert mesh.intervals == 12
    assert np.all(mesh.steps > 0)
    assert mesh.times[[0, -1]].tolist() == [0.0, 2.0]
    for share in through:
        assert np.abs(mesh.times - 2.0 * share).min() < 1e-14
    if not through:
        np.testing.assert_allclose(mesh.steps, 1 / 6, rtol=1e-12)


def test_course_is_the_quintic_and_goes_through_postures():
    a, b = np.array([0.0, 1.0]), np.array([2.0, -1.0])
    s = np.linspace(0, 1, 9)
    quintic = (s**3 * (10 - 15 * s + 6 * s**2))[:, None]
    np.testing.assert_allclose(spline_through([(0.0, a), (1.0, b)], 0, 1.0)(s), a + quintic * (b - a), atol=1e-12)
    bent = spline_through([(0.0, a), (0.3, b), (1.0, a)], 0, 1.0)
    np.testing.assert_allclose(bent(0.3), b, atol=1e-12)
    for order in (1, 2):
        np.testing.assert_allclose(bent.derivative(order)([0.0, 1.0]), 0.0, atol=1e-9)


def test_tip_passes_a_place_and_the_replay_too(arm):
    free = optim.plan(arm, problem(), intervals=40)
    plan = optim.plan(arm, problem(via=optim.Via({"payload.x": 0.7, "payload.y": 0.5}, time=0.77)), intervals=40)
    k = int(np.argmin(np.abs(plan.trajectory.t - 0.77)))
    assert plan.trajectory.t[k] == pytest.approx(0.77, abs=1e-12)
    assert plan.trajectory["payload.x"][k] == pytest.approx(0.7, abs=1e-8)
    assert plan.trajectory["payload.y"][k] == pytest.approx(0.5, abs=1e-8)
    assert plan.objective > free.objective
    run = plan.replay().trajectory
    assert np.interp(0.77, run.t, run["payload.x"]) == pytest.approx(0.7, abs=2e-4)
    assert "passes payload.x = 0.7, payload.y = 0.5 at 0.385" in plan.summary()


def test_states_at_several_times_of_a_free_duration(arm):
    vias = [
        optim.Via({"joint2.angle": 0.1, "der(joint1.angle)": 0.9}, fraction=0.6),
        optim.Via({"joint1.angle": 0.3, "motor1.torque": 0.0}, fraction=0.25),
    ]
    plan = optim.plan(arm, problem(via=vias, duration=(1.5, 2.1)), intervals=20)
    for via in vias:
        k = int(np.argmin(np.abs(plan.trajectory.t - via.fraction * plan.duration)))
        assert plan.trajectory.t[k] == pytest.approx(via.fraction * plan.duration, abs=1e-9)
        for name, value in via.values.items():
            assert plan.trajectory[name][k] == pytest.approx(value, abs=1e-7)


def test_tip_goal_of_a_plain_arm_is_its_inverse_kinematics():
    """Two rigid links: the law of cosines; of both elbows the nearer to the start."""
    dae = subudhi_morris(modes=0)
    goal = {"payload.x": 0.4, "payload.y": 0.6}
    reach = np.hypot(0.4, 0.6)
    elbow = np.arccos((reach**2 - 0.5) / 0.5)
    for side in (1, -1):
        start = {"joint1.angle": 0.8 - 0.5 * side, "joint2.angle": side * 1.0}
        plan = optim.plan(dae, problem(start, goal), intervals=10)
        assert plan.trajectory["joint2.angle"][-1] == pytest.approx(side * elbow, abs=1e-7)
        shoulder = np.arctan2(0.6, 0.4) - side * elbow / 2
        assert plan.trajectory["joint1.angle"][-1] == pytest.approx(shoulder, abs=1e-7)
    mixed = optim.plan(dae, problem(start, {"payload.x": 0.4, "joint1.angle": 0.2}), intervals=10)
    assert mixed.trajectory["payload.x"][-1] == pytest.approx(0.4, abs=1e-7)
    assert mixed.trajectory["joint1.angle"][-1] == pytest.approx(0.2, abs=1e-9)


def test_start_and_goal_of_the_tip_under_gravity():
    """The tip is where it was requested with the beam bent, held by the static torque."""
    model = fb.Model("hanging", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.FlexibleJoint("joint", inertia=0.02, stiffness=200.0))
    link = model.add(
        fb.FlexibleBeam(
            "link",
            length=0.8,
            linear_density=0.5,
            flexural_rigidity=10.0,
            discretization=fb.AssumedModes(2, tip="free"),
        )
    )
    load = model.add(fb.Payload("payload", mass=0.4, inertia=0.001))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    dae = fb.assemble(model)
    plan = optim.plan(dae, problem({"payload.y": -0.5}, {"payload.y": 0.3}, 1.0, input_ends="holding"), intervals=30)
    assert plan.trajectory["payload.y"][[0, -1]] == pytest.approx([-0.5, 0.3], abs=1e-8)
    assert np.abs(plan.transcription.goal["link.bending_y[1]"]) > 1e-3
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    for end in (plan.transcription.start, plan.transcription.goal):
        x = values_at_rest(dae, end, ["payload.x", "link.station(0.4).x"])
        moment = 9.81 * (0.4 * x["payload.x"] + 0.4 * x["link.station(0.4).x"])
        assert end["joint.motor.torque"] == pytest.approx(moment, rel=5e-3)


def test_redundant_goal_is_optimised_with_its_balance():
    """Only x is requested: the posture at the goal is free, at rest, and cheaper than the nearest one."""
    dae = subudhi_morris(modes=1)
    plan = optim.plan(dae, problem({"joint1.angle": 0.3, "joint2.angle": 0.6}, {"payload.x": 0.2}), intervals=15)
    assert plan.trajectory["payload.x"][-1] == pytest.approx(0.2, abs=1e-8)
    n = len(dae.q_names)
    np.testing.assert_allclose(plan.trajectory.x[-1, n:], 0.0, atol=1e-9)
    nearest = {name: plan.transcription.goal[name] for name in ("joint1.angle", "joint2.angle")}
    held = optim.plan(dae, problem({"joint1.angle": 0.3, "joint2.angle": 0.6}, nearest), intervals=15)
    assert plan.objective < held.objective
    assert plan.replay().tip_miss < 1e-3


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: optim.Via({}, fraction=0.5), "must be a dict by name"),
        (lambda: optim.Via({"payload.x": np.nan}, fraction=0.5), "must be a finite number"),
        (lambda: optim.Via({"payload.x": 0.5}), "either fraction="),
        (lambda: optim.Via({"payload.x": 0.5}, fraction=0.5, time=1.0), "either fraction="),
        (lambda: optim.Via({"payload.x": 0.5}, fraction=1.0), "between 0 and 1"),
        (lambda: problem(via={"payload.x": 0.5}), "must be a sequence of optim.Via"),
        (lambda: problem(via=optim.Via({"payload.x": 0.5}, time=2.0)), "less than the duration"),
        (lambda: problem(via=optim.Via({"payload.x": 0.5}, time=1.0), duration=(1.0, 3.0)), "give fraction="),
        (
            lambda: problem(via=[optim.Via({"payload.x": 0.5}, time=1.0), optim.Via({"payload.y": 0.5}, fraction=0.5)]),
            "two via",
        ),
    ],
)
def test_malformed(make, says):
    with pytest.raises(optim.ProblemError, match=says):
        make()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"via": optim.Via({"paylod.x": 0.5}, fraction=0.5)}, "no 'paylod.x'.*Did you mean payload.x"),
        (
            {"via": optim.Via({"joint1.angle": 2.0}, fraction=0.5), "limits": {"joint1.angle": 1.7}},
            "limits are -1.7 to 1.7",
        ),
        (
            {"via": optim.Via({"payload.x": 0.9, "payload.y": 0.9}, fraction=0.5)},
            "via at 0.5 .*cannot be at rest.*short",
        ),
        (
            {
                "via": optim.Via({"payload.x": 0.6, "payload.y": 0.5}, fraction=0.5),
                "path": optim.KeepOut(optim.Sphere((0.6, 0.45), 0.1), frames="payload"),
            },
            "payload is not outside sphere there, by 0.0",
        ),
        (
            {"via": [optim.Via({"payload.x": 0.5}, fraction=0.1 * i) for i in range(1, 6)]},
            "5 via points on 5 intervals",
        ),
        ({"goal": {"payload.x": 0.9, "payload.y": 0.8}}, "nearest posture found has payload.x = 0.747.* 0.204 short"),
        ({"goal": {"der(joint1.angle)": 0.1}}, "prescribes rates and no posture"),
        ({"goal": {"payload.u": 0.5}}, "no coordinate, output or quantity of a frame 'payload.u'"),
        ({"start": {"payload.x": 1.5}}, "start: the arm cannot be at rest"),
    ],
)
def test_what_cannot_be_met(arm, more, says):
    with pytest.raises(optim.ProblemError, match=says):
        optim.pyomo_model(arm, problem(**more), intervals=5)
