"""Effort of inputs that do not compare as they are: a torque of millinewtonmetres beside a force of kilonewtons."""

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


def problem(objective, **more):
    start = {"axle.angle": 0.0, "slide.displacement": 0.0}
    goal = {"axle.angle": 1.0, "slide.displacement": 0.5}
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
    assert optim.load_plan(tmp_path / "plan.nc").transcribed.problem.objective == optim.Effort(None, SIZES)


def test_inputs_that_cost_nothing_are_warned_of(machine):
    with pytest.warns(optim.PlanWarning, match=r"in N and in N m, .*relative_to=\{\"motor\.torque\""):
        optim.plan(machine, problem("effort"), intervals=10)


@pytest.mark.parametrize(
    ("sizes", "match"),
    [
        ({"motor.torque": 1.0}, r"without pusher\.force; give the size of every input"),
        (SIZES | {"pusher.froce": 1.0}, r"pusher\.froce; must be inputs.*Did you mean pusher\.force"),
        (SIZES | {"pusher.force": 0.0}, r"relative_to\['pusher\.force'\] = 0; must be > 0"),
        (SIZES | {"pusher.force": "1 kN"}, r"relative_to\['pusher\.force'\] = '1 kN'; must be a finite number"),
        (100.0, r"relative_to = 100\.0; must be a dict"),
    ],
)
def test_sizes_that_are_none_are_refused(machine, sizes, match):
    with pytest.raises(optim.ProblemError, match=match):
        optim.plan(machine, problem(optim.Effort(relative_to=sizes)), intervals=10)
