"""Limits of actuators in simulations: warned of where inputs exceed them, and kept with saturate=True."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PPoly

import flexblocks as fb
from flexblocks import control
from flexblocks.simulation.signals.inputs import signal as as_signal

LIMIT = 2.0
INERTIA = 0.5


@cache
def rotor(limit: float | None = LIMIT) -> fb.DAE:
    model = fb.Model("rotor")
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor", limit=limit))
    hinge, load = (
        model.add(fb.Revolute("hinge")),
        model.add(fb.Payload("load", mass=1.0, inertia=np.diag([0.3, 0.3, INERTIA]))),
    )
    model.connect(motor.flange_b, hinge.axis)
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, load.frame_a)
    return fb.assemble(model)


def _called_back(t: float) -> float:
    return 5.0 * float(np.sin(float(t)))


TABLE_TIMES = np.linspace(0.0, 6.0, 25)
SIGNALS: dict[str, Any] = {
    "a number": 50.0,
    "a function": lambda t: 5.0 * ca.sin(t),
    "a function that is called back": _called_back,
    "one with breakpoints": fb.Signal(lambda t: 5.0 * ca.sin(t), breakpoints=[1.0]),
    "a table": (TABLE_TIMES, 5.0 * np.sin(TABLE_TIMES)),
    "a spline": CubicSpline(TABLE_TIMES, 5.0 * np.sin(TABLE_TIMES)),
    "a polynomial": PPoly([[1.0, -2.0], [0.0, 3.0]], [0.0, 3.0, 6.0]),
    "steps": fb.piecewise_constant([0.0, 1.0, 2.0], [50.0, -0.5, -3.0]),
}


@pytest.mark.parametrize(
    ("signal", "method"),
    [(signal, ("auto", "rk8")[i % 2]) for i, signal in enumerate(SIGNALS.values())],
    ids=SIGNALS,
)
def test_a_clipped_input_does_the_work_of_one_that_was_written_with_its_limits(signal: Any, method: str) -> None:
    """The speed is the integral of the clipped torque, which a fine sum over the signal itself gives."""
    run = fb.simulate(rotor(), (0.0, 6.0), u={"motor.torque": signal}, method=method, saturate=True)
    torque = run["motor.torque"]
    assert np.abs(torque).max() == LIMIT
    asked: Callable[[float], float] = as_signal(signal, None)  # type: ignore[assignment]
    middles = (np.arange(6_000) + 0.5) * 1e-3
    expected = np.cumsum([np.clip(float(asked(t)), -LIMIT, LIMIT) for t in middles]) * 1e-3 / INERTIA
    np.testing.assert_allclose(run["der(hinge.angle)"][-1], expected[-1], atol=2e-5)
    at_samples = [np.clip(float(asked(t + 1e-12)), -LIMIT, LIMIT) for t in run.t[1:-1]]
    np.testing.assert_allclose(torque[1:-1], at_samples, atol=1e-10)


def test_clipping_begins_and_ends_at_breakpoints() -> None:
    """So a run of few samples has the digits of one that was split there by hand."""
    kinks = np.arcsin(LIMIT / 5.0) * np.array([1.0, -1.0]) + [0.0, np.pi]
    by_hand = fb.Signal(lambda t: ca.fmin(5.0 * ca.sin(t), LIMIT), breakpoints=kinks)
    runs = [
        fb.simulate(rotor(limit), np.linspace(0.0, 3.0, 4), u={"motor.torque": torque}, saturate=True)
        for limit, torque in ((LIMIT, lambda t: 5.0 * ca.sin(t)), (None, by_hand))
    ]
    exact = (5.0 * (1 - np.cos(kinks[0])) * 2 + LIMIT * (kinks[1] - kinks[0]) - 5.0 * (1 + np.cos(3.0))) / INERTIA
    for run in runs:
        assert abs(run["der(hinge.angle)"][-1] - exact) < 1e-8


def test_a_run_beyond_a_limit_is_warned_of_with_input_time_and_amount() -> None:
    torque = fb.piecewise_constant([0.0, 0.5, 0.5001], [1.0, 50.0, -2.0])  # between two samples
    words = r"'rotor': motor.torque exceeds its limit of 2 N m from t = 0.5 s on, by up to 48 N m \(50 N m at t = 0.5 s"
    with pytest.warns(fb.FlexblocksWarning, match=words) as told:
        run = fb.simulate(rotor(), np.linspace(0.0, 1.0, 8), u={"motor.torque": torque})
    assert len(told) == 1
    assert "saturate=True clips" in str(told[0].message)
    np.testing.assert_allclose(run["der(hinge.angle)"][-1], (0.5 + 0.005 - 2.0 * 0.4999) / INERTIA)


@pytest.mark.parametrize("torque", [LIMIT, -LIMIT, LIMIT * (1 + 1e-8), lambda t: LIMIT * ca.sin(t)])
def test_inputs_at_their_limits_are_not_warned_of(torque: Any) -> None:
    fb.simulate(rotor(), (0.0, 3.0), u={"motor.torque": torque})


def test_a_run_that_fails_tells_of_its_inputs_first() -> None:
    with (
        pytest.warns(fb.FlexblocksWarning, match="motor.torque exceeds its limit"),
        pytest.raises(fb.SimulationError, match="grows beyond all bounds"),
    ):
        fb.simulate(rotor(), (0.0, 10.0), u={"motor.torque": 1e5})


def test_a_batch_names_its_worst_run_or_clips_as_single_runs_do() -> None:
    torques = [1.0, 3.0, 50.0, lambda t: 5.0 * ca.sin(t)]
    with pytest.warns(
        fb.FlexblocksWarning, match=r"exceeds its limit .* by up to 48 N m .* in 3 runs, the most in run 2"
    ):
        fb.simulate_batch(rotor(), (0.0, 1.0), u={"motor.torque": torques})
    runs = fb.simulate_batch(rotor(), (0.0, 1.0), u={"motor.torque": torques}, saturate=True)
    for number, torque in enumerate(torques):
        one = fb.simulate(rotor(), (0.0, 1.0), u={"motor.torque": torque}, saturate=True)
        np.testing.assert_array_equal(runs["hinge.angle"].isel(run=number), one["hinge.angle"])
        np.testing.assert_array_equal(runs["motor.torque"].isel(run=number), one["motor.torque"])


def test_inputs_of_every_actuator_are_clipped() -> None:
    """The forces along a line and of a slide's drive; voltages, speeds of winches and openings of valves are below."""
    model = fb.Model("actuators", gravity=(0.0, 0.0, -9.81))
    ground = model.add(fb.Ground("ground"))
    slide, load = model.add(fb.Prismatic("slide", axis=(0, 0, 1), start=1.0)), model.add(fb.Payload("load", mass=5.0))
    line = model.add(fb.LineForce("line", limit=100.0))
    push = model.add(fb.ForceSource("push", limit=20.0))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    model.connect(ground.frame_b, line.frame_a)
    model.connect(load.frame_a, line.frame_b)
    model.connect(push.flange_b, slide.axis)
    dae = fb.assemble(model)
    u = {"line.force": 1e4, "push.force": -1e4}
    with pytest.warns(fb.FlexblocksWarning, match=r"line.force exceeds .*; push.force exceeds"):
        fb.simulate(dae, (0.0, 0.1), u=u)
    run = fb.simulate(dae, (0.0, 0.5), u=u, saturate=True)
    np.testing.assert_allclose(run["der(slide.displacement)"][-1], 0.5 * ((100.0 - 20.0) / 5.0 - 9.81))


