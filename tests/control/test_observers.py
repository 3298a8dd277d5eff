"""Observers: separation, python-control's gains, and estimates that find the state."""

from __future__ import annotations

from functools import cache

import control as python_control
import numpy as np
import pytest
from scipy.integrate import simpson

import flexblocks as fb
from arms.driven import two_masses, upright_arm
from flexblocks import control
from flexblocks.control.design.zero_order_hold import sampled_matrices
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError

LAW = control.LQR({"load.angle": 5.0, "wheel.angle": 0.1}, R=0.5)
KALMAN = control.Kalman(["wheel.angle"], process={"motor.torque": 1e-2}, noise=1e-4)


def sorted_poles(*matrices: np.ndarray) -> np.ndarray:
    return np.sort_complex(np.concatenate([np.linalg.eigvals(matrix) for matrix in matrices]))


def test_separation_the_poles_of_lqg_are_those_of_both():
    dae = two_masses()
    closed = control.close_loop(dae, control.LQG(LAW, KALMAN))
    lin = fb.linearize(dae, outputs=["wheel.angle"])
    expected = sorted_poles(lin.A - lin.B @ LAW.gain(dae), lin.A - KALMAN.gain(lin) @ lin.C)
    assert np.allclose(sorted_poles(fb.linearize(closed).A), expected, rtol=1e-7)
    assert closed.x.names[4:] == (
        "estimate.wheel.angle",
        "estimate.load.angle",
        "der(estimate.wheel.angle)",
        "der(estimate.load.angle)",
    )


def test_separation_holds_sampled_too():
    dae, T = two_masses(), 0.05
    z = control.multipliers(control.close_loop(dae, control.Sampled(control.LQG(LAW, KALMAN), T)))
    lin = fb.linearize(dae, outputs=["wheel.angle"])
    Ad, Bd = sampled_matrices(lin.A, lin.B, T)
    expected = sorted_poles(Ad - Bd @ LAW.gain(dae, T), Ad - KALMAN.gain(lin, T) @ lin.C)
    assert np.allclose(np.sort_complex(z[:-1]), expected, rtol=1e-7)
    assert z[-1] == pytest.approx(0, abs=1e-9)  # what was held is forgotten


def test_gains_are_those_of_python_control():
    dae, T = two_masses(), 0.02
    kalman = control.Kalman(
        ["wheel.angle", "load.angle"], process={"motor.torque": 0.3, "der(load.angle)": 0.1}, noise=[1e-3, 2e-3]
    )
    lin = fb.linearize(dae, outputs=["wheel.angle", "load.angle"])
    W = 0.3 * lin.B @ lin.B.T
    W[3, 3] += 0.1
    expected, _, _ = python_control.lqe(lin.A, np.eye(4), lin.C, W, np.diag([1e-3, 2e-3]), method="scipy")
    assert np.allclose(kalman.gain(lin), expected, rtol=1e-8)
    Ad, _ = sampled_matrices(lin.A, lin.B, T)
    steps = np.linspace(0, T, 41)
    flows = [sampled_matrices(lin.A, lin.B, step)[0] for step in steps]
    Wd = simpson([F @ W @ F.T for F in flows], x=steps, axis=0)
    discrete, _, _ = python_control.dlqe(Ad, np.eye(4), lin.C, Wd, np.diag([1e-3, 2e-3]) / T, method="scipy")
    assert np.allclose(kalman.gain(lin, T), discrete, rtol=1e-6)


def test_a_luenberger_observer_has_its_poles():
    dae = two_masses()
    poles = [-10, -12, -20 + 5j, -20 - 5j]
    observer = control.Luenberger(["wheel.angle"], poles=poles)
    closed = control.close_loop(dae, control.OutputFeedback(LAW, observer))
    lin = fb.linearize(dae)
    expected = np.sort_complex(np.concatenate([np.linalg.eigvals(lin.A - lin.B @ LAW.gain(dae)), poles]))
    assert np.allclose(sorted_poles(fb.linearize(closed).A), expected, rtol=1e-4)
    sampled = control.close_loop(dae, control.Sampled(control.OutputFeedback(LAW, observer), 0.01))
    z = control.multipliers(sampled)
    assert all(np.min(np.abs(z - np.exp(0.01 * pole))) < 1e-5 for pole in poles)


