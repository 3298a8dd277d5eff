"""Blocks defined here, as a user would: they compose with the rest, and nothing else changes."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest
from scipy.special import ellipk

import flexblocks as fb
from arms.chains import G, chain, motion, values
from flexblocks.errors import ModelError
from flexblocks.interfaces import (
    GUEST,
    NOT_NEGATIVE,
    POSITIVE,
    Coordinate,
    Load,
    Output,
    Physics,
    Variable,
    flange,
    inlet,
    outlet,
    parameter,
)


@dataclass(frozen=True)
class HardeningSpring(fb.Block):
    """A spring between two flanges with the potential k/2 d^2 + k3/4 d^4."""

    stiffness: float = parameter("N m/rad", NOT_NEGATIVE)
    hardening: float = parameter("N m/rad3", NOT_NEGATIVE)

    ports = (flange("flange_a"), flange("flange_b"))

    def coordinates(self):
        return (Coordinate("angle_a", "rad", rank=GUEST), Coordinate("angle_b", "rad", rank=GUEST))

    def flanges(self):
        return {"flange_a": ("angle_a", 1.0), "flange_b": ("angle_b", 1.0)}

    def physics(self, frame, local):
        d = local["angle_b"] - local["angle_a"]
        return Physics(
            potential=self.stiffness * d**2 / 2 + self.hardening * d**4 / 4, outputs={"deflection": Output(d, "rad")}
        )


def test_hardening_spring_swings_with_the_period_of_duffing():
    k, k3, inertia, swing = 4.0, 30.0, 0.5, 0.9
    model = chain(fb.Revolute("hinge"), fb.Payload("wheel", 1.0, inertia))
    wall, spring = model.add(fb.Fixed("wall")), model.add(HardeningSpring("spring", stiffness=k, hardening=k3))
    model.connect(wall.flange_b, spring.flange_a)
    model.connect(spring.flange_b, "hinge.axis")
    dae = fb.assemble(model)
    fast = k + k3 * swing**2
    period = 4 * np.sqrt(inertia / fast) * ellipk(k3 * swing**2 / (2 * fast))
    states = motion(dae, [swing, 0.0], np.array([period / 4, period / 2, period, 10 * period]))
    np.testing.assert_allclose(states[0], [0.0, -swing, swing, swing], atol=1e-8)
    np.testing.assert_allclose(states[1, 1:], 0.0, atol=1e-8)


def test_hardening_spring_in_a_flexible_arm_keeps_the_energy():
    beam = fb.FlexibleBeam("beam", 0.5, 0.2, 1.0, discretization=fb.AssumedModes(2, tip="auto"))
    model = chain(fb.Revolute("hinge"), beam, fb.Payload("load", 0.1, 0.005))
    rotor = model.add(fb.Rotor("rotor", inertia=0.02))
    spring = model.add(HardeningSpring("spring", stiffness=2.0, hardening=50.0))
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, "hinge.axis")
    dae = fb.assemble(model, symbolic=("spring.hardening",))
    assert dae.p.units == ("N m/rad3",)
    dae = fb.assemble(model)
    states = motion(dae, [0.0, 0.5, 0.02, 0, 0, 0, 0, 0], np.linspace(0, 1, 40))
    energy = [sum(map(float, dae.energy(x, []))) for x in states.T]
    kinetic = [float(dae.energy(x, [])[0]) for x in states.T]
    assert np.ptp(kinetic) > 0.1
    assert np.ptp(energy) < 1e-8


@dataclass(frozen=True)
class ElasticCord(fb.Block):
    """A massless elastic cord, always taut, along x: `frame_b` hangs `length` + stretch from `frame_a`."""

    length: float = parameter("m", POSITIVE)
    stiffness: float = parameter("N/m", POSITIVE)

    ports = (inlet(), outlet())

    def coordinates(self):
        return (Coordinate("stretch", "m"),)

    def physics(self, frame, local):
        stretch = local["stretch"]
        return Physics(
            outlets={"frame_b": frame.translate([self.length + stretch, 0, 0])},
            potential=self.stiffness * stretch**2 / 2,
        )


def test_point_mass_on_a_cord_is_an_elastic_pendulum():
    m, length, k = 0.8, 0.6, 90.0
    hanging = chain(fb.Revolute("hinge"), ElasticCord("cord", length, k), fb.LumpedMass("bob", m))
    dae = fb.assemble(hanging)
    assert dae.q_names == ("hinge.angle", "cord.stretch")
    angle, stretch, turn, speed = 0.3, 0.05, 1.1, -0.4
    r = length + stretch
    turning, along = values(dae.forward_dynamics([angle, stretch, turn, speed], [], []))[2:]
    assert turning == pytest.approx((-G * np.cos(angle) - 2 * speed * turn) / r, rel=1e-13)
    assert along == pytest.approx(r * turn**2 - G * np.sin(angle) - k * stretch / m, rel=1e-13)
    rest = np.array([-np.pi / 2, m * G / k, 0, 0])
    np.testing.assert_allclose(values(dae.forward_dynamics(rest, [], [])), 0.0, atol=1e-13)
    A = ca.Function("A", [dae.x.symbol], [ca.jacobian(dae.expressions.rate, dae.x.symbol)])(rest).full()
    swing, bounce = np.sqrt(G / (length + m * G / k)), np.sqrt(k / m)
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(A).imag)[2:], sorted([swing, bounce]), rtol=1e-12)
    states = motion(dae, [-1.0, 0.2, 0.0, 0.0], np.linspace(0, 3, 60))
    energy = [sum(map(float, dae.energy(x, []))) for x in states.T]
    assert np.ptp(states[1]) > 0.1
    assert np.ptp(energy) < 1e-8


def test_cord_on_the_tip_of_a_beam_keeps_the_energy():
    beam = fb.FlexibleBeam("beam", 0.5, 0.4, 2.0, discretization=fb.AssumedModes(2, tip="free"), bending="yz")
    parts = (fb.Revolute("hinge"), beam, fb.Revolute("eye", axis=(0, 1, 0)), ElasticCord("cord", 0.4, 40.0))
    dae = fb.assemble(chain(*parts, fb.LumpedMass("bob", 0.3), gravity=(0, -3.0, -9.0)))
    assert len(dae.x) == 2 * 7
    x0 = np.zeros(14)
    x0[:7] = [0.4, 0.01, 0.002, -0.02, 0.001, 1.0, 0.05]
    states = motion(dae, list(x0), np.linspace(0, 0.5, 20))
    energy = [sum(map(float, dae.energy(x, []))) for x in states.T]
    assert max(float(dae.energy(x, [])[0]) for x in states.T) > 0.1
    assert np.ptp(energy) < 1e-8


@dataclass(frozen=True)
class Motor(fb.Block):
    """A direct-current motor: the current is a state, the voltage an input, the torque an algebraic variable."""

    resistance: float = parameter("ohm", POSITIVE)
    inductance: float = parameter("H", POSITIVE)
    constant: float = parameter("N m/A", POSITIVE)

    ports = (flange("flange_b"),)

    def coordinates(self):
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self):
        return {"flange_b": ("angle", 1.0)}

    def inputs(self):
        return (Variable("voltage", "V"),)

    def states(self):
        return (Variable("current", "A", start=0.5),)

    def algebraics(self):
        return (Variable("torque", "N m"),)

    def physics(self, frame, local):
        current, rate = local["current"], local.rate(local["angle"])
        slope = (local["voltage"] - self.resistance * current - self.constant * rate) / self.inductance
        return Physics(
            loads=(Load(local["torque"], local["angle"]),),
            derivatives={"current": slope},
            residuals=(local["torque"] - self.constant * current,),
        )


def test_a_motor_with_current_and_algebraic_torque():
    model = chain(fb.Revolute("hinge", damping=0.2), fb.Payload("wheel", 1.0, 0.5), gravity=(0, 0, 0))
    motor = model.add(Motor("motor", resistance=2.0, inductance=0.1, constant=0.3))
    model.connect(motor.flange_b, "hinge.axis")
    dae = fb.assemble(model)
    assert dae.x.names == ("hinge.angle", "der(hinge.angle)", "motor.current")
    assert dae.x.start[2] == 0.5
    assert (dae.z.names, dae.u.names) == (("motor.torque",), ("motor.voltage",))
    x, u, z = [0.1, 4.0, 1.5], [12.0], [0.7]
    rates = values(dae.forward_dynamics(x, u, [], z))
    np.testing.assert_allclose(rates, [4.0, (0.7 - 0.2 * 4) / 0.5, (12 - 2 * 1.5 - 0.3 * 4) / 0.1], rtol=1e-14)
    assert float(dae.algebraic(x, u, [], z)) == pytest.approx(0.7 - 0.3 * 1.5, rel=1e-14)


@dataclass(frozen=True)
class Careless(fb.Block):
    """A block that breaks the contract in one of several ways."""

    fault: str = ""

    ports = (inlet(), outlet())

    def states(self):
        return (Variable("w", "1"),)

    def algebraics(self):
        return (Variable("z", "1"),)

    def physics(self, frame, local):
        return Physics(
            outlets={} if self.fault == "outlet" else {"frame_b": frame},
            derivatives={} if self.fault == "derivative" else {"w": -local["w"]},
            residuals=() if self.fault == "residual" else (local["z"],),
        )


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("outlet", r"Careless 'c': physics\(\) returned no frame for the outlet 'frame_b'"),
        ("derivative", r"Careless 'c': physics\(\) returned derivatives of \[\]; its states are \['w'\]"),
        ("residual", r"Careless 'c': physics\(\) returned 0 residuals for 1 algebraic variables"),
    ],
)
def test_blocks_that_break_the_contract_are_named(fault, message):
    with pytest.raises(ModelError, match=message):
        fb.assemble(chain(fb.Revolute("hinge"), Careless("c", fault), fb.Payload("load", 1.0, 1.0)))
    fb.assemble(chain(fb.Revolute("hinge"), Careless("c"), fb.Payload("load", 1.0, 1.0)))
