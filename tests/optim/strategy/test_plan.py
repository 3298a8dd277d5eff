"""Plans: rest to rest, their limits, their replay, and what is refused."""

import contextlib

import numpy as np
import pyomo.environ as pyo
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from arms.turns import hinge
from flexblocks import models, optim
from flexblocks.errors import FlexblocksError
from flexblocks.simulation.simulate import simulate
from terminal import ImpatientTerminal

HALF_TURN = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}
HOME = {"joint1.angle": 0.0, "joint2.angle": 0.0}


@pytest.fixture(scope="module")
def arm():
    return subudhi_morris()


def swing(distance=1.5, duration=2.0, **more):
    return optim.RestToRest({"joint1.angle": 0.2}, {"joint1.angle": 0.2 + distance}, duration, **more)


def test_two_link_arm_settles_and_replays(arm):
    """From the default start, at every mesh; the objective settles and the simulated tip arrives and stays."""
    meshes = (40, 100)
    problem = optim.RestToRest(HOME, HALF_TURN, 2.0, limits={"motor1.torque": 4.0, "motor2.torque": 2.0})
    objectives = []
    for intervals in meshes:
        plan = optim.plan(arm, problem, intervals=intervals)
        assert plan.status == "converged"
        objectives.append(plan.objective)
        replay = plan.replay()
        assert replay.tip_miss < 0.2e-3
        assert 0 <= replay.energy_left < 1e-4
        assert replay.trajectory["joint1.angle"][-1] == pytest.approx(np.pi / 2, abs=1e-3)
    assert objectives == pytest.approx([objectives[-1]] * len(meshes), rel=0.03)
    assert np.all(np.diff(np.abs(np.diff(objectives))) < 0)


def test_least_effort_of_a_double_integrator():
    """J = 12 I^2 d^2 / T^3 with u falling in a straight line: exact with linear inputs on any mesh."""
    problem = swing(objective=optim.Effort(rate_weight=0.0))
    plan = optim.plan(hinge(), problem, intervals=7, inputs="linear")
    assert plan.objective == pytest.approx(12 * 0.3**2 * 1.5**2 / 2**3, rel=1e-12)
    t = np.linspace(0, 2, 11)
    np.testing.assert_allclose(plan.inputs["motor1.torque"](t), 6 * 0.3 * 1.5 / 4 * (1 - t), atol=1e-9)
    np.testing.assert_allclose(plan.trajectory["joint1.angle"][-1], 1.7, atol=1e-12)


def test_a_shaft_that_carries_no_frames_has_no_outputs_and_is_planned():
    model = fb.Model("flywheel")
    model.add(fb.Ground("ground"))
    motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=0.3))
    model.connect(motor.flange_b, rotor.flange_a)
    problem = optim.RestToRest({"rotor.angle": 0.0}, {"rotor.angle": 1.5}, 2.0, objective=optim.Effort(0.0))
    plan = optim.plan(fb.assemble(model), problem, intervals=7, inputs="linear")
    assert plan.objective == pytest.approx(12 * 0.3**2 * 1.5**2 / 2**3, rel=1e-12)
    assert plan.trajectory.y.shape == (len(plan.trajectory.t), 0)
    assert plan.replay().trajectory["rotor.angle"][-1] == pytest.approx(1.5, abs=1e-7)


@pytest.mark.parametrize("ends", ["free", "holding"])
def test_weighted_rate_of_a_double_integrator(ends):
    """Euler-Lagrange on u^2 + r der(u)^2: u = c s + B sinh(s / g) with g^2 = r, about the middle, s = t - 1."""
    weight = 0.05
    g = np.sqrt(weight)
    # At free ends der(u) vanishes, at held ends u does; the displacement is -int s u ds / I.
    end = [1.0, np.cosh(1 / g) / g] if ends == "free" else [1.0, np.sinh(1 / g)]
    c, B = np.linalg.solve([end, [-2 / 3, -2 * (g * np.cosh(1 / g) - g**2 * np.sinh(1 / g))]], [0.0, 0.3 * 1.5])
    s = np.linspace(-1, 1, 4001)
    u, rate = c * s + B * np.sinh(s / g), c + B / g * np.cosh(s / g)
    plan = optim.plan(hinge(), swing(objective=optim.Effort(weight), input_ends=ends), intervals=30)
    assert plan.objective == pytest.approx(np.trapezoid(u**2 + weight * rate**2, s), rel=1e-6)
    np.testing.assert_allclose(plan.inputs["motor1.torque"](s + 1), u, atol=1e-4)


