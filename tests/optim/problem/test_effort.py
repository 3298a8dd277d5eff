"""Effort of inputs that do not compare as they are: a torque of millinewtonmetres beside a force of kilonewtons."""

import math

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

SIZES = {"motor.torque": 2e-3, "pusher.force": 1e3}
INERTIA, MASS, T = 1e-3, 1e3, 2.0


@pytest.fixture(scope="module")
def machine():
    """A wheel with a motor, and apart from it a heavy slide that is pushed."""
    model = fb.Model("wheel and slide")
    ground = model.add(fb.Ground("ground"))
    wheel = model.add(fb.Payload("wheel", mass=0.1, inertia=INERTIA))
    axle, motor = model.add(fb.Revolute("axle")), model.add(fb.TorqueSource("motor"))
    slide, pusher = model.add(fb.Prismatic("slide")), model.add(fb.ForceSource("pusher"))
    load = model.add(fb.Payload("load", mass=MASS))
    model.connect(ground.frame_b, axle.frame_a)
    model.connect(axle.frame_b, wheel.frame_a)
    model.connect(motor.flange_b, axle.axis)
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    model.connect(pusher.flange_b, slide.axis)
    return fb.assemble(model)


def problem(objective, goal=None, **more):
    start = {"axle.angle": 0.0, "slide.displacement": 0.0}
    goal = {"axle.angle": 1.0, "slide.displacement": 0.5} if goal is None else goal
    return optim.RestToRest(start, goal, T, objective=objective, **more)


def test_each_input_counts_over_its_size(machine):
    """The least integral of u^2 from rest to rest is 12 m^2 d^2 / T^3 of each, whatever their weights."""
    least = {"motor.torque": 12 * INERTIA**2 / T**3, "pusher.force": 12 * (MASS * 0.5) ** 2 / T**3}
    others = {"motor.torque": 1e-3, "pusher.force": 2e3}
    one, other = (sum(least[name] / sizes[name] ** 2 for name in least) for sizes in (SIZES, others))
    plan = optim.plan(machine, problem(optim.Effort(0.0, SIZES)), intervals=10)
    assert plan.objective == pytest.approx(one, rel=1e-6)
    plan = optim.plan(machine, problem(optim.Effort(0.0, SIZES) + 3.0 * optim.Effort(0.0, others)), intervals=10)
    assert plan.objective == pytest.approx(one + 3.0 * other, rel=1e-6)


def test_a_saved_plan_has_the_sizes(machine, tmp_path):
    plan = optim.plan(machine, problem(optim.Effort(None, SIZES)), intervals=10)
    plan.save(tmp_path / "plan.nc")
    assert fb.load(tmp_path / "plan.nc").transcribed.problem.objective == optim.Effort(None, SIZES)


def test_inputs_of_several_units_count_over_sizes_of_their_units(machine):
    """By default over the largest of their unit along a quintic, whose acceleration is at most 10/sqrt(3) d/T^2."""
    plan = optim.plan(machine, problem(optim.Effort(0.0)), intervals=10)
    largest = 10 / math.sqrt(3) / T**2
    sizes = {"motor.torque": largest * INERTIA, "pusher.force": largest * MASS * 0.5}  # sampled at 41 times
    assert plan.transcribed.first[0].input_sizes == pytest.approx(sizes, rel=3e-3)
    same = optim.plan(machine, problem(optim.Effort(0.0, plan.transcribed.first[0].input_sizes)), intervals=10)
    assert plan.objective == pytest.approx(same.objective, rel=1e-12)
    assert not same.transcribed.first[0].input_sizes
    shown = [f"{plan.transcribed.first[0].input_sizes[name]:.3g}" for name in sizes]
    assert f"each over its size ({shown[0]} N m and {shown[1]} N)" in plan.summary()
    jerk = optim.plan(machine, problem(optim.Jerk()), intervals=10)
    over = optim.plan(machine, problem(optim.Jerk(1, plan.transcribed.first[0].input_sizes)), intervals=10)
    assert jerk.objective == pytest.approx(over.objective, rel=1e-12)


def reel_on_a_slide(size):
    """A load on a link that hangs on a slide, of water say, with a plan that takes as many swings at any size."""
    model = fb.Model("reel on a slide", gravity=(0.0, -9.81, 0.0))
    ground = model.add(fb.Ground("ground"))
    slide, pusher = model.add(fb.Prismatic("slide", axis=(1.0, 0.0, 0.0))), model.add(fb.ForceSource("pusher"))
    axle, motor = model.add(fb.Revolute("axle", start=-1.0)), model.add(fb.TorqueSource("motor"))
    carriage, link = model.add(fb.Payload("carriage", size**3)), model.add(fb.RigidLink("link", size))
    load = model.add(fb.Payload("load", size**3))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, carriage.frame_a, axle.frame_a)
    model.connect(axle.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    model.connect(pusher.flange_b, slide.axis)
    model.connect(motor.flange_b, axle.axis)
    start, goal = {"slide.displacement": 0.0, "axle.angle": -1.0}, {"slide.displacement": 0.4 * size, "axle.angle": 0.5}
    return optim.plan(fb.assemble(model), optim.RestToRest(start, goal, math.sqrt(size)), intervals=20)


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_similar_arms_have_similar_least_efforts(size):
    """Forces grow by the third power of the size, torques by the fourth: what they cost one another does not."""
    plan, other = reel_on_a_slide(1.0), reel_on_a_slide(size)
    assert other.objective == pytest.approx(math.sqrt(size) * plan.objective, rel=1e-9)
    assert [a.iterations for a in other.attempts] == [a.iterations for a in plan.attempts]
    share = np.linspace(0.0, 1.0, 11)
    motions = [each.trajectory for each in (plan, other)]
    turned = [np.interp(share, motion.t / motion.t[-1], motion["axle.angle"]) for motion in motions]
    assert turned[0] == pytest.approx(turned[1], abs=1e-6)


@pytest.mark.parametrize(
    ("sizes", "match"),
    [
        ({"motor.torque": 1.0}, r"without pusher\.force; give the size of every input"),
        (SIZES | {"pusher.froce": 1.0}, r"pusher\.froce\. Did you mean pusher\.force\? Must be inputs"),
        (SIZES | {"pusher.force": 0.0}, r"relative_to\['pusher\.force'\] = 0; must be > 0"),
        (SIZES | {"pusher.force": "1 kN"}, r"relative_to\['pusher\.force'\] = '1 kN'; must be a finite number"),
        (100.0, r"relative_to = 100\.0; must be a dict"),
    ],
)
def test_sizes_that_are_none_are_refused(machine, sizes, match):
    with pytest.raises(optim.ProblemError, match=match):
        optim.plan(machine, problem(optim.Effort(relative_to=sizes)), intervals=10)
