"""Runs that breakpoints and samples interrupt often: explicit steps go through them, and end where they should."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import upright_arm
from arms.sampled_loop import REFERENCE, sampled_loop
from flexblocks import control

TIMES = np.linspace(0.0, 0.1, 21)
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def staircase() -> fb.PiecewisePolynomial:
    """A torque of 100 steps, some of them at output times."""
    return fb.piecewise_constant(1e-3 * np.arange(100), np.random.default_rng(0).uniform(-0.5, 0.5, 100))


@pytest.mark.parametrize("method", ["rk8", "rk43"])
def test_a_staircase_of_torques(method: str) -> None:
    """An unloaded wheel: its speed is the integral, exactly at each step; a step that crossed a jump would miss it."""
    model = fb.Model("wheel")
    model.add(fb.Ground("ground"))
    motor, wheel = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("wheel", inertia=0.02))
    model.connect(motor.flange_b, wheel.flange_a)
    torque = staircase()
    run = fb.simulate(fb.assemble(model), TIMES, {"motor.torque": torque}, method=method)
    speed = np.array([torque.pieces.integrate(0.0, t) for t in TIMES]) / 0.02
    np.testing.assert_allclose(run["der(wheel.angle)"], speed, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(run["motor.torque"], torque(TIMES))


def test_inputs_that_bend_often() -> None:
    """Tables of 100 rows and functions with breakpoints, as by SUNDIALS, segment by segment."""
    dae = upright_arm(links=2, modes=0)
    rows = np.linspace(0.0, 0.1, 100)
    u = {
        "motor1.torque": (rows, np.random.default_rng(1).uniform(-0.5, 0.5, 100)),
        "motor2.torque": fb.Signal(lambda t: 0.1 * np.sin(50 * t), breakpoints=[0.03]),
    }
    crossed, stopped = (fb.simulate(dae, TIMES, u, method=method, **TIGHT) for method in ("rk8", "adams"))
    np.testing.assert_allclose(crossed.x, stopped.x, rtol=0, atol=1e-9)
    np.testing.assert_allclose(crossed.energy, stopped.energy, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(crossed.u, stopped.u)


@pytest.mark.parametrize(
    ("method", "delay", "sample_time"), [("rk8", 0.0, 1e-3), ("rk43", 2.5e-3, 1e-3), ("auto", 0.4e-3, 3e-3)]
)
def test_explicit_steps_tick_as_runs_that_stop_do(method: str, delay: float, sample_time: float) -> None:
    loop, times = sampled_loop(delay, sample_time), 1e-3 * np.arange(31)
    expected = fb.simulate(loop, times, {REFERENCE: 1.0}, method="adams", **TIGHT)
    run = fb.simulate(loop, times, {REFERENCE: 1.0}, method=method, rtol=1e-10)
    np.testing.assert_allclose(run.x, expected.x, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.y, expected.y, rtol=0, atol=1e-7)
    held = [i for i, name in enumerate(loop.x.names) if name.startswith("held.")]
    assert np.ptp(run.x[:, held]) > 1.0


def test_what_becomes_stiff_ticks_likewise() -> None:
    """A wheel in oil decays in a microsecond: the explicit method leaves it to BDF, sample by sample."""
    model = fb.Model("wheel in oil")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", damping=1.0))
    motor, link = model.add(fb.TorqueSource("motor")), model.add(fb.RigidLink("link", length=0.01, mass=0.02))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(motor.flange_b, joint.axis)
    law = control.Sampled(control.PD({"joint.angle": "motor.torque"}, kp=20.0, kd=0.0), 5e-3)
    loop = control.close_loop(fb.assemble(model), law)
    runs = [fb.simulate(loop, TIMES, {"reference.joint.angle": 1.0}, method=method) for method in ("rk8", "bdf")]
    np.testing.assert_allclose(runs[0].x, runs[1].x, rtol=0, atol=1e-6)
    # Speed follows torque at once: from sample to sample the error falls by a factor 1 - kp T / d.
    np.testing.assert_allclose(runs[0]["joint.angle"], 1 - 0.9 ** np.arange(21), rtol=0, atol=2e-5)


def test_a_run_has_the_same_digits_whatever_came_before() -> None:
    loop = sampled_loop(2.5e-3)
    first = fb.simulate(loop, TIMES, {REFERENCE: 1.0}, method="rk8")
    fb.simulate(loop, TIMES, {REFERENCE: -0.3}, {"joint1.angle": 0.2}, method="rk8")
    again = fb.simulate(loop, TIMES, {REFERENCE: 1.0}, method="rk8")
    np.testing.assert_array_equal(first.x, again.x)
