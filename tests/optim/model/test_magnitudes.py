"""Scaling from the physics: physically similar tasks are one scaled program, whatever their units."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.optim.presolve.magnitudes.characteristic_magnitudes import magnitudes


def boom(length: float = 1.0, mass: float = 1.0, time: float = 1.0, gravity: float = 9.81):
    """A boom of two flexible links with elastic joints, 20 m and 4 t, in other units; and its task."""
    torque, stiffness = mass * length**2 / time**2, mass * length**3 / time**2
    model = fb.Model("boom", gravity=(0.0, 0.0, -gravity * length / time**2))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        motor = model.add(fb.TorqueSource(f"motor{i}", limit=3e6 * torque))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=2e4 * mass * length**2))
        spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=2e7 * torque))
        joint = model.add(fb.Revolute(f"joint{i}", axis=(0, -1, 0)))
        link = fb.FlexibleBeam(f"link{i}", 10 * length, linear_density=100 * mass / length, bending="z",
                               flexural_rigidity=2e8 * stiffness,
                               discretization=fb.AssumedModes(2, tip="free"))  # fmt: skip
        link = model.add(link)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    inertia = 500 * mass * length**2
    load = model.add(fb.Payload("payload", mass=1000 * mass, inertia=(inertia, 0.0, inertia)))  # none about the joints
    model.connect(place, load.frame_a)
    task = optim.RestToRest(
        start={"joint1.angle": 0.3, "joint2.angle": -0.2},
        goal={"joint1.angle": 0.9, "joint2.angle": -0.6},
        duration=6.0 * time,
        limits={"motor1.torque": 3e6 * torque, "payload.x": (0.0, 21.0 * length)},
    )
    return fb.assemble(model), task


SIMILAR = [{"length": 1e-3, "mass": 1e-6, "time": 0.02}, {"length": 1e3, "mass": 1e3, "time": 1e3}]
ONE_BY_ONE = [{"length": 1e-3}, {"mass": 1e3}, {"time": 1e-3}]


@cache
def way(gravity: float, ball: bool, **units: float) -> tuple[int, float]:
    """Return the iterations of all solves, and the effort without units, past a ball in the payload's way or not."""
    arm, task = boom(**units, gravity=gravity)
    length, mass, time = (units.get(name, 1.0) for name in ("length", "mass", "time"))
    if ball:
        place = optim.Sphere((16.8 * length, 0.0, 7.2 * length), 0.5 * length)
        task = replace(task, path=optim.KeepOut(place, frames="payload", margin=0.1 * length))
    plan = optim.plan(arm, task, intervals=12, quasi_static="auto")
    assert ("with obstacles" in str(plan.attempts)) == ball
    effort = (mass * length**2 / time**2) ** 2 * time
    return sum(attempt.iterations for attempt in plan.attempts), plan.objective / effort


@pytest.mark.filterwarnings("ignore:.*between collocation points")  # of the ball
@pytest.mark.parametrize(
    ("cases", "gravity", "ball"),
    [
        (SIMILAR, 0.0, False),
        pytest.param(ONE_BY_ONE, 9.81, False, marks=pytest.mark.slow),
        pytest.param(ONE_BY_ONE, 0.0, True, marks=pytest.mark.slow),
    ],
)
def test_similar_tasks_take_the_same_iterations(cases, gravity, ball):
    """The same dimensionless numbers, a thousandth to a thousandfold in size: the same solve."""
    iterations, effort = way(gravity, ball)
    assert iterations <= (50 if ball else 40 if gravity else 30)  # with the ball of three solves
    for units in cases:
        again, similar = way(gravity, ball, **units)
        assert abs(again - iterations) <= (1 if gravity or ball else 0), units
        assert similar == pytest.approx(effort, rel=1e-6)


def test_similar_failures_are_told_alike():
    """What is violated, the worst first, and by which share: not by newtons, of which a small arm has none."""

    def told(**units: float) -> list[tuple[str, float]]:
        arm, task = boom(**units, gravity=0.0)
        with pytest.raises(optim.PlanError) as caught:
            optim.solve(optim.pyomo_model(arm, task, intervals=12), solver_options={"max_iter": 2})
        worst = caught.value.violations[0]
        assert f"{worst.share:.1g} of its magnitude" in str(caught.value)
        return [(each.name, each.share) for each in caught.value.violations]

    usual = told()
    assert usual[0][1] > 1e-3
    for units in SIMILAR:
        again = told(**units)
        assert [name for name, _ in again[:20]] == [name for name, _ in usual[:20]]
        np.testing.assert_allclose([by for _, by in again[:20]], [by for _, by in usual[:20]], rtol=1e-3)
        assert len(again) == pytest.approx(len(usual), rel=0.05)


