"""The extended Kalman filter in discrete time: textbook equations, consistency, gaps, in loops and on records."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.linalg
import scipy.stats

import flexblocks as fb
from arms.driven import driven_links, two_masses, upright_arm
from flexblocks import control, models
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError

T = 0.01
MOTOR = {"motor.torque": 1e-2}


def wheel_record(dae: fb.DAE, count: int = 60) -> fb.Record:
    times = T * np.arange(count)
    run = fb.simulate(dae, times, u={"motor.torque": fb.piecewise_constant(times[::5], np.sin(times[::5]))})
    noise = np.random.default_rng(3).normal(size=count)
    return fb.Record(times, {"motor.torque": run["motor.torque"]}, {"wheel.angle": run["wheel.angle"] + 1e-3 * noise})


def textbook(dae: fb.DAE, record: fb.Record, P: np.ndarray, deviation: float, torque: float) -> tuple[np.ndarray, ...]:
    """Return estimates, their last covariance and innovations of the linear filter, by matrix exponentials."""
    lin = fb.linearize(dae, outputs=["wheel.angle"])
    n = len(lin.A)
    F = scipy.linalg.expm(T * np.block([[lin.A, lin.B], [np.zeros((1, n + 1))]]))
    A, B, C = F[:n, :n], F[:n, n:], lin.C
    Q = B @ B.T * (MOTOR["motor.torque"] / T + torque**2)
    x, estimates, innovations = np.zeros(n), [], []
    for y, u in zip(record["wheel.angle"], record["motor.torque"], strict=True):
        S = C @ P @ C.T + deviation**2
        K = P @ C.T / S
        innovations.append(y - C @ x)
        x, P = x + K @ (y - C @ x), (np.eye(n) - K @ C) @ P
        estimates.append(x)
        corrected = P
        x, P = A @ x + B @ [u], A @ P @ A.T + Q
    return np.array(estimates), corrected, np.array(innovations)


@pytest.mark.parametrize("torque", [0.0, 0.3])
def test_on_a_linear_arm_it_is_the_textbook_filter(torque):
    """Also where the torque is known from measurements that err by 0.3 N m, as long as a sample."""
    dae = two_masses()
    record, start = wheel_record(dae), dict.fromkeys(dae.x.names, 0.1)
    kalman = control.SampledKalman(
        ["wheel.angle"], model=dae, process=MOTOR, noise=1e-3, inputs={"motor.torque": torque}, uncertainty=start
    )
    result = kalman.filter(record)
    x, P, innovations = textbook(dae, record, 0.01 * np.eye(4), 1e-3, torque)
    assert np.allclose(result.x, x, atol=1e-7)
    assert np.allclose(result.covariances[-1], P, rtol=1e-4, atol=1e-9)
    assert np.allclose(result.innovations, innovations, atol=1e-7)
    assert np.allclose(result.nis, innovations[:, 0] ** 2 / result.innovation_covariances[:, 0, 0])


def test_the_stationary_covariance_is_where_the_filter_ends():
    dae = two_masses()
    kalman = control.SampledKalman(["wheel.angle"], model=dae, process=MOTOR, noise=1e-3)
    first = kalman.filter(wheel_record(dae))
    assert np.allclose(first.covariances[0], first.covariances[-1], rtol=1e-5, atol=1e-12)
    lin = fb.linearize(dae, outputs=["wheel.angle"])
    A = scipy.linalg.expm(lin.A * T)
    # The stationary gain of predictions, A K.
    P = first.covariances[-1]
    assert np.allclose(kalman.gain(lin, T), A @ P @ lin.C.T / 1e-6, rtol=1e-4)


def test_samples_of_all_variables_at_once_or_one_by_one_are_the_same():
    """Of two encoders the correction is that with the inverse of the innovations' covariance."""
    dae = two_masses()
    times = T * np.arange(3)
    y = {"wheel.angle": [0.01, 0.02, 0.01], "load.angle": [0.0, 0.01, 0.02]}
    kalman = control.SampledKalman(list(y), model=dae, process=MOTOR, noise=[1e-3, 2e-3], uncertainty={
        "wheel.angle": 0.01, "load.angle": 0.02, "der(load.angle)": 0.1})  # fmt: skip
    result = kalman.filter(fb.Record(times, {"motor.torque": 0.0}, y))
    P, C = np.diag([1e-4, 4e-4, 0.0, 1e-2]), np.eye(2, 4)
    S = C @ P @ C.T + np.diag([1e-6, 4e-6])
    innovation = np.array([0.01, 0.0])
    assert np.allclose(result.x[0], P @ C.T @ np.linalg.solve(S, innovation), atol=1e-15)
    assert result.nis[0] == pytest.approx(innovation @ np.linalg.solve(S, innovation))
    assert np.allclose(result.covariances[0], P - P @ C.T @ np.linalg.solve(S, C @ P), atol=1e-15)


