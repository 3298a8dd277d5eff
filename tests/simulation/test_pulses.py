"""Pulses of inputs after a rest: no method passes over what samples of a signal show to move."""

import math

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import ParameterError
from flexblocks.simulation.signals.resolution import resolution

ROOT_PI = math.sqrt(math.pi)


def rotor(inertia: float = 1.0, symbolic: tuple[str, ...] = (), **more: object) -> fb.DAE:
    """A rotor under a torque: what it gains in angular momentum is the integral of the torque."""
    model = fb.Model("rotor")
    model.add(fb.Ground("ground"))
    motor, load = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=inertia))
    model.connect(motor.flange_b, load.flange_a)
    return fb.assemble(model, symbolic, **more)


DAE = rotor()


def half_sine(t):
    return math.sin(math.pi * (t - 5.0)) if 5.0 < t < 6.0 else 0.0


def triangle(t):
    return max(0.0, 1.0 - abs(float(t) - 5.0))


def bump(t):
    return math.exp(-1 / (1 - ((t - 7) / 0.3) ** 2)) if abs(t - 7) < 0.3 else 0.0


def short(t):
    return math.sin(math.pi * (t - 3.003) / 0.006) ** 2 if 3.003 < t < 3.009 else 0.0


PULSES = {
    "half sine": (half_sine, 2 / math.pi),
    "triangle": (triangle, 1.0),
    "bump": (bump, 0.3 * 0.443993816168),
    "shorter than two samples": (short, 0.003),
    "NumPy": (lambda t: np.exp(-(((t - 3) / 0.01) ** 2)), 0.01 * ROOT_PI),
    "CasADi": (lambda t: ca.exp(-(((t - 3.0021) / 0.003) ** 2)), 0.003 * ROOT_PI),
    "two": (lambda t: np.exp(-(((t - 3) / 0.01) ** 2)) - 2 * np.exp(-(((t - 8) / 0.02) ** 2)), -0.03 * ROOT_PI),
    "table": (lambda t: float(np.interp(float(t), [0, 2, 2.1, 2.2, 10], [0, 0, 1, 0, 0])), 0.1),
}


@pytest.mark.parametrize(
    ("name", "method"),
    [
        *[("NumPy", method) for method in ("auto", "bdf", "idas", "dop853", "rk8", "rk43", "radau")],
        *[(name, "auto") for name in PULSES],
    ],
)
def test_a_pulse_after_a_rest_is_seen(name: str, method: str) -> None:
    pulse, momentum = PULSES[name]
    for times in (np.array([0.0, 10.0]), np.linspace(0.0, 10.0, 11)):
        run = fb.simulate(DAE, times, u={"motor.torque": pulse}, method=method)
        assert run["der(rotor.angle)"][-1] == pytest.approx(momentum, rel=1e-4)


def test_a_fixed_step_is_shortened_where_an_input_moves() -> None:
    run = fb.simulate(DAE, (0.0, 10.0), u={"motor.torque": PULSES["NumPy"][0]}, method="rk4", step=0.5)
    assert run["der(rotor.angle)"][-1] == pytest.approx(PULSES["NumPy"][1], rel=1e-4)


def test_a_small_pulse_after_a_large_one_is_seen() -> None:
    run = fb.simulate(
        DAE,
        np.array([0.0, 5.0, 10.0]),
        u={"motor.torque": lambda t: np.exp(-(((t - 1) / 0.1) ** 2)) + 1e-5 * np.exp(-(((t - 8) / 0.02) ** 2))},
    )
    speed = run["der(rotor.angle)"]
    assert speed[2] - speed[1] == pytest.approx(2e-7 * ROOT_PI, rel=1e-2)


def test_a_pulse_shorter_than_the_samples_is_seen_between_its_breakpoints() -> None:
    begin, end = 3.0011, 3.0013
    pulse = fb.Signal(lambda t: math.sin(math.pi * (t - begin) / (end - begin)) ** 2 if begin < t < end else 0.0,
                      breakpoints=[begin, end])  # fmt: skip
    run = fb.simulate(DAE, (0.0, 10.0), u={"motor.torque": pulse})
    assert run["der(rotor.angle)"][-1] == pytest.approx((end - begin) / 2, rel=1e-5)


def test_runs_of_a_batch_see_their_pulses() -> None:
    pulses = [lambda t, at=at: np.exp(-(((t - at) / 0.01) ** 2)) for at in (2.0, 7.0)]
    runs = fb.simulate_batch(DAE, (0.0, 10.0), u={"motor.torque": pulses})
    np.testing.assert_allclose(runs["der(rotor.angle)"].values[:, -1], 0.01 * ROOT_PI, rtol=1e-5)


def test_a_prescribed_motion_of_a_pulse_is_followed() -> None:
    driven = rotor(prescribed="rotor.angle")
    motion = lambda t: 0.1 * np.exp(-(((t - 3) / 0.02) ** 2))  # noqa: E731
    run = fb.simulate(driven, (0.0, 10.0), u={"rotor.angle": motion})
    np.testing.assert_allclose(run["rotor.angle"], motion(run.t), atol=1e-6)


