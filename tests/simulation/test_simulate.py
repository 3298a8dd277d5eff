"""Simulation against closed forms and against itself with independent methods; what is refused."""

import math
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.linalg import expm

import flexblocks as fb
from arms.closed_forms import INERTIA, LENGTH, MASS, G, Motor, QuasiStaticMotor, driven, pendulum, pendulum_angle
from flexblocks.errors import NameUnknownError, ParameterError


@pytest.mark.parametrize("amplitude", [1e-3, 1.0, 2.5])
@pytest.mark.parametrize("method", ["auto", "bdf", "dop853"])
def test_pendulum_against_elliptic_functions(amplitude, method):
    t = np.linspace(0.0, 10.0, 101)
    x0 = {"joint.angle": amplitude - math.pi / 2}
    got = fb.simulate(pendulum(), t, x0=x0, method=method, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(got["joint.angle"] + math.pi / 2, pendulum_angle(t, amplitude), rtol=0, atol=1e-7)


def test_default_tolerances_on_a_pendulum():
    t = np.linspace(0.0, 10.0, 101)
    got = fb.simulate(pendulum(), t, x0={"joint.angle": 1.0 - math.pi / 2})
    np.testing.assert_allclose(got["joint.angle"] + math.pi / 2, pendulum_angle(t, 1.0), rtol=0, atol=1e-6)


def test_rk4_is_of_order_four():
    t = np.array([0.0, 1.0, 2.0])
    x0 = {"joint.angle": 1.0 - math.pi / 2}
    steps = [0.02, 0.01, 0.005]
    runs = [fb.simulate(pendulum(), t, x0=x0, method="rk4", step=step)["joint.angle"][-1] for step in steps]
    errors = np.abs(np.array(runs) + math.pi / 2 - pendulum_angle(2.0, 1.0))
    np.testing.assert_allclose(np.log2(errors[:-1] / errors[1:]), 4.0, atol=0.15)


def test_rk4_is_the_classical_method():
    """One step for z' = w, w' = -c sin z, by hand."""
    step, x = 0.1, np.array([1.0 - math.pi / 2, 0.3])

    def f(x):
        return np.array([x[1], -G / LENGTH * math.cos(x[0])])

    k1 = f(x)
    k2 = f(x + step / 2 * k1)
    k3 = f(x + step / 2 * k2)
    k4 = f(x + step * k3)
    got = fb.simulate(pendulum(), np.array([0.0, step]), x0=x, method="rk4", step=step)
    np.testing.assert_allclose(got.x[-1], x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), rtol=0, atol=1e-14)


def test_a_damped_pendulum_loses_what_the_work_does_not_make_up():
    """The energy falls by the integral of damping * rate^2; the input's work is kept apart."""
    dae = pendulum(damping=0.2)
    t = np.linspace(0.0, 3.0, 3001)
    got = fb.simulate(dae, t, x0={"joint.angle": 0.5})
    lost = CubicSpline(t, 0.2 * got["der(joint.angle)"] ** 2).antiderivative()(t)
    energy = got["kinetic_energy"] + got["potential_energy"]
    np.testing.assert_allclose(energy[0] - energy, lost, rtol=0, atol=1e-6)
    assert not got["work"].any()


def test_parameters_may_change_from_run_to_run():
    dae = pendulum(symbolic=("bob.mass", "joint.damping"))
    x0 = {"joint.angle": 0.5}
    free = fb.simulate(dae, (0.0, 2.0), x0=x0)
    damped = fb.simulate(dae, (0.0, 2.0), x0=x0, p={"joint.damping": 0.2})
    expected = fb.simulate(pendulum(damping=0.2), (0.0, 2.0), x0=x0)
    np.testing.assert_allclose(damped["joint.angle"], expected["joint.angle"], atol=1e-7)
    assert abs(damped["joint.angle"] - free["joint.angle"]).max() > 0.1
    assert damped.p == {"bob.mass": MASS, "joint.damping": 0.2}


def test_output_times_and_their_spacing_do_not_change_the_motion():
    dae = pendulum()
    x0 = {"joint.angle": 0.0}
    t = np.sort(np.random.default_rng(1).uniform(0, 5, 40))
    t = np.concatenate([[0.0], t, [5.0]])
    irregular = fb.simulate(dae, t, x0=x0)
    ends = fb.simulate(dae, np.array([0.0, 5.0]), x0=x0)
    np.testing.assert_allclose(irregular["joint.angle"] + math.pi / 2, pendulum_angle(t, math.pi / 2), atol=1e-6)
    np.testing.assert_allclose(ends.x[-1], irregular.x[-1], atol=1e-6)
    assert len(fb.simulate(dae, (0.0, 5.0)).t) == len(fb.simulate(dae, [0.0, 5.0]).t) == 1001
    assert fb.simulate(dae, [0.0, 1.0, 5.0]).t.tolist() == [0.0, 1.0, 5.0]


def test_a_run_may_start_at_any_time():
    """The motion of an arm that no input drives does not depend on the clock; an input does."""
    dae = pendulum()
    late = fb.simulate(dae, (-3.0, 2.0), x0={"joint.angle": 0.0})
    np.testing.assert_allclose(late["joint.angle"] + math.pi / 2, pendulum_angle(late.t + 3.0, math.pi / 2), atol=1e-6)


