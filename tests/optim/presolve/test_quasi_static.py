"""Modes carried quasi-statically: closed forms of two inertias and a spring, limits, ends, refinement."""

import math
from functools import cache

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.optim.collocation.equations_of_motion import interval_kernel
from flexblocks.optim.collocation.input_parametrization import input_shape
from flexblocks.optim.collocation.interval import IntervalForm
from flexblocks.optim.collocation.schemes import radau
from flexblocks.optim.presolve.quasi_static_modes import static_modes
from flexblocks.optim.strategy.warm_start import start_from

TORQUE = "motor1.torque"
ROTOR, BODY, STIFFNESS = 0.02, 0.3, 100.0  # kg m2, kg m2, N m/rad
FREQUENCY = math.sqrt(STIFFNESS * (1 / ROTOR + 1 / BODY))  # rad/s, of the two against each other


@cache
def drive(stiffness=STIFFNESS, symbolic=(), damping=0.0):
    """A rotor that turns a rigid body, 0.3 kg m2 about its hinge, through a spring: linear."""
    model = fb.Model("drive")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    motor, rotor = model.add(fb.TorqueSource("motor1")), model.add(fb.Rotor("rotor1", inertia=ROTOR))
    spring = model.add(fb.TorsionalSpring("spring1", stiffness=stiffness, damping=damping))
    load = model.add(fb.Payload("payload", mass=1.0, inertia=0.05, center=(0.5, 0.0, 0.0)))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    return fb.assemble(model, symbolic=symbolic)


def turn(duration=1.0, angle=1.5, **more):
    return optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": angle}, duration, **more)


