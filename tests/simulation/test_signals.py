"""Input signals: exact between breakpoints, hit exactly at them, and refused when they are none."""

import math
from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, CubicSpline, PPoly, make_interp_spline

import flexblocks as fb
from flexblocks.errors import NameUnknownError, ParameterError

INERTIA = 0.5
RAMP = ([0.0, 1.0, 2.0, 3.0], [0.0, 2.0, -1.0, 0.5])


@cache
def double_integrator():
    """A rotor under a torque: INERTIA * angle'' = torque."""
    model = fb.Model("double integrator")
    model.add(fb.Ground("ground"))
    motor = model.add(fb.TorqueSource("motor"))
    rotor = model.add(fb.Rotor("rotor", inertia=INERTIA))
    model.connect(motor.flange_b, rotor.flange_a)
    return fb.assemble(model)


DAE = double_integrator()


def turned(torque, t, **options):
    return fb.simulate(DAE, t, u={"motor.torque": torque}, **options)


def exact(pieces, t):
    """Angle under a piecewise polynomial torque, from rest."""
    return pieces.antiderivative(2)(t) / INERTIA


def bang_bang_angle(t, width=0.5, amplitude=0.2):
    """Angle under +amplitude, -amplitude, 0, by hand."""
    a = amplitude / INERTIA
    up = a * np.minimum(t, width) ** 2 / 2
    down = np.clip(t - width, 0, width)
    return up + a * width * down - a * down**2 / 2


@pytest.mark.parametrize(
    "torque",
    [
        fb.bang_bang(0.2, 0.5),
        fb.piecewise_constant([0, 0.5, 1.0], [0.2, -0.2, 0]),
        lambda t: 0.2 * (t < 0.5) - 0.2 * (t >= 0.5) * (t < 1.0),
        lambda t: 0.2 if t < 0.5 else -0.2 if t < 1.0 else 0.0,
        lambda t: 0.1 - 0.2 * np.sign(t - 0.5) + 0.1 * np.sign(t - 1.0),
        fb.Signal(lambda t: [0.2, -0.2, 0.0][min(int(t / 0.5), 2)], breakpoints=[1.0, 0.5]),
    ],
    ids=["bang_bang", "piecewise_constant", "comparison", "plain", "sign", "given"],
)
@pytest.mark.parametrize("method", ["auto", "bdf", "rk4", "dop853"])
def test_switches_are_hit_exactly(torque, method):
    """A torque that jumps has a piecewise parabolic angle; a missed switch would leave an error of the step's size."""
    # rk4 is exact for parabolas, with any step that stops at the switch.
    options = {"step": 0.3} if method == "rk4" else {"rtol": 1e-11, "atol": 1e-13}
    t = np.array([0.0, 0.3, 0.77, 1.3, 2.0])
    got = turned(torque, t, method=method, **options)
    np.testing.assert_allclose(got["rotor.angle"], bang_bang_angle(t), rtol=0, atol=2e-11)


def test_value_at_a_jump_is_the_one_after_it():
    got = turned(fb.bang_bang(0.2, 0.5), np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5]))
    assert got["motor.torque"].tolist() == [0.2, 0.2, -0.2, -0.2, 0.0, 0.0]


def test_bang_bang_starts_later():
    got = turned(fb.bang_bang(0.2, 0.5, begin=1.0), np.array([0.0, 1.0, 1.3, 1.77, 2.3, 3.0]))
    np.testing.assert_allclose(got["rotor.angle"], bang_bang_angle(np.maximum(got.t - 1, 0)), atol=1e-9)


