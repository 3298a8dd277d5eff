"""Closed loops are DAEs: against closed forms, and through everything that takes a DAE."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson

import flexblocks as fb
from arms.driven import INERTIA, ToGround, rotor, two_masses, upright_arm
from arms.library import subudhi_morris
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks import control, export, models, optim, plot
from flexblocks.errors import ComputationError, FlexblocksError, NameUnknownError, ParameterError

LOOP = {"wheel.angle": "motor.torque"}


def poles(dae: fb.DAE, at=None) -> np.ndarray:
    return np.sort_complex(np.linalg.eigvals(fb.linearize(dae, at).A))


def test_pd_on_a_rotor_has_the_poles_of_the_closed_form():
    closed = control.close_loop(rotor(), control.PD(LOOP, kp=2.0, kd=0.3))
    assert np.allclose(poles(closed), np.sort_complex(np.roots([INERTIA, 0.3, 2.0])), rtol=1e-12)


def test_pid_on_a_rotor_has_the_poles_of_the_closed_form():
    closed = control.close_loop(rotor(), control.PID(LOOP, kp=2.0, ki=1.5, kd=0.3))
    assert closed.x.names == ("wheel.angle", "der(wheel.angle)", "pid.integral[1]")
    assert np.allclose(poles(closed), np.sort_complex(np.roots([INERTIA, 0.3, 2.0, 1.5])), rtol=1e-10)


def test_step_response_of_pd_is_the_closed_form():
    closed = control.close_loop(rotor(), control.PD(LOOP, kp=2.0, kd=0.3))
    run = fb.simulate(closed, (0.0, 2.0), u={"reference.wheel.angle": 1.0})
    s = np.roots([INERTIA, 0.3, 2.0])
    expected = 1 + ((s[1] * np.exp(s[0] * run.t) - s[0] * np.exp(s[1] * run.t)) / (s[0] - s[1])).real
    assert np.allclose(run["wheel.angle"], expected, atol=1e-8)
    assert np.allclose(run["motor.torque"], 2.0 * (1 - run["wheel.angle"]) - 0.3 * run["der(wheel.angle)"], atol=1e-12)
    assert np.allclose(run["error.wheel.angle"], 1 - run["wheel.angle"])


def test_names_of_a_closed_loop():
    dae = upright_arm(limit=3.0)
    law = control.PD({"joint1.angle": "motor1.torque"}, kp=1.0, kd=0.1)
    closed = control.close_loop(dae, law, disturbances=True)
    new = ("reference.joint1.angle", "der(reference.joint1.angle)", "disturbance.motor1.torque")
    assert closed.u.names == ("motor2.torque", *new)
    assert closed.u.units == ("N m", "rad", "rad/s", "N m")
    assert closed.y.names == (*dae.y.names, "motor1.torque", "command.motor1.torque", "error.joint1.angle")


def test_a_limit_is_kept_exactly_and_a_disturbance_comes_past_it():
    dae = rotor(limit=0.5)
    closed = control.close_loop(dae, control.PD(LOOP, kp=2.0, kd=0.3), disturbances="motor.torque")
    run = fb.simulate(closed, (0.0, 0.2), u={"reference.wheel.angle": 1.0, "disturbance.motor.torque": 0.1})
    held = run["command.motor.torque"] > 0.5
    assert held.all()  # for so long that the clamp alone decides
    assert np.allclose(run["wheel.angle"], 0.6 / INERTIA * run.t**2 / 2, atol=1e-10)
    assert np.allclose(run["motor.torque"], 0.6)
    free = control.close_loop(dae, control.PD(LOOP, kp=2.0, kd=0.3), limits=False)
    assert "command.motor.torque" not in free.y
    with pytest.warns(fb.FlexblocksWarning, match="motor.torque exceeds its limit of 0.5 N m"):
        run = fb.simulate(free, (0.0, 0.2), u={"reference.wheel.angle": 1.0})
    assert run["motor.torque"][0] == 2.0


def test_anti_windup_keeps_the_overshoot_small():
    dae = rotor(limit=0.2)
    overshoot = []
    for tracking in (0.5, 1e6):  # the second never tracks: plain integration
        law = control.PID(LOOP, kp=2.0, ki=1.5, kd=0.6, tracking_time=tracking)
        run = fb.simulate(control.close_loop(dae, law), (0.0, 30.0), u={"reference.wheel.angle": 3.0})
        assert np.max(np.abs(run["motor.torque"])) <= 0.2
        overshoot.append(run["wheel.angle"].max() - 3.0)
    assert overshoot[0] < 0.6 * overshoot[1]


def test_the_integral_removes_the_droop_and_its_state_holds_the_load():
    dae = upright_arm(links=1, damping=0.3)
    loops = {"joint1.angle": "motor1.torque"}
    closed = control.close_loop(dae, control.PID(loops, kp=40.0, ki=60.0, kd=6.0))
    run = fb.simulate(closed, (0.0, 12.0), u={"reference.joint1.angle": 0.4})
    rest = fb.equilibrium(dae, {"joint1.angle": 0.4})
    assert run["joint1.angle"][-1] == pytest.approx(0.4, abs=1e-6)
    assert 60.0 * run["pid.integral[1]"][-1] == pytest.approx(rest["motor1.torque"], rel=1e-5)


def test_the_equilibrium_of_a_closed_loop_is_where_it_ends():
    dae = upright_arm(links=1, damping=0.3)
    closed = control.close_loop(dae, control.PD({"joint1.angle": "motor1.torque"}, kp=40.0, kd=6.0))
    op = fb.equilibrium(closed, u={"reference.joint1.angle": 0.4, "der(reference.joint1.angle)": 0.0})
    weight = fb.equilibrium(dae, {"joint1.angle": op["joint1.angle"]})["motor1.torque"]
    assert 40.0 * (0.4 - op["joint1.angle"]) == pytest.approx(weight, rel=1e-9)
    back = fb.equilibrium(closed, {"joint1.angle": op["joint1.angle"]}, {"der(reference.joint1.angle)": 0.0})
    assert back["reference.joint1.angle"] == pytest.approx(0.4, rel=1e-9)


@pytest.mark.parametrize("dynamics", ["recursive", "closed-form"])
def test_the_linearization_is_that_of_the_parts(dynamics):
    """A - B K by hand; and all functions of the DAE agree on a closed loop."""
    dae = fb.assemble(models.subudhi_morris_2002(), dynamics=dynamics)
    loops = {f"rotor{i}.angle": f"motor{i}.torque" for i in (1, 2)}
    closed = control.close_loop(dae, control.PD(loops, kp=[5.0, 3.0], kd={"rotor1.angle": 0.5, "rotor2.angle": 0.2}))
    plant, loop = fb.linearize(dae), fb.linearize(closed)
    K = np.zeros((2, len(dae.x)))
    for i, (kp, kd) in enumerate(((5.0, 0.5), (3.0, 0.2))):
        K[i, dae.x.index(f"rotor{i + 1}.angle")] = kp
        K[i, dae.x.index(f"der(rotor{i + 1}.angle)")] = kd
    assert np.allclose(loop.A, plant.A - plant.B @ K, atol=1e-8 * np.abs(plant.A).max())
    rng = np.random.default_rng(1)
    x, u = rng.normal(size=len(closed.x)), rng.normal(size=len(closed.u))
    n = closed.tree.size
    a = closed.forward_dynamics(x, u, []).full().ravel()[n:]
    force = closed.inverse_dynamics(x[:n], x[n:], a, []).full().ravel()
    assert np.allclose(force, closed.input_force(x, u, []).full().ravel(), atol=1e-9)


def test_power_of_the_law_is_the_work_in_the_energy_balance():
    dae = subudhi_morris()
    loops = {f"rotor{i}.angle": f"motor{i}.torque" for i in (1, 2)}
    closed = control.close_loop(dae, control.PD(loops, kp=5.0, kd=0.5))
    run = fb.simulate(closed, (0.0, 1.0), u=control.follow(closed, {"rotor1.angle": control.quintic(0, 1, 0.8)}))
    balance = run["kinetic_energy"] + run["potential_energy"] - run["work"]
    assert np.ptp(balance) < 1e-7
    assert run["work"].max() > 0.01


def test_pd_with_gravity_compensation_is_passive():
    """1/2 v'M v + V_elastic + 1/2 e'Kp e never rises, and falls by what kd dissipates."""
    dae = upright_arm(links=2, modes=0)
    loops = {f"joint{i}.angle": f"motor{i}.torque" for i in (1, 2)}
    kp, kd = 30.0, 1.0
    closed = control.close_loop(dae, control.PD(loops, kp, kd) + control.GravityCompensation())
    goal = {"reference.joint1.angle": 0.8, "reference.joint2.angle": -0.5}
    run = fb.simulate(closed, np.linspace(0, 3, 12001), u=goal, x0={"joint1.angle": -0.5, "der(joint2.angle)": 3.0})
    error = np.array([goal[f"reference.joint{i}.angle"] - run[f"joint{i}.angle"] for i in (1, 2)])
    rates = np.array([run[f"der(joint{i}.angle)"] for i in (1, 2)])
    lyapunov = run["kinetic_energy"] + kp * (error**2).sum(0) / 2
    assert np.all(np.diff(lyapunov) <= 1e-9)
    lost = simpson(kd * (rates**2).sum(0), x=run.t)
    assert lyapunov[0] - lyapunov[-1] == pytest.approx(lost, rel=1e-7)
    assert np.allclose(error[:, -1], 0, atol=0.01)


def test_gravity_compensation_of_the_rigid_arm_holds_elastic_joints_in_place():
    """At the reference: the droop is that of the joint springs alone, weight / stiffness."""
    model = fb.Model("elastic joint", gravity=(0.0, -9.81, 0.0))
    load = fb.Payload("load", mass=1.0, inertia=0.01, center=(0.5, 0.0, 0.0))
    motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=0.02))
    spring, joint = (
        model.add(fb.TorsionalSpring("spring", stiffness=50.0, damping=0.5)),
        model.add(fb.Revolute("joint")),
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, model.add(load).frame_a)
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    rigid = fb.Model("rigid", gravity=(0.0, -9.81, 0.0))
    rigid.connect(rigid.add(fb.Ground("ground")).frame_b, rigid.add(joint).frame_a)
    rigid.connect(joint.frame_b, rigid.add(load).frame_a)
    rigid.connect(rigid.add(motor).flange_b, joint.axis)
    compensation = control.GravityCompensation(
        fb.assemble(rigid), measured={"joint.angle": "rotor.angle"}, posture="reference"
    )
    law = control.PD({"rotor.angle": "motor.torque"}, kp=30.0, kd=2.0) + compensation
    closed = control.close_loop(fb.assemble(model), law)
    assert closed.u.names == ("reference.rotor.angle", "der(reference.rotor.angle)")
    run = fb.simulate(closed, (0.0, 15.0), u={"reference.rotor.angle": 0.6})
    link, shaft = run["joint.angle"][-1], run["rotor.angle"][-1]
    weight = 0.5 * 9.81 * np.cos(link)
    assert 50.0 * (shaft - link) == pytest.approx(weight, rel=1e-6)
    assert 30.0 * (0.6 - shaft) + 0.5 * 9.81 * np.cos(0.6) == pytest.approx(weight, rel=1e-6)


def test_a_loop_around_a_loop_is_the_loop_of_both():
    """A servo inside, position control outside: the same poles as with both laws in one."""
    dae = two_masses()
    inner = control.close_loop(dae, control.PD(LOOP, kp=3.0, kd=0.4))
    outer = control.close_loop(inner, control.PD({"load.angle": "reference.wheel.angle"}, kp=0.5))
    lin = fb.linearize(dae)
    row = {name: i for i, name in enumerate(dae.x.names)}
    K = np.zeros((1, 4))
    K[0, row["wheel.angle"]], K[0, row["der(wheel.angle)"]], K[0, row["load.angle"]] = 3.0, 0.4, 3.0 * 0.5
    assert np.allclose(poles(outer), np.sort_complex(np.linalg.eigvals(lin.A - lin.B @ K)), rtol=1e-9)
    assert {"reference.wheel.angle", "motor.torque"} <= set(outer.y.names)
    pid = control.PID({"load.angle": "reference.wheel.angle"}, kp=0.5, ki=0.1, name="outer")
    twice = control.close_loop(control.close_loop(dae, control.PID(LOOP, kp=3.0, ki=1.0, kd=0.4)), pid)
    assert twice.x.names[4:] == ("pid.integral[1]", "outer.integral[1]")
    x = np.arange(1.0, 7.0)
    rates = dict(zip(twice.x.names, twice.forward_dynamics(x, [0.3] * len(twice.u), []).full().ravel(), strict=True))
    wanted = 0.5 * (0.3 - x[1]) + 0.1 * x[5]
    assert rates["outer.integral[1]"] == pytest.approx(0.3 - x[1])
    assert rates["pid.integral[1]"] == pytest.approx(wanted - x[0])


def test_a_composite_is_the_sum_and_shares_references():
    dae = two_masses()
    one, two = control.PD(LOOP, kp=3.0, kd=0.4), control.PID(LOOP, kp=1.0, ki=0.5, kd=0.1)
    closed = control.close_loop(dae, one + two)
    assert closed.u.names == ("reference.wheel.angle", "der(reference.wheel.angle)")
    single = control.close_loop(dae, control.PID(LOOP, kp=4.0, ki=0.5, kd=0.5))
    assert np.allclose(poles(closed), poles(single))
    with pytest.raises(ParameterError, match=r"pid.integral\[1\]"):
        control.close_loop(dae, two + two)


def test_everything_that_takes_a_dae_takes_a_closed_loop(tmp_path):
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    loops = {f"rotor{i}.angle": f"motor{i}.torque" for i in (1, 2)}
    closed = control.close_loop(dae, control.PID(loops, kp=5.0, ki=2.0, kd=0.5))
    u = control.follow(closed, {"rotor1.angle": control.cycloid(0.0, 1.0, 0.5)})
    run = fb.simulate(closed, (0.0, 0.6), u=u, p={"payload.mass": 0.2})
    other = fb.simulate(closed.compile(), (0.0, 0.6), u=u, p={"payload.mass": 0.2}, method="dop853")
    assert np.allclose(run.x, other.x, atol=1e-7)
    lin = fb.linearize(closed, outputs=("payload.x", "motor1.torque"))
    assert len(lin.modes()) >= 7
    export.save_linear(lin, tmp_path / "closed.mat")
    assert lin.to_control().nstates == len(closed.x)
    export.c_code(closed, tmp_path / "closed.c")
    plot.time_series(run, ["motor1.torque", "motor2.torque"])
    batch = fb.simulate_batch(closed, (0.0, 0.1), u=u, p={"payload.mass": [0.1, 0.2]})
    assert np.allclose(
        batch["rotor1.angle"].isel(run=1, time=-1), np.interp(0.1, run.t, run["rotor1.angle"]), atol=1e-5
    )


@pytest.mark.parametrize("sample_time", [None, 0.01])
def test_loops_around_arms_with_first_order_and_algebraic_variables(sample_time):
    """A current-driven motor and a spring by its compliance: idas against the algebraic variable eliminated by hand."""
    arm = joint_arm(
        beam=fb.RigidLink("link", length=0.5, mass=0.4), drive=(DCMotor("motor"), HardeningSpring("spring", cubic=0.0))
    )
    dae = fb.assemble(arm)
    assert (dae.z.names, dae.x.names[2:]) == (("spring.torque",), ("motor.current",))
    law = control.PID({"joint.angle": "motor.voltage"}, kp=30.0, ki=20.0, kd=2.0)
    closed = control.close_loop(dae, law if sample_time is None else control.Sampled(law, sample_time))
    plain = joint_arm(
        beam=fb.RigidLink("link", length=0.5, mass=0.4),
        drive=(DCMotor("motor"), ToGround("spring", stiffness=1 / 0.1)),
    )
    by_hand = fb.assemble(plain)
    other = control.close_loop(by_hand, law if sample_time is None else control.Sampled(law, sample_time))
    times = np.linspace(0, 0.5, 51)
    run, expected = (fb.simulate(loop, times, u={"reference.joint.angle": 0.4}) for loop in (closed, other))
    assert np.ptp(expected["joint.angle"]) > 0.1
    assert np.allclose(run.x, expected.x, atol=1e-6)
    assert np.allclose(run["spring.torque"], run["joint.angle"] / 0.1, atol=1e-8)
    if sample_time is None:
        assert np.allclose(poles(closed), poles(other), rtol=1e-7)


def test_a_plan_for_a_closed_loop_moves_its_references():
    closed = control.close_loop(rotor(), control.PD(LOOP, kp=2.0, kd=0.3))
    goal = optim.RestToRest(start={"wheel.angle": 0.0}, goal={"wheel.angle": 1.0}, duration=2.0)
    plan = optim.plan(closed, goal)
    assert plan.status == "converged"
    assert abs(plan.replay().end_error["wheel.angle"]) < 1e-4


@pytest.mark.slow
def test_feedforward_and_feedback_follow_a_plan():
    dae = subudhi_morris(modes=1)
    goal = {"joint1.angle": 0.5, "joint2.angle": 0.3}
    plan = optim.plan(
        dae,
        optim.RestToRest(
            start=dict.fromkeys(goal, 0.0), goal=goal, duration=1.0, objective=optim.Effort(rate_weight=0.01)
        ),
    )
    loops = {f"rotor{i}.angle": f"motor{i}.torque" for i in (1, 2)}
    closed = control.close_loop(dae, control.Feedforward() + control.PD(loops, kp=5.0, kd=0.5))
    off = {"rotor1.angle": 0.05}
    run = fb.simulate(closed, (0.0, 3.0), u=control.follow(closed, plan), x0=off)
    blind = fb.simulate(dae, (0.0, 1.0), u=plan.inputs, x0=off)
    assert abs(run["rotor1.angle"][-1] - 0.5) < 0.1 * abs(blind["rotor1.angle"][-1] - 0.5)
    exact = fb.simulate(closed, (0.0, 1.0), u=control.follow(closed, plan))
    assert np.max(np.abs(exact["error.rotor1.angle"])) < 2e-4


@pytest.mark.parametrize(
    ("law", "error", "words"),
    [
        (lambda: "PD", ParameterError, "must be a law"),
        (lambda: control.PD({"wheel.angel": "motor.torque"}, 1.0), NameUnknownError, "Did you mean wheel.angle"),
        (lambda: control.PD({"wheel.angle": "moter.torque"}, 1.0), NameUnknownError, "Did you mean motor.torque"),
        (lambda: control.PD({"der(wheel.angle)": "motor.torque"}, 1.0, 1.0), ParameterError, "no rate"),
        (lambda: control.PD(LOOP, -1.0), ParameterError, "kp"),
        (lambda: control.PD(LOOP, {"wheel": 1.0}), NameUnknownError, "Did you mean wheel.angle"),
        (lambda: control.PD({"a": "m", "b": "m"}, 1.0), ParameterError, "driven twice"),
        (lambda: control.PD("wheel.angle", 1.0), ParameterError, "dict"),
        (lambda: control.PID(LOOP, kp=1.0, ki=0.0), ParameterError, "ki"),
        (lambda: control.PID(LOOP, kp=0.0, ki=1.0), ParameterError, "tracking_time"),
        (lambda: control.GravityCompensation(posture="now"), ParameterError, "'measured' or 'reference'"),
        (lambda: control.Feedforward(["engine"]), NameUnknownError, "engine"),
        (lambda: control.Decoupling("wheel.angle"), ParameterError, "as many"),
        (lambda: control.Sum(), ParameterError, "one law or more"),
    ],
)
def test_wrong_laws_are_refused_by_name(law, error, words):
    with pytest.raises(error, match=words):
        control.close_loop(rotor(), law())


def test_wrong_loops_are_refused():
    law = control.PD(LOOP, kp=1.0)
    with pytest.raises(NameUnknownError, match=r"motor\.torque"):
        control.close_loop(rotor(), law, disturbances=["wheel.torque"])
    with pytest.raises(ParameterError, match="closed loop"):
        fb.change_coordinates(control.close_loop(rotor(), law), [[1.0]], ("a",))
    model = fb.Model("sensing")
    slide, force = model.add(fb.Prismatic("slide", axis=(1, 0, 0))), model.add(fb.ForceSource("motor"))
    cart, sensor = model.add(fb.LumpedMass("cart", mass=1.0)), model.add(fb.Accelerometer("sensor"))
    model.connect(model.add(fb.Ground("ground")).frame_b, slide.frame_a)
    model.connect(slide.frame_b, cart.frame_a, sensor.frame_a)
    model.connect(force.flange_b, slide.axis)
    dae = fb.assemble(model)
    with pytest.raises(ComputationError, match="at once"):
        control.close_loop(dae, control.PD({"sensor.acceleration_x": "motor.force"}, kp=1.0))
    closed = control.close_loop(rotor(), law)
    for wanted in ({"wheel.angel": 1.0}, {"wheel.angle": "far"}, {"wheel.angle": lambda t: float(t)}, 3):
        with pytest.raises(FlexblocksError):
            control.follow(closed, wanted)