@pytest.mark.parametrize("sample_time", [None, 0.01])
def test_a_pulse_of_a_reference_moves_a_closed_loop(sample_time: float | None) -> None:
    law = control.PD({"rotor.angle": "motor.torque"}, kp=4.0, kd=2.0)
    closed = control.close_loop(DAE, law if sample_time is None else control.Sampled(law, sample_time))
    name = next(name for name in closed.u.names if "reference" in name and "rate" not in name)
    pulse = lambda t: np.exp(-(((t - 5) / 0.05) ** 2))  # noqa: E731
    run = fb.simulate(closed, (0.0, 10.0), u={name: pulse})
    known = fb.simulate(closed, (0.0, 10.0), u={name: fb.Signal(pulse, breakpoints=np.linspace(4.5, 5.5, 41))})
    assert np.abs(run["rotor.angle"]).max() > 0.05
    np.testing.assert_allclose(run["rotor.angle"], known["rotor.angle"], atol=1e-6)


def test_a_flexible_arm_with_gravity_feels_a_pulse_after_its_rest() -> None:
    dae = subudhi_morris()
    pulse = lambda t: 0.2 * np.exp(-(((t - 1.0) / 0.01) ** 2))  # noqa: E731
    run = fb.simulate(dae, np.linspace(0.0, 1.5, 16), u={"motor1.torque": pulse})
    known = fb.simulate(dae, np.linspace(0.0, 1.5, 16), u={"motor1.torque": fb.Signal(pulse, [0.95, 1.0, 1.05])})
    assert np.ptp(known["joint1.angle"]) > 1e-4
    np.testing.assert_allclose(run.x, known.x, atol=1e-6 * np.abs(known.x).max())


def test_an_ordinary_function_asks_for_no_more_steps_than_accuracy_does() -> None:
    def gap(function, samples=2000):
        return resolution(lambda times: function(times), 0.0, 10.0, np.zeros(0), samples)

    smooth = gap(np.sin)
    assert len(smooth.gaps) == 1
    assert smooth.gaps[0] > 0.25  # rad; a multistep method takes shorter steps to 1e-9
    assert gap(lambda t: 0.0 * t + 3.0).gaps[0] > 2.0
    assert gap(lambda t: np.sin(20 * t)).gaps[0] > 0.009
    pulse = gap(lambda t: np.exp(-(((t - 3) / 0.01) ** 2)))
    assert pulse.gaps[np.searchsorted(pulse.ends, 3.0) - 1] < 0.005
    assert pulse.gaps[[0, -1]].min() > 0.1  # before and after


@pytest.mark.parametrize(
    ("torque", "momentum"),
    [
        (lambda t: 1.0 if float(t) >= 3.0 else 0.0, 7.0),
        (lambda t: 1.0 if 3.0 <= float(t) < 5.0 else 0.0, 2.0),
        (lambda t: 1.0 if float(t) // 1 in {3, 4, 5, 6, 7, 8, 9} else 0.0, 7.0),
        (lambda t: 0.1 * t if float(t) < 4.0 or not float(t) >= 4.0 else 0.0, 0.8),
        (lambda t: np.sin(t) + (1.0 if math.ceil(float(t)) > 8 else 0.0) if not math.isnan(float(t)) else np.sin(t),
         1 - math.cos(10) + 2.0),
        (lambda t: 2.0, 20.0),
    ],
    ids=["step", "pulse", "set", "in part", "beyond the probes", "constant"],
)  # fmt: skip
def test_a_function_that_loses_time_is_called_back(torque, momentum) -> None:
    for method in ("auto", "rk8"):
        run = fb.simulate(DAE, (0.0, 10.0), u={"motor.torque": torque}, method=method)
        assert run["der(rotor.angle)"][-1] == pytest.approx(momentum, rel=1e-6)


def test_derivatives_of_a_function_that_loses_time_are_refused() -> None:
    def kinked(t):
        return 0.1 * t**2 if not float(t) >= 4.0 else 1.6

    driven, closed = (
        rotor(prescribed="rotor.angle"),
        control.close_loop(DAE, control.PD({"rotor.angle": "motor.torque"}, kp=4.0, kd=2.0)),
    )
    with pytest.raises(ParameterError, match="loses t"):
        fb.simulate(driven, (0.0, 10.0), u={"rotor.angle": kinked})
    rate = control.reference(kinked).derivative(1)
    place, name = closed.u.names
    with pytest.raises(ParameterError, match="loses t"):
        fb.simulate(closed, (0.0, 10.0), u={place: 0.0, name: rate})
    fb.simulate(closed, (0.0, 3.0), u={place: 0.0, name: rate})  # where it does not


@pytest.mark.parametrize("form", ["pair", "linear", "rows in a file"])
def test_a_table_with_two_rows_at_one_time_jumps(form: str, tmp_path) -> None:
    times, values = [0.0, 1.0, 1.0, 2.0], [0.0, 1.0, -1.0, -1.0]
    table = (times, values)
    if form == "linear":
        table = fb.piecewise_linear(times, values)
    elif form == "rows in a file":
        from flexblocks.cli.signals import signals

        path = tmp_path / "measured.csv"
        path.write_text("t,torque\n0,0\n1,1\n1,-1\n2,-1\n")
        table = signals([f"motor.torque={path}:torque"])["motor.torque"]
    run = fb.simulate(DAE, np.array([0.0, 0.5, 1.0, 1.5, 2.0]), u={"motor.torque": table})
    assert run["motor.torque"].tolist() == [0.0, 0.5, -1.0, -1.0, -1.0]
    assert run["der(rotor.angle)"][-1] == pytest.approx(-0.5, abs=1e-9)


def test_a_prescribed_motion_may_not_jump_by_a_table() -> None:
    with pytest.raises(ParameterError, match="jumps at t = 1 s"):
        fb.simulate(
            rotor(prescribed="rotor.angle"),
            (0.0, 2.0),
            u={"rotor.angle": ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, -1.0, -1.0])},
        )