@pytest.mark.parametrize(
    ("intervals", "objective", "rel"),
    [(40, 0.174360, 2e-3), pytest.param(100, 0.170186, 1e-4, marks=pytest.mark.slow)],
)
def test_rotors_that_ride_on_flexible_links(intervals, objective, rel):
    """With inputs that start and end at rest; numbers of an independent script on a slightly different reading."""
    dae = subudhi_morris(rotor_mount="carried")
    problem = optim.RestToRest(
        HOME, HALF_TURN, 2.0, limits={"motor1.torque": 4.0, "motor2.torque": 2.0}, input_ends="holding"
    )
    plan = optim.plan(dae, problem, intervals=intervals, quasi_static=False)
    assert plan.objective == pytest.approx(objective, rel=rel)
    assert all(plan.inputs[name]([0.0, 2.0]) == pytest.approx([0.0, 0.0], abs=1e-12) for name in plan.inputs)
    replay = plan.replay()
    assert replay.tip_miss < 0.2e-3
    assert replay.energy_left < 1e-4


def test_piecewise_constant_inputs_cost_more():
    problem = swing(objective=optim.Effort(rate_weight=0.0))
    plan = optim.plan(hinge(), problem, intervals=8, inputs="constant")
    # The best staircase on n equal steps: u = c (step's middle), J = 12 I^2 d^2 / T^3 / (1 - 1 / n^2).
    assert plan.objective == pytest.approx(12 * 0.3**2 * 1.5**2 / 2**3 / (1 - 1 / 8**2), rel=1e-9)
    assert plan.replay().tip_miss < 1e-9
    assert len(plan.pyomo_model.u) == 8


@pytest.mark.parametrize("inputs", ["cubic", "linear"])
def test_limits_hold_at_every_time(inputs):
    limits = {"motor1.torque": 0.6, "der(motor1.torque)": (-0.7, 3.0)}
    plan = optim.plan(hinge(), swing(limits=limits), intervals=12, inputs=inputs)
    t = np.linspace(0, 2 - 1e-9, 5000)
    torque, rate = plan.inputs["motor1.torque"](t), plan.inputs["motor1.torque"].derivative()(t)
    assert np.abs(torque).max() == pytest.approx(0.6, abs=1e-6)
    assert np.abs(torque).max() < 0.6 + 1e-7
    assert rate.min() == pytest.approx(-0.7, abs=1e-4)
    assert -0.7 - 1e-7 < rate.min() < rate.max() < 3.0
    free = optim.plan(hinge(), swing(), intervals=12, inputs=inputs)
    assert plan.objective > free.objective + 1e-4


def test_state_limits_bind():
    unlimited = optim.plan(hinge(), swing(), intervals=20)
    assert unlimited.trajectory["der(joint1.angle)"].max() > 1.1
    plan = optim.plan(hinge(), swing(limits={"der(joint1.angle)": 1.0}), intervals=20)
    assert plan.trajectory["der(joint1.angle)"].max() == pytest.approx(1.0, abs=1e-6)
    assert plan.objective > unlimited.objective


def test_limit_of_the_source_is_kept():
    plan = optim.plan(hinge(limit=0.46), swing(), intervals=20)
    assert np.abs(plan.inputs["motor1.torque"](np.linspace(0, 2, 500))).max() == pytest.approx(0.46, abs=1e-6)


def test_gravity_from_equilibrium_to_equilibrium():
    """Rest needs a holding torque; the energy left counts against that, not against hanging down."""
    plan = optim.plan(hinge(gravity=9.81), swing(-1.0), intervals=40)
    t = plan.transcription
    assert t.start["motor1.torque"] == pytest.approx(9.81 * 0.5 * np.cos(0.2))
    replay = plan.replay()
    assert replay.tip_miss < 1e-6
    assert abs(replay.energy_left) < 1e-8
    held = simulate(t.dae, (0.0, 1.0), {"motor1.torque": t.goal["motor1.torque"]}, x0=replay.trajectory.x[-1])
    assert held["joint1.angle"][-1] == pytest.approx(-0.8, abs=1e-6)