@pytest.mark.slow
def test_similar_leeways_take_the_same_iterations():
    """Nearly at rest with three payloads (first two): energies left count in those of the motion, not in joules."""

    def nearly_at_rest(**units: float) -> tuple[int, float]:
        arm, task = boom(**units, gravity=0.0)
        length, mass, time = (units.get(name, 1.0) for name in ("length", "mass", "time"))
        energy = mass * length**2 / time**2  # the unit of it; the boom has 6.5 kJ of motion
        phase = optim.Phase("move", task.goal, task.duration, leeway=100.0 * energy)
        loads = [{"payload.mass": load * mass} for load in (1000.0, 1200.0, 1500.0)]
        problem = optim.Problem(task.start, (phase,), limits=task.limits, scenarios=loads)
        dae = fb.assemble(arm.model, symbolic=("payload.mass",))
        plan = optim.plan(dae, problem, intervals=12)
        return sum(attempt.iterations for attempt in plan.attempts), plan.objective / (energy**2 * time)

    iterations, effort = nearly_at_rest()
    for units in SIMILAR:
        again, similar = nearly_at_rest(**units)
        assert again == iterations, units
        assert similar == pytest.approx(effort, rel=1e-6)


def test_the_magnitudes_of_a_task_have_its_units():
    """Homogeneous in length, mass and time: an independent dimensional analysis by the names of the Vars."""
    units = {"length": 2.0, "mass": 8.0, "time": 0.5}

    def declared(**units: float) -> dict[str, np.ndarray]:
        m = optim.pyomo_model(*boom(**units), intervals=8)
        box = m.dynamics.get_external_model()
        sizes: dict[str, list[float]] = {}
        for variable, size in zip(m.dynamics.inputs.values(), box.magnitudes, strict=True):
            group, _, index = variable.name.removeprefix("reached_").partition("[")
            sizes.setdefault(group + index.rpartition(",")[2][:-1], []).append(float(size))
        return {name: np.array(values) for name, values in sizes.items()}

    plain, other = declared(), declared(**units)
    assert plain.keys() == other.keys()
    L, M, T = units["length"], units["mass"], units["time"]
    for name, sizes in plain.items():
        group = name.split("'")[0].split("joint")[0].split("rotor")[0].split("link")[0].split("motor")[0]
        bends = L if ".bending" in name else 1.0
        unit = {"q": bends, "v": bends / T, "a": bends / T**2, "u": M * L**2 / T**2, "du": M * L**2 / T**3}[group]
        np.testing.assert_allclose(other[name], unit * sizes, rtol=1e-2, err_msg=name)
        assert np.ptp(sizes) == 0  # one for each variable along the motion


