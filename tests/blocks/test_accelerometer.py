"""Accelerometers against textbook motion and against the second derivative of the position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.chains import G, chain
from arms.random_arms import arms
from flexblocks.beam.shapes.euler_bernoulli_modes import clamped_modes
from flexblocks.errors import ModelError, ParameterError
from flexblocks.interfaces import GUEST, Coordinate, Load, Output, Physics, flange, inlet

AXES = ("acceleration_x", "acceleration_y", "acceleration_z")


def reading(dae: fb.DAE, x: np.ndarray, u: np.ndarray = (), sensor: str = "sensor") -> np.ndarray:
    """Return what a sensor shows (3) [m/s2]."""
    y = np.ravel(dae.output(x, u, []).full())
    return np.array([y[dae.y.index(f"{sensor}.{axis}")] for axis in AXES])


@cache
def pendulum(measures: str = "acceleration", dynamics: str = "auto") -> fb.DAE:
    rod = fb.RigidLink("rod", length=0.8, mass=2.0)
    model = chain(fb.Revolute("hinge"), rod, fb.Accelerometer("sensor", measures))
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "hinge.axis")
    return fb.assemble(model, dynamics=dynamics)


@pytest.mark.parametrize("dynamics", ["recursive", "closed-form"])
def test_end_of_a_pendulum(dynamics):
    angle, rate, torque, length, inertia = 0.6, 1.7, 3.0, 0.8, 2.0 * 0.8**2 / 3
    alpha = (torque - 2.0 * G * 0.4 * np.cos(angle)) / inertia
    expected = [-length * rate**2, length * alpha, 0.0]
    found = reading(pendulum(dynamics=dynamics), [angle, rate], [torque])
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    felt = reading(pendulum("specific force", dynamics), [angle, rate], [torque])
    # At rest a sensor reads 1 g upwards.
    np.testing.assert_allclose(felt - found, [G * np.sin(angle), G * np.cos(angle), 0.0], rtol=1e-12, atol=1e-12)


def test_in_free_fall_a_sensor_feels_nothing():
    slide = fb.Prismatic("slide", axis=(0, 1, 0))
    for measures, expected in (("acceleration", -G), ("specific force", 0.0)):
        dae = fb.assemble(chain(slide, fb.LumpedMass("bob", 1.5), fb.Accelerometer("sensor", measures)))
        np.testing.assert_allclose(reading(dae, [0.0, 2.0]), [0, expected, 0], atol=1e-13)


@settings(max_examples=6)
@given(arms(links=3, modes=2), st.integers(0, 2**32 - 1))
def test_it_is_the_second_derivative_of_the_position(arm, seed):
    model = arm.model
    link = arm.segments[-1].link
    for sensor in (fb.Accelerometer("sensor"), fb.Accelerometer("feeling", "specific force")):
        model.connect(model.add(sensor).frame_a, link.frame_b)
    dae = fb.assemble(model)
    q, v, _, u = arm.random_state(dae, seed)
    x = np.r_[q, v]
    place = ca.vertcat(*[dae.expressions.output[dae.y.index(f"sensor.{axis}")] for axis in "xyz"])
    velocity = ca.jtimes(place, dae.q, dae.v)
    change = ca.Function("change", [dae.x.symbol], [ca.jacobian(velocity, dae.x.symbol)])(x)
    world = np.ravel((change @ dae.forward_dynamics(x, u, [])).full())
    size = max(1.0, np.linalg.norm(world))
    assert np.linalg.norm(reading(dae, x, u)) == pytest.approx(np.linalg.norm(world), abs=1e-9 * size)
    felt = reading(dae, x, u, "feeling")
    assert np.linalg.norm(felt) == pytest.approx(np.linalg.norm(world - arm.gravity), abs=1e-9 * size)
    # Both are in the same axes: their difference is gravity, seen from the frame.
    assert reading(dae, x, u) @ felt == pytest.approx(world @ (world - arm.gravity), abs=1e-9 * size**2)


def test_on_a_bent_beam_the_axes_are_those_of_the_section():
    beam = fb.FlexibleBeam(
        "beam", length=0.5, linear_density=0.2, flexural_rigidity=1.0, discretization=fb.AssumedModes(2, tip="free")
    )
    dae = fb.assemble(chain(beam, fb.LumpedMass("bob", 0.1), fb.Accelerometer("sensor"), gravity=(0, 0, 0)))
    x = np.array([0.03, -0.005, 0.4, 0.7])
    bent = ca.Function("bent", [dae.q], [ca.jacobian(dae.expressions.output[dae.y.index("bob.y")], dae.q)])
    across = float(bent(x[:2]) @ dae.forward_dynamics(x, [], [])[2:])  # of the tip, along y
    turn = clamped_modes(2).slope(1.0) @ x[:2] / beam.length
    expected = [across * np.sin(turn), across * np.cos(turn), 0.0]
    np.testing.assert_allclose(reading(dae, x), expected, rtol=1e-12, atol=1e-12)


def test_it_is_simulated_and_linearized_like_any_output():
    dae, length, inertia = pendulum(), 0.8, 2.0 * 0.8**2 / 3
    motion = fb.simulate(dae, np.linspace(0.0, 1.0, 101), x0={"hinge.angle": 0.3})
    alpha = -2.0 * G * 0.4 * np.cos(motion["hinge.angle"]) / inertia
    np.testing.assert_allclose(motion["sensor.acceleration_y"], length * alpha, rtol=1e-10)
    lin = fb.linearize(dae, at=fb.equilibrium(dae, x={"hinge.angle": 0.3}), outputs=("sensor.acceleration_y",))
    assert lin.D[0, 0] == pytest.approx(length / inertia, rel=1e-12)
    assert lin.C[0, 0] == pytest.approx(length * 2.0 * G * 0.4 * np.sin(0.3) / inertia, rel=1e-12)


def test_an_arm_without_sensors_does_not_pay_for_them():
    dae = fb.assemble(chain(fb.Revolute("hinge"), fb.RigidLink("rod", length=0.8, mass=2.0)))
    assert dae.output.size1_out(0) == 3
    assert "acceleration" not in vars(dae.expressions)


@dataclass(frozen=True)
class Gyroscope(fb.Block):
    """Reads the rate of its frame: outputs of other kinds need no accelerations."""

    ports = (inlet(),)

    def physics(self, frame, local):
        return Physics(outputs={"rate": Output(frame.omega[2], "rad/s")})


def test_other_sensors_need_no_accelerations():
    dae = fb.assemble(chain(fb.Revolute("hinge"), fb.RigidLink("rod", length=0.8, mass=2.0), Gyroscope("gyro")))
    assert float(dae.output([0.4, 1.3], [], [])[dae.y.index("gyro.rate")]) == 1.3
    assert "acceleration" not in vars(dae.expressions)


@dataclass(frozen=True)
class Cheat(fb.Block):
    """Pushes with the acceleration that it is itself a cause of."""

    ports = (inlet(), flange("flange_b"))

    def coordinates(self):
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self):
        return {"flange_b": ("angle", 1.0)}

    def physics(self, frame, local):
        return Physics(loads=(Load(local.acceleration[1], local["angle"]),))


def test_accelerations_are_for_outputs_alone():
    model = chain(fb.Revolute("hinge"), fb.RigidLink("rod", length=0.8, mass=2.0), Cheat("cheat"))
    model.connect("cheat.flange_b", "hinge.axis")
    with pytest.raises(ModelError, match=r"Cheat 'cheat': physics\(\) uses local.acceleration, local.gravity, "):
        fb.assemble(model)


def test_what_it_cannot_measure_is_refused():
    with pytest.raises(ParameterError, match="measures = 'jerk'; must be one of 'acceleration', 'specific force'"):
        fb.Accelerometer("sensor", measures="jerk")
