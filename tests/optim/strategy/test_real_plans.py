"""Plans of real arms from cold: durations of winches, modes that a mesh leaves unresolved, lines along the way."""

import math
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from benchmarks.real_plans.arms import ARMS
from benchmarks.real_plans.random_arm import random_arm
from benchmarks.real_plans.tasks import TASKS
from flexblocks import optim
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.presolve.quasi_static_modes import more_than_inputs
from flexblocks.optim.strategy.refinement.mesh_refinement import refine_mesh
from flexblocks.optim.strategy.warm_start import start_from

ARM_REACH = {"tendon arm": 0.3, "desk arm": 0.3}  # m
SPEED, DEPTHS = 0.5, (2.0, 6.0)  # m/s, m


@cache
def hoist() -> fb.DAE:
    """A mass on a stiff rope with a winch, which goes up and down."""
    model = fb.Model("hoist", gravity=(0.0, -9.81, 0.0))
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(0.0, -1.0, 0.0), start=2.0))
    mass = model.add(fb.Payload("mass", 100.0))
    rope = model.add(fb.Cable("rope", 2.0, 1e7, damping_time=1e-2, winch=True))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, mass.frame_a)
    model.connect(ground.frame_b, rope.frame_a)
    model.connect(mass.frame_a, rope.frame_b)
    return fb.assemble(model)


@cache
def chain(stiffness: float) -> fb.DAE:
    """Two rotors and a wheel of 1 kg m2 each on one shaft, with a spring between each two, driven at the first."""
    model = fb.Model("chain")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    motor, first, second = (model.add(block) for block in (
        fb.TorqueSource("motor"), fb.Rotor("first", inertia=1.0), fb.Rotor("second", inertia=1.0)))  # fmt: skip
    springs = [model.add(fb.TorsionalSpring(f"spring{i}", stiffness=stiffness)) for i in (1, 2)]
    model.connect(motor.flange_b, first.flange_a)
    model.connect(first.flange_b, springs[0].flange_a)
    model.connect(springs[0].flange_b, second.flange_a)
    model.connect(second.flange_b, springs[1].flange_a)
    model.connect(springs[1].flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, model.add(fb.Payload("wheel", mass=1.0, inertia=1.0)).frame_a)
    return fb.assemble(model)


def test_a_winch_takes_as_long_as_its_limit_on_speed_says():
    """The greatest rate of a quintic is 15/8 of the mean one; durations are tried 6 % apart."""
    problem = optim.RestToRest(
        *({"slide.displacement": depth} for depth in DEPTHS),
        "free", objective="time", limits={"rope.speed": SPEED}, input_ends="holding",
    )  # fmt: skip
    duration = transcribed_problem(optim.pyomo_model(hoist(), problem, intervals=5)).first[0].mesh.duration
    least = 15 / 8 * (DEPTHS[1] - DEPTHS[0]) / SPEED
    assert least * (1 - 1e-6) <= duration <= 1.07 * least


def test_modes_are_counted_against_the_inputs_by_their_periods_in_an_interval():
    """Three equal rotors and springs: sqrt(k) and sqrt(3 k)."""
    dae, k = chain(1e4), 1e4
    at = fb.equilibrium(dae, {})
    slow, fast = math.sqrt(k), math.sqrt(3 * k)
    step = 2 * math.pi * 2
    assert not more_than_inputs(dae, at, 1.01 * step / fast)  # one beyond two periods, one input
    assert more_than_inputs(dae, at, 1.01 * step / slow)