def test_gaps_are_bridged_by_prediction():
    dae = two_masses()
    record = wheel_record(dae)
    y = record["wheel.angle"].copy()
    y[20:40] = np.nan
    gapped = fb.Record(record.t, record.u, {"wheel.angle": y})
    kalman = control.SampledKalman(["wheel.angle"], model=dae, process=MOTOR, noise=1e-3)
    result = kalman.filter(gapped)
    assert np.isnan(result.innovations[20:40]).all()
    assert np.all(result.nis[20:40] == 0)
    assert result.measured_count.sum() == 40
    deviation = result.deviation("wheel.angle")
    assert np.all(np.diff(deviation[20:40]) > 0)
    assert deviation[45] < 1.1 * deviation[10]
    lin = fb.linearize(dae)
    flow = scipy.linalg.expm(T * np.block([[lin.A, lin.B], [np.zeros((1, 5))]]))
    assert np.allclose(result.x[25], flow[:4, :4] @ result.x[24] + flow[:4, 4] * record["motor.torque"][24], atol=1e-8)


def test_times_between_samples_may_differ():
    dae = two_masses()
    record = wheel_record(dae)
    keep = np.r_[0:10, 12:30, 33:60]
    kalman = control.SampledKalman(["wheel.angle"], model=dae, process={}, noise=1e-3, uncertainty={"load.angle": 0.1})
    u = {"motor.torque": np.zeros(60)}
    y = np.where(np.isin(np.arange(60), keep), record["wheel.angle"], np.nan)
    whole = kalman.filter(fb.Record(record.t, u, {"wheel.angle": y}))
    part = kalman.filter(fb.Record(record.t[keep], {"motor.torque": 0.0}, {"wheel.angle": y[keep]}))
    # Within the error of an implicit step of 40 ms.
    assert np.allclose(part.x, whole.x[keep], atol=1e-3 * np.abs(whole.x).max(axis=0))


def test_compiled_it_gives_the_same():
    dae = two_masses()
    kalman = control.SampledKalman(["wheel.angle"], model=dae, process=MOTOR, noise=1e-3)
    record = wheel_record(dae)
    assert np.allclose(kalman.filter(record, compiled=True).x, kalman.filter(record).x, rtol=1e-12, atol=1e-15)


@cache
def pendulum() -> fb.DAE:
    link = fb.RigidLink("link1", length=0.8, mass=0.5)
    return driven_links(link, load=fb.Payload("load", mass=0.3), gravity=9.81, damping=0.05)


def consistency(seeds: int, samples: int) -> tuple[float, float]:
    """Return the sums of the normalised innovations and errors squared of a swinging arm."""
    dae, deviation, density = pendulum(), 2e-3, 1e-2
    plant = fb.stepper(dae, T, substeps=4)
    start = {"joint1.angle": 0.02, "der(joint1.angle)": 0.1}
    process = {"motor1.torque": density}
    kalman = control.SampledKalman(["joint1.angle"], model=dae, process=process, noise=deviation, uncertainty=start)
    begin = fb.equilibrium(dae).x
    nis, nees = 0.0, 0.0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        known = 2.0 * np.sin(T * np.arange(samples))
        torque = known + np.sqrt(density / T) * rng.normal(size=samples)
        x0 = begin + np.array(list(start.values())) * rng.normal(size=2)
        states = plant.rollout(x0, torque[:, None])[0, :-1]
        y = states[:, 0] + deviation * rng.normal(size=samples)
        record = fb.Record(T * np.arange(samples), {"motor1.torque": known}, {"joint1.angle": y})
        result = kalman.filter(record)
        nis += result.nis.sum()
        for k in range(0, samples, 25):  # errors so far apart have nearly nothing to do with each other
            error = result.x[k] - states[k]
            nees += error @ np.linalg.solve(result.covariances[k], error)
    return nis, nees