def test_an_idle_input_counts_by_what_accelerates_the_arm_as_the_motion_does():
    """A slide moves a hinge; the hinge's torque is the only one, and does nothing but rounding."""
    mass, arm, way, T = 8.0, 0.5, 3.0, 2.0
    model = fb.Model("slide")
    slide, hinge = model.add(fb.Prismatic("slide")), model.add(fb.Revolute("hinge"))
    force, motor = model.add(fb.ForceSource("drive")), model.add(fb.TorqueSource("motor"))
    body = model.add(fb.Payload("load", mass=mass, inertia=mass * arm**2))
    model.connect(model.add(fb.Ground("ground")).frame_b, slide.frame_a)
    model.connect(force.flange_b, slide.axis)
    model.connect(slide.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    model.connect(hinge.frame_b, body.frame_a)
    dae = fb.assemble(model)
    start = {"slide.displacement": 0.0, "hinge.angle": 0.7}
    problem = optim.RestToRest(start, start | {"slide.displacement": way}, T)
    u = magnitudes(optim.pyomo_model(dae, problem, intervals=10).transcription)["u"]
    fastest = 10 / math.sqrt(3) * way / T**2  # of the quintic, at (1 - 1 / sqrt(3)) / 2
    assert u[dae.u.index("drive.force")] == pytest.approx(mass * fastest, rel=0.01)
    assert u[dae.u.index("motor.torque")] == pytest.approx(0.01 * mass * arm * fastest, rel=0.01)


def test_a_leeway_of_a_tiny_arm_is_kept() -> None:
    """A rod of 5 cm with 1 g: a leeway of 2 nJ, which IPOPT would widen by 10 nJ if energies counted in joules."""
    model = fb.Model("finger")
    ground, motor, joint = (model.add(b) for b in (fb.Ground("g"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    rod = model.add(
        fb.FlexibleBeam("rod", 0.05, 2e-3, 2e-4, discretization=fb.AssumedModes(1, tip="free"), bending="y")
    )
    load = model.add(fb.Payload("load", mass=1e-3))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    leeway = 2e-9
    phase = optim.Phase("move", {"joint.angle": 1.0}, 0.2, leeway=leeway)
    problem = optim.Problem({"joint.angle": 0.0}, (phase,), objective=optim.Effort())
    plan = optim.plan(fb.assemble(model), problem, intervals=20)
    assert plan.statistics.iterations <= 40
    assert plan.pyomo_model.goal_energy.value == pytest.approx(leeway, rel=0.05)


@pytest.mark.parametrize("bends", [False, True])
def test_a_joint_that_stays_where_it_is_does_not_count_by_its_rounding(bends: bool) -> None:
    """A gantry with a servo for its rod, whose posture is known but for 1e-15 rad: in these units nothing ends."""
    model = fb.Model("gantry", gravity=(0.0, -9.81, 0.0))
    rigid, elastic = (
        fb.RigidLink("rod", 0.8, 0.3),
        fb.FlexibleBeam("rod", 0.8, 0.4, 20.0, fb.AssumedModes(2, tip="free"), bending="y"),
    )
    ground, slide, hinge, rod = (
        model.add(block)
        for block in (
            fb.Ground("ground"),
            fb.Prismatic("slide", axis=(1.0, 0.0, 0.0)),
            fb.Revolute("hinge", start=-math.pi / 2),
            elastic if bends else rigid,
        )
    )
    trolley, load = model.add(fb.LumpedMass("trolley", 2.0)), model.add(fb.LumpedMass("load", 0.3))
    drive, motor = model.add(fb.ForceSource("drive", limit=20.0)), model.add(fb.TorqueSource("motor", limit=5.0))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, trolley.frame_a, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    model.connect(drive.flange_b, slide.axis)
    model.connect(motor.flange_b, hinge.axis)
    ends = ({"slide.displacement": place, "hinge.angle": -math.pi / 2} for place in (0.0, 0.5))
    plan = optim.plan(fb.assemble(model), optim.RestToRest(*ends, 2.0), intervals=10)
    assert plan.statistics.iterations <= 10
    assert magnitudes(plan.transcribed.first[0])["q"][1] > 1e-3


PUMP = {"joint1.angle": 0.9, "joint2.angle": -0.5, "joint3.angle": -0.6, "joint4.angle": -0.5}
CRANE = {"slewing.angle": 0.0, "luffing.angle": 0.5, "load_z.displacement": 2.0}
SIZES = {"slewing_motor.torque": 100.0, "luffing_rope.speed": 1.0, "hoist_rope.speed": 1.0}


@pytest.mark.slow
def test_one_cylinder_of_a_boom_moves_and_the_others_take_part() -> None:
    """By their own stiffness they would move by a micrometre: in these units 300 iterations did not end."""
    dae = fb.assemble(models.concrete_pump(valves="ideal"))
    problem = optim.RestToRest(PUMP, PUMP | {"joint4.angle": -0.3}, 20.0, input_ends="holding")
    assert optim.plan(dae, problem, intervals=40).statistics.iterations <= 15


@pytest.mark.parametrize("moved", [{"load_z.displacement": 10.0}, {}], ids=["hoists", "waits"])
def test_a_crane_hoists_alone_or_waits(moved: dict[str, float]) -> None:
    dae = fb.assemble(models.hoist_crane())
    effort = optim.Effort(rate_weight=4.0, relative_to=SIZES)
    plan = optim.plan(dae, optim.RestToRest(CRANE, CRANE | moved, 30.0, effort, input_ends="holding"), intervals=30)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) <= 60
    assert all(plan.trajectory[name][-1] == pytest.approx(value, abs=1e-6) for name, value in (CRANE | moved).items())


def test_a_rope_that_hangs_slack_on_the_first_way_is_not_tightened_by_kilometres() -> None:
    """A crane luffs into a goal in motion, to which no way of equilibria leads."""
    dae = fb.assemble(models.hoist_crane())
    goal = CRANE | {"luffing.angle": 0.9, "der(luffing.angle)": 0.0067, "der(slewing.angle)": 0.0}
    problem = optim.RestToRest(CRANE, goal | {"der(load_z.displacement)": 0.0}, 30.0, optim.Effort(4.0, SIZES))
    plan = optim.plan(dae, problem, intervals=30)
    assert plan.statistics.iterations <= 20
    assert magnitudes(plan.transcribed.first[0])["w"].max() < 200.0  # [m]
