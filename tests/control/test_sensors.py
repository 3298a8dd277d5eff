"""Sensors: each of their effects in closed form, their noise by its law, and runs that are independent."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.stats

import flexblocks as fb
from arms.driven import driven_links, rotor, two_masses
from flexblocks import control
from flexblocks.dynamics.tree.noise import Noise
from flexblocks.errors import FlexblocksWarning, NameUnknownError, ParameterError
from flexblocks.simulation.signals.noise import drawn
from flexblocks.tasks.simulate import Simulate

T = 0.01
TIMES = T * np.arange(61)
ANGLE = "wheel.angle"
LAW = control.PD({ANGLE: "motor.torque"}, kp=2.0, kd=0.3)
FOLLOW = {"reference.wheel.angle": lambda t: 0.3 * np.sin(5 * t)}


def loop(sensors=(), **given) -> fb.DAE:
    sensors = [control.Sensor(ANGLE, **given)] if given else sensors
    return control.close_loop(two_masses(), control.Sampled(LAW, T), sensors=sensors)


def seen(dae: fb.DAE, times: np.ndarray = TIMES, **options) -> tuple[np.ndarray, fb.Trajectory]:
    """Return what the law saw at its samples, and the run; the last sample is not taken."""
    run = fb.simulate(dae, times, FOLLOW, {"load.angle": 0.1, ANGLE: 0.1}, rtol=1e-10, atol=1e-12, **options)
    return run[f"sensor.{ANGLE}"][:-1], run


def test_a_perfect_sensor_changes_nothing():
    value, run = seen(loop([control.Sensor(ANGLE)]))
    assert np.array_equal(value, run[ANGLE][:-1])
    plain = fb.simulate(loop(), TIMES, FOLLOW, {"load.angle": 0.1, ANGLE: 0.1}, rtol=1e-10, atol=1e-12)
    assert np.allclose(run[ANGLE], plain[ANGLE], atol=1e-12)


def test_resolution_gives_the_nearest_multiple():
    step = 7e-3
    value, run = seen(loop(resolution=step))
    turns = value / step
    assert np.allclose(turns, np.round(turns), atol=1e-9)
    assert np.max(np.abs(value - run[ANGLE][:-1])) <= step / 2 + 1e-12
    # The law acts on it: u = kp (r - y) + kd (r' - v), with the speed as it is.
    error = 2 * (0.3 * np.sin(5 * TIMES) - np.append(value, 0)) + 0.3 * (1.5 * np.cos(5 * TIMES) - run[f"der({ANGLE})"])
    assert np.allclose(run["motor.torque"][:-1], error[:-1], atol=1e-9)


def test_limits_cut_off():
    value, run = seen(loop(limits=(-0.02, 0.13)))
    assert np.array_equal(value, np.clip(run[ANGLE][:-1], -0.02, 0.13))
    assert run[ANGLE].max() > 0.14


@pytest.mark.parametrize("delay", [0.01, 0.02, 0.004, 0.023])
def test_a_law_sees_what_was_measured_a_delay_before_its_sample(delay):
    """The angle at sample - delay exactly; before the first such time, that at the first sample."""
    times = np.unique(np.round(np.r_[TIMES, TIMES[delay <= TIMES] - delay], 12))
    value, run = seen(loop(delay=delay), times)
    at = {round(t, 12): angle for t, angle in zip(run.t, run[ANGLE], strict=True)}
    law = dict(zip(run.t.round(12), np.append(value, np.nan), strict=True))
    for t in TIMES[:-1].round(12):
        expected = at[round(t - delay, 12)] if t - delay > -1e-9 else at[0.0]
        assert law[t] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.035, 0.05])
def test_a_sensor_of_its_own_rate_holds_its_samples(delay):
    """Taken every 0.03 s, the value is there `delay` later, and until then the one before."""
    times = 0.005 * np.arange(121)
    value, run = seen(loop(sample_time=0.03, delay=delay), times)
    for t, held in zip(times[:-1], value, strict=True):
        taken = np.floor((t - delay) / 0.03 + 1e-9)
        expected = run[ANGLE][max(round(taken * 6), 0)]
        assert held == pytest.approx(expected, abs=1e-9)


def test_a_law_in_continuous_time_reads_a_sensor_of_its_own_rate():
    dae = control.close_loop(two_masses(), LAW, sensors=[control.Sensor(ANGLE, sample_time=0.02, resolution=1e-3)])
    value, run = seen(dae, 0.005 * np.arange(101))
    assert np.allclose(value.reshape(-1, 4), value[::4, None])
    assert np.max(np.abs(value[::4] - run[ANGLE][:-1:4])) <= 0.5e-3 + 1e-12
    torque = 2 * (0.3 * np.sin(5 * run.t) - run[f"sensor.{ANGLE}"])
    torque += 0.3 * (1.5 * np.cos(5 * run.t) - run[f"der({ANGLE})"])
    assert np.allclose(run["motor.torque"][:-1], torque[:-1], atol=1e-9)


def test_noise_is_white_and_of_its_deviation():
    """Its variance, and its correlation with itself a sample later, within bands of 99.8 %."""
    values = drawn(Noise("noise.x", "normal", 2.0), 5, 0, 20000) / 2.0
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], len(values))
    assert low < np.sum(values**2) < high
    assert abs(np.mean(values)) < 3.1 / np.sqrt(len(values))
    assert abs(np.mean(values[1:] * values[:-1])) < 3.1 / np.sqrt(len(values))
    assert scipy.stats.kstest(values, "norm").pvalue > 1e-3
    value, run = seen(loop(noise=1e-3))
    assert np.allclose(value - run[ANGLE][:-1], run[f"noise.{ANGLE}"][:-1], atol=1e-12)
    assert 0.6e-3 < np.std(run[f"noise.{ANGLE}"]) < 1.4e-3


def test_samples_are_lost_at_their_rate_and_the_last_value_is_held():
    lost = drawn(Noise("lost.x", "lost", 0.3), 5, 0, 20000)
    assert set(lost) == {0.0, 1.0}
    low, high = scipy.stats.binom.ppf([0.001, 0.999], len(lost), 0.3)
    assert low < lost.sum() < high
    value, run = seen(loop(dropouts=0.4))
    gone = run[f"lost.{ANGLE}"][:-1] > 0.5
    gone[0] = False  # before the first there is none to hold
    assert 0 < gone.sum() < 60
    expected = []
    for k, angle in enumerate(run[ANGLE][:-1]):
        expected.append(expected[-1] if gone[k] else angle)
    assert np.array_equal(value, expected)


def test_noise_is_that_of_a_seed_wherever_a_run_begins():
    """Values from any sample on, also before t = 0, are part of one sequence."""
    noise = Noise("noise.x", "normal", 1.0)
    whole = drawn(noise, 3, 0, 50)
    for first in (1, 4, 7, 22):
        assert np.array_equal(drawn(noise, 3, first, 10), whole[first : first + 10])
    before = drawn(noise, 3, -5, 15)
    assert np.array_equal(before[5:], whole[:10])
    assert len(np.unique(np.r_[before, whole[10:]])) == 55
    other = Noise("noise.y", "normal", 1.0)
    assert abs(np.corrcoef(drawn(other, 3, 0, 5000), drawn(noise, 3, 0, 5000))[0, 1]) < 0.05
    assert abs(np.corrcoef(drawn(noise, 4, 0, 5000), drawn(noise, 3, 0, 5000))[0, 1]) < 0.05


def test_runs_of_one_seed_are_equal_and_those_of_others_are_not():
    dae = loop(noise=1e-3, dropouts=0.1, delay=0.004)
    first, again, other, none = (seen(dae, seed=seed)[1] for seed in (1, 1, 2, None))
    assert np.array_equal(first.x, again.x)
    assert np.max(np.abs(first[ANGLE] - other[ANGLE])) > 1e-6
    assert np.all(none[f"noise.{ANGLE}"] == 0)
    copy = seen(pickle.loads(pickle.dumps(dae)), seed=1)[1]
    assert np.array_equal(first.x, copy.x)
    quiet = FOLLOW | {f"noise.{ANGLE}": 0.0, f"lost.{ANGLE}": 0.0}
    given = fb.simulate(dae, TIMES, quiet, {"load.angle": 0.1, ANGLE: 0.1}, rtol=1e-10, atol=1e-12)
    assert np.array_equal(given.x, none.x)


def test_a_batch_has_a_seed_for_each_run():
    dae = loop(noise=1e-3)
    runs = fb.simulate_batch(dae, (0, 0.2), u=FOLLOW, x0={ANGLE: [0.1, 0.1]}, seed=7, method="rk4", step=0.005)
    for run, seed in enumerate((7, 8)):
        alone = fb.simulate(dae, (0, 0.2), FOLLOW, {ANGLE: 0.1}, method="rk4", step=0.005, seed=seed)
        assert np.array_equal(runs["load.angle"].values[run], alone["load.angle"])


def test_rollouts_draw_what_simulations_draw():
    """Equal to the last digit where steps are, also from sample to sample, and where sensors sample between."""
    dae = loop(noise=1e-3, dropouts=0.2, delay=0.004, resolution=1e-4)
    step = fb.stepper(dae, T)
    held = {"reference.wheel.angle": 0.2}
    states = step.rollout({ANGLE: 0.1}, {"reference.wheel.angle": np.full((3, 20), 0.2)}, seed=4)
    for run in range(3):
        alone = fb.simulate(dae, TIMES[:21], held, {ANGLE: 0.1}, method="rk4", step=T, seed=4 + run)
        assert np.allclose(states[run], alone.x, atol=1e-13)
    x = dae.x.values({ANGLE: 0.1})
    for k in range(5):
        x = step(x, held, t=k * T, seed=4)
    assert np.array_equal(x, step.rollout({ANGLE: 0.1}, {"reference.wheel.angle": np.full(5, 0.2)}, seed=4)[0, -1])
    dataset = step.rollout({ANGLE: 0.1}, {"reference.wheel.angle": np.full(20, 0.2)}, seed=4, dataset=True)
    assert np.std(dataset[f"noise.{ANGLE}"].values) > 0.5e-3


def test_a_study_takes_its_seed_among_its_options():
    dae = loop(noise=1e-3)
    task = Simulate(dae, (0, 0.1), u=FOLLOW, options={"seed": 3, "method": "rk4", "step": 0.005})
    alone = fb.simulate(dae, (0, 0.1), FOLLOW, {ANGLE: 0.1}, method="rk4", step=0.005, seed=3)
    assert np.array_equal(task({ANGLE: 0.1}).x, alone.x)


def test_linearised_sensors_delay_and_are_fine():
    """Multipliers of a loop with a sensor that is late by two samples are those of a command that is."""
    law = control.PD({"wheel.angle": "motor.torque"}, kp=1.0)
    late = control.close_loop(rotor(), control.Sampled(law, T, delay=2 * T))
    sensor = control.Sensor(ANGLE, delay=2 * T, resolution=1e-3, noise=1e-3, dropouts=0.1)
    measured_late = control.close_loop(rotor(), control.Sampled(law, T), sensors=[sensor])
    expected, found = control.multipliers(late), control.multipliers(measured_late)
    assert np.allclose(np.sort_complex(expected[:4]), np.sort_complex(found[:4]), atol=1e-9)
    assert np.allclose(found[4:], 0, atol=1e-6)


def test_an_observer_reads_sensors_and_its_model_does_not():
    """Kalman from an encoder: the estimate is within its noise, the law gets the estimate."""
    dae = two_masses()
    for equations in ("linear", "extended"):
        kalman = control.Kalman([ANGLE], process={"motor.torque": 1e-4}, noise=1e-6 * T, equations=equations)
        law = control.LQG(control.LQR({"load.angle": 1.0}), kalman)
        sensors = [control.Sensor(ANGLE, noise=1e-3, resolution=1e-4)]
        closed = control.close_loop(dae, control.Sampled(law, T), sensors=sensors)
        start = {"load.angle": 0.05, ANGLE: 0.05}
        start |= {f"estimate.{name}": 0.05 for name in start}
        run = fb.simulate(closed, T * np.arange(101), x0=start, rtol=1e-8)
        error = run[f"sensor.{ANGLE}"] - run[ANGLE]
        assert 0.5e-3 < np.std(error[:-1]) < 1.5e-3
        # Estimates are predictions for the next sample.
        assert np.std(run["estimate.load.angle"][:-1] - run["load.angle"][1:]) < 1.5e-3


def test_sensors_change_no_signal_but_their_own():
    """The tip as a camera sees it is not computed from a quantised encoder."""
    dae = driven_links(fb.RigidLink("link1", length=0.5, mass=0.5), load=fb.Payload("load", mass=0.2))
    law = control.PD({"load.y": "motor1.torque"}, kp=3.0) + control.PD(
        {"joint1.angle": "motor1.torque"}, kp=0.5, kd=0.1
    )
    coarse = control.Sensor("joint1.angle", resolution=0.5)
    closed = control.close_loop(dae, control.Sampled(law, T), sensors=[coarse])
    run = fb.simulate(closed, TIMES, {"reference.load.y": 0.2, "reference.joint1.angle": 0.3}, rtol=1e-9)
    torque = 3 * (0.2 - run["load.y"]) + 0.5 * (0.3 - run["sensor.joint1.angle"]) - 0.1 * run["der(joint1.angle)"]
    assert np.allclose(run["motor1.torque"][:-1], torque[:-1], atol=1e-9)
    assert set(np.round(run["sensor.joint1.angle"][:-1], 9)) <= {0.0, 0.5}
    assert np.allclose(run["error.joint1.angle"], 0.3 - run["joint1.angle"])  # what is recorded is true


def test_outputs_have_sensors_too():
    dae = driven_links(fb.RigidLink("link1", length=0.5, mass=0.5), load=fb.Payload("load", mass=0.2))
    law = control.PD({"load.y": "motor1.torque"}, kp=3.0, kd=0.2)
    camera = control.Sensor("load.y", sample_time=0.04, delay=0.02, noise=1e-3)
    speed = control.Sensor("der(load.y)", limits=0.1)
    closed = control.close_loop(dae, control.Sampled(law, T), sensors=[camera, speed])
    run = fb.simulate(closed, TIMES, {"reference.load.y": 0.2}, rtol=1e-9)
    assert closed.u.unit("noise.load.y") == "m"
    expected = run["load.y"][4] + run["noise.load.y"][4]
    assert np.allclose(run["sensor.load.y"][6:10], expected, atol=1e-9)
    assert np.max(np.abs(run["der(sensor.load.y)"])) <= 0.1


def test_inputs_of_sensors_are_disturbances_that_other_verbs_leave_at_zero():
    dae = loop(noise=1e-3, dropouts=0.1)
    assert dae.u.with_role("disturbance") == (f"noise.{ANGLE}", f"lost.{ANGLE}")
    assert dae.u.unit(f"noise.{ANGLE}") == "rad"
    continuous = control.close_loop(two_masses(), LAW, sensors=[control.Sensor(ANGLE, limits=3.0)])
    plain = fb.linearize(control.close_loop(two_masses(), LAW))
    assert np.allclose(fb.linearize(continuous).A, plain.A)


def test_a_loop_around_a_loop_keeps_the_sensors_within():
    inner = loop(noise=1e-3)
    outer = control.close_loop(
        inner, control.Sampled(control.PD({"load.angle": "reference.wheel.angle"}, kp=0.5), 0.05)
    )
    run = fb.simulate(outer, (0, 0.2), {"reference.load.angle": 0.1})
    assert np.std(run[f"noise.{ANGLE}"]) > 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"measured": 3}, "name of a state or output"),
        ({"resolution": -1}, "resolution = -1"),
        ({"noise": np.nan}, "noise"),
        ({"delay": "late"}, "delay"),
        ({"sample_time": 0}, "sample_time = 0"),
        ({"dropouts": 1}, "probability"),
        ({"limits": (1, -1)}, "two that rise"),
        ({"limits": "all"}, "of two numbers"),
    ],
)
def test_wrong_sensors_are_refused(given, words):
    with pytest.raises(ParameterError, match=words):
        control.Sensor(**({"measured": ANGLE} | given))


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda: loop([control.Sensor("wheel.angel")]), NameUnknownError, "sensors: nothing to measure|wheel.angle"),
        (lambda: loop([control.Sensor(ANGLE), control.Sensor(ANGLE)]), ParameterError, "two measure"),
        (lambda: loop({ANGLE: control.Sensor(ANGLE)}), ParameterError, "must be a list"),
        (lambda: loop([ANGLE]), ParameterError, "of type Sensor"),
        (
            lambda: control.close_loop(two_masses(), LAW, sensors=[control.Sensor(ANGLE, noise=1, delay=1)]),
            ParameterError,
            "noise, delay in a law in continuous time, which takes no samples; give the sensor sample_time=",
        ),
        (
            lambda: control.close_loop(
                two_masses(),
                control.Sampled(LAW, T) + control.Sampled(LAW, 2 * T, name="slow"),
                sensors=[control.Sensor(ANGLE, noise=1)],
            ),
            ParameterError,
            "two sampled laws read it",
        ),
        (lambda: seen(loop(noise=1e-3), seed=-1), ParameterError, "seed = -1"),
        (lambda: fb.stepper(loop(noise=1e-3), T)(two_masses().x.start, seed=1), ParameterError, "t is missing"),
    ],
)
def test_loops_that_make_no_sense_are_refused(act, error, words):
    with pytest.raises(error, match=words):
        act()


def test_a_sensor_that_no_law_reads_is_warned_of():
    with pytest.warns(FlexblocksWarning, match=r"does not measure load\.angle"):
        loop([control.Sensor("load.angle", noise=1e-3)])
