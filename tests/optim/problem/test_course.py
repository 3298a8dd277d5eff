"""Targets on a known course: met at a time that is fixed or optimised, by forward kinematics and by other postures."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.driven import driven_links
from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.optim.presolve.ends.boundary_equilibrium import boundary_equilibrium
from flexblocks.optim.presolve.postures.inverse_statics import posture
from flexblocks.optim.problem.serialization import from_data, to_data


@cache
def two_links(size: float = 1.0) -> fb.DAE:
    """Two rigid links in the plane, as heavy as their size demands."""
    model = fb.Model("two links")
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}"))
        link = model.add(fb.RigidLink(f"link{i}", length=size, mass=size**3))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", 0.5 * size**3)).frame_a)
    return fb.assemble(model)


def tip(q: np.ndarray, size: float) -> np.ndarray:
    heading = np.cumsum(q)
    return size * np.array([np.cos(heading).sum(), np.sin(heading).sum()])


START = {"joint1.angle": 0.2, "joint2.angle": 0.9}


@pytest.mark.slow
def test_a_target_is_met_when_it_suits():
    """At a time within a range: the tip is where the target is then, and moves with it, by independent kinematics."""
    size = 1e3
    course = optim.Course((f"{size} * (1.5 - 0.4*time)", lambda t: size * (1.2 - 0.1 * t**2), None))
    asked = optim.RestToRest(START, {"payload": course}, duration=(0.8, 3.0), objective="effort")
    plan = optim.plan(two_links(size), asked, intervals=8)
    T, end = plan.duration, plan.trajectory.x[-1]
    assert 0.85 < T < 2.95
    np.testing.assert_allclose(tip(end[:2], size), size * np.array([1.5 - 0.4 * T, 1.2 - 0.1 * T**2]), atol=1e-7 * size)
    h = 1e-6
    velocity = (tip(end[:2] + h * end[2:], size) - tip(end[:2] - h * end[2:], size)) / (2 * h)
    np.testing.assert_allclose(velocity, size * np.array([-0.4, -0.2 * T]), atol=1e-6 * size)
    # No other time is better: those nearby, fixed, cost more.
    for other in (0.9 * T, 1.1 * T):
        fixed = optim.plan(two_links(size), asked.problem.lasting([other], asked.objective), intervals=8)
        assert fixed.objective > plan.objective
    assert f"payload.x from {tip(np.array([0.2, 0.9]), size)[0]:.4g} to {size * (1.5 - 0.4 * T):.4g}" in plan.summary()


@pytest.mark.slow
def test_flexible_arms_meet_it_quasi_statically():
    """In the shortest time: all states at the end are those of the pose at that time, solved for by itself."""
    matched = True
    dae = subudhi_morris(modes=1)
    course = optim.Course(("0.8 - 0.1*time", "0.2 + 0.05*time", None), matched=matched)
    limits = {"motor1.torque": 1.0, "motor2.torque": 0.5, "der(motor1.torque)": 20.0, "der(motor2.torque)": 10.0}
    start = {"joint1.angle": 0.0, "joint2.angle": 0.3}
    asked = optim.RestToRest(start, {"payload": course}, "free", objective="time", limits=limits, input_ends="holding")
    plan = optim.plan(dae, asked, intervals=20)
    pose = course.conditions("payload", plan.duration)
    near = boundary_equilibrium(dae, start, dae.p.start, "plan: start").point
    there = boundary_equilibrium(dae, pose, dae.p.start, "plan: goal", near=near).point
    np.testing.assert_allclose(plan.trajectory.x[-1], there.x, atol=1e-6)
    assert plan.replay().tip_miss < 1e-3
    assert ("rest to rest" in plan.summary()) is not matched


@pytest.mark.slow
def test_modes_beyond_the_mesh_have_no_dynamics_there():
    """Beams of two elements, of whose modes the mesh resolves a few: the arm passes through its balance."""
    matched = True
    elements = fb.FiniteElements(2)
    beams = [fb.FlexibleBeam(f"link{i}", length, 0.5, 15.0, elements) for i, length in ((1, 0.6), (2, 0.5))]
    dae = driven_links(*beams, load=fb.Payload("payload", 0.3, 1e-3))
    course = optim.Course(("0.5 - 0.1*time", "0.6 + 0.1*time", None), matched=matched)
    asked = optim.RestToRest({"joint1.angle": 0.0, "joint2.angle": 0.4}, {"payload": course}, (0.8, 3.0))
    plan = optim.plan(dae, asked, intervals=20)
    assert sum(attempt.iterations for attempt in plan.attempts) < 150
    run, last = plan.trajectory, course.conditions("payload", plan.duration)
    assert run["payload.x"][-1] == pytest.approx(last["payload.x"], abs=1e-4)
    assert run["payload.y"][-1] == pytest.approx(last["payload.y"], abs=1e-4)
    assert plan.replay().tip_miss < 1e-2


def test_at_a_fixed_time_it_is_a_pose():
    course = optim.Course(("0.5 + 0.1*time", 0.4, None))
    asked = optim.RestToRest(START, {"payload": course, "joint1.angle": 0.1}, 2.0)
    assert asked.goal == pytest.approx(
        {"joint1.angle": 0.1, "payload.x": 0.7, "payload.velocity_x": 0.1, "payload.y": 0.4, "payload.velocity_y": 0.0}
    )
    assert asked.problem.lasting([3.0], asked.objective).phases[0].goal["payload.x"] == pytest.approx(0.8)
    assert from_data(to_data(asked, "problem"), "problem") == asked
    written = {"type": "RestToRest", "start": START, "duration": 2.0}
    written["goal"] = {"joint1.angle": 0.1, "payload": {"type": "Course", "position": ["0.5 + 0.1*time", 0.4, None]}}
    assert from_data(written, "problem") == asked


def test_refused_by_name():
    for position, message in (
        ((1.0, 2.0), "must be three of"),
        ((None, None, None), "every entry is open"),
        (("joint1.angle", None, None), "only time is known"),
        (("time +", None, None), "cannot be read"),
        ((float("nan"), None, None), "nan; must be three of"),
        (("1 / time", None, None), "is not finite at 0 s"),
        ((lambda t: 1 / 0, None, None), "fails on a CasADi symbol: ZeroDivisionError"),
        ((lambda t: ca.vertcat(t, t, t), None, None), "a function gives 3 x 1"),
    ):
        with pytest.raises(optim.ProblemError, match=message):
            optim.Course(position)
    course = optim.Course(("0.5 + 0.1*time", 0.4, None))
    with pytest.raises(optim.ProblemError, match=r"payload\.x twice, by a course"):
        optim.RestToRest(START, {"payload": course, "payload.x": 1.0}, 2.0)
    far = optim.RestToRest(START, {"payload": optim.Course(("9.0 + 0.1*time", 0.4, None))}, (1.0, 2.0))
    dae = two_links()
    with pytest.raises(optim.ProblemError, match="within its limits: the nearest posture"):
        optim.plan(dae, far, intervals=4)


@pytest.mark.slow
def test_a_target_that_passes_by_is_met_while_it_is_in_reach():
    """Above the foot at 3 s, within two lengths of it for 1 of 5.5 s; met by the links of that instant."""
    course = optim.Course(("4 * (3 - time)", "0.3", None), matched=False)
    plan = optim.plan(two_links(), optim.RestToRest(START, {"payload": course}, (0.5, 6.0)), intervals=10)
    T = plan.duration
    assert abs(4 * (3 - T)) < 2.0
    np.testing.assert_allclose(tip(plan.trajectory.x[-1][:2], 1.0), [4 * (3 - T), 0.3], atol=1e-6)


@pytest.mark.slow
def test_a_target_that_never_comes_is_refused_after_few_times(monkeypatch):
    """9 m off at first and 3 m at last: each time that is tried is a search for a posture."""
    searches = []
    monkeypatch.setattr(
        "flexblocks.optim.presolve.ends.boundary_equilibrium.posture",
        lambda *args, **more: searches.append(1) or posture(*args, **more),
    )
    course = optim.Course(("9 - time", "3", None), matched=False)
    with pytest.raises(optim.ProblemError, match=r"payload\.y = 3 within its limits.* short"):
        optim.plan(two_links(), optim.RestToRest(START, {"payload": course}, (0.5, 6.0)), intervals=10)
    assert len(searches) <= 4