@pytest.mark.parametrize(
    "pieces",
    [
        PPoly([[1.0, -2.0, 0.0], [0.3, 0.1, -0.4], [-1.0, 0.5, 2.0]], [0.0, 0.4, 1.1, 2.0]),
        CubicSpline(*RAMP),
        CubicHermiteSpline(*RAMP, [1.0, 0.0, -3.0, 2.0]),
    ],
    ids=["jumping", "spline", "hermite"],
)
def test_piecewise_polynomials_are_applied_exactly(pieces):
    t = np.linspace(0.0, 2.0, 57)
    got = turned(pieces, t, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(got["motor.torque"], pieces(t), rtol=0, atol=1e-14)
    np.testing.assert_allclose(got["rotor.angle"], exact(pieces, t), rtol=0, atol=1e-10)


def test_b_splines_are_applied_exactly():
    spline = make_interp_spline(*RAMP, k=3)
    t = np.linspace(0.0, 3.0, 31)
    got = turned(spline, t, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(got["motor.torque"], spline(t), rtol=0, atol=1e-13)
    np.testing.assert_allclose(got["rotor.angle"], exact(PPoly.from_spline(spline), t), rtol=0, atol=1e-10)


def test_arrays_are_joined_by_straight_lines():
    times, values = (np.array(part) for part in RAMP)
    t = np.linspace(0.0, 3.0, 19)
    pieces = PPoly([np.diff(values) / np.diff(times), values[:-1]], times)
    pair = turned((times, values), t, rtol=1e-11, atol=1e-13)
    over_t = turned(values, times, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(pair["rotor.angle"], exact(pieces, t), rtol=0, atol=1e-11)
    np.testing.assert_allclose(over_t["rotor.angle"], exact(pieces, times), rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    "function",
    [lambda t: 0.3 * math.sin(2 * t), lambda t: 0.3 * np.sin(2 * t), lambda t: 0.3 * ca.sin(2 * t)],
    ids=["plain", "numpy", "casadi"],
)
@pytest.mark.parametrize("method", ["auto", "idas", "dop853"])
def test_functions_of_time(function, method):
    """0.3 sin 2t: angle = 0.3 / INERTIA (t / 2 - sin(2 t) / 4)."""
    got = turned(function, (0.0, 3.0), method=method)
    np.testing.assert_allclose(got["rotor.angle"], 0.6 * (got.t / 2 - np.sin(2 * got.t) / 4), rtol=0, atol=1e-7)
    np.testing.assert_allclose(got["motor.torque"], 0.3 * np.sin(2 * got.t), rtol=0, atol=1e-12)


def test_the_kind_of_a_function_is_found_out():
    assert fb.Signal(lambda t: np.sin(t)).compiled is not None
    assert fb.Signal(math.sin).compiled is None  # math.sin of a symbol is a silent nan
    assert fb.Signal(lambda t: 1.0 if t < 1 else 2.0).compiled is None
    assert fb.Signal(lambda t: 3).compiled is not None


@pytest.mark.parametrize(
    ("function", "breakpoints"),
    [
        (lambda t: (t > 0.2) * (t <= 0.20001) * 1.0, [0.2, 0.20001]),
        (lambda t: abs(t - 0.7) + np.minimum(t, 1.1), [0.7, 1.1]),
        (lambda t: np.clip(t / 0.1, 0.3, 1.0), [0.03, 0.1]),
        (lambda t: np.sign(np.sin(2 * np.pi * t)), [0.0, 0.5, 1.0, 1.5, 2.0]),
        (lambda t: t % 0.5, [0.5, 1.0, 1.5, 2.0]),
        (lambda t: ca.fmod(t, 0.8), [0.8, 1.6]),
        (lambda t: math.floor(3 * t) / 2, [1 / 3, 2 / 3, 1.0, 4 / 3, 5 / 3, 2.0]),
        (lambda t: math.exp(t) + (t > 1.25), [1.25]),
        (lambda t: math.sin(300 * t), []),
        (lambda t: math.tanh(1e4 * (t - 1.0)), []),
        (lambda t: np.sin(300 * t), []),
    ],
)
def test_breakpoints_are_found(function, breakpoints):
    """To rounding, the ends of the range left to the integration, which begins and ends there anyway."""
    found = fb.Signal(function).breakpoints_within(0.0, 2.0)
    inner = found[(found > 1e-9) & (found < 2 - 1e-9)]
    np.testing.assert_allclose(inner, [b for b in breakpoints if 0 < b < 2], rtol=0, atol=5e-16 * 4)


def test_a_pulse_too_short_for_any_step_is_not_overlooked():
    """Ten newton metres for 10 microseconds after a second of rest: an impulse of 1e-4 N m s."""
    got = turned(lambda t: 10.0 * (t >= 1.0) * (t < 1.00001), (0.0, 2.0))
    assert got["der(rotor.angle)"][-1] == pytest.approx(1e-4 / INERTIA, rel=1e-6)


def test_numbers_and_unset_inputs():
    constant = turned(0.5, (0.0, 1.0))
    assert constant["rotor.angle"][-1] == pytest.approx(0.5, abs=1e-9)
    rest = fb.simulate(DAE, (0.0, 1.0))
    assert not rest.u.any()
    assert not rest.x.any()


NAN = float("nan")


@pytest.mark.parametrize(
    ("torque", "words"),
    [
        (NAN, "input motor.torque: = nan; must be finite"),
        ("0.2", "input motor.torque: = '0.2'; must be a number"),
        (True, "must be a number"),
        (None, "must be a number"),
        ({}, "must be a number"),
        ([0.1, 0.2], r"shape \(2,\); must be \(3,\)"),
        ([0.1, NAN, 0.2], "must be finite"),
        ((np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0])), "3 values for 2 times"),
        ((np.array([0.0, 1.0, 0.5]), np.zeros(3)), "times must rise; 1 s is followed by 0.5 s"),
        ((np.array([0.0, 0.0]), np.zeros(2)), "times must rise; 0 s is followed by 0 s"),
        ((np.array([0.0, 1.0, 1.0, 1.0, 2.0]), np.zeros(5)), "three values at 1 s; a jump has two"),
        ((np.array([0.0, 1.0]), np.zeros(2)), "is defined from 0 to 1 s, but the run is from 0 to 2 s; extend"),
        (CubicSpline([0.5, 1.0, 2.0], [0.0, 1.0, 2.0]), "is defined from 0.5 to 2 s"),
        (CubicSpline([0, 1, 2], np.zeros((3, 2))), r"components of shape \(2,\)"),
        (lambda t: NAN, "the function gives nan at t = 0 s"),
        (lambda t: [t, t], r"the function gives \[0.0, 0.0\] at t = 0 s; must give a number"),
        (lambda t: "much", "the function gives 'much' at t = 0 s; must give a number"),
        (lambda t: 1.0 if t < 1.5 else math.inf, "the function gives inf at t = 1.5 s"),
    ],
)
def test_what_is_no_signal_is_refused(torque, words):
    with pytest.raises(ParameterError, match=words):
        turned(torque, np.array([0.0, 1.0, 2.0]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fb.bang_bang(0.2, 0.0), "width = 0.0 s; must be > 0"),
        (lambda: fb.bang_bang(math.inf, 0.5), "must be finite"),
        (lambda: fb.piecewise_constant([0, 1], [1]), "1 values for 2 times"),
        (lambda: fb.piecewise_constant([1, 0], [1, 2]), "1 s is followed by 0 s"),
        (lambda: fb.piecewise_linear([0], [1]), "k >= 2"),
        (lambda: fb.piecewise_linear("ab", [1, 2]), "must be arrays of numbers"),
        (lambda: fb.piecewise_linear(["0", "1"], [1, 2]), "not of words"),
        (lambda: fb.piecewise_linear([0, 1], [1, 2, 3]), "^piecewise_linear: 3 values for 2 times"),
        (lambda: fb.Signal(3.0), "must be callable"),
        (lambda: fb.Signal(math.sin, breakpoints=[NAN]), "must be finite times"),
    ],
)
def test_malformed_signals_are_refused(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_arrays_need_their_times():
    with pytest.raises(ParameterError, match="give t as an array of output times, or the pair"):
        turned([0.0, 1.0, 2.0], (0.0, 2.0))


def test_unknown_inputs_suggest_the_nearest():
    with pytest.raises(NameUnknownError, match=r"no input 'motor.torqe'\. Did you mean motor.torque\?"):
        fb.simulate(DAE, (0.0, 1.0), u={"motor.torqe": 1.0})
    with pytest.raises(ParameterError, match=r"u = 0\.2; must be a dict"):
        fb.simulate(DAE, (0.0, 1.0), u=0.2)


def test_an_error_in_a_function_reaches_the_user():
    def broken(t):
        if t > 0.3:
            raise ZeroDivisionError("in the user's function")
        return 0.1 * math.sin(t)

    with pytest.raises(ZeroDivisionError, match="in the user's function"):
        turned(fb.Signal(broken, breakpoints=()), (0.0, 1.0))
