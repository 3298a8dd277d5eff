"""References: each derivative is the derivative of the one before."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexblocks as fb
from arms.driven import rotor, upright_arm
from flexblocks import control
from flexblocks.errors import NameUnknownError, ParameterError

T = np.linspace(0.0, 1.9, 20)


def value(signal, t: float) -> float:
    left, right = t - 1e-4, t + 1e-4
    symbol, parameters = ca.SX.sym("t"), ca.SX.sym("p", signal.size)
    function = ca.Function("f", [symbol, parameters], [signal.expression(symbol, parameters)])
    return float(function(t, signal.parameters(np.array([left]), np.array([right]))))


@pytest.mark.parametrize(
    "given",
    [
        control.quintic(0.3, 1.5, 2.0),
        control.cycloid(-0.3, 1.5, 2.0),
        lambda t: np.sin(3 * t) * t,
        CubicSpline(T, T**2 * np.cos(T)),
        (T, T**3),
    ],
)
def test_derivatives_are_derivatives(given):
    found = control.reference(given)
    for order in (0, 1, 2):
        for t in (0.21, 0.77, 1.43):
            h = 1e-5
            f, df = found.derivative(order), found.derivative(order + 1)
            slope = (value(f, t + h) - value(f, t - h)) / (2 * h)
            assert value(df, t) == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("profile", [control.quintic, control.cycloid])
def test_profiles_start_and_end_at_rest(profile):
    found = profile(0.2, 1.4, duration=0.5, begin=1.0)
    for t, place in ((0.5, 0.2), (1.0, 0.2), (1.25, 0.8), (1.5, 1.4), (9.0, 1.4)):
        assert value(found.position, t) == pytest.approx(place, abs=1e-12)
    for t in (0.5, 1.0, 1.5, 9.0):
        assert value(found.rate, t) == pytest.approx(0, abs=1e-9)
        assert value(found.acceleration, t) == pytest.approx(0, abs=1e-9)
    assert value(found.rate, 1.25) == pytest.approx(1.2 / 0.5 * (15 / 8 if profile is control.quintic else 2))


@pytest.mark.parametrize("given", ["1", True, float("nan"), ([0, 1], [2]), None, lambda t: float(t)])
def test_what_is_no_reference_is_refused(given):
    with pytest.raises(ParameterError):
        control.reference(given)


def test_a_profile_needs_a_duration():
    with pytest.raises(ParameterError, match="duration"):
        control.quintic(0, 1, 0)


def test_a_trajectory_is_a_reference_by_name():
    """A loop follows what one variable did in another motion: place, rate and acceleration of it."""
    arm = rotor()
    run = fb.simulate(arm, np.linspace(0, 1, 201), {"motor.torque": lambda t: 0.3 * np.sin(5 * t)})
    closed = control.close_loop(arm, control.ComputedTorque(25.0, 10.0))
    again = fb.simulate(closed, run.t, control.follow(closed, {"wheel.angle": run}))
    assert np.ptp(run["wheel.angle"]) > 0.5
    assert np.max(np.abs(again["wheel.angle"] - run["wheel.angle"])) < 1e-6
    with pytest.raises(NameUnknownError, match="wheel"):
        control.follow(closed, {"wheel.angle": fb.simulate(upright_arm(), (0.0, 0.1))})


def test_the_jerk_of_a_function_for_numbers_is_refused():
    plain = control.Reference(*(control.reference(0.0).position,) * 2, fb.Signal(lambda t: math.sin(t)))
    with pytest.raises(ParameterError, match="takes no CasADi symbol, so that it has no derivative"):
        plain.derivative(3)
