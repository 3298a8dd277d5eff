"""Sampled laws: on a linear arm, exactly what matrix exponentials give."""

from __future__ import annotations

import control as python_control
import numpy as np
import pytest
import scipy.linalg

import flexblocks as fb
from arms.driven import INERTIA, rotor, two_masses, upright_arm
from flexblocks import control, optim
from flexblocks.errors import ParameterError

T = 0.05
START = {"load.angle": 0.3, "der(wheel.angle)": 1.0}
LAW = control.LQR({"load.angle": 5.0, "wheel.angle": 0.1}, R=0.5)


def exact(lin: fb.LinearModel, K: np.ndarray, x: np.ndarray, delay: float, times: np.ndarray) -> np.ndarray:
    """Return x (k, nx) under u = -K x of the last sample whose delay has passed, from event to event."""
    end = times[-1]
    samples = np.arange(0.0, end + T, T)
    events = np.unique(np.round(np.concatenate([times, samples, samples + delay]), 10))
    computed, held, found = {}, np.zeros(len(K)), []
    nx, nu = lin.B.shape
    coupled = np.block([[lin.A, lin.B], [np.zeros((nu, nx + nu))]])
    flows = {}  # the steps between events are few different ones
    for now, following in zip(events, [*events[1:], events[-1] + T], strict=True):
        if np.min(np.abs(samples - now)) < 1e-9:
            computed[round(now / T)] = -K @ x
        k = (now - delay) / T
        if abs(k - round(k)) < 1e-7 and round(k) in computed:
            held = computed[round(k)]
        if np.min(np.abs(times - now)) < 1e-9:
            found.append(x)
        step = round(following - now, 10)
        if step not in flows:
            flows[step] = scipy.linalg.expm(coupled * step)
        F = flows[step]
        x = F[:nx, :nx] @ x + F[:nx, nx:] @ held
    return np.array(found)


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.07, 0.1])
def test_a_held_law_on_a_linear_arm_is_the_exact_discrete_solution(delay):
    dae = two_masses()
    closed = control.close_loop(dae, control.Sampled(LAW, T, delay))
    times = np.arange(0, 81) * T / 2  # at the samples and between them
    run = fb.simulate(closed, times, x0=START, rtol=1e-11, atol=1e-13)
    expected = exact(fb.linearize(dae), LAW.gain(dae, T), dae.x.values(START), delay, times)
    assert np.allclose(run.x[:, :4], expected, atol=1e-9)


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.07])
def test_poles_in_z_are_the_decay_of_that_solution(delay):
    dae = two_masses()
    closed = control.close_loop(dae, control.Sampled(LAW, T, delay))
    z = control.multipliers(closed)
    times = np.arange(0, 401) * T
    x = exact(fb.linearize(dae), LAW.gain(dae, T), dae.x.values(START), delay, times)
    # The slowest pair alone is left at the end: a recurrence of second order with its poles.
    assert z[0] == pytest.approx(np.conj(z[1]))
    signal = x[300:, 1]
    left = signal[2:] - 2 * z[0].real * signal[1:-1] + abs(z[0]) ** 2 * signal[:-2]
    assert np.max(np.abs(left)) < 1e-4 * np.max(np.abs(signal))


def test_the_discrete_gain_is_that_of_python_control():
    """On the double integrator, with the cost between samples: its exact discrete weights by hand."""
    dae = rotor()
    b = 1 / INERTIA
    Ad, Bd = np.array([[1, T], [0, 1]]), np.array([[b * T**2 / 2], [b * T]])
    Q = 9.0 * np.array([[T, T**2 / 2], [T**2 / 2, T**3 / 3]])
    N = 9.0 * b * np.array([[T**3 / 6], [T**4 / 8]])
    R = np.array([[4.0 * T + 9.0 * b**2 * T**5 / 20]])
    expected, _, _ = python_control.dlqr(Ad, Bd, Q, R, N, method="scipy")
    law = control.LQR({"wheel.angle": 9.0}, R=4.0)
    assert np.allclose(law.gain(dae, T), expected, rtol=1e-9)
    assert np.allclose(law.gain(dae, 1e-5), law.gain(dae), rtol=1e-3)


def test_a_sampled_pid_is_eulers_sum():
    dae = rotor()
    law = control.PID({"wheel.angle": "motor.torque"}, kp=2.0, ki=1.5, kd=0.3)
    closed = control.close_loop(dae, control.Sampled(law, T))
    run = fb.simulate(closed, np.arange(0, 41) * T, {"reference.wheel.angle": 1.0})
    angle, rate, total, torque = 0.0, 0.0, 0.0, []
    for _ in run.t:
        u = 2.0 * (1 - angle) + 1.5 * total - 0.3 * rate
        torque.append(u)
        total += T * (1 - angle)
        angle, rate = angle + T * rate + u / INERTIA * T**2 / 2, rate + u / INERTIA * T
    # The last sample ends the run: what is computed there acts after it.
    assert np.allclose(run["motor.torque"][:-1], torque[:-1], atol=1e-7)


