"""Input shapers: residual vibration by the closed forms, and of an arm that is moved with them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import two_masses
from flexblocks import control
from flexblocks.errors import ParameterError

OMEGA = 10.0


def test_insensitivity_curves_are_the_closed_forms():
    w = np.linspace(0.3, 1.7, 57) * OMEGA
    phase = np.pi * w / (2 * OMEGA)
    assert np.allclose(control.ZV(OMEGA).residual(w), np.abs(np.cos(phase)), atol=1e-14)
    assert np.allclose(control.ZVD(OMEGA).residual(w), np.cos(phase) ** 2, atol=1e-14)
    V = 0.05
    ei = np.abs((1 - V) / 2 + (1 + V) / 2 * np.cos(2 * phase))
    assert np.allclose(control.EI(OMEGA, vibration=V).residual(w), ei, atol=1e-14)


@pytest.mark.parametrize("zeta", [0.0, 0.02, 0.1, 0.3])
def test_damped_shapers_keep_their_promise(zeta):
    near = OMEGA * np.array([1 - 1e-4, 1 + 1e-4])
    for make, slope in ((control.ZV, True), (control.ZVD, False)):
        shaper = make(OMEGA, zeta)
        assert shaper.residual(OMEGA, zeta) < 1e-14
        assert (shaper.residual(near, zeta) > 1e-5).all() == slope
    ei = control.EI(OMEGA, zeta, 0.05)
    assert ei.residual(OMEGA, zeta) == pytest.approx(0.05, rel=1e-9)
    assert np.max(ei.residual(np.linspace(0.83, 1.17, 200) * OMEGA, zeta)) <= 0.05 * (1 + 1e-9)
    assert np.all(np.array(ei.amplitudes) > 0)


def vibration(dae, run):
    """Energy of the spring and of the relative motion at the end [J]."""
    twist = run["wheel.angle"][-1] - run["load.angle"][-1]
    rate = run["der(wheel.angle)"][-1] - run["der(load.angle)"][-1]
    return 20.0 * twist**2 / 2 + 0.1 * 0.3 / 0.4 * rate**2 / 2


@cache
def undamped():
    model = fb.Model("two masses")
    model.add(fb.Ground("ground"))
    motor, wheel = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("wheel", inertia=0.1))
    spring, load = model.add(fb.TorsionalSpring("spring", stiffness=20.0)), model.add(fb.Rotor("load", inertia=0.3))
    model.connect(motor.flange_b, wheel.flange_a)
    model.connect(wheel.flange_b, spring.flange_a)
    model.connect(spring.flange_b, load.flange_a)
    return fb.assemble(model)


def test_after_a_shaped_torque_the_arm_does_not_ring():
    dae = undamped()
    mode = fb.linearize(dae).modes()[-1]
    assert mode.frequency == pytest.approx(np.sqrt(20.0 / 0.075))
    pulse = fb.bang_bang(0.5, 0.17)
    raw = vibration(dae, fb.simulate(dae, (0.0, 2.0), u={"motor.torque": pulse}))
    shaped = [
        vibration(dae, fb.simulate(dae, (0.0, 2.0), u={"motor.torque": make(mode).apply(pulse)}))
        for make in (control.ZV, control.ZVD)
    ]
    ei = vibration(dae, fb.simulate(dae, (0.0, 2.0), u={"motor.torque": control.EI(mode).apply(pulse)}))
    assert raw > 1e-2
    assert max(shaped) < 1e-15 * 1e3
    assert ei == pytest.approx(0.05**2 * raw, rel=1e-5)


def test_a_damped_mode_stands_still_after_a_shaped_reference():
    """A servo on its smooth reference, shaped for the slow pair of the closed loop, shaped again for the fast one."""
    dae = two_masses()
    closed = control.close_loop(dae, control.PD({"wheel.angle": "motor.torque"}, kp=60.0, kd=0.5))
    modes = [mode for mode in fb.linearize(closed).modes() if mode.damping_ratio < 1]
    assert len(modes) == 2
    shaper = control.ZV(modes[0]) * control.ZV(modes[1])
    move = control.cycloid(0.0, 1.0, 0.2)
    left = []
    for motion in (move, shaper.apply(move)):
        run = fb.simulate(
            closed, (0.0, 0.2 + shaper.duration + 1e-6), u=control.follow(closed, {"wheel.angle": motion})
        )
        left.append(abs(run["load.angle"][-1] - 1) + abs(run["der(load.angle)"][-1]))
    assert left[1] < 1e-7
    assert left[0] > 0.01


@pytest.mark.parametrize(
    "command",
    [
        fb.bang_bang(0.5, 0.3),
        fb.piecewise_linear([0.0, 0.4, 1.0], [0.2, 1.0, -0.5]),
        control.quintic(0.1, 1.2, 0.9).position,
        lambda t: np.sin(3 * t) * np.exp(-t),
    ],
)
def test_a_shaped_command_is_the_sum_of_its_copies(command):
    shaper = control.Shaper((0.0, 0.25, 0.6), (0.5, 0.2, 0.3))
    free = fb.Model("mass")
    slide, force = free.add(fb.Prismatic("slide", axis=(1, 0, 0))), free.add(fb.ForceSource("motor"))
    free.connect(free.add(fb.Ground("ground")).frame_b, slide.frame_a)
    free.connect(slide.frame_b, free.add(fb.LumpedMass("cart", mass=1.0)).frame_a)
    free.connect(force.flange_b, slide.axis)
    dae = fb.assemble(free)
    times = np.linspace(0.0, 0.99, 100) + 0.001
    run = fb.simulate(dae, times, u={"motor.force": shaper.apply(command)})

    def value(t):
        if callable(command) and not hasattr(command, "pieces"):
            return command(t)
        start, end = command.domain
        return float(command(min(max(t, start), end)))

    expected = [sum(A * value(t - s) for s, A in zip(shaper.times, shaper.amplitudes, strict=True)) for t in times]
    assert np.allclose(run["motor.force"], expected, atol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: control.ZV(0.0),
        lambda: control.ZVD(10.0, 1.0),
        lambda: control.EI(10.0, 0.0, 0.0),
        lambda: control.ZV("fast"),
        lambda: control.Shaper((0.0, 1.0), (0.5, 0.6)),
        lambda: control.Shaper((0.1, 1.0), (0.5, 0.5)),
        lambda: control.ZV(10.0).apply("step"),
    ],
)
def test_wrong_shapers_are_refused(make):
    with pytest.raises(ParameterError):
        make()