def test_deflections_of_a_hanging_arm_at_the_ends():
    """Coordinates that are not named rest where gravity bends them."""
    model = fb.Model("hanging", gravity=(0.0, -9.81, 0.0))
    joint = fb.FlexibleJoint("joint1", inertia=0.02, stiffness=200.0, spring_damping=0.3)
    ground, joint = model.add(fb.Ground("ground")), model.add(joint)
    link = model.add(
        fb.FlexibleBeam(
            "link1",
            0.8,
            linear_density=0.5,
            flexural_rigidity=20.0,
            discretization=fb.AssumedModes(2, tip="free"),
            damping_ratio=0.02,
        )
    )
    load = model.add(fb.Payload("payload", mass=0.5, inertia=0.01))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    dae = fb.assemble(model)
    angle = "joint1.angle"
    plan = optim.plan(dae, optim.RestToRest({angle: 0.0}, {angle: 0.8}, 1.5), intervals=60)
    trajectory = plan.trajectory
    assert trajectory["link1.tip_deflection_y"][0] < -1e-3
    assert trajectory.u[0] != pytest.approx(0.0)
    end = np.abs(np.array(dae.forward_dynamics(plan.transcription.goal.x, plan.transcription.goal.u, []))).max()
    assert end < 1e-8
    replay = plan.replay()
    assert replay.tip_miss < 0.2e-3
    assert replay.energy_left < 1e-4


def test_user_constraint_is_kept(arm):
    problem = optim.RestToRest(HOME, HALF_TURN, 2.0)
    free = optim.plan(arm, problem, intervals=20)
    before = free.pyomo_model.q[10, "joint2.angle"].value
    m = optim.pyomo_model(arm, problem, intervals=20)
    m.mine = pyo.Constraint(expr=m.q[10, "joint2.angle"] == before - 0.3)
    plan = optim.solve(m)
    assert plan.pyomo_model.q[10, "joint2.angle"].value == pytest.approx(before - 0.3, abs=1e-6)
    assert plan.trajectory["joint2.angle"][30] == pytest.approx(before - 0.3, abs=1e-6)
    assert plan.objective > free.objective


def test_way_back_from_a_model_solved_by_hand():
    m = optim.pyomo_model(hinge(), swing(), intervals=10)
    copy = m.clone()
    results = pyo.SolverFactory("casadi").solve(m)
    plan = optim.Plan.from_model(m, results)
    assert plan.status == "converged"
    assert plan.pyomo_model is m
    assert optim.Plan.from_model(m).objective == plan.objective
    assert optim.solve(copy).objective == pytest.approx(plan.objective, rel=1e-9)
    with pytest.raises(optim.ProblemError, match="not made by"):
        optim.solve(pyo.ConcreteModel())


def test_trajectory_and_inputs_belong_together(arm):
    plan = optim.plan(arm, optim.RestToRest(HOME, HALF_TURN, 2.0), intervals=60)
    trajectory = plan.trajectory
    assert len(trajectory) == 1 + 60 * 3
    np.testing.assert_allclose(plan.inputs["motor2.torque"](trajectory.t), trajectory["motor2.torque"], atol=1e-12)
    energy = trajectory["kinetic_energy"] + trajectory["potential_energy"]
    np.testing.assert_allclose(energy, trajectory["work"], atol=1e-4)
    assert energy.max() > 0.1
    assert np.hypot(trajectory["payload.x"], trajectory["payload.y"])[0] == pytest.approx(1.0)
    simulated = simulate(arm, trajectory.t, plan.inputs, plan.transcription.start.x)
    np.testing.assert_allclose(trajectory["payload.y"], simulated["payload.y"], atol=1e-3)


