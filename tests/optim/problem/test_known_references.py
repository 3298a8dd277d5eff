"""References that are known beforehand are signals, and their rates the derivatives of these; laws may command any."""

from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, optim

REFERENCE, RATE, TORQUE = "servo.reference", "servo.reference_rate", "motor.torque"
WAVE = "0.3*(1 - cos(3*time))"


def wave(t):
    return 0.3 * (1 - np.cos(3 * t))


def wave_rate(t):
    return 0.9 * np.sin(3 * t)


@cache
def two_links(kp=100.0, kd=10.0, gravity=0.0, servo_first=True, limit=None):
    """A motor turns the hinge, a servo the elbow."""
    model = fb.Model("two links", gravity=(0.0, -gravity, 0.0))
    drives = [fb.PDServo("servo", kp, kd), fb.TorqueSource("motor", limit=limit)]
    for drive in drives if servo_first else drives[::-1]:
        model.add(drive)
    at = model.add(fb.Ground("ground")).frame_b
    for joint, link, drive in (("hinge", "upper", "motor"), ("elbow", "fore", "servo")):
        joint, link = model.add(fb.Revolute(joint)), model.add(fb.RigidLink(link, length=1.0, mass=1.0))
        model.connect(at, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        model.connect(f"{drive}.flange_b", joint.axis)
        at = link.frame_b
    return fb.assemble(model, symbolic=("fore.mass",))


def swing(duration=1.0, **more):
    return optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 1.0}, duration, **more)


def planned(dae, intervals=16, **task):
    return optim.plan(dae, swing(**task), intervals=intervals)


@pytest.mark.parametrize(
    "signal",
    [
        pytest.param(WAVE, id="text"),
        pytest.param(lambda t: 0.3 * (1 - ca.cos(3 * t)), id="function", marks=pytest.mark.slow),
        pytest.param(CubicSpline(np.linspace(0, 1, 201), wave(np.linspace(0, 1, 201))), id="spline"),
    ],
)
def test_a_known_reference_and_its_rate_are_one_signal(signal):
    dae = two_links(gravity=9.81)
    plan = planned(dae, prescribed={REFERENCE: signal}, input_ends="holding")
    assert plan.status == "converged"
    motion = plan.trajectory
    assert (motion.names["u"], motion.names["x"]) == (dae.u.names, dae.x.names)
    np.testing.assert_allclose(motion[REFERENCE], wave(motion.t), atol=1e-5)
    np.testing.assert_allclose(motion[RATE], wave_rate(motion.t), atol=1e-4)
    # By itself, from which the simulation derives the rate, it brings the arm there.
    u = {TORQUE: plan.inputs[TORQUE], REFERENCE: lambda t: 0.3 * (1 - ca.cos(3 * t))}
    run = fb.simulate(dae, (0.0, 1.0), u=u, x0=motion.x[0])
    assert run["hinge.angle"][-1] == pytest.approx(1.0, abs=1e-3)
    assert plan.replay().tip_miss < 1e-3


def test_what_is_known_costs_nothing_and_is_no_variable():
    dae = two_links()
    assert planned(dae, prescribed={REFERENCE: WAVE}).transcription.dae.x.names == dae.x.names
    effort = optim.Effort(rate_weight=0)
    for signal in (0.0, WAVE):
        one = planned(dae, objective=effort, prescribed={REFERENCE: signal})
        torque = one.trajectory[TORQUE]
        assert one.objective == pytest.approx(np.trapezoid(torque**2, one.trajectory.t), rel=0.02)
    # A number may last as long as it takes.
    quick = planned(two_links(limit=2.0), duration=(0.2, 9.0), objective="time", prescribed={REFERENCE: 0.0})
    assert quick.status == "converged"
    assert not quick.trajectory[RATE].any()


@pytest.mark.parametrize(("kp", "kd"), [(100.0, 0.0), (0.0, 10.0)])
def test_what_a_servo_does_not_use_follows(kp, kd):
    dae = two_links(kp=kp, kd=kd)
    known = {REFERENCE: "0.3*(1 - cos(3.141592653589793*time))"} if kp else {RATE: "0.9*sin(3.141592653589793*time)"}
    task = optim.Problem(
        {"hinge.angle": 0.0},
        (optim.Phase("swing", passing={"hinge.angle": 1.0, "der(hinge.angle)": 0.0}, duration=1.0),),
        prescribed=known,
    )
    plan = optim.plan(dae, task, intervals=16)
    t, size = plan.trajectory.t, 0.3 * np.pi if kp else 0.9
    assert set(plan.transcription.dae.u.names) == {TORQUE, *known, RATE}
    np.testing.assert_allclose(plan.trajectory[RATE], size * np.sin(np.pi * t), atol=1e-3)
    assert plan.replay().tip_miss < 3e-3