OIL = {"area_a": 2e-3, "area_b": 1.5e-3, "retracted": 0.5, "extended": 1.5}
# What drives a slide, its input, the limit of that, and how the excess of three times as much is reported.
DRIVES = {
    "voltage": (fb.DCMotor("drive", 0.1, 1.0, 1e-3, limit=24.0), "voltage", 24.0, r"of 24 V from .*, by up to 48 V"),
    "winch": (
        fb.Cable("drive", 1.0, 1e5, damping_time=0.01, winch=True, limit=0.2),
        "speed",
        0.2,
        r"of 0.2 m/s from .*, by up to 0.4 m/s",
    ),
    "servo valve": (
        fb.HydraulicCylinder("drive", **OIL, supply_pressure=2e7, rated_flow=1e-4),
        "valve",
        1.0,
        r"of 1 from .*, by up to 200%",
    ),
    "ideal valve": (fb.HydraulicCylinder("drive", **OIL, max_speed=0.3), "valve", 1.0, r"of 1 from .*, by up to 200%"),
}


@pytest.mark.parametrize(("drive", "name", "limit", "words"), DRIVES.values(), ids=DRIVES)
def test_voltages_winches_and_valves_are_told_of_and_clipped(drive: Any, name: str, limit: float, words: str) -> None:
    model = fb.Model("driven", gravity=(0.0, 0.0, -9.81))
    ground, motor = model.add(fb.Ground("ground")), model.add(drive)
    turns = isinstance(drive, fb.DCMotor)
    joint = model.add(fb.Revolute("joint") if turns else fb.Prismatic("joint", axis=(0, 0, -1), start=1.0))
    load = model.add(fb.Payload("load", mass=5.0, inertia=np.diag([0.3, 0.3, 0.3])))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    if turns:
        model.connect(motor.flange_b, joint.axis)
    else:
        model.connect(ground.frame_b, motor.frame_a)
        model.connect(load.frame_a, motor.frame_b)
    dae, entry = fb.assemble(model), f"drive.{name}"
    times, excessive = np.linspace(0.0, 0.3, 31), fb.piecewise_constant([0.0, 0.1, 0.2], [0.0, 3 * limit, -0.5 * limit])
    with pytest.warns(fb.FlexblocksWarning, match=rf"{entry} exceeds its limit {words}.* at t = 0.1 s"):
        beyond = fb.simulate(dae, times, u={entry: excessive})
    assert beyond[entry].max() == pytest.approx(3 * limit)
    clipped = fb.simulate(dae, times, u={entry: excessive}, saturate=True)
    at_limit = fb.piecewise_constant([0.0, 0.1, 0.2], [0.0, limit, -0.5 * limit])
    kept = fb.simulate(dae, times, u={entry: at_limit})
    assert clipped[entry].max() == limit
    size = np.abs(kept.x).max(axis=0)
    np.testing.assert_allclose(clipped.x / size, kept.x / size, atol=1e-6)
    with pytest.warns(fb.FlexblocksWarning, match=rf"{entry} exceeds its limit {words}.* in run 1"):
        fb.simulate_batch(dae, times, u={entry: [0.0, excessive]})


def test_a_loop_keeps_limits_or_is_warned_of_what_it_commands() -> None:
    dae, law = rotor(), control.PD({"hinge.angle": "motor.torque"}, kp=40.0, kd=6.0)
    step = {"reference.hinge.angle": 1.0}
    held = fb.simulate(control.close_loop(dae, law), (0.0, 2.0), u=step)
    assert np.abs(held["motor.torque"]).max() == LIMIT
    loose = control.close_loop(dae, law, limits=False)
    words = r"motor.torque exceeds its limit of 2 N m from t = 0 s on, by up to 38 N m .* limits=True"
    for loop in (loose, loose.with_outputs(("load.velocity_x",))):
        with pytest.warns(fb.FlexblocksWarning, match=words):
            fb.simulate(loop, (0.0, 2.0), u=step)
    # What is not driven by the law is still an input with its own limit; a disturbance is none of the motor's.
    fb.simulate(control.close_loop(dae, law, disturbances=True), (0.0, 2.0), u={"disturbance.motor.torque": 50.0})
