"""Postures solved for: the same for physically similar arms, on the right side of obstacles, with forces prescribed."""

from __future__ import annotations

import ast
from functools import cache
from time import perf_counter

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.optim.errors import OutOfReachError
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.presolve.ends.boundary_equilibrium import boundary_equilibrium
from flexblocks.optim.presolve.ends.moving_end import split_motion
from flexblocks.optim.presolve.postures.search_time import searching_until


@cache
def upright(length: float = 1.0, mass: float = 1.0, soft: float = 1.0) -> fb.DAE:
    """Two links with elastic joints that bear a load, whose weight bends the joints by about a tenth of a radian."""
    torque = 9.81 * mass * length
    model = fb.Model("upright", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        motor = model.add(fb.TorqueSource(f"motor{i}"))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=0.01 * mass * length**2))
        spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=10 * torque / soft))
        joint = model.add(fb.Revolute(f"joint{i}"))
        link = model.add(fb.RigidLink(f"link{i}", length=length, mass=mass, inertia=mass * length**2 / 12 * np.eye(3)))
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", mass)).frame_a)
    return fb.assemble(model)


SIZES = [(1.0, 1.0), (1e-3, 1e-9), (1e3, 1e-3)]


@pytest.mark.parametrize("sizes", [SIZES[1:2], pytest.param([SIZES[0], *SIZES[2:]], marks=pytest.mark.slow)])
def test_similar_arms_rest_in_similar_postures(sizes):
    """Against the closed form: the joints by elementary geometry, the rotors by the moments of the weights."""
    for length, mass in sizes:
        dae = upright(length, mass)
        near = boundary_equilibrium(dae, {"joint1.angle": 0.3, "joint2.angle": 0.5}, dae.p.start, "plan: start").point
        goal = {"payload.x": 0.4 * length, "payload.y": 1.5 * length}
        point = boundary_equilibrium(dae, goal, dae.p.start, "plan: goal", near=near).point
        bend = np.arccos((0.4**2 + 1.5**2 - 2) / 2)
        angles = np.array([np.arctan2(1.5, 0.4) - bend / 2, bend])
        assert (point["joint1.angle"], point["joint2.angle"]) == pytest.approx(angles, abs=1e-7), (length, mass)
        lever = np.cos(np.cumsum(angles))
        moments = 9.81 * mass * length * np.array([2.5 * lever[0] + 1.5 * lever[1], 1.5 * lever[1]])
        stiffness = 10 * 9.81 * mass * length
        for i, moment in enumerate(moments):
            wound = point[f"rotor{i + 1}.angle"] - point[f"joint{i + 1}.angle"]
            assert wound * stiffness == pytest.approx(moment, rel=1e-6)


@pytest.mark.slow
def test_short_of_the_goal_in_the_size_of_the_arm():
    """An arm of two millimetres that is a micrometre too short is too short."""
    dae = upright(1e-3, 1e-9)
    near = boundary_equilibrium(dae, {"joint1.angle": 0.3, "joint2.angle": 0.5}, dae.p.start, "plan: start").point
    with pytest.raises(optim.ProblemError, match="1e-06 short"):
        boundary_equilibrium(dae, {"payload.x": 0.0, "payload.y": 2.001e-3}, dae.p.start, "plan: goal", near=near)


def test_a_damped_force_is_no_velocity():
    """The tension of a rope depends on its rate, and is not zero at rest."""
    dae = fb.assemble(models.tendon_arm(discs=1))
    posture, motion = split_motion(dae, {"lower.tension": 2.0, "tool.velocity_y": 0.1, "tool.y": 0.0}, "plan: goal")
    assert (posture, motion) == ({"lower.tension": 2.0, "tool.y": 0.0}, {"tool.velocity_y": 0.1})


@pytest.mark.slow
def test_at_rest_with_a_tension():
    dae = fb.assemble(models.tendon_arm(discs=2))
    held = boundary_equilibrium(dae, {"tool.y": 0.02, "lower.tension": 2.0}, dae.p.start, "plan: goal")
    assert not held.moving
    np.testing.assert_array_equal(dae.tree.split_state(held.point.x)[1], 0.0)
    assert held.point["lower.tension"] == pytest.approx(2.0)
    assert held.point["upper.tension"] > 2.0


@pytest.mark.slow
def test_of_the_postures_at_a_place_one_that_is_clear():
    """The elbow's other side, if a post stands in the way of the nearest; and the nearest again without one."""
    dae, goal = upright(), {"payload.x": 0.9, "payload.y": 1.2}
    start = {"joint1.angle": 0.4, "joint2.angle": 0.6}
    post = optim.KeepOut(optim.Sphere((0.98, 0.2), 0.1), frames="link1", name="post")
    for path, sign in (((), 1.0), (post, -1.0)):
        m = optim.pyomo_model(dae, optim.RestToRest(start, goal, 2.0, path=path), intervals=2)
        assert np.sign(m.q[2, "joint2.angle"].value) == sign
    # With no way out the message is about the nearest.
    wall = optim.KeepOut(optim.Sphere((0.0, 0.0), 1.1), frames="link1", name="wall")
    with pytest.raises(optim.ProblemError, match=r"not link1 outside wall, by 0\.1 m"):
        optim.pyomo_model(dae, optim.RestToRest(goal, goal | {"payload.x": 0.8}, 2.0, path=wall), intervals=2)


