"""The regulator against python-control, closed forms and its own definition."""

from __future__ import annotations

import control as python_control
import numpy as np
import pytest

import flexblocks as fb
from arms.driven import INERTIA, driven_links, rotor, two_masses
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError


def test_a_rotor_has_the_gain_of_the_closed_form():
    """Double integrator, Q = diag(q, 0): K = (sqrt(q/r), sqrt(2 J sqrt(q/r)))."""
    q, r = 9.0, 4.0
    K = control.LQR({"wheel.angle": q}, R=r).gain(rotor())
    assert np.allclose(K, [[np.sqrt(q / r), np.sqrt(2 * INERTIA * np.sqrt(q / r))]], rtol=1e-10)


def test_it_is_the_gain_of_python_control():
    dae = subudhi_morris(modes=1, joints="rigid")
    lin = fb.linearize(dae)
    rng = np.random.default_rng(3)
    root = rng.normal(size=(len(dae.x),) * 2)
    Q, R = root @ root.T, np.array([[2.0, 0.3], [0.3, 1.0]])
    expected, _, poles = python_control.lqr(lin.A, lin.B, Q, R, method="scipy")
    law = control.LQR(Q, R)
    assert np.allclose(law.gain(dae), expected, rtol=1e-7)
    found = np.linalg.eigvals(fb.linearize(control.close_loop(dae, law)).A)
    assert np.allclose(np.sort_complex(found), np.sort_complex(poles), rtol=1e-6)


@pytest.mark.parametrize("size", [1e-4, 1e2])
def test_an_arm_of_any_size_has_the_gain_of_a_similar_one(size):
    """Lengths times s, masses s^3, gravity 1/s: rates times 1/s, torques s^3, and so are weights and gains."""

    def arm(s):
        a, density = 0.04 * s, 2700.0
        mass = density * a * a * s * 0.1
        tube = {"section": fb.Tube(outer=a, inner=0.8 * a), "material": fb.Material(density, 7e10, 0.3)}
        link = fb.FlexibleBeam("link1", s, discretization=fb.FiniteElements(2), damping_ratio=0.01, **tube)
        return driven_links(link, load=fb.Payload("load", mass, mass * s * s * 1e-3), gravity=9.81 / s)

    def gain(s):
        dae = arm(s)
        at = fb.equilibrium(dae, x={"joint1.angle": 0.2})
        weights = {"joint1.angle": 1e2, "elastic_energy": 1e-5 / s**3}
        K = control.LQR(weights, R={"motor1.torque": 1e-3 / s**6}, at=at).gain(dae)
        units = [s if unit in ("m", "m/s") else 1.0 for unit in dae.x.units]
        rates = np.repeat([1.0, 1.0 / s], len(dae.x) // 2)
        return K * units * np.where(np.array(dae.x.units) == "m/s", 1.0 / s, rates) / s**3

    assert np.allclose(gain(size), gain(1.0), rtol=1e-5, atol=1e-6 * np.abs(gain(1.0)).max())


def test_weights_by_name_are_the_matrix_of_energy_and_errors():
    """Theodore & Ghosal's second loop: 4e4 on joint errors, 400 times twice the elastic energy."""
    dae = two_masses(stiffness=20.0)
    spring = np.zeros((4, 4))
    spring[:2, :2] = 20.0 * np.array([[1, -1], [-1, 1]])
    Q = np.diag([4e4, 0, 0, 0]) + 400 * spring
    by_name = control.LQR({"wheel.angle": 4e4, "elastic_energy": 800.0})
    assert np.allclose(by_name.gain(dae), control.LQR(Q).gain(dae), rtol=1e-9)


def test_the_cost_from_a_start_is_the_least():
    """x0' P x0, and any other gain costs more."""
    dae = two_masses()
    law = control.LQR({"load.angle": 5.0}, R=0.5)
    lin = fb.linearize(dae)
    row = np.eye(4)[dae.x.index("load.angle")]
    _, P, _ = python_control.lqr(lin.A, lin.B, 5.0 * np.outer(row, row), [[0.5]], method="scipy")
    x0 = np.array([0.3, 0.1, 0.0, -0.2])
    run = fb.simulate(control.close_loop(dae, law), np.linspace(0, 25, 8001), x0=x0)
    cost = np.trapezoid(5.0 * run["load.angle"] ** 2 + 0.5 * run["motor.torque"] ** 2, run.t)
    assert cost == pytest.approx(x0 @ P @ x0, rel=1e-4)


def test_about_a_point_it_holds_the_weight_there():
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    joint, motor = model.add(fb.Revolute("joint")), model.add(fb.TorqueSource("motor"))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, model.add(fb.Payload("bob", mass=1.0, center=(0.5, 0.0, 0.0))).frame_a)
    model.connect(motor.flange_b, joint.axis)
    dae = fb.assemble(model)
    op = fb.equilibrium(dae, {"joint.angle": 0.7})
    law = control.LQR({"joint.angle": 10.0}, at=op, references=("joint.angle",))
    closed = control.close_loop(dae, law)
    assert closed.u.names == ("reference.joint.angle",)
    run = fb.simulate(closed, (0.0, 10.0), u={"reference.joint.angle": 0.7})
    assert run["joint.angle"][-1] == pytest.approx(0.7, abs=1e-6)
    assert run["motor.torque"][-1] == pytest.approx(0.5 * 9.81 * np.cos(0.7), rel=1e-6)