@pytest.mark.parametrize("equations", ["linear", "nonlinear", "extended"])
def test_the_estimate_finds_the_state(equations):
    """Wheel measured alone; the estimate starts wrong and ends right. On a linear arm all three are one."""
    dae = two_masses()
    observer = control.Kalman(["wheel.angle"], process={"motor.torque": 1e-2}, noise=1e-4, equations=equations)
    closed = control.close_loop(dae, control.LQG(LAW, observer))
    run = fb.simulate(closed, (0.0, 6.0), x0={"load.angle": 0.3})
    linear = fb.simulate(control.close_loop(dae, control.LQG(LAW, KALMAN)), (0.0, 6.0), x0={"load.angle": 0.3})
    error = np.abs(run["estimate.load.angle"] - run["load.angle"])
    assert error[0] == pytest.approx(0.3)
    assert error[-1] < 1e-3 * error[0]
    assert np.allclose(run["load.angle"], linear["load.angle"], atol=1e-6)


def test_full_equations_estimate_what_linear_ones_miss():
    """A swinging arm, far from where it was linearised: the motion is the same, the linear estimate is off."""
    dae = upright_arm(links=1, modes=1, damping=0.05)
    at = fb.equilibrium(dae, {"joint1.angle": -np.pi / 2})
    off = {}
    for equations in ("linear", "nonlinear", "extended"):
        observer = control.Kalman(["joint1.angle"], at, None, equations, process={"motor1.torque": 1e-2}, noise=1e-6)
        law = control.OutputFeedback(control.PD({"joint1.angle": "motor1.torque"}, 0.0, 0.05), observer)
        closed = control.close_loop(dae, law)
        start = {name: at[name] for name in dae.x.names} | {"joint1.angle": -0.4}
        start |= {"estimate.joint1.angle": -0.4}
        run = fb.simulate(closed, (0.0, 1.5), x0=start)
        off[equations] = np.max(np.abs(run["der(estimate.joint1.angle)"] - run["der(joint1.angle)"]))
    assert off["nonlinear"] < 1e-3
    assert off["extended"] < 1e-2
    assert off["linear"] > 0.05


def test_the_observer_knows_the_limits():
    """A saturated input: the estimate stays exact, since it gets what the arm gets."""
    limited = fb.Model("limited")
    limited.add(fb.Ground("ground"))
    motor, wheel = limited.add(fb.TorqueSource("motor", limit=0.05)), limited.add(fb.Rotor("wheel", inertia=0.1))
    spring = limited.add(fb.TorsionalSpring("spring", stiffness=20.0, damping=0.05))
    load = limited.add(fb.Rotor("load", inertia=0.3))
    limited.connect(motor.flange_b, wheel.flange_a)
    limited.connect(wheel.flange_b, spring.flange_a)
    limited.connect(spring.flange_b, load.flange_a)
    dae = fb.assemble(limited)
    closed = control.close_loop(dae, control.LQG(LAW, KALMAN))
    start = {"load.angle": 0.5, "wheel.angle": 0.5, "estimate.load.angle": 0.5, "estimate.wheel.angle": 0.5}
    run = fb.simulate(closed, (0.0, 2.0), x0=start)
    assert np.max(np.abs(run["command.motor.torque"])) > 0.5
    assert np.max(np.abs(run["estimate.load.angle"] - run["load.angle"])) < 1e-7


def kalman(measured=("wheel.angle",), **changes):
    given = {"process": {"motor.torque": 1.0}, "noise": 1.0} | changes
    return control.LQG(LAW, control.Kalman(measured, **given))


def luenberger(poles):
    return control.OutputFeedback(LAW, control.Luenberger(["wheel.angle"], poles=poles))


