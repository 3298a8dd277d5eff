"""Gains along a motion, against Riccati's equation and the stationary regulator."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import solve_ivp

import flexblocks as fb
from arms.driven import two_masses, upright_arm
from flexblocks import control
from flexblocks.control.design.quadratic_cost import state_weight
from flexblocks.errors import ParameterError


def test_on_a_linear_arm_the_gain_is_that_of_the_stationary_regulator():
    dae = two_masses()
    run = fb.simulate(dae, np.linspace(0, 1, 101), u={"motor.torque": fb.bang_bang(0.3, 0.5)})
    _, K = control.TimeVaryingLQR(run, {"load.angle": 5.0}, 0.5).gains(dae)
    assert np.allclose(K, control.LQR({"load.angle": 5.0}, R=0.5).gain(dae), rtol=1e-6)


@pytest.fixture(scope="module")
def motion():
    """A rigid arm moved by computed torque, and what moved it."""
    dae = upright_arm(links=2, modes=0)
    closed = control.close_loop(dae, control.ComputedTorque(100.0, 20.0))
    goal = {"joint1.angle": control.quintic(0.0, 1.5, 1.0), "joint2.angle": control.quintic(0.0, -1.0, 1.0)}
    run = fb.simulate(closed, np.linspace(0, 1, 401), u=control.follow(closed, goal))
    u = np.column_stack([run["motor1.torque"], run["motor2.torque"]])
    times = np.linspace(0, 1, 401)
    return dae, fb.simulate(dae, times, u={f"motor{i + 1}.torque": (times, u[:, i]) for i in range(2)}, x0=run.x[0, :4])


WEIGHTS = {"joint1.angle": 50.0, "joint2.angle": 20.0}


def test_gains_follow_riccatis_equation(motion):
    dae, run = motion
    law = control.TimeVaryingLQR(run, WEIGHTS, 0.1)
    times, K = law.gains(dae)

    def matrices(t):
        x = np.array([np.interp(t, run.t, column) for column in run.x.T])
        u = np.array([np.interp(t, run.t, column) for column in run.u.T])
        h = 1e-6
        f = lambda x, u: dae.forward_dynamics(x, u, []).full().ravel()  # noqa: E731
        A = np.column_stack([(f(x + h * e, u) - f(x - h * e, u)) / (2 * h) for e in np.eye(4)])
        B = np.column_stack([(f(x, u + h * e) - f(x, u - h * e)) / (2 * h) for e in np.eye(2)])
        return A, B

    lin = fb.linearize(dae)
    Q, R = state_weight(lin, WEIGHTS, ""), 0.1 * np.eye(2)
    A, B = matrices(1.0)
    end = scipy.linalg.solve_continuous_are(A, B, Q, R)

    def rates(t, flat):
        A, B = matrices(t)
        P = flat.reshape(4, 4)
        return -(A.T @ P + P @ A - P @ B @ np.linalg.solve(R, B.T @ P) + Q).ravel()

    found = solve_ivp(rates, (1.0, 0.0), end.ravel(), t_eval=[0.5, 0.0], rtol=1e-6, atol=1e-6).y
    for t, flat in zip((0.5, 0.0), found.T, strict=True):
        expected = np.linalg.solve(R, matrices(t)[1].T @ flat.reshape(4, 4))
        assert np.allclose(K[int(np.argmin(np.abs(times - t)))], expected, atol=2e-3 * np.abs(expected).max())
    assert np.ptp(K[:, 0, 0]) > 0.01 * K[0, 0, 0]


def test_a_disturbed_start_comes_back_to_the_motion(motion):
    dae, run = motion
    law = control.TimeVaryingLQR(run, WEIGHTS, 0.1)
    closed = control.close_loop(dae, law)
    u = law.signals(dae, closed)
    start = dict(zip(dae.x.names, run.x[0], strict=True))
    exact = fb.simulate(closed, np.linspace(0, 1, 101), u=u, x0=start)
    assert np.allclose(exact.x, run.x[::4], atol=1e-3)
    back = fb.simulate(closed, np.linspace(0, 1.5, 151), u=u, x0=start | {"joint1.angle": 0.2})
    assert abs(back["joint1.angle"][0] - run["joint1.angle"][0]) == pytest.approx(0.2, abs=1e-9)
    assert abs(back["joint1.angle"][-1] - run["joint1.angle"][-1]) < 0.01


def test_it_needs_a_motion():
    with pytest.raises(ParameterError, match="Trajectory or a Plan"):
        control.TimeVaryingLQR(3.0, WEIGHTS).gains(upright_arm())


@pytest.mark.slow
def test_lqg_along_a_motion_brings_an_arm_back_that_starts_elsewhere(motion):
    """Angles alone are measured; an extended Kalman filter knows nothing of the offset at the start."""
    dae, run = motion
    law = control.TimeVaryingLQR(run, WEIGHTS, 0.1)
    kalman = control.Kalman(
        ["joint1.angle", "joint2.angle"],
        process={"motor1.torque": 1e-2, "motor2.torque": 1e-2},
        noise=1e-7,
        equations="extended",
    )
    start = {"joint1.angle": 0.05, "joint2.angle": -0.05}

    def missed(law, signals):
        closed = control.close_loop(dae, law)
        return np.abs(fb.simulate(closed, run.t, u=signals(closed), x0=start).x[-1, :4] - run.x[-1]).max()

    along = missed(control.LQG(law, kalman), lambda closed: law.signals(dae, closed))
    alone = missed(control.Feedforward(["motor1.torque", "motor2.torque"]), lambda closed: control.follow(closed, run))
    known = missed(law, lambda closed: law.signals(dae, closed))
    assert alone > 0.1
    assert along < 0.05 * alone
    assert along == pytest.approx(known, abs=5e-3)