def test_symbolic_parameters_take_values():
    dae = hinge(symbolic=("payload.mass",))
    problem = swing(objective=optim.Effort(rate_weight=0.0))
    plan = optim.plan(dae, problem, intervals=5, inputs="linear", p={"payload.mass": 3.0})
    assert plan.objective == pytest.approx(12 * 0.8**2 * 1.5**2 / 2**3, rel=1e-12)
    assert plan.replay().tip_miss < 1e-9
    assert plan.trajectory.p == {"payload.mass": 3.0}


def test_summary_states_what_was_planned():
    text = optim.plan(hinge(), swing(), intervals=10).summary()
    assert "u^2 + 0.01 der(u)^2" in text
    assert "cubic Hermite" in text
    assert "10 intervals, Radau collocation of degree 3" in text
    assert "converged" in text
    assert "joint1.angle from 0.2 to 1.7" in text


def test_impossible_plan_says_what_stands_against_it():
    """1.5 rad in 2 s take at least 4 I d / T^2 = 0.45 N m."""
    with pytest.raises(optim.PlanError, match="locallyInfeasible") as caught:
        optim.plan(hinge(), swing(limits={"motor1.torque": 0.4}), intervals=20)
    error = caught.value
    assert error.plan.status == "locallyInfeasible"
    worst = error.violations[0]
    assert worst.amount > 1e-3
    assert "joint1.angle" in worst.name
    assert 0 <= worst.time <= 2
    assert str(worst) in str(error)
    shares = [violation.share for violation in error.violations]
    assert shares == sorted(shares, reverse=True)


def test_violations_name_the_users_constraint():
    m = optim.pyomo_model(hinge(), swing(), intervals=10)
    m.mine = pyo.Constraint(expr=m.q[5, "joint1.angle"] >= 4.0)
    m.yours = pyo.Constraint(expr=m.q[5, "joint1.angle"] <= 1.0)
    with pytest.raises(optim.PlanError) as caught:
        optim.solve(m)
    assert {"mine", "yours"} & {violation.name for violation in caught.value.violations}


def test_control_c_keeps_the_last_iterate(arm):
    """Ctrl-C when IPOPT's log shows the third iteration."""
    terminal = ImpatientTerminal(r"(?m)^ +3 ")
    with contextlib.redirect_stdout(terminal), pytest.warns(optim.PlanWarning, match="interrupted.*best so far"):
        plan = optim.plan(arm, optim.RestToRest(HOME, HALF_TURN, 2.0), intervals=20, tee=True)
    assert plan.status != "converged"
    assert plan.statistics.iterations <= 4
    assert 0.1 < plan.objective < 1
    assert np.isfinite(plan.trajectory.x).all()
    assert optim.solve(plan.pyomo_model).status == "converged"


def test_progress_is_shown_when_asked(capsys):
    optim.plan(hinge(), swing(), intervals=10, progress=True)
    assert capsys.readouterr().out == ""
    optim.plan(hinge(), swing(), intervals=10, tee=True)
    assert "EXIT: Optimal Solution Found" in capsys.readouterr().out


MALFORMED_PROBLEMS = [
    ({"duration": -1.0}, "duration = -1 s; must be > 0"),
    ({"duration": "free"}, "a slower motion always costs less"),
    ({"duration": float("nan")}, "duration = nan"),
    ({"start": {}}, "start is empty"),
    ({"start": {"joint1.angle": "x"}}, "joint1.angle = 'x'"),
    ({"goal": [1.0]}, "must be a dict"),
    ({"goal": {"joint1.angle": np.inf}}, "must be a finite number"),
    ({"start": {1: 0.0}}, r"RestToRest: start: a name is 1 \(int\); must be a string"),
    ({"limits": {None: 1.0}}, r"limits: a name is None \(NoneType\); must be a string"),
    ({"input_ends": "zero"}, '"free" or "holding"'),
    ({"objective": "time"}, "a fixed time cannot be minimised"),
    ({"limits": {"motor1.torque": -2.0}}, "low < high"),
    ({"limits": {"motor1.torque": (1.0, 1.0)}}, "What has one value only is no motion to be limited"),
    ({"limits": {"motor1.torque": (1.0, 2.0, 3.0)}}, r"\(low, high\)"),
]