def test_references_of_closed_loops_are_known_up_to_accelerations():
    arm = subudhi_morris(modes=0, joints="rigid")
    closed = control.close_loop(arm, control.ComputedTorque(25.0, 10.0))
    known, swing = "reference.joint2.angle", {"start": {"joint1.angle": 0.0}, "goal": {"joint1.angle": 1.0}}
    task = optim.RestToRest(**swing, duration=2.0, prescribed={known: "0.25*(1 - cos(3.141592653589793*time/2))"})
    plan = optim.plan(closed, task, intervals=20)
    t = plan.trajectory.t
    np.testing.assert_allclose(plan.trajectory[known], 0.25 * (1 - np.cos(np.pi * t / 2)), atol=1e-5)
    np.testing.assert_allclose(plan.trajectory[f"der({known},2)"], np.pi**2 / 16 * np.cos(np.pi * t / 2), atol=1e-3)
    np.testing.assert_allclose(plan.trajectory["joint2.angle"], plan.trajectory[known], atol=1e-4)  # as it is followed


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ({"prescribed": {RATE: "0"}}, f"{RATE} without {REFERENCE}, whose derivative it is; prescribe {REFERENCE}"),
        ({"prescribed": {REFERENCE: WAVE, RATE: "0"}}, f"{RATE}, which follows as the derivative of {REFERENCE}"),
        ({"prescribed": {REFERENCE: WAVE}, "limits": {RATE: 1.0}}, f"limits: {RATE}, which is prescribed; leave the"),
        ({"prescribed": {REFERENCE: WAVE}, "limits": {f"der({REFERENCE})": 1.0}}, f"limits: {RATE}, which is prescr"),
        ({"prescribed": {"servo.referenc": WAVE}}, f"Did you mean {REFERENCE}"),
    ],
)
def test_what_cannot_be_is_refused(task, words):
    with pytest.raises(optim.ProblemError, match=words):
        planned(two_links(), **task)


@pytest.mark.slow
def test_plans_with_known_references_are_saved_and_audited(tmp_path):
    dae = two_links(gravity=9.81)
    plan = planned(dae, prescribed={REFERENCE: WAVE}, input_ends="holding")
    plan.save(tmp_path / "plan.nc")
    loaded = fb.load(tmp_path / "plan.nc")
    np.testing.assert_array_equal(loaded.trajectory.u, plan.trajectory.u)
    audit = plan.audit(dae)
    assert audit.finer.tip_miss == pytest.approx(audit.replay.tip_miss, rel=1e-3)


# --- laws along a plan with references ---


@cache
def along():
    dae = two_links(gravity=9.81)
    goal = {"hinge.angle": 1.0, "elbow.angle": 0.5}
    return dae, optim.plan(
        dae, optim.RestToRest(dict.fromkeys(goal, 0.0), goal, 1.0, input_ends="holding"), intervals=16
    )


@pytest.mark.parametrize("commanded", [REFERENCE, RATE])
def test_a_law_that_commands_a_reference_as_planned_moves_the_arm_as_planned(commanded):
    dae, plan = along()
    replay = plan.replay(law=control.Feedforward([commanded]))
    motion = replay.trajectory
    assert motion.names["u"] == dae.u.names
    np.testing.assert_allclose(motion[REFERENCE], plan.inputs[REFERENCE](np.minimum(motion.t, 1.0)), atol=1e-6)
    assert replay.tip_miss == pytest.approx(plan.replay(law=None).tip_miss, abs=1e-5)


def test_a_law_moves_a_reference_by_what_it_measures():
    """An elbow whose weight is another one: what sags is put on the reference."""
    _, plan = along()
    heavy = {"fore.mass": 1.3}
    law = control.Feedforward([REFERENCE, TORQUE]) + control.PD(
        {"elbow.angle": REFERENCE, "hinge.angle": TORQUE}, kp=[2.0, 300.0], kd=[0.0, 30.0]
    )
    by_law, alone = plan.replay(heavy, law=law), plan.replay(heavy, law=None)
    assert by_law.tip_miss < 0.3 * alone.tip_miss
    wanted = plan.inputs[REFERENCE](np.minimum(by_law.trajectory.t, 1.0))
    assert np.abs(by_law.trajectory[REFERENCE] - wanted).max() > 1e-3


@pytest.mark.parametrize("servo_first", [True, False])
def test_feedback_along_a_plan_drives_what_the_plan_moves(servo_first):
    dae = two_links(servo_first=servo_first)
    goal = {"hinge.angle": 1.0, "elbow.angle": 0.5}
    plan = optim.plan(dae, optim.RestToRest(dict.fromkeys(goal, 0.0), goal, 1.0), intervals=16)
    tracked = plan.replay({"fore.mass": 1.3}, law="tracking")
    assert tracked.tip_miss < 0.1 * tracked.without_feedback.tip_miss


@pytest.mark.slow
def test_laws_designed_along_a_plan_know_its_disturbances():
    model = two_links().model
    model.connect("fore.frame_b", model.add(fb.WorldForce("wind")).frame_a)
    dae = fb.assemble(model)
    plan = planned(dae, prescribed={"wind.force_y": "sin(3*time)", REFERENCE: WAVE})
    replay = plan.replay(law=control.TimeVaryingLQR(plan, dict.fromkeys(dae.x.names, 100.0)))
    np.testing.assert_allclose(replay.trajectory["wind.force_y"], np.sin(3 * replay.trajectory.t), atol=1e-4)
    assert replay.tip_miss < 1e-3