def two_links(duration=2.0, **more):
    ends = {"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}
    return optim.RestToRest(*ends, duration, input_ends="holding", **more)


@pytest.mark.parametrize("scheme", ["radau", "lobatto"])
def test_two_inertias_move_as_one_and_the_spring_follows_the_torque(scheme):
    """J = 12 I^2 d^2 / T^3 with the whole inertia, and the twist J_body u / (I k) at every point."""
    problem = turn(objective=optim.Effort(rate_weight=0.0))
    plan = optim.plan(drive(), problem, intervals=4, inputs="linear", scheme=scheme, quasi_static=FREQUENCY / 2)
    whole = ROTOR + BODY
    assert plan.objective == pytest.approx(12 * whole**2 * 1.5**2, rel=1e-9)
    found = plan.trajectory
    twist = (found["rotor1.angle"] - found["joint1.angle"])[1:]
    np.testing.assert_allclose(twist, BODY * found[TORQUE][1:] / (whole * STIFFNESS), atol=1e-9)
    (name,) = plan.transcription.static.names
    assert name == f"mode 2 ({FREQUENCY:.0f} rad/s)"
    assert f"carries quasi-statically {name}" in plan.summary()


def test_error_falls_with_the_square_of_the_frequency():
    """Zeroth order of singular perturbation, and a replay that knows nothing of it."""
    missed = []
    for factor in (1.0, 4.0, 16.0):
        arm = drive(factor * STIFFNESS)
        plan = optim.plan(arm, turn(0.6, input_ends="holding"), intervals=10, quasi_static=50.0)
        replayed = plan.replay().trajectory
        missed.append(abs(replayed["joint1.angle"][-1] - 1.5))
    assert missed[0] > 1e-5
    assert missed[1] < missed[0] / 2
    assert missed[2] < missed[0] / 10


def test_modes_are_those_of_the_linear_model():
    dae = subudhi_morris(modes=2)
    at = fb.equilibrium(dae, x={"joint1.angle": 0.3, "joint2.angle": 0.8})
    found = static_modes(dae, 500.0, at, 0.01)
    expected = [mode.frequency for mode in fb.linearize(dae, at=at).modes() if mode.frequency > 500.0]
    assert [f"({frequency:.0f} rad/s)" in name for name, frequency in zip(found.names, expected, strict=True)]
    n = dae.tree.size
    shapes, amounts, moving = found.directions(n), found.amounts(n), found.moving(n)
    np.testing.assert_allclose(amounts @ shapes, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(moving @ moving, moving, atol=1e-10)
    np.testing.assert_allclose(moving @ [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0], atol=1e-10)  # rigid turn
    assert np.linalg.matrix_rank(moving[found.independent(n)]) == n - 2


@pytest.mark.parametrize("damping", [1.0, 3.0, 27.0])  # N m s/rad; 2.7 is critical
def test_overdamped_modes_lag_and_count_by_their_slower_eigenvalue(damping):
    """The spring's twist settles by k/d at last, which no finer mesh changes: 3.7 1/s, though its mode has 73 rad/s."""
    dae = drive(damping=damping)
    eigenvalues = np.linalg.eigvals(np.asarray(fb.linearize(dae, fb.equilibrium(dae, {"joint1.angle": 0.0})).A))
    settles = np.min(np.abs(eigenvalues[np.abs(eigenvalues) > 1e-3]))
    for share, count in ((0.99, 1), (1.01, 0)):
        m = optim.pyomo_model(dae, turn(), intervals=5, quasi_static=float(share * settles))
        assert len(m.transcription.static.names) == count


def test_as_many_modes_as_the_mesh_does_not_resolve():
    """Two periods in an interval are 500 rad/s at 25 ms, 2000 rad/s at 6.3 ms; nothing is faster at 4 ms."""
    dae = subudhi_morris()
    counts = [
        len(optim.pyomo_model(dae, two_links(), intervals=count, quasi_static="auto").transcription.static.names)
        for count in (80, 320, 500)
    ]
    assert counts == [2, 1, 0]


@pytest.mark.parametrize("static", [500.0, ("link1.bending_y[2]", "link2.bending_y[2]")])
def test_derivatives_of_an_interval(static):
    dae = subudhi_morris()
    found = static_modes(dae, static, fb.equilibrium(dae), 0.01)
    kernel = interval_kernel(dae, IntervalForm(radau(2), input_shape("cubic"), True, static=found))
    w, p, lam = (ca.SX.sym(name, n) for name, n in (("w", kernel.n_w), ("p", kernel.n_p), ("lam", kernel.n_residual)))
    r = kernel.residual.expand()(w, p)
    whole = ca.Function("whole", [w, p, lam], [ca.jacobian(r, w), ca.triu(ca.hessian(ca.dot(lam, r), w)[0])])
    rng = np.random.default_rng(3)
    point = rng.uniform(0.1, 0.3, kernel.n_w), [0.1, 3.0, 2.0], rng.normal(size=kernel.n_residual)
    results = kernel.jacobian(*point[:2]), kernel.hessian(*point, 1.0)
    patterns = kernel.jacobian_pattern, kernel.hessian_pattern
    for pattern, values, expected in zip(patterns, results, whole(*point), strict=True):
        dense = np.zeros(expected.shape)
        dense[pattern.row, pattern.col] = values.full().ravel()
        np.testing.assert_allclose(dense, expected.full(), atol=1e-9 * np.abs(expected.full()).max())


def test_as_much_effort_as_with_all_modes_and_a_replay_that_agrees():
    """Inputs of 40 intervals need not bring modes to rest that they do not resolve, with their dynamics or without."""
    dae, problem = subudhi_morris(), two_links()
    plan = optim.plan(dae, problem, intervals=40, quasi_static="auto")
    assert plan.objective == pytest.approx(optim.plan(dae, problem, intervals=40).objective, rel=1e-3)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-5


def test_limits_hold_where_the_modes_are_carried():
    """What is limited at inner points is what the trajectory is there, fast displacements included."""
    dae = subudhi_morris()
    limits = {"joint1.angle": 1.6, "der(joint2.angle)": 1.5, "link2.bending_y[1]": 0.1}
    m = optim.pyomo_model(dae, two_links(limits=limits), intervals=12, quasi_static=500.0)
    plan = optim.solve(m)
    for (k, j, name), constraint in m.state_limit.items():
        assert pyo.value(constraint.body) == pytest.approx(plan.trajectory[name][3 * k + j], abs=1e-9)
    assert plan.trajectory["der(joint2.angle)"].max() == pytest.approx(1.5, abs=1e-6)
    static = plan.transcription.static
    for (k, j, mode), e in m.e.items():
        q = [plan.trajectory[name][3 * k + j] for name in dae.q_names]
        assert static.amounts(8)[static.names.index(mode)] @ q == pytest.approx(e.value, abs=1e-10)


def test_named_coordinates_stand_still():
    dae = subudhi_morris()
    names = ("link2.bending_y[2]", "link1.bending_y[2]")
    plan = optim.plan(dae, two_links(), intervals=20, quasi_static=names)
    assert plan.transcription.static.names == ("link1.bending_y[2]", "link2.bending_y[2]")
    assert np.abs(plan.trajectory["link1.bending_y[2]"]).max() > 1e-5
    assert np.abs(plan.trajectory["der(link1.bending_y[2])"]).max() < 1e-12


@pytest.mark.slow
def test_refinement_goes_back_to_all_modes():
    """A quick motion: 0.1 mm is too strict for modes that stand still, and not for the same mesh without."""
    dae = subudhi_morris()
    plan = optim.plan(dae, two_links(1.0), intervals=40, quasi_static=500.0, refine=True)
    first, *_, last = plan.attempts
    assert first.tip_miss > 1e-4
    assert plan.attempts[1].what == "with the dynamics of all modes, from there"
    assert last.tip_miss == pytest.approx(plan.replay().tip_miss, abs=1e-8)
    assert plan.status == "optimal"
    assert not plan.transcription.static.names
    assert plan.replay().tip_miss < 1e-4


@pytest.mark.slow
def test_start_from_a_plan_with_modes_carried_and_to_one(tmp_path):
    dae = subudhi_morris()
    plan = optim.plan(dae, two_links(), intervals=20, quasi_static=500.0)
    plan.save(tmp_path / "plan.nc")
    loaded = fb.load(tmp_path / "plan.nc")
    assert loaded.transcription.static.names == plan.transcription.static.names
    same, full = (optim.pyomo_model(dae, two_links(), intervals=20, quasi_static=static) for static in (500.0, None))
    moving = plan.transcription.static.moving(dae.tree.size).T
    for m in (same, full):
        start_from(m, plan.pyomo_model)
        for var in (plan.pyomo_model.q, plan.pyomo_model.v, plan.pyomo_model.a):
            own, old = (
                np.array([v.value for v in one.values()]).reshape(-1, dae.tree.size)
                for one in (m.find_component(var.name), var)
            )
            if m is full and var is not plan.pyomo_model.q:
                own = own @ moving  # the others start with the rates at which their deflections change
            np.testing.assert_allclose(own, old, atol=1e-9 * np.max(np.abs(old)))
    e, old = ([v.value for v in m.e.values()] for m in (same, plan.pyomo_model))
    np.testing.assert_allclose(e, old, atol=1e-12)


def test_designed_arm_comes_to_rest():
    """Where it rests depends on the spring; the goal is a balance of forces of its own."""
    arm = drive(symbolic=("spring1.stiffness",))
    problem = optim.Problem(
        {"joint1.angle": 0.0},
        (optim.Phase("swing", {"joint1.angle": 1.0}, 1.0),),
        input_ends="holding",
        design={"spring1.stiffness": (50.0, 200.0)},
    )
    plan = optim.plan(arm, problem, intervals=10, quasi_static=30.0)
    assert plan.pyomo_model.goal_rest["joint1.angle"].value == 1.0
    assert plan.pyomo_model.goal_rest["rotor1.angle"].value == pytest.approx(1.0, abs=1e-8)
    replay = plan.replay()
    assert replay.tip_miss < 1e-3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("automatic", 'must be None, "auto", a frequency'),
        (-3.0, "a frequency > 0 rad/s"),
        (True, "a frequency > 0 rad/s"),
        ((), "sequence of coordinates"),
        (("joint1.angel",), "Did you mean joint1.angle"),
        (("joint1.angle", "rotor1.angle"), "leaves no dynamics in 'drive'"),
    ],
)
def test_what_cannot_be_carried_is_refused(given, message):
    with pytest.raises(optim.ProblemError, match=message):
        optim.pyomo_model(drive(), turn(), intervals=5, quasi_static=given)


