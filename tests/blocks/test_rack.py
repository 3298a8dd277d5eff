"""Racks and screws: what acts on a shaft acts on a slide, by closed forms, from desk to gantry."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.errors import ModelError, ParameterError

GRAVITY = 9.81
# Radius [m], mass [kg]: a screw of 2 mm lead on a desk, a gantry, a crane's trolley that the shaft moves back.
CARRIAGES = [(0.002 / (2 * np.pi), 0.05), (0.04, 20.0), (-0.5, 5e3)]


def carriage(radius: float, mass: float, *blocks: fb.Block, slope: float = 0.0) -> fb.DAE:
    """A carriage on a rail that rises by `slope` [rad], with blocks on the shaft of its rack."""
    model = fb.Model("carriage", gravity=(0.0, -GRAVITY, 0.0))
    ground, tilt = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("tilt", rotation=(0.0, 0.0, slope)))
    rail, load = model.add(fb.Prismatic("rail", axis=(1, 0, 0))), model.add(fb.Payload("load", mass))
    rack = model.add(fb.Rack("rack", radius))
    model.connect(ground.frame_b, tilt.frame_a)
    model.connect(tilt.frame_b, rail.frame_a)
    model.connect(rail.frame_b, load.frame_a)
    model.connect(rack.flange_b, rail.axis)
    for block in blocks:
        model.connect(model.add(block).port("flange_b"), rack.flange_a)
    return fb.assemble(model)


@pytest.mark.parametrize(("radius", "mass"), CARRIAGES)
def test_a_motor_and_a_rotor_on_the_shaft(radius: float, mass: float) -> None:
    """J / r^2 beside the mass, and torque / r along the rail."""
    inertia = 0.3 * mass * radius**2
    dae = carriage(radius, mass, fb.Rotor("rotor", inertia), fb.TorqueSource("motor"))
    assert dae.q_names == ("rail.displacement",)
    assert float(dae.mass_matrix([0.3], [])) == pytest.approx(1.3 * mass, rel=1e-14)
    assert float(dae.input_force([0.0, 0.0], [2.0], [])) == pytest.approx(2.0 / radius, rel=1e-14)


@pytest.mark.parametrize(("radius", "mass"), CARRIAGES)
def test_friction_that_sticks_holds_a_carriage_on_a_slope(radius: float, mass: float) -> None:
    """Up to breakaway; beyond, it slides down with what is left of its weight."""
    slope = 0.1
    pull = mass * GRAVITY * np.sin(slope) * abs(radius)
    stiffness = 300.0 * pull
    brake = {"stiffness": stiffness, "damping": 2 * np.sqrt(stiffness * mass) * abs(radius)}
    held = carriage(radius, mass, fb.LuGreFriction("brake", coulomb=1.2 * pull, **brake), slope=slope)
    run = fb.simulate(held, (0.0, 2.0))
    assert abs(run["brake.torque"][-1]) == pytest.approx(pull, rel=1e-3)
    assert np.ptp(run["rail.displacement"][-100:]) < 1e-5 * abs(radius)
    slips = carriage(radius, mass, fb.Friction("brake", coulomb=0.6 * pull, velocity=1e-6 / abs(radius)), slope=slope)
    run = fb.simulate(slips, (0.0, 1.0))
    assert run["rail.displacement"][-1] == pytest.approx(-0.4 * GRAVITY * np.sin(slope) / 2, rel=1e-3)


@pytest.mark.parametrize(("radius", "mass"), CARRIAGES)
def test_end_stops_hold_a_carriage_that_rolls_down(radius: float, mass: float) -> None:
    """Two turns from the middle, with a thousandth of that depth under the carriage's weight."""
    turns, slope = 4 * np.pi, 0.3
    travel = turns * abs(radius)
    stiffness = mass * GRAVITY * radius**2 / (1e-3 * travel)
    stops = fb.EndStops("stops", -turns, turns, stiffness, damping=2 * np.sqrt(abs(radius) / GRAVITY), transition=1e-4)
    run = fb.simulate(carriage(radius, mass, stops, slope=slope), (0.0, 40 * np.sqrt(travel / GRAVITY)))
    assert run["rail.displacement"][-1] == pytest.approx(-travel * (1 + 1e-3 * np.sin(slope)), rel=1e-5)
    assert run["stops.torque"][-1] / radius == pytest.approx(mass * GRAVITY * np.sin(slope), rel=1e-6)


def test_a_servo_moves_a_slide_to_its_angle_times_the_radius() -> None:
    dae = carriage(0.04, 20.0, fb.PDServo("servo", kp=40.0, kd=2 * np.sqrt(40.0 * 20.0) * 0.04))
    run = fb.simulate(dae, (0.0, 10.0), u={dae.u.names[0]: 3.0})
    assert run["rail.displacement"][-1] == pytest.approx(0.04 * 3.0, rel=1e-6)


@pytest.mark.parametrize(("radius", "mass"), CARRIAGES)
def test_a_slide_is_planned_by_its_motor(radius: float, mass: float) -> None:
    """The greatest torque of least effort from rest to rest is 6 m d r / T^2, within the motor's limit."""
    distance, duration = 0.5, 2.0
    most = 6 * mass * distance * abs(radius) / duration**2
    dae = carriage(radius, mass, fb.TorqueSource("motor", limit=1.01 * most))
    problem = optim.RestToRest(
        {"rail.displacement": 0.0}, {"rail.displacement": distance}, duration, objective=optim.Effort(rate_weight=0.0)
    )
    plan = optim.plan(dae, problem, intervals=10)
    assert abs(plan.inputs["motor.torque"](0.0)) == pytest.approx(most, rel=2e-2)


def test_a_start_value_of_the_shaft_is_one_of_the_slide() -> None:
    dae = carriage(0.04, 20.0, fb.Rotor("rotor", 1e-3, start=3.0))
    assert dae.x.start[0] == pytest.approx(0.12, rel=1e-15)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ParameterError, match="radius = 0"):
        fb.Rack("rack", 0.0)
    model = fb.Model("m")
    rail, rack = model.add(fb.Prismatic("rail")), model.add(fb.Rack("rack", 0.1))
    with pytest.raises(ModelError, match="flange"):
        model.connect(rack.flange_a, rail.axis)