def test_the_second_loop_of_a_decoupled_arm():
    """Theodore & Ghosal, eq 37: the regulator drives the accelerations that decoupling makes of the inputs."""
    dae = subudhi_morris(modes=1, joints="rigid")
    joints = ["joint1.angle", "joint2.angle"]
    decoupled = control.close_loop(dae, control.Decoupling(joints))
    assert decoupled.u.names == tuple(f"der(reference.{name},2)" for name in joints)
    law = control.LQR({"joint1.angle": 4e4, "joint2.angle": 4e4, "elastic_energy": 800.0})
    closed = control.close_loop(decoupled, law)
    before, after = fb.linearize(decoupled), fb.linearize(closed)
    assert np.allclose(before.B[[before.states.index(f"der({name})") for name in joints]], np.eye(2), atol=1e-10)
    assert np.allclose(after.A, before.A - before.B @ law.gain(decoupled), atol=1e-6)
    assert np.max(np.linalg.eigvals(after.A).real) < -0.01


@pytest.mark.parametrize(
    ("law", "error", "words"),
    [
        (control.LQR({"wheel.angel": 1.0}), NameUnknownError, "Did you mean wheel.angle"),
        (control.LQR({"wheel.angle": -1.0}), ParameterError, "Q"),
        (control.LQR(np.eye(3)), ParameterError, r"\(4, 4\)"),
        (control.LQR(-np.eye(4)), ParameterError, "eigenvalue"),
        (control.LQR({"wheel.angle": 1.0}, R=0.0), ParameterError, "R"),
        (control.LQR({"wheel.angle": 1.0}, R=[[-1.0]]), ParameterError, "positive definite"),
        (control.LQR({"elastic_energy": 1.0}), ComputationError, "does not weight"),
        (control.LQR({"wheel.angle": 1.0}, references=["load.angel"]), NameUnknownError, "load.angle"),
        (control.LQR({"wheel.angle": 1.0}, inputs=["engine"]), NameUnknownError, "engine"),
    ],
)
def test_wrong_regulators_are_refused(law, error, words):
    with pytest.raises(error, match=words):
        control.close_loop(two_masses(), law)


def test_what_no_input_reaches_is_refused():
    model = fb.Model("two rotors")
    model.add(fb.Ground("ground"))
    motor = model.add(fb.TorqueSource("motor"))
    for i in (1, 2):
        wheel = model.add(fb.Rotor(f"wheel{i}", inertia=0.1))
        if i == 1:
            model.connect(motor.flange_b, wheel.flange_a)
    dae = fb.assemble(model)
    with pytest.raises(ComputationError, match="no input acts on"):
        control.close_loop(dae, control.LQR({"wheel1.angle": 1.0, "wheel2.angle": 1.0}))
