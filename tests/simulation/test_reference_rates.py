"""References in simulations: a rate that is not given is the exact derivative of its reference."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import ParameterError

REFERENCE, RATE = "servo.reference", "servo.reference_rate"


def servo_arm(kp=100.0, kd=10.0):
    model = fb.Model("servo arm", gravity=(0.0, -9.81, 0.0))
    hinge, rod = model.add(fb.Revolute("hinge")), model.add(fb.RigidLink("rod", length=1.0, mass=1.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(model.add(fb.PDServo("servo", kp, kd)).flange_b, hinge.axis)
    return fb.assemble(model)


@pytest.fixture(scope="module")
def dae():
    return servo_arm()


TIMES = np.linspace(0.0, 1.0, 21)
SAMPLES = np.sin(3 * TIMES)
SLOPES = np.diff(SAMPLES) / np.diff(TIMES)


@pytest.mark.parametrize(
    ("reference", "rate"),
    [
        (lambda t: 0.2 * np.sin(3 * t), lambda t: 0.6 * np.cos(3 * t)),
        (lambda t: 0.4 * np.fmin(t, 0.5), fb.piecewise_constant([-1.0, 0.5], [0.4, 0.0])),
        (CubicSpline(TIMES, SAMPLES), CubicSpline(TIMES, SAMPLES).derivative()),
        ((TIMES, SAMPLES), fb.piecewise_constant(TIMES[:-1], SLOPES)),
        (fb.piecewise_constant([0.0, 0.4], [0.1, 0.3]), 0.0),
        (0.3, 0.0),
    ],
    ids=["function", "ramp", "spline", "table", "step", "number"],
)
def test_rate_is_the_derivative_of_the_reference(dae, reference, rate):
    alone = fb.simulate(dae, (0.0, 1.0), {REFERENCE: reference})
    both = fb.simulate(dae, (0.0, 1.0), {REFERENCE: reference, RATE: rate})
    np.testing.assert_allclose(alone.u, both.u, atol=1e-12)
    np.testing.assert_allclose(alone.x, both.x, atol=1e-8)


def test_array_over_the_output_times_has_the_slopes_of_its_lines(dae):
    motion = fb.simulate(dae, TIMES, {REFERENCE: SAMPLES})
    np.testing.assert_allclose(motion[RATE][:-1], SLOPES, rtol=1e-9)


def test_what_is_given_stays(dae):
    motion = fb.simulate(dae, (0.0, 0.5), {REFERENCE: lambda t: 0.3 * t, RATE: 0.0})
    assert not motion[RATE].any()


def test_a_servo_that_rests_ends_where_its_equilibrium_is(dae):
    end = fb.simulate(dae, (0.0, 10.0), {REFERENCE: 0.3})["hinge.angle"][-1]
    point = fb.equilibrium(dae, u={REFERENCE: 0.3})
    assert point["hinge.angle"] == pytest.approx(0.252505, abs=1e-6)
    assert end == pytest.approx(point["hinge.angle"], abs=1e-7)
    assert point[RATE] == 0.0
    held = fb.equilibrium(dae, x={"hinge.angle": 0.3})
    assert held[REFERENCE] == pytest.approx(0.3 + 9.81 / 2 * math.cos(0.3) / 100.0, abs=1e-9)
    assert held[RATE] == 0.0
    turning = fb.equilibrium(dae, u={REFERENCE: 0.3, RATE: 1.0})
    assert turning["hinge.angle"] > point["hinge.angle"]
    assert fb.linearize(dae).B.shape[1] == 2


def test_computed_torque_takes_acceleration_and_rate_from_the_reference():
    arm = subudhi_morris(links=1, modes=0, joints="rigid")
    closed = control.close_loop(arm, control.ComputedTorque(25.0, 10.0))
    start = {"joint1.angle": 0.2}
    motion = fb.simulate(closed, (0.0, 1.0), {"reference.joint1.angle": lambda t: 0.2 * np.cos(4 * t)}, start)
    np.testing.assert_allclose(motion["joint1.angle"], 0.2 * np.cos(4 * motion.t), atol=1e-8)
    np.testing.assert_allclose(motion["der(reference.joint1.angle,2)"], -3.2 * np.cos(4 * motion.t), atol=1e-12)


def test_a_function_without_a_derivative_is_refused_where_its_rate_matters(dae):
    plain = {REFERENCE: lambda t: 0.1 * math.sin(float(t))}
    with pytest.raises(ParameterError, match=rf"input {REFERENCE}: .* no derivative, which is {RATE} .*np\.sin"):
        fb.simulate(dae, (0.0, 0.1), plain)
    fb.simulate(dae, (0.0, 0.1), plain | {RATE: lambda t: 0.1 * math.cos(float(t))})
    fb.simulate(servo_arm(kd=0.0), (0.0, 0.1), plain)


def test_a_rate_without_its_reference_is_refused(dae):
    with pytest.raises(ParameterError, match=f"{RATE} without {REFERENCE}"):
        fb.simulate(dae, (0.0, 0.1), {RATE: 1.0})
    fb.simulate(dae, (0.0, 0.1), {RATE: 0.0})
    fb.simulate(servo_arm(kp=0.0), (0.0, 0.1), {RATE: 1.0})


def test_batches_derive_the_rates_of_each_run(dae):
    sweep = [CubicSpline(TIMES, size * SAMPLES) for size in (0.1, 0.2)]
    runs = fb.simulate_batch(dae, (0.0, 1.0), u={REFERENCE: sweep})
    for i, reference in enumerate(sweep):
        alone = fb.simulate(dae, (0.0, 1.0), {REFERENCE: reference})
        assert np.array_equal(runs["hinge.angle"][i].values, alone["hinge.angle"])