def test_modes_that_get_their_dynamics_back_start_as_they_are_seen_to_move():
    """The springs' twists by central differences: at standstill among deflections that change, there is no motion."""
    dae = chain(100.0)
    problem = optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 1.0}, 4.0, input_ends="holding")
    coarse = optim.plan(dae, problem, intervals=10, quasi_static=5.0)
    assert len(coarse.transcribed.first[0].static) == 2
    model = optim.pyomo_model(dae, problem, intervals=80, quasi_static=False)
    start_from(model, coarse.pyomo_model)
    names, step = dae.q_names, 4.0 / 80
    q, v = (np.array([[var[k, name].value for name in names] for k in range(81)]) for var in (model.q, model.v))
    a = np.array([[model.a[k, 3, name].value for name in names] for k in range(80)])  # at the ends of intervals
    twists = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]])
    changes = [(values[2:] - values[:-2]) @ twists / (2 * step) for values in (q, v)]
    inside = slice(10, -10)  # but the first and the last interval of the plan, in which they begin and cease to change
    for guess, seen, share in zip((v[1:-1] @ twists, a[:-1] @ twists), changes, (0.01, 0.05), strict=True):
        size = np.abs(seen[inside]).max()
        assert size > 0.001
        assert np.abs(guess - seen)[inside].mean() < share * size


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
@pytest.mark.parametrize(
    ("seed", "task", "most"),
    [(9, "tip", 30), (26, "joints", 15)],
)
def test_random_arms_with_modes_beyond_the_mesh_are_planned_soon(seed, task, most):
    arm = random_arm(seed)
    plan = optim.plan(arm.assembled(), TASKS[task](arm).problem, intervals=arm.intervals)
    assert plan.status in ("converged", "unresolved")  # an optimum; whether its mesh is fine enough is another question
    assert sum(attempt.iterations for attempt in plan.attempts) <= most


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.FlexblocksWarning")
def test_least_effort_that_takes_long_is_tried_in_more_time():
    """The quickest of three durations: 500 iterations did not end, and with them no shortest time came."""
    motors = {"motor1.torque": 4.0, "motor2.torque": 2.0}
    limits = motors | {f"der({name})": torque / 0.05 for name, torque in motors.items()}
    start, goal = ({"joint1.angle": a, "joint2.angle": b} for a, b in ((0.0, 0.0), (math.pi / 2, math.pi / 6)))
    problem = optim.RestToRest(start, goal, "free", objective="time", limits=limits, input_ends="holding")
    plan = optim.plan(
        subudhi_morris(), problem, intervals=100, scheme="lobatto", degree=4
    )  # fmt: skip
    assert plan.status == "converged"
    assert plan.duration < 0.72  # of local optima within 1 % of each other
    assert sum(attempt.iterations for attempt in plan.attempts) <= 750


@cache
def planned(arm: str, task: str) -> optim.Plan:
    asked = TASKS[task](ARMS[arm])
    assert asked is not None
    return optim.plan(ARMS[arm].assembled(asked.symbolic), asked.problem, intervals=ARMS[arm].intervals)


@pytest.mark.slow
def test_an_arm_with_more_fast_modes_than_inputs_comes_to_a_goal_in_motion():
    """Eight modes, three inputs: all deflections and rates prescribed at the goal, the mesh has no motion to it."""
    plan = planned("RRP (Theodore & Ghosal)", "moving")
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) <= 30
    assert plan.trajectory["der(joint1.angle)"][-1] == pytest.approx(0.2, abs=1e-4)
    assert plan.trajectory["link3.displacement"][-1] == pytest.approx(0.7, abs=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_shortest_times_come_soon_from_least_effort():
    arm, longest = "desk arm", 0.265
    plan = planned(arm, "time")
    assert plan.status == "converged"
    assert plan.duration < longest
    assert sum(attempt.iterations for attempt in plan.attempts) <= 150


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_a_boom_follows_a_line_at_once():
    arm = ARMS["pump boom, torques"]
    plan = planned("pump boom, torques", "line")
    assert len(plan.attempts) == 1
    names = [f"{arm.tip}.{axis}" for axis in "xy"]
    points = np.column_stack([plan.trajectory[name] for name in names])
    along = (points[-1] - points[0]) / np.linalg.norm(points[-1] - points[0])
    away = points - points[0]
    off = np.abs(away[:, 0] * along[1] - away[:, 1] * along[0]).max()
    assert off < 1.01 * 0.05 * np.linalg.norm(points[-1] - points[0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_fast_modes_get_their_dynamics_back():
    arm, task, most = "desk arm", "moving", 120
    plan = planned(arm, task)
    refined = refine_mesh(plan, optim.Criteria())
    assert refined.status == "optimal"
    assert not refined.transcription.static.names
    assert refined.transcription.mesh.intervals <= most
    assert refined.replay().tip_miss < 1e-4 * ARM_REACH[arm]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
@pytest.mark.parametrize(
    ("arm", "task", "most"),
    [("three links (Yu & Chen)", "joints", 45), ("tendon arm", "loads", 30)],
)
def test_plans_from_cold_take_few_iterations(arm, task, most):
    """Standing up; bent for the next load; two loads on one spine: 75, more than 1000 and 500 iterations before.

    The first takes 16 with rest of all modes, and 3 % more effort.
    """
    plan = planned(arm, task)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) <= most


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_a_plan_of_two_loads_replays_on_few_intervals():
    """Tendons that lag behind their balance of forces: more intervals leave the energy of those that do not."""
    plan = planned("tendon arm", "loads")
    refined = refine_mesh(plan, optim.Criteria())
    assert refined.status == "optimal"
    assert sum(refined.transcribed.intervals) <= 80
    kinetic = max(motion.energy[:, 0].max() for motion in plan.trajectories)
    assert abs(refined.replay().energy_left) < max(1e-4 * kinetic, 1e-9)