@pytest.mark.parametrize(("seeds", "samples"), [(6, 100), pytest.param(30, 300, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
def test_innovations_and_errors_are_as_large_as_the_filter_says(seeds, samples):
    """Both are within their chi-square bands of 99.8 %."""
    nis, nees = consistency(seeds, samples)
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], seeds * samples)
    assert low < nis < high
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], seeds * 2 * len(range(0, samples, 25)))
    assert low < nees < high


@cache
def cart() -> fb.DAE:
    """A mass on a slide with an accelerometer: what is measured depends on the force at once."""
    model = fb.Model("cart")
    slide, force = model.add(fb.Prismatic("slide", axis=(1, 0, 0))), model.add(fb.ForceSource("motor"))
    mass, sensor = model.add(fb.LumpedMass("cart", mass=2.0)), model.add(fb.Accelerometer("sensor"))
    model.connect(model.add(fb.Ground("ground")).frame_b, slide.frame_a)
    model.connect(slide.frame_b, mass.frame_a, sensor.frame_a)
    model.connect(force.flange_b, slide.axis)
    return fb.assemble(model)


@pytest.mark.parametrize("equations", ["linear", "nonlinear", "extended"])
def test_sampled_observers_know_which_force_an_accelerometer_felt(equations):
    """A linear arm without disturbances: estimates that begin right stay right, through jumps of the force."""
    dae = cart()
    kalman = control.Kalman(
        ["slide.displacement", "sensor.acceleration_x"],
        equations=equations,
        process={"motor.force": 1.0},
        noise=[1e-4, 1e-4],
    )
    law = control.LQG(control.LQR({"slide.displacement": 100.0}), kalman)
    start = {"slide.displacement": 0.2, "estimate.slide.displacement": 0.2}
    loop = control.close_loop(dae, control.Sampled(law, 0.05))
    # The estimate is a prediction for the next sample; the last one is that of the end.
    for end in (1, 2, 7):
        run = fb.simulate(loop, (0.0, 0.05 * end), x0=start, rtol=1e-11, atol=1e-13)
        assert run["estimate.slide.displacement"][-1] == pytest.approx(run["slide.displacement"][-1], abs=1e-9)


@pytest.mark.parametrize("equations", ["nonlinear", "extended"])
def test_they_are_stable_where_vibrations_are_faster_than_samples(equations):
    """Two flexible links with a vibration of 380 Hz, sampled at 100 Hz."""
    dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    kalman = control.Kalman(
        ["rotor1.angle", "rotor2.angle"],
        process={"motor1.torque": 1e-4, "motor2.torque": 1e-4},
        noise=1e-9,
        equations=equations,
    )
    law = control.LQG(control.LQR({"joint1.angle": 1.0, "joint2.angle": 1.0}), kalman)
    loop = control.close_loop(dae, control.Sampled(law, 0.01))
    run = fb.simulate(loop, (0.0, 0.3), x0={"joint1.angle": 0.03, "rotor1.angle": 0.03}, rtol=1e-6, atol=1e-8)
    assert abs(run["estimate.joint1.angle"][-1] - run["joint1.angle"][-1]) < 5e-3