@pytest.mark.slow
def test_posture_that_is_meant_bends_no_beam_out_of_range():
    """A boom of 30 m has a posture in reach that bends a beam by two metres, and is 1 % nearer by its masses."""
    dae = fb.assemble(models.concrete_pump(valves="ideal"))
    angles = {f"joint{i}.angle": angle for i, angle in enumerate((0.9, -0.5, -0.6, -0.5), start=1)}
    begin = boundary_equilibrium(dae, angles, dae.p.start, "start").point
    goal = {"hose.x": 21.66715813, "hose.y": 0.40537962, "hose.turn(0.0, 0.0, -0.8341154355089099).z": 0.0}
    at = boundary_equilibrium(dae, goal, dae.p.start, "goal", near=begin).point
    assert max(abs(at[f"boom{i}.bending_y[1]"]) for i in range(1, 5)) < 0.05
    assert at["hose.x"] == pytest.approx(goal["hose.x"], abs=1e-6)


def test_of_redundant_postures_one_is_taken_that_the_limits_on_rates_allow():
    """A light rod on a heavy slide would turn; where it may not turn that fast, the slide goes."""
    model = fb.Model("slide", gravity=(0.0, 0.0, 0.0))
    slide, hinge = model.add(fb.Prismatic("slide", axis=(1, 0, 0))), model.add(fb.Revolute("hinge", start=0.8))
    frame, rod = model.add(fb.LumpedMass("frame", 20.0)), model.add(fb.RigidLink("rod", 1.0, 2.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, slide.frame_a)
    model.connect(slide.frame_b, frame.frame_a, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, model.add(fb.Payload("load", 1.0)).frame_a)
    model.connect(model.add(fb.ForceSource("push")).flange_b, slide.axis)
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, hinge.axis)
    dae, start = fb.assemble(model), {"slide.displacement": 0.0, "hinge.angle": 0.8}
    for limit in (None, 0.1):
        limits = {} if limit is None else {"der(hinge.angle)": limit}
        m = optim.pyomo_model(dae, optim.RestToRest(start, {"load.x": 0.3}, 2.0, limits=limits), intervals=3)
        point = transcribed_problem(m).first[0].end.point
        assert point["slide.displacement"] + np.cos(point["hinge.angle"]) == pytest.approx(0.3)
        turned = abs(point["hinge.angle"] - 0.8)
        # A quintic is 15/8 as fast as the mean.
        assert turned > 0.3 if limit is None else turned <= limit * 2.0 * 8 / 15 * (1 + 1e-6)


@cache
def weak_arm(limit: float) -> fb.DAE:
    """Return two links in a vertical plane whose motors have a limit."""
    model = fb.Model("weak arm", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        joint, motor = (
            model.add(fb.Revolute(f"joint{i}", start=-0.7)),
            model.add(fb.TorqueSource(f"motor{i}", limit=limit)),
        )
        link = model.add(fb.RigidLink(f"link{i}", length=0.5, mass=1.0))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", 0.5)).frame_a)
    return fb.assemble(model)


def place(x: float, y: float) -> optim.RestToRest:
    return optim.RestToRest({"joint1.angle": -1.5, "joint2.angle": -0.1}, {"payload.x": x, "payload.y": y}, 2.0)


def test_a_place_that_motors_are_too_weak_to_hold_is_refused_by_their_names() -> None:
    # Stretched out level, the first motor holds 9.81 (0.25 + 0.75 + 0.5) = 14.7 N m, the second one 4.9 N m.
    with pytest.raises(optim.ProblemError, match=r"takes motor1.torque = 14\.\d* N m, with limits of -10 to 10\. Move"):
        optim.plan(weak_arm(10.0), place(0.999, 0.0), intervals=10)


def test_a_search_for_postures_ends_with_its_time() -> None:
    dae = weak_arm(20.0)
    task = place(0.7, 0.2)
    with (
        searching_until(perf_counter()),
        pytest.raises(optim.ProblemError, match=r"time limit was over before a posture with payload.x = 0.7"),
    ):
        optim.pyomo_model(dae, task, intervals=10)


@pytest.mark.slow
def test_an_orientation_that_bending_tilts_is_refused_with_what_can_be_asked_instead() -> None:
    """Two hinges and a wrist about the vertical; the weight of the tool tilts it by a tenth of a milliradian."""
    model = fb.Model("scara", gravity=(0.0, 0.0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2, 3):
        joint, motor = model.add(fb.Revolute(f"joint{i}")), model.add(fb.TorqueSource(f"motor{i}"))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        place = joint.frame_b
        if i < 3:
            link = model.add(fb.FlexibleBeam(f"link{i}", 0.4, 1.0, 2e3, fb.AssumedModes(1, tip="free"), bending="yz"))
            model.connect(place, link.frame_a)
            place = link.frame_b
    model.connect(place, model.add(fb.Payload("tool", 1.0, inertia=np.diag([0.01, 0.01, 0.01]))).frame_a)
    dae, start = fb.assemble(model), {"joint1.angle": 0.0, "joint2.angle": 0.5, "joint3.angle": 0.0}
    asked = optim.Pose(position=(0.3, 0.5, None), orientation=(0.0, 0.0, 0.5))
    with pytest.raises(OutOfReachError, match=r"bending tilts it, .* leave these out, as \{(.*)\}") as refused:
        optim.pyomo_model(dae, optim.RestToRest(start, {"tool": asked}, 1.0), intervals=10)
    advised = ast.literal_eval("{" + str(refused.value).rpartition("{")[2].removesuffix("."))
    assert set(advised) == {"tool.x", "tool.y", "tool.turn(0, 0, 0.5).z"}
    plan = optim.plan(dae, optim.RestToRest(start, advised, 1.0), intervals=20)
    assert sum(plan.trajectory[f"joint{i}.angle"][-1] for i in (1, 2, 3)) == pytest.approx(0.5, abs=1e-3)
