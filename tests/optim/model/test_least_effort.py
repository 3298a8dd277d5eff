"""First guess by the rigid motion of least effort: a leaning mast is raised while it need not be held down there."""

import math
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.model.initial_guess import set_guess
from flexblocks.optim.model.least_effort import least_effort_waypoints
from flexblocks.optim.presolve.rigid_motion.rigid_arm import quintic
from flexblocks.optim.presolve.rigid_motion.waypoint_spline import spline_through

MASS, LENGTH, GRAVITY = 2.0, 1.5, 9.81
LEANING, SECONDS = 0.6, 6.0  # rad above the horizontal at both ends, s


@cache
def mast(scale: float = 1.0, gravity: float = GRAVITY) -> fb.DAE:
    """A mass on a rigid rod without mass, turned by a motor."""
    model = fb.Model("mast", gravity=(0.0, -gravity, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", start=LEANING))
    motor, rod = model.add(fb.TorqueSource("motor")), model.add(fb.RigidLink("rod", length=scale * LENGTH, mass=1e-6))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, model.add(fb.Payload("load", mass=MASS)).frame_a)
    return fb.assemble(model)


def moved(dae: fb.DAE, duration: float = SECONDS, **asked):
    ends = {"joint.angle": LEANING}, {"joint.angle": LEANING + 0.1}
    problem = optim.RestToRest(*ends, duration, **({"input_ends": "holding"} | asked))
    return optim.pyomo_model(dae, problem, intervals=20)


def effort(angle: np.ndarray, acceleration: np.ndarray, times: np.ndarray) -> float:
    """The closed form of the pendulum's torque, squared and integrated."""
    torque = MASS * LENGTH**2 * acceleration + MASS * GRAVITY * LENGTH * np.cos(angle)
    return float(np.trapezoid(torque**2, times))


def test_a_mast_is_raised_where_that_takes_less_than_holding_it():
    m = moved(mast())
    t = m.transcription
    path = spline_through((t.waypoints[0], *least_effort_waypoints(t), t.waypoints[-1]), 1, SECONDS)
    times = np.linspace(0.0, SECONDS, 601)
    raised = effort(path(times / SECONDS)[:, 0], path(times / SECONDS, 2)[:, 0] / SECONDS**2, times)
    way, _, bend = quintic(times, SECONDS)
    straight = effort(LEANING + 0.1 * way, 0.1 * bend, times)
    assert raised < 0.4 * straight
    # The guess goes there, and the solver stays; from the straight one it takes 25 iterations.
    assert max(m.q[k, "joint.angle"].value for k in range(21)) > 1.4
    plan = optim.solve(m)
    assert plan.statistics.iterations <= 6
    assert plan.trajectory["joint.angle"].max() > 1.4
    assert plan.objective < 0.5 * straight


def test_a_guess_goes_straight_where_that_is_asked():
    m = moved(mast())
    set_guess(m, m.transcription, straight=True)
    assert max(m.q[k, "joint.angle"].value for k in range(21)) < LEANING + 0.101


def test_the_guess_does_not_depend_on_the_size():
    """Lengths by a factor, times by its root: gravity stays."""
    usual = least_effort_waypoints(moved(mast()).transcription)
    scale = 1e3
    other = least_effort_waypoints(moved(mast(scale), math.sqrt(scale) * SECONDS).transcription)
    assert len(usual) == len(other) > 0
    for (_, x), (_, y) in zip(usual, other, strict=True):
        assert x[0] == pytest.approx(y[0], abs=1e-4)


def test_limits_are_kept():
    highest = 1.3
    limited = least_effort_waypoints(moved(mast(), limits={"joint.angle": (0.0, highest)}).transcription)
    assert limited
    assert 0.95 * highest < max(x[0] for _, x in limited) < 1.02 * highest


def test_what_holds_nothing_or_asks_for_something_else_goes_straight():
    assert not least_effort_waypoints(moved(mast(gravity=0.0)).transcription)
    assert not least_effort_waypoints(moved(mast(), objective=optim.Integral("joint.angle**2")).transcription)
    assert not least_effort_waypoints(moved(mast(), duration=0.3).transcription)  # too fast to go anywhere else


@cache
def folding(floats: bool) -> fb.DAE:
    """Two rods of 1 m without weight and a load, on the ground or on a craft that moves in the plane."""
    model = fb.Model("folding")
    place = model.add(fb.Ground("ground")).frame_b
    if floats:
        craft = model.add(fb.Payload("craft", mass=50.0, inertia=10.0))
        base = [fb.Prismatic("x"), fb.Prismatic("y", axis=(0.0, 1.0, 0.0)), fb.Revolute("turn")]
        for joint in (model.add(block) for block in base):
            model.connect(place, joint.frame_a)
            place = joint.frame_b
        model.connect(place, craft.frame_a)
    for i in (1, 2):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}"))
        rod = model.add(fb.RigidLink(f"rod{i}", length=1.0, mass=0.1))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        place = rod.frame_b
    model.connect(place, model.add(fb.Payload("load", mass=3.0)).frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize("floats", [False, True])
def test_a_long_arm_without_weight_does_not_go_straight(floats):
    """The elbow turns by half a turn: far from the quintic the arm is short on its way."""
    dae = folding(floats)
    ends = {"joint1.angle": 0.0, "joint2.angle": 1.5}, {"joint1.angle": 3.0, "joint2.angle": 4.5}
    m = optim.pyomo_model(dae, optim.RestToRest(*ends, 4.0, input_ends="holding"), intervals=40)
    assert least_effort_waypoints(m.transcription)
    bent = guessed_effort(m)
    plan = optim.solve(m)
    assert bent < 1.25 * plan.objective  # the straight one takes ten times as much
    set_guess(m, m.transcription, straight=True)
    assert bent < 0.25 * guessed_effort(m)
    assert plan.statistics.iterations < optim.solve(m).statistics.iterations  # 11 and 12 instead of 18 and 17


def guessed_effort(m) -> float:
    """The torques at mesh points, squared and summed over time."""
    return sum(var.value**2 for var in m.u.values()) * 4.0 / 40