@cache
def servo_arm():
    """Two stiff beams on stiff servos: every mode has many periods in an interval of a tenth of a second."""
    model = fb.Model("servo arm")
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        servo, joint = model.add(fb.PDServo(f"servo{i}", 5e5, 50.0)), model.add(fb.Revolute(f"joint{i}"))
        link = model.add(fb.FlexibleBeam(f"link{i}", 0.5, 0.4, 1e4, discretization=fb.FiniteElements(2), bending="y"))
        model.connect(servo.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("load", 0.3, inertia=1e-3)).frame_a)
    return fb.assemble(model)


@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")  # of a coarse mesh, and rest up to a leeway
@pytest.mark.parametrize(
    ("duration", "objective"), [(2.0, "effort"), pytest.param("free", "time", marks=pytest.mark.slow)]
)
def test_where_no_mode_is_resolved_the_slowest_keeps_its_dynamics(duration, objective):
    """Without any dynamics there would be nothing to plan."""
    dae = servo_arm()
    at = fb.equilibrium(dae)
    static = static_modes(dae, "auto", at, 0.1)
    assert len(static) == dae.tree.size - 1
    assert min(abs(mode.eigenvalue) for mode in fb.linearize(dae, at).modes()) > 2 * np.pi * 2 / 0.1
    limits = {f"der(servo{i}.reference)": 3.0 for i in (1, 2)}
    angles = {"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": 1.0, "joint2.angle": 0.5}
    problem = optim.RestToRest(*angles, duration, objective=objective, limits=limits, input_ends="holding")
    plan = optim.plan(dae, problem, intervals=10)
    assert plan.status == "converged"
    if duration == "free":
        least = 1.0 / 3.0  # s: the way over the largest rate
        assert least * (1 - 1e-5) < plan.duration < 1.1 * least
    else:
        for i in (1, 2):  # the references of the servos
            reference = plan.inputs[f"servo{i}.reference"](plan.trajectory.t)
            np.testing.assert_allclose(plan.trajectory[f"joint{i}.angle"], reference, atol=5e-3)
