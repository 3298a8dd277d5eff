"""Shapers inside digital controllers: against shaped references, against the curve of a shaper, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import rotor
from flexblocks import control
from flexblocks.errors import ParameterError

LOOPS = {"wheel.angle": "motor.torque"}
PD = control.PD(LOOPS, kp=2.0, kd=0.02)
H = 0.01


def test_taps_add_up_and_keep_the_mean_time():
    shaper = control.ZVD(7.3, 0.05)
    for h in (0.011, 0.1, 1.0):
        taps = shaper.taps(h)
        assert taps.sum() == pytest.approx(1.0, abs=1e-14)
        assert np.all(taps >= 0)
        mean = h * taps @ np.arange(len(taps))
        assert mean == pytest.approx(np.dot(shaper.times, shaper.amplitudes), rel=1e-12)
    assert control.Shaper((0.0, 0.03), (0.25, 0.75)).taps(H) == pytest.approx([0.25, 0.0, 0.0, 0.75])
    with pytest.raises(ParameterError, match=r"sample_time = 0; must be a finite number > 0"):
        shaper.taps(0)


def test_with_impulses_at_samples_it_is_the_law_with_the_shaped_reference():
    shaper = control.Shaper((0.0, 0.04, 0.1), (0.3, 0.45, 0.25))
    step = fb.piecewise_constant([-1.0, 0.035], [0.0, 1.0])
    t = np.linspace(0, 1.0, 101)
    inside = control.close_loop(rotor(), control.Sampled(control.Shaped(PD, shaper), H, delay=0.003))
    outside = control.close_loop(rotor(), control.Sampled(PD, H, delay=0.003))
    name = "reference.wheel.angle"
    tight = {"rtol": 1e-12, "atol": 1e-14}
    found = fb.simulate(inside, t, {name: step}, **tight)
    expected = fb.simulate(outside, t, {name: shaper.apply(step)}, **tight)
    assert np.ptp(expected["wheel.angle"]) > 0.5
    assert np.max(np.abs(found["wheel.angle"] - expected["wheel.angle"])) < 1e-8
    assert "shaped.past[10].reference.wheel.angle" in inside.x


def test_a_step_leaves_no_vibration_of_the_sampled_loop():
    plain = control.close_loop(rotor(), control.Sampled(PD, H))
    pole = np.log(max(control.multipliers(plain), key=lambda z: (abs(z), z.imag))) / H
    shaper = control.ZVD(abs(pole), -pole.real / abs(pole))
    shaped = control.close_loop(rotor(), control.Sampled(control.Shaped(PD, shaper), H))

    def left(closed):
        run = fb.simulate(closed, np.linspace(0, 3.0, 301), {"reference.wheel.angle": 1.0})
        return np.ptp(run["wheel.angle"][run.t > shaper.duration + 2 * H])

    assert left(plain) > 0.5
    assert left(shaped) < 0.01 * left(plain)


def test_refusals():
    shaper = control.ZV(10.0)
    with pytest.raises(ParameterError, match=r"takes a digital controller: Sampled\(Shaped"):
        control.close_loop(rotor(), control.Shaped(PD, shaper))
    with pytest.raises(ParameterError, match="shaper = 3; must be of type Shaper"):
        control.Shaped(PD, 3)