def test_limits_and_anti_windup_work_sampled():
    dae = rotor(limit=0.2)
    overshoot = []
    for tracking in (0.5, 1e6):
        law = control.PID({"wheel.angle": "motor.torque"}, kp=2.0, ki=1.5, kd=0.6, tracking_time=tracking)
        closed = control.close_loop(dae, control.Sampled(law, 0.02))
        run = fb.simulate(closed, np.linspace(0, 16, 161), u={"reference.wheel.angle": 3.0})
        assert np.max(np.abs(run["motor.torque"])) <= 0.2
        assert np.max(np.abs(run["command.motor.torque"])) > 0.2
        overshoot.append(run["wheel.angle"].max() - 3.0)
    assert overshoot[0] < 0.6 * overshoot[1]


def test_the_trajectory_shows_commands_after_the_sample_and_holds_them():
    dae = two_masses()
    run = fb.simulate(control.close_loop(dae, control.Sampled(LAW, T)), np.arange(0, 101) * T / 10, x0=START)
    u = run["motor.torque"][:100].reshape(10, 10)
    assert np.all(u == u[:, :1])
    assert np.allclose(u[:, 0], -(LAW.gain(dae, T) @ run.x[:100:10, :4].T), atol=1e-12)


def test_sampled_and_continuous_laws_together():
    """Gravity compensation in analogue, PD sampled fast: close to both continuous."""
    dae = upright_arm(links=1, modes=0, damping=0.2)
    pd = control.PD({"joint1.angle": "motor1.torque"}, kp=30.0, kd=3.0)
    compensation = control.GravityCompensation()
    smooth, stepped = (
        fb.simulate(control.close_loop(dae, law + compensation), (0.0, 1.0), {"reference.joint1.angle": 0.5})
        for law in (pd, control.Sampled(pd, 1e-3))
    )
    assert np.allclose(smooth["joint1.angle"], stepped["joint1.angle"], atol=3e-3)
    assert not np.allclose(smooth["joint1.angle"], stepped["joint1.angle"], atol=1e-6)


def test_two_clocks_in_one_loop():
    dae = upright_arm(links=2, modes=0, damping=0.2)
    laws = [
        control.Sampled(control.PD({f"joint{i}.angle": f"motor{i}.torque"}, 30.0, 3.0), time, name=f"held{i}")
        for i, time in ((1, 0.01), (2, 0.004))
    ]
    closed = control.close_loop(dae, laws[0] + laws[1])
    assert closed.x.names[-2:] == ("held1.motor1.torque", "held2.motor2.torque")
    run = fb.simulate(closed, np.arange(0, 101) * 1e-3)
    changes = [np.flatnonzero(np.diff(run[f"motor{i}.torque"])) + 1 for i in (1, 2)]
    assert set(changes[0]) <= set(range(0, 101, 10))
    assert set(changes[1]) <= set(range(0, 101, 4))
    assert len(changes[1]) > 20


def test_a_sampled_run_in_two_parts_is_the_run():
    closed = control.close_loop(two_masses(), control.Sampled(LAW, T))
    whole = fb.simulate(closed, np.linspace(0, 1, 21), x0=START)
    first = fb.simulate(closed, np.linspace(0, 0.5, 11), x0=START)
    second = fb.simulate(closed, np.linspace(0.5, 1, 11), x0=first.x[-1])
    assert np.allclose(whole.x[10:], second.x, atol=1e-7)


def test_runs_of_a_batch_are_sampled_too():
    closed = control.close_loop(two_masses(), control.Sampled(LAW, T, delay=0.02))
    batch = fb.simulate_batch(closed, (0.0, 0.5), x0={"load.angle": [0.3, -0.1]})
    run = fb.simulate(closed, (0.0, 0.5), x0={"load.angle": -0.1})
    assert np.allclose(batch["load.angle"].isel(run=1), run["load.angle"], atol=1e-8)


def test_what_needs_equations_for_all_times_refuses_a_sampled_loop():
    closed = control.close_loop(rotor(), control.Sampled(control.PD({"wheel.angle": "motor.torque"}, 2.0, 0.3), T))
    problem = optim.RestToRest(start={"wheel.angle": 0.0}, goal={"wheel.angle": 1.0}, duration=1.0)
    for use in (fb.linearize, fb.equilibrium, lambda dae: optim.plan(dae, problem)):
        with pytest.raises(ParameterError, match="sample times only"):
            use(closed)
    with pytest.raises(ParameterError, match="continuous time"):
        control.multipliers(rotor())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda law: control.Sampled(law, 0.0), "sample_time"),
        (lambda law: control.Sampled(law, float("nan")), "sample_time"),
        (lambda law: control.Sampled(law, 0.1, -0.1), "delay"),
        (lambda law: control.Sampled("PD", 0.1), "must be a law"),
        (lambda law: control.Sampled(control.Sampled(law, 0.1), 0.1), "Sampled itself"),
    ],
)
def test_wrong_sampling_is_refused(make, words):
    with pytest.raises(ParameterError, match=words):
        control.close_loop(rotor(), make(control.PD({"wheel.angle": "motor.torque"}, 2.0)))
