"""Friction, and the servo that works against it."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import ParameterError

INERTIA = 0.3


def shaft(*blocks: fb.Block, gear: float | None = None) -> fb.DAE:
    """A rotor on the ground with blocks on its shaft, or on the motor's side of a gear."""
    model = fb.Model("shaft")
    model.add(fb.Ground("ground"))
    rotor = model.add(fb.Rotor("rotor", inertia=INERTIA))
    flange = rotor.flange_a
    if gear is not None:
        box = model.add(fb.Gear("gear", ratio=gear))
        model.connect(box.flange_b, rotor.flange_a)
        flange = box.flange_a
    for block in blocks:
        model.connect(model.add(block).flange_b, flange)
    return fb.assemble(model)


def resistance(dae: fb.DAE, rate: float) -> float:
    """Return the torque it takes to turn at a constant rate [N m]."""
    return float(dae.inverse_dynamics([0.7], [rate], [0.0], []))


def test_dry_friction_stops_a_rotor_by_the_closed_form():
    coulomb, velocity, start = 0.6, 0.05, 0.4
    dae = shaft(fb.Friction("friction", coulomb=coulomb, velocity=velocity))
    motion = fb.simulate(dae, np.linspace(0.0, 0.5, 51), x0={"der(rotor.angle)": start})
    # J w' = -c tanh(w/v) has the solution sinh(w/v) = sinh(w0/v) exp(-c t / (J v)).
    decay = np.exp(-coulomb * motion.t / (INERTIA * velocity))
    expected = velocity * np.arcsinh(np.sinh(start / velocity) * decay)
    np.testing.assert_allclose(motion["der(rotor.angle)"], expected, atol=1e-8)
    # Far above the regularisation velocity it is Coulomb's law: the rate falls by c/J.
    assert motion["der(rotor.angle)"][10] == pytest.approx(start - coulomb / INERTIA * 0.1, rel=1e-3)


def test_viscous_friction_decays_exponentially():
    dae = shaft(fb.Friction("friction", viscous=0.9))
    motion = fb.simulate(dae, np.linspace(0.0, 1.0, 11), x0={"der(rotor.angle)": 2.0})
    np.testing.assert_allclose(motion["der(rotor.angle)"], 2.0 * np.exp(-0.9 / INERTIA * motion.t), rtol=1e-7)


def test_friction_takes_power_at_every_rate():
    friction = fb.Friction("friction", viscous=0.01, coulomb=0.2, velocity=0.02, breakaway=0.5, stribeck_velocity=0.3)
    dae = shaft(friction)
    for rate in [*np.linspace(-3, 3, 61), 1e-9, -1e-9, 1e6, -1e6]:
        torque = resistance(dae, rate)
        assert np.isfinite(torque)
        assert torque * rate > 0 or rate == 0 == torque
        assert resistance(dae, -rate) == -torque
        assert float(dae.output([0.0, rate], [], [])) == -torque


def test_friction_falls_from_breakaway_to_coulomb():
    friction = fb.Friction("friction", coulomb=0.2, velocity=1e-4, breakaway=0.5, stribeck_velocity=0.3)
    dae = shaft(friction)
    assert resistance(dae, 0.003) == pytest.approx(0.5, rel=1e-3)
    assert resistance(dae, 0.3) == pytest.approx(0.2 + 0.3 / np.e, rel=1e-12)
    assert resistance(dae, 3.0) == pytest.approx(0.2, rel=1e-12)


def test_at_rest_it_is_linearized_by_its_slope():
    dae = shaft(fb.TorqueSource("motor"), fb.Friction("friction", viscous=0.4, coulomb=0.2, velocity=0.05))
    lin = fb.linearize(dae, at={"rotor.angle": 0.0})
    assert lin.A[1, 1] == pytest.approx(-(0.4 + 0.2 / 0.05) / INERTIA, rel=1e-14)


@pytest.mark.parametrize("ratio", [5.0, -3.0])
def test_behind_a_gear_the_arm_feels_it_magnified(ratio):
    friction = fb.Friction("friction", viscous=0.4, coulomb=0.2, velocity=1e-3)
    direct, geared = shaft(friction), shaft(friction, gear=ratio)
    rate = 0.8
    assert resistance(geared, rate) == pytest.approx(ratio * resistance(direct, ratio * rate), rel=1e-13)
    assert resistance(geared, rate) == pytest.approx(abs(ratio) * 0.2 + ratio**2 * 0.4 * rate, rel=1e-12)


def test_friction_is_no_input_force():
    dae = shaft(fb.TorqueSource("motor"), fb.Friction("friction", viscous=0.4, coulomb=0.2))
    assert float(dae.input_force([0.0, 0.7], [1.5], [])) == 1.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"viscous": -1.0}, "Friction 'f': viscous = -1 N m s/rad; must be >= 0"),
        ({"velocity": 0.0}, "Friction 'f': velocity = 0 rad/s; must be > 0"),
        ({"coulomb": 0.5, "breakaway": 0.4}, "Friction 'f': breakaway = 0.4 N m; must be >= coulomb, 0.5 N m"),
        ({"coulomb": "much"}, "Friction 'f': coulomb = 'much'; must be a number in N m"),
    ],
)
def test_what_is_no_friction_is_refused(values, message):
    with pytest.raises(ParameterError, match=message):
        fb.Friction("f", **values)


def test_a_servo_is_a_spring_and_a_damper_to_its_reference():
    kp, kd, reference, rate = 12.0, 1.5, 0.4, -0.2
    dae = shaft(fb.PDServo("servo", kp=kp, kd=kd))
    assert dae.u.names == ("servo.reference", "servo.reference_rate")
    x, u = [0.1, 0.3], [reference, rate]
    torque = kp * (reference - 0.1) + kd * (rate - 0.3)
    assert float(dae.output(x, u, [])) == pytest.approx(torque, rel=1e-14)
    assert float(dae.forward_dynamics(x, u, [])[1]) == pytest.approx(torque / INERTIA, rel=1e-14)
    poles = np.linalg.eigvals(fb.linearize(dae, at={"servo.reference": 0.0}).A)
    np.testing.assert_allclose(np.sort_complex(poles), np.sort_complex(np.roots([INERTIA, kd, kp])), rtol=1e-12)


def test_a_servo_follows_a_reference_with_its_rate():
    dae = shaft(fb.PDServo("servo", kp=50.0, kd=20.0))
    reference = {"servo.reference": lambda t: 0.5 * t, "servo.reference_rate": 0.5}
    motion = fb.simulate(dae, (0.0, 1.0), u=reference, x0={"der(rotor.angle)": 0.5})
    np.testing.assert_allclose(motion["rotor.angle"], 0.5 * motion.t, atol=1e-9)