@pytest.mark.parametrize("samples", [2, 4001], ids=["ends only", "many samples"])
def test_a_long_run_keeps_its_motion(samples):
    """It takes 46000 steps, nine times as many as are integrated in one go."""
    t = np.linspace(0.0, 400.0, samples)
    got = fb.simulate(pendulum(), t, x0={"joint.angle": 1.0 - math.pi / 2}, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(got["joint.angle"] + math.pi / 2, pendulum_angle(t, 1.0), rtol=0, atol=1e-7)


def test_a_motor_with_current_dynamics():
    """Linear: d/dt (angle, rate, current) by the matrix exponential."""
    motor = Motor("motor")
    got = fb.simulate(driven(motor), (0.0, 0.5), u={"motor.voltage": 12.0})
    k, R, L = motor.constant, motor.resistance, motor.inductance
    A = np.array([[0, 1, 0, 0], [0, 0, k / INERTIA, 0], [0, -k / L, -R / L, 1 / L], [0, 0, 0, 0]])
    step = expm(A * got.t[1])
    expected = np.array(
        list(accumulate(range(len(got.t) - 1), lambda x, _: step @ x, initial=np.array([0, 0, 0, 12.0])))
    )
    names = ("rotor.angle", "der(rotor.angle)", "motor.current")
    np.testing.assert_allclose(np.column_stack([got[n] for n in names]), expected[:, :3], rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["auto", "idas", "adams", "bdf", "rk4", "dop853"])
def test_a_quasi_static_motor(method):
    """w' = k (u - k w) / (R J): an exponential; the current is an algebraic variable and jumps with the voltage."""
    motor = QuasiStaticMotor("motor")
    k, R = motor.constant, motor.resistance
    t = np.linspace(0.0, 1.0, 51)
    options = {"step": 1e-3} if method == "rk4" else {}
    voltage = fb.piecewise_constant([0.0, 0.5], [12.0, -6.0])
    got = fb.simulate(driven(motor), t, u={"motor.voltage": voltage}, method=method, **options)
    decay = k**2 / (R * INERTIA)
    top = 12 / k * (1 - math.exp(-decay * 0.5))
    late = -6 / k + (top + 6 / k) * np.exp(-decay * (t - 0.5))
    rate = np.where(t < 0.5, 12 / k * (1 - np.exp(-decay * t)), late)
    np.testing.assert_allclose(got["der(rotor.angle)"], rate, rtol=0, atol=1e-6)
    volts = np.where(t < 0.5, 12.0, -6.0)
    np.testing.assert_allclose(got["motor.current"], (volts - k * rate) / R, rtol=0, atol=1e-6)
    assert got.z.shape == (51, 1)
    assert got.unit("motor.current") == "A"


def test_work_is_that_of_the_applied_forces():
    """The motor's current does the work on the arm; without friction all of it is kinetic energy."""
    for motor in (Motor("motor"), QuasiStaticMotor("motor")):
        got = fb.simulate(driven(motor), (0.0, 1.0), u={"motor.voltage": lambda t: 12 * np.sin(9 * t)})
        np.testing.assert_allclose(got["kinetic_energy"], got["work"], atol=1e-6)
        assert got["work"].max() > 1


NAN = float("nan")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"t": 5.0}, r"t = 5.0; must be \(start, end\)"),
        ({"t": "later"}, "must be"),
        ({"t": (0.0,)}, "must be"),
        ({"t": (0.0, math.inf)}, "t has the time inf s; must be finite"),
        ({"t": [0.0, NAN, 1.0]}, "t has the time nan s; must be finite"),
        ({"t": (1.0, 0.0)}, "1 s is followed by 0 s"),
        ({"t": [0.0, 0.5, 0.5, 1.0]}, "t must rise; 0.5 s is followed by 0.5 s"),
        ({"x0": [0.0]}, "an array of 1 numbers; must have 2"),
        ({"x0": {"joint.angle": NAN}}, "x0: joint.angle = nan; must be a finite number"),
        ({"x0": [0.0, math.inf]}, "must be a finite number"),
        ({"p": [1.0]}, "an array of 1 numbers; must have 0"),
        ({"method": "rk45"}, r"'rk45'\. Did you mean rk4\? Must be one of auto, rk8, "),
        ({"method": "rk4"}, "needs its fixed step"),
        ({"method": "rk4", "step": -0.1}, "step = -0.1"),
        ({"step": 0.1}, "only method 'rk8' or 'rk4' has a fixed step"),
        ({"rtol": 0.0}, "rtol = 0.0; must be"),
        ({"atol": NAN}, "atol = nan; must be"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    with pytest.raises(ParameterError, match=words):
        fb.simulate(pendulum(), **({"t": (0.0, 1.0)} | arguments))


def test_an_operating_point_for_its_states_is_refused_in_a_few_words():
    arm = pendulum()
    point = fb.equilibrium(arm, {"joint.angle": -math.pi / 2})
    with pytest.raises(ParameterError, match=r"OperatingPoin.*Of an operating point, they are its \.x\.") as caught:
        fb.simulate(arm, (0.0, 1.0), x0=point)  # pyright: ignore[reportArgumentType]
    assert len(str(caught.value)) < 300
    fb.simulate(arm, (0.0, 1.0), x0=point.x)


def test_unknown_names_are_refused():
    with pytest.raises(NameUnknownError, match=r"no state 'joint.angel'\. Did you mean joint.angle\?"):
        fb.simulate(pendulum(), (0.0, 1.0), x0={"joint.angel": 1.0})
    with pytest.raises(NameUnknownError, match=r"no parameter 'bob\.mass'"):
        fb.simulate(pendulum(), (0.0, 1.0), p={"bob.mass": 1.0})


def test_progress(capsys):
    fb.simulate(pendulum(), (0.0, 1.0))
    assert capsys.readouterr() == ("", "")
    dae = replace(pendulum(), name="pendulum [a] {b}")
    fb.simulate(dae, (0.0, 1.0), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Simulating pendulum [a] {b}" in " ".join(err.split())
    assert "100%" in err
