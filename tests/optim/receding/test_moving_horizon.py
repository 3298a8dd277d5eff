"""Moving horizon estimation: a Kalman filter where all is linear, parameters where it is not, outliers."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, optim
from flexblocks.dae import compiler
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError, FlexblocksWarning
from flexblocks.optim.receding.interpreted.callback import EstimatorCallback

needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")
PERIOD, INERTIA, NOISE, DENSITY = 0.02, 0.05, 1e-3, 1e-5


@cache
def shaft() -> DAE:
    """Return a rotor with a torque on it: a double integrator."""
    model = fb.Model("shaft", gravity=(0.0, 0.0, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor = model.add(fb.TorqueSource("motor1", limit=1.0))
    load = model.add(fb.Payload("load", mass=0.5, inertia=INERTIA))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    return fb.assemble(model, symbolic=("load.inertia",))


def record(outliers: bool = False) -> fb.Record:
    """Return a noisy record of its angle."""
    t, rng = PERIOD * np.arange(80), np.random.default_rng(3)
    torque = 0.1 * np.sign(np.sin(4.0 * t))
    q = v = 0.0
    angles = []
    for u in torque:
        angles.append(q)
        q, v = q + PERIOD * v + PERIOD**2 / 2 * u / INERTIA, v + PERIOD * u / INERTIA
    seen = np.array(angles) + NOISE * rng.normal(size=len(t))
    if outliers:
        seen[10::9] += 0.3
    return fb.Record(t, u={"motor1.torque": torque}, y={"joint1.angle": seen})


def observer(window: float, **options: object) -> optim.MovingHorizon:
    """Return an observer of the shaft."""
    chosen = {
        "process": {"motor1.torque": DENSITY},
        "noise": NOISE,
        "uncertainty": {"joint1.angle": 0.1, "der(joint1.angle)": 0.5},
        "huber": 1e6,
    }
    return optim.MovingHorizon(
        shaft(), ["joint1.angle"], sample_time=PERIOD, horizon=window * PERIOD, at={}, **(chosen | options)
    )  # type: ignore[arg-type]


def kalman(data: fb.Record) -> np.ndarray:
    """Return the estimates (k, 2) of a Kalman filter written out for the double integrator."""
    A, B = np.array([[1.0, PERIOD], [0.0, 1.0]]), np.array([PERIOD**2 / 2, PERIOD]) / INERTIA
    x, P, rows = np.zeros(2), np.diag([0.1, 0.5]) ** 2, []
    for k, y in enumerate(data["joint1.angle"]):
        if k:
            x = A @ x + B * data["motor1.torque"][k - 1]
            P = A @ P @ A.T + np.outer(B, B) * DENSITY / PERIOD
        gain = P[:, 0] / (P[0, 0] + NOISE**2)
        x, P = x + gain * (y - x[0]), P - np.outer(gain, P[0])
        rows.append(x)
    return np.array(rows)


@pytest.mark.parametrize("window", [1, 7])
def test_where_all_is_linear_it_is_the_kalman_filter(window: int) -> None:
    data = record()
    found, expected = observer(window).filter(data), kalman(data)
    assert np.abs(found["joint1.angle"] - expected[:, 0]).max() < 1e-9
    assert np.abs(found["der(joint1.angle)"] - expected[:, 1]).max() < 1e-8


def test_a_parameter_among_the_unknowns_comes_to_its_value() -> None:
    """From a guess that is off by 40 %, within three of the deviations that it tells."""
    data = record()
    far = fb.Record(data.t, u={"motor1.torque": data["motor1.torque"] * 0.6}, y={"joint1.angle": data["joint1.angle"]})
    found = observer(7, parameters={"load.inertia": 0.03}).filter(far)
    off = abs(found["load.inertia"][-1] - 0.6 * INERTIA)
    assert off < 3 * found["deviation.load.inertia"][-1]
    assert off < 0.05 * INERTIA


@pytest.mark.slow
def test_outliers_move_it_less_than_a_filter_of_squares() -> None:
    data, clean = record(outliers=True), kalman(record())
    robust, square = observer(7, huber=3.0).filter(data), observer(7).filter(data)
    errors = [np.abs(found["joint1.angle"] - clean[:, 0])[20:].max() for found in (robust, square)]
    assert errors[0] < 0.2 * errors[1]


def test_missing_samples_are_passed_over() -> None:
    data = record()
    seen = data["joint1.angle"].copy()
    seen[20:24] = np.nan
    gaps = fb.Record(data.t, u={"motor1.torque": data["motor1.torque"]}, y={"joint1.angle": seen})
    found = observer(7).filter(gaps)
    assert np.abs(found["joint1.angle"] - kalman(data)[:, 0]).max() < 20 * NOISE


@pytest.mark.slow
def test_in_a_loop_it_gives_a_law_the_states() -> None:
    """And its states pickle with the loop."""
    law = control.LQR({"joint1.angle": 50.0, "der(joint1.angle)": 1.0}, at={}, references=("joint1.angle",))
    feedback = control.Sampled(control.OutputFeedback(law, observer(7)), PERIOD)
    loop = control.close_loop(shaft(), feedback, sensors=[control.Sensor("joint1.angle", noise=NOISE)])
    u = {"reference.joint1.angle": 0.4}
    motion = fb.simulate(loop, (0.0, 3.0), u=u)
    assert abs(motion["joint1.angle"][-1] - 0.4) < 0.02
    assert abs(motion["estimate.joint1.angle"][-1] - motion["joint1.angle"][-1]) < 5 * NOISE
    again = fb.simulate(pickle.loads(pickle.dumps(loop)), (0.0, 3.0), u=u)
    assert np.array_equal(motion.x, again.x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 1.5}, "whole number of sample times"),
        ({"huber": 0.0}, "huber = 0.0"),
        ({"parameters": {"load.mass": 1.0}}, "There is no parameter 'load.mass'"),
        ({"process": {"motor2.torque": 1.0}}, "no input 'motor2.torque'"),
        ({"uncertainty": {"joint2.angle": 1.0}}, "no state 'joint2.angle'"),
        ({"noise": 0.0}, "noise"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict, message: str) -> None:
    window = options.pop("window", 3)
    with pytest.raises(FlexblocksError, match=message):
        observer(window, **options).filter(record())


def test_records_of_another_sample_time_are_refused() -> None:
    data = record()
    slow = fb.Record(data.t * 2, u={"motor1.torque": data["motor1.torque"]}, y={"joint1.angle": data["joint1.angle"]})
    with pytest.raises(FlexblocksError, match="s apart; must be"):
        observer(3).filter(slow)
    with pytest.raises(FlexblocksError, match="has no constant gain"):
        observer(3).gain(observer(3).linear_model(shaft()))


@needs_compiler
@pytest.mark.parametrize("window", [1, 6])
def test_numpy_and_the_kernel_estimate_the_same(window: int) -> None:
    """Parameters, outliers, missing samples and a start anew after one that has no end included."""
    data = record(outliers=True)
    asked = observer(window, parameters={"load.inertia": 0.03}, huber=3.0)
    made = asked._made(shaft(), asked.linear_model(shaft()))
    numpy = EstimatorCallback(f"test_{window}", made.interpreted)
    y, u = data["joint1.angle"].copy(), data["motor1.torque"].copy()
    y[20:23], u[50] = np.nan, np.nan
    for iteration in (made.iteration, numpy):
        state, rows = np.zeros(len(made.states("estimate"))), []
        for k in range(len(y)):
            state = iteration(state, y[k], u[max(k - 1, 0)]).full().ravel()
            rows.append(state[1:])
        if iteration is not numpy:
            compiled = np.array(rows)
    sizes = np.maximum(np.abs(compiled).max(axis=0), 1e-3)
    assert np.abs((np.array(rows) - compiled) / sizes).max() < 1e-8
    outliers, restarts = compiled[-1, :2]
    assert outliers > 0
    assert restarts == 1


def test_without_a_compiler_numpy_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    data = record()
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    with pytest.warns(FlexblocksWarning, match="MovingHorizon: .*taken by NumPy"):
        found = observer(3).filter(data)
    assert np.abs(found["joint1.angle"] - kalman(data)[:, 0]).max() < 1e-9