def test_the_extended_filter_in_a_loop_is_the_one_on_its_record():
    """The estimates of a sampled loop are those of `filter` on what the loop measured."""
    dae = two_masses()
    observer = control.SampledKalman(["wheel.angle"], model=dae, process=MOTOR, noise=1e-3)
    law = control.OutputFeedback(control.LQR({"load.angle": 1.0}), observer)
    times = T * np.arange(31)
    run = fb.simulate(control.close_loop(dae, control.Sampled(law, T)), times, x0={"load.angle": 0.2}, rtol=1e-11)
    record = fb.Record(times, {"motor.torque": run["motor.torque"]}, {"wheel.angle": run["wheel.angle"]})
    result = observer.filter(record)
    lin = fb.linearize(dae)
    flow = scipy.linalg.expm(T * np.block([[lin.A, lin.B], [np.zeros((1, 5))]]))
    predicted = result.x[:-1] @ flow[:4, :4].T + run["motor.torque"][:-1, None] * flow[:4, 4]
    estimates = np.stack([run[f"estimate.{name}"] for name in ("wheel.angle", "load.angle")], axis=1)
    assert np.allclose(estimates[:-1], predicted[:, :2], atol=1e-7)


def test_its_model_may_be_coarser_than_the_arm():
    """Measured at the tip of an arm whose second bending mode the filter does not know."""
    coarse, fine = (upright_arm(links=1, modes=modes, damping=0.05) for modes in (1, 2))
    hanging = fb.equilibrium(coarse, {"joint1.angle": -np.pi / 2})
    kalman = control.SampledKalman(
        ["joint1.angle", "payload.y"], hanging, coarse, process={"motor1.torque": 1e-2}, noise=[1e-4, 1e-3]
    )
    law = control.OutputFeedback(control.PD({"joint1.angle": "motor1.torque"}, kp=1.0, kd=0.1), kalman)
    loop = control.close_loop(fine, control.Sampled(law, T))
    start = {"joint1.angle": -1.5, "estimate.joint1.angle": -1.5}
    run = fb.simulate(loop, (0.0, 0.3), {"reference.joint1.angle": -1.4}, start, rtol=1e-7)
    assert abs(run["estimate.joint1.angle"][-1] - run["joint1.angle"][-1]) < 0.02


def short() -> fb.Record:
    return wheel_record(two_masses(), 5)


def observer(**changes):
    given = {"model": two_masses(), "process": MOTOR, "noise": 1e-3} | changes
    return control.SampledKalman(["wheel.angle"], **given)


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda: observer(model=None).filter(short()), ParameterError, "model=dae"),
        (lambda: observer(noise=0).filter(short()), ParameterError, "noise"),
        (lambda: observer(process={"motor": 1}).filter(short()), NameUnknownError, "motor.torque"),
        (lambda: observer(process=3).filter(short()), ParameterError, "dict by name"),
        (lambda: observer(inputs={"motor": 1}).filter(short()), NameUnknownError, "motor.torque"),
        (lambda: observer(uncertainty={"load": 1}).filter(short()), NameUnknownError, "load.angle"),
        (lambda: observer(process={}).filter(short()), ComputationError, "no process noise"),
        (lambda: observer().filter(fb.Record([0, T], {}, {"wheel.angle": [0, 0]})), NameUnknownError, "has the input"),
        (lambda: observer().filter(fb.Record([0, T], {"motor.torque": 0})), NameUnknownError, "the observer measures"),
        (lambda: control.SampledKalman(["wheel.angle"], sample_time=-1), ParameterError, "sample_time"),
        (lambda: observer(equations="linear").filter(short()), ParameterError, "extended"),
    ],
)  # fmt: skip
def test_refusals(act, error, words):
    with pytest.raises(error, match=words):
        act()


def test_loops_in_continuous_time_or_of_another_sample_time_are_refused():
    law = control.OutputFeedback(control.LQR({"load.angle": 1.0}), observer(sample_time=T))
    with pytest.raises(ParameterError, match="must be Sampled"):
        control.close_loop(two_masses(), law)
    with pytest.raises(ParameterError, match="must be the same"):
        control.close_loop(two_masses(), control.Sampled(law, 2 * T))


def test_models_that_cannot_be_predicted_are_refused():
    model = pendulum().model
    assert model is not None
    arm = fb.assemble(model, prescribed=("joint1.angle",))
    kalman = control.SampledKalman(["load.x"], model=arm, process={}, noise=1.0)
    record = fb.Record([0, T], {"motor1.torque": 0, "joint1.angle": 0}, {"load.x": [0, 0]})
    with pytest.raises(ParameterError, match="prescribed"):
        kalman.filter(record)
