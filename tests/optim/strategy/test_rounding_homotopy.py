"""Plans of arms with friction that sticks: from rounded to sharp friction, in every size of the arm."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.collocation.schemes import radau
from flexblocks.optim.presolve.rigid_motion.driven_states import following_states

RATIO = 50.0
# Of the shaft of the arm: bristles [N m/rad], dry friction and breakaway [N m], damping [N m s/rad].
BRISTLES, DRY, BREAKAWAY, DAMPING = 3000.0, 0.5, 0.7, 20.0


@cache
def arm(length: float = 1.0, mass: float = 1.0, time: float = 1.0, transition: float | None = None) -> fb.DAE:
    """Return two geared links in a vertical plane with LuGre friction at their motors, in units of size."""
    torque = mass * length**2 / time**2
    model = fb.Model("arm", gravity=(0.0, -9.81 * length / time**2, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i, (span, weight) in enumerate(((0.5, 1.0), (0.4, 0.6)), 1):
        joint = model.add(fb.Revolute(f"joint{i}"))
        motor, gear = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Gear(f"gear{i}", ratio=RATIO))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=0.075 * mass * length**2))
        friction = fb.LuGreFriction(
            f"friction{i}",
            stiffness=BRISTLES / RATIO**2 * torque,
            coulomb=DRY / RATIO * torque,
            breakaway=BREAKAWAY / RATIO * torque,
            stribeck_velocity=0.05 * RATIO / time,
            damping=DAMPING / RATIO**2 * torque * time,
            viscous=0.2 / RATIO**2 * torque * time,
            transition=transition,
        )
        link = model.add(fb.RigidLink(f"link{i}", length=span * length, mass=weight * mass))
        model.connect(motor.flange_b, gear.flange_a, model.add(friction).flange_b)
        model.connect(gear.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", 0.3 * mass, inertia=1e-3 * mass * length**2)).frame_a)
    return fb.assemble(model)


def task(time: float = 1.0, **changes: object) -> optim.RestToRest:
    goal = {"joint1.angle": 0.3, "joint2.angle": 1.4}
    options = {"goal": goal, "duration": 1.5 * time, "input_ends": "holding"} | changes
    return optim.RestToRest({"joint1.angle": -0.8, "joint2.angle": 0.6}, **options)


def iterations(plan: optim.Plan) -> int:
    return sum(attempt.iterations or 0 for attempt in plan.attempts)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_iterations_do_not_depend_on_the_size_of_an_arm_that_sticks() -> None:
    length, mass, time = 1e3, 1e3, 1e3
    plan = optim.plan(arm(length, mass, time), task(time), intervals=30)
    assert plan.status.endswith(", rounded off")
    assert iterations(plan) < 100
    # The replay sticks; with feedback it follows.
    assert plan.replay(law="tracking").tip_miss < 5e-3 * length


@pytest.mark.slow
def test_a_plan_that_does_not_stick_tells_what_it_is() -> None:
    with pytest.warns(optim.PlanWarning, match=r"creeps instead of sticking: friction1 below .* rad/s"):
        plan = optim.plan(arm(), task(), intervals=60)
    assert plan.transcribed.dae.model is not None
    assert plan.transcribed.dae.model["friction1"].transition is None  # replays are those of the arm itself
    assert plan.status == "converged, rounded off"
    assert "the plan, since what followed was given up" in plan.summary()
    assert "breaks the arm's laws, which are rounded off in it" in plan.summary()


@pytest.mark.slow
def test_a_coarse_mesh_does_not_resolve_friction_that_is_rounded_off() -> None:
    with pytest.warns(optim.PlanWarning, match="is unresolved with these laws, too"):
        plan = optim.plan(arm(), task(), intervals=15)
    assert plan.status == "unresolved, rounded off"
    assert plan.replay(law=None).tip_miss > 9e-3


@pytest.mark.slow
def test_bristles_that_are_rounded_off_by_their_model_end_with_that_law() -> None:
    plan = optim.plan(arm(transition=3.0), task(), intervals=30)
    assert plan.status == "converged"
    assert "with friction as it is, from there" in plan.summary()
    assert plan.replay().tip_miss < 1e-3


@pytest.mark.slow
def test_a_motion_that_does_not_stick_ends_with_the_law_itself(recwarn: pytest.WarningsRecorder) -> None:
    rates = {"der(joint1.angle)": 0.37, "der(joint2.angle)": 0.27}
    problem = task(input_ends="free", goal={"joint1.angle": 0.3, "joint2.angle": 1.4, **rates})
    plan = optim.plan(arm(), problem, intervals=30)
    assert plan.status == "converged"
    assert "creeps" not in " ".join(str(warning.message) for warning in recwarn)
    assert plan.attempts[-1].status == "converged"


def test_bristles_follow_a_motion() -> None:
    # At a constant rate z' = w (1 - z / z1) from 0, with z1 = coulomb / stiffness: z = z1 (1 - exp(-w t / z1)).
    model = fb.Model("shaft")
    model.add(fb.Ground("ground"))
    motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=1.0))
    friction = model.add(fb.LuGreFriction("friction", stiffness=10.0, coulomb=0.5))
    model.connect(motor.flange_b, rotor.flange_a, friction.flange_b)
    dae = fb.assemble(model)
    steps, scheme, rate, most = np.full(20, 0.01), radau(3), 0.3, 0.05
    x = np.zeros((20, 3, 3))
    x[..., 1] = rate
    followed = following_states(dae, scheme, steps, x, np.zeros((20, 3, 0)), np.zeros(0), np.zeros(1))
    assert followed is not None
    times = np.concatenate([[0.0], np.cumsum(steps)])
    assert followed[0][:, 0] == pytest.approx(most * (1 - np.exp(-rate * times / most)), rel=1e-6, abs=1e-12)


def test_creep_under_load_has_the_rounded_law() -> None:
    # At rest in the mean bristles slip at transition * stiffness / coulomb: a shaft under the torque T creeps at
    # w = transition T / sqrt(coulomb^2 - T^2).
    model = fb.Model("shaft")
    model.add(fb.Ground("ground"))
    motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=1e-3))
    friction = model.add(fb.LuGreFriction("friction", stiffness=100.0, coulomb=0.5, damping=0.5, transition=0.1))
    model.connect(motor.flange_b, rotor.flange_a, friction.flange_b)
    motion = fb.simulate(fb.assemble(model), (0.0, 2.0), {"motor.torque": 0.3})
    assert motion["der(rotor.angle)"][-1] == pytest.approx(0.1 * 0.3 / 0.4, rel=1e-4)


def test_all_parameters_stay_symbolic() -> None:
    model = arm().model
    assert model is not None
    assert "friction1.breakaway" in fb.assemble(model, symbolic="all").p.names


@cache
def links(size: float = 1.0, coulomb: float = 0.5, velocity: float = 0.01, *, hung: bool = False) -> fb.DAE:
    """Return two flexible links whose motors have dry friction, of a size, a mass and a time of their own."""
    torque = size**2 * size / size**2  # mass size^2 / time^2, all of them in units of the size
    model = fb.Model("links", gravity=(0.0, -9.81 / size if hung else 0.0, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        joint, motor = model.add(fb.Revolute(f"joint{i}")), model.add(fb.TorqueSource(f"motor{i}", limit=20.0 * torque))
        friction = fb.Friction(
            f"friction{i}", viscous=0.02 * torque * size, coulomb=coulomb / i * torque, velocity=velocity / size
        )
        link = fb.FlexibleBeam(
            f"link{i}", 0.5 * size, 0.4, 20.0 * torque * size, discretization=fb.AssumedModes(1, tip="auto")
        )
        model.connect(place, joint.frame_a)
        model.connect(motor.flange_b, model.add(friction).flange_b, joint.axis)
        model.connect(joint.frame_b, model.add(link).frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", 0.5 * size)).frame_a)
    return fb.assemble(model)


SWUNG = {"joint1.angle": 1.0, "joint2.angle": 0.5}


def swing(size: float = 1.0, objective: object = "effort", **changes: object) -> optim.RestToRest:
    return optim.RestToRest(dict.fromkeys(SWUNG, 0.0), SWUNG, 2.0 * size, objective, **changes)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
@pytest.mark.parametrize(("size", "hung"), [(1e3, True), (1e-3, False)])
def test_dry_friction_of_arms_of_all_sizes(size: float, hung: bool) -> None:
    """Friction takes half of the largest torque: without rounding it off first this takes 500 iterations and more."""
    plan = optim.plan(links(size, hung=hung), swing(size), intervals=30)
    assert plan.attempts[-1].status == "converged"
    assert "friction as it is" in plan.attempts[-1].what
    assert iterations(plan) < 200
    # Inputs that jump from rest, against friction that changes within a hundredth of the rates: without feedback a mesh
    # of 30 intervals leaves about a hundredth of the reach.
    assert plan.status in ("converged", "unresolved")
    assert plan.mesh_errors.miss < 1e-2 * size
    assert plan.replay(law="tracking").tip_miss < 2e-3 * size


def test_slight_friction_is_planned_as_it_is() -> None:
    plan = optim.plan(links(coulomb=1e-3), swing(), intervals=30)
    assert [attempt.what for attempt in plan.attempts] == ["from the default start"]


def test_round_friction_is_planned_as_it_is() -> None:
    plan = optim.plan(links(velocity=1.0), swing(), intervals=30)
    assert [attempt.what for attempt in plan.attempts] == ["from the default start"]


def test_least_effort_against_dry_friction() -> None:
    """The integral of (J a + c)^2 is 12 J^2 d^2 / T^3 + c^2 T of a rotor that turns all the time: a adds up to zero."""
    inertia, dry, angle, duration = 2.0, 0.3, 1.5, 2.0
    model = fb.Model("rotor")
    model.add(fb.Ground("ground"))
    motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=inertia))
    friction = model.add(fb.Friction("friction", coulomb=dry, velocity=1e-3))
    model.connect(motor.flange_b, rotor.flange_a, friction.flange_b)
    problem = optim.RestToRest(
        {"rotor.angle": 0.0}, {"rotor.angle": angle}, duration, optim.Effort(rate_weight=0.0), input_ends="free"
    )
    plan = optim.plan(fb.assemble(model), problem, intervals=40)
    assert plan.status == "converged"
    least = 12 * (inertia * angle) ** 2 / duration**3 + dry**2 * duration
    assert plan.objective == pytest.approx(least, rel=0.01)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_what_a_time_limit_leaves_is_a_plan_of_the_arm_itself() -> None:
    seconds = 0.5
    dae = links(hung=True)
    assert optim.plan(dae, swing(), intervals=30, time_limit=seconds).transcribed.dae is dae


def test_friction_within_a_composite_is_rounded_off_too() -> None:
    @dataclasses.dataclass(frozen=True)
    class Drive(fb.Composite):
        def parts(self):
            return (fb.TorqueSource("motor"), fb.Rotor("rotor", inertia=1.0), fb.Friction("friction", coulomb=0.5))

        def connections(self):
            return (("motor.flange_b", "rotor.flange_a"), ("rotor.flange_b", "friction.flange_b"))

        def exposed(self):
            return {}

    model = fb.Model("drive")
    model.add(fb.Ground("ground"))
    model.add(Drive("drive"))
    problem = optim.RestToRest({"drive.rotor.angle": 0.0}, {"drive.rotor.angle": 1.0}, 2.0)
    plan = optim.plan(fb.assemble(model), problem, intervals=30)
    assert any("rounded off" in attempt.what for attempt in plan.attempts)
    assert plan.status == "converged"