@pytest.mark.parametrize(("change", "message"), MALFORMED_PROBLEMS)
def test_malformed_problems_are_refused_at_once(change, message):
    asked = {"start": {"joint1.angle": 0.0}, "goal": {"joint1.angle": 1.0}, "duration": 1.0} | change
    with pytest.raises(FlexblocksError, match=message):
        optim.RestToRest(**asked)


IMPOSSIBLE = [
    (
        {"start": {"joint.angle": 0.0}},
        {},
        r"no coordinate, output or quantity of a frame 'joint.angle'.*mean joint1.angle\?",
    ),
    ({"goal": {"der(joint1.angle)": 0.0}}, {}, "prescribes rates and no posture"),
    ({"start": {"joint1.angle": 0.0, "rotor1.angle": 0.3}}, {}, "cannot stay at rest"),
    ({"limits": {"motor.torque": 1.0}}, {}, r"'motor.torque'.*Did you mean motor1.torque\?"),
    ({"limits": {"joint1.angle": (0.5, 2.0)}}, {}, "start: joint1.angle = 0 rad; its limits are 0.5 to 2"),
    ({"limits": {"joint1.angle": (-0.5, 0.9)}}, {}, "goal: joint1.angle = 1 rad"),
    ({"limits": {"der(motor1.torque)": 1.0}, "objective": optim.Effort(0.0)}, {"inputs": "constant"}, "jump"),
    ({}, {"inputs": "constant"}, r"optim.Effort\(rate_weight=0\)"),
    ({}, {"inputs": "quadratic"}, "one of constant, linear, cubic"),
    ({}, {"intervals": 0}, "intervals = 0; must be a whole number >= 1"),
    ({}, {"intervals": 2.5}, "intervals = 2.5"),
    ({}, {"intervals": 10**400}, "intervals = 10.*0; no memory holds so many"),
    ({}, {"intervals": 2, "spacing": [[1.0, 10**400]]}, "spacing = .*; must be a sequence"),
    ({}, {"margins": {"motor1.torque": 10**400}}, "margins = .*; must be numbers"),
    ({}, {"degree": 0}, "degree = 0"),
    ({}, {"degree": 10**5000}, "degree = <int> of"),
    ({}, {"p": {"payload.mass": 1.0}}, "payload.mass"),
]


@pytest.mark.parametrize(("change", "options", "message"), IMPOSSIBLE)
def test_problems_that_do_not_fit_the_arm_are_refused(arm, change, options, message):
    start = (
        dict(HOME) | change.get("start", {}) if "rotor1.angle" in change.get("start", {}) else change.get("start", HOME)
    )
    asked = {"goal": {"joint1.angle": 1.0, "joint2.angle": 0.5}, "duration": 1.0} | change | {"start": start}
    with pytest.raises(FlexblocksError, match=message):
        optim.pyomo_model(arm, optim.RestToRest(**asked), **options)


def test_holding_torque_beyond_its_limit_is_refused():
    with pytest.raises(optim.ProblemError, match=r"start: motor1.torque = 4.8\d* N m to hold the arm at rest"):
        optim.pyomo_model(hinge(gravity=9.81, limit=2.0), swing())


def test_what_is_no_arm_or_problem_is_refused(arm):
    with pytest.raises(optim.ProblemError, match=r"fb\.assemble"):
        optim.plan(models.subudhi_morris_2002(), swing())
    with pytest.raises(optim.ProblemError, match="RestToRest"):
        optim.plan(arm, {"goal": 1.0})


def test_summary_tells_of_beams_that_bend_too_far():
    """A quarter turn within 0.4 s bends a light rod by more than a fifth of its length, a slow one does not."""
    dae = subudhi_morris(links=1)
    quick, slow = (
        optim.plan(dae, optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 1.5}, duration), intervals=20)
        for duration in (0.4, 2.0)
    )
    bent = np.abs(quick.trajectory["link1.tip_deflection_y"]).max()
    assert bent > 0.1
    assert f"link1 bends by up to {bent:.2g} m, {200 * bent:.0f} % of its length" in quick.summary()
    assert np.abs(slow.trajectory["link1.tip_deflection_y"]).max() < 0.1
    assert "bends" not in slow.summary()