@cache
def cart():
    """A mass on a slide with an accelerometer: what is measured depends on the force at once."""
    model = fb.Model("cart")
    slide, force = model.add(fb.Prismatic("slide", axis=(1, 0, 0))), model.add(fb.ForceSource("motor"))
    mass, sensor = model.add(fb.LumpedMass("cart", mass=2.0)), model.add(fb.Accelerometer("sensor"))
    model.connect(model.add(fb.Ground("ground")).frame_b, slide.frame_a)
    model.connect(slide.frame_b, mass.frame_a, sensor.frame_a)
    model.connect(force.flange_b, slide.axis)
    return fb.assemble(model)


def test_an_observer_feels_disturbances_through_an_accelerometer_only():
    """Position and acceleration measured: y = (x, (u + d)/m), of which the observer knows u."""
    dae = cart()
    kalman = control.Kalman(
        ["slide.displacement", "sensor.acceleration_x"], process={"motor.force": 1.0}, noise=[1e-2, 1e-1]
    )
    law = control.LQG(control.LQR({"slide.displacement": 1.0}), kalman)
    closed = control.close_loop(dae, law, disturbances=True)
    lin = fb.linearize(dae, outputs=kalman.measured)
    L, K = kalman.gain(lin), law.law.gain(dae)
    x, e, d = np.array([0.3, -0.2]), np.array([0.1, 0.4]), 0.7
    rates = closed.forward_dynamics([*x, *(x + e)], [d], []).full().ravel()
    u = -K @ (x + e)
    y = lin.C @ x + lin.D @ (u + d)
    expected = lin.A @ (x + e) + lin.B @ u + L @ (y - lin.C @ (x + e) - lin.D @ u)
    assert np.allclose(rates, [*(lin.A @ x + lin.B @ (u + d)), *expected])


def test_a_sampled_law_may_feed_back_an_acceleration():
    """u[k+1] = -k a(before the sample): the acceleration of the force held until then, disturbance included."""
    dae = cart()
    law = control.Sampled(control.PD({"sensor.acceleration_x": "motor.force"}, kp=0.8), 0.1)
    closed = control.close_loop(dae, law, disturbances=True)
    run = fb.simulate(closed, np.arange(0, 6) * 0.1, u={"disturbance.motor.force": 1.0})
    held, expected = 0.0, []
    for _ in range(5):
        held = -0.8 * (held + 1.0) / 2.0
        expected.append(held + 1.0)
    assert np.allclose(run["motor.force"][:5], expected, atol=1e-9)


@pytest.mark.parametrize(
    ("law", "error", "words"),
    [
        (lambda: kalman(["wheel.angel"]), NameUnknownError, "wheel.angle"),
        (lambda: kalman([]), ParameterError, "nothing is measured"),
        (lambda: kalman(process={}), ParameterError, "process"),
        (lambda: kalman(process={"motor": 1}), NameUnknownError, "motor.torque"),
        (lambda: kalman(noise=0), ParameterError, "noise"),
        (lambda: kalman(["der(wheel.angle)"]), ComputationError, "nothing measured shows"),
        (lambda: kalman(equations="full"), ParameterError, "equations"),
        (lambda: luenberger([-1, -2]), ParameterError, "4 numbers"),
        (lambda: luenberger([-1, -1, -1, -2]), ComputationError, "placed"),
        (lambda: control.OutputFeedback(LAW, "Kalman"), ParameterError, "Observer"),
    ],
)
def test_wrong_observers_are_refused(law, error, words):
    with pytest.raises(error, match=words):
        control.close_loop(two_masses(), law())


def test_a_law_on_states_that_are_not_estimated_is_refused():
    coarse, fine = upright_arm(links=1, modes=1), upright_arm(links=1, modes=2)
    law = control.LQR({"joint1.angle": 1.0})
    observer = control.Kalman(["joint1.angle"], model=coarse, process={"motor1.torque": 1.0}, noise=1.0)
    with pytest.raises(ParameterError, match=r"bending_y\[2\]"):
        control.close_loop(fine, control.LQG(law, observer))
