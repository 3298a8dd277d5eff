"""Currents and pressures that move an arm: magnitudes, first guesses and estimates of durations with them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.presolve.magnitudes.characteristic_magnitudes import magnitudes
from flexblocks.optim.presolve.rigid_motion.driven_states import moving_forces

RESISTANCE, CONSTANT, RATIO, MASS, LENGTH = 1.2, 0.05, 60.0, 0.5, 0.4
ROTOR = 5e-6


@cache
def motor_arm(gravity: float = 0.0, lugre: bool = False) -> fb.DAE:
    """Return a point mass on a massless link, turned by a DC motor through a gear."""
    model = fb.Model("motor arm", gravity=(0.0, -gravity, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    motor = model.add(fb.DCMotor("motor", RESISTANCE, 5e-4, CONSTANT, limit=24.0))
    rotor, gear = model.add(fb.Rotor("rotor", ROTOR)), model.add(fb.Gear("gear", ratio=RATIO))
    link = model.add(fb.RigidLink("link", LENGTH))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, gear.flange_a)
    model.connect(gear.flange_b, hinge.axis)
    model.connect(hinge.frame_b, link.frame_a)
    model.connect(link.frame_b, model.add(fb.Payload("tip", MASS)).frame_a)
    if lugre:
        model.add(fb.LuGreFriction("seal", stiffness=5.0, coulomb=0.01, breakaway=0.015))
        model.connect(rotor.flange_b, "seal.flange_b")
    return fb.assemble(model)


def test_the_current_that_accelerates_an_arm_is_its_torque_over_constant_and_ratio():
    dae = motor_arm()
    point = fb.equilibrium(dae, x={dae.q_names[0]: 0.0})
    name = dae.q_names[0]
    per_turn = RATIO if name.startswith("rotor") else 1.0
    a = np.array([[0.0], [2.0 * per_turn]])
    none = np.zeros((2, 1))
    (still,), (moved,) = moving_forces(dae, point, {name: 0.0}, (none, none, none, a), np.zeros((2, 0)), none)
    assert still == pytest.approx(0.0, abs=1e-12)
    torque = (MASS * LENGTH**2 + ROTOR * RATIO**2) * 2.0
    assert moved == pytest.approx(torque / (CONSTANT * RATIO), rel=1e-9)


def test_an_arm_without_weight_has_the_magnitude_of_the_current_in_motion():
    dae = motor_arm()
    problem = optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 1.0}, 1.0, input_ends="holding")
    model = optim.pyomo_model(dae, problem, intervals=10)
    (current,) = magnitudes(transcribed_problem(model).first[0])["w"]
    most = 10 / np.sqrt(3)  # of a quintic's acceleration [rad/s2]
    assert current == pytest.approx(most * (MASS * LENGTH**2 + ROTOR * RATIO**2) / (CONSTANT * RATIO), rel=0.01)
    plan = optim.plan(dae, problem, intervals=20)  # it was refused as unbounded: currents counted with their rounding
    assert plan.status == "converged"
    assert plan.statistics.iterations <= 15


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_the_shortest_time_of_a_motor_is_estimated_with_its_back_emf(gravity):
    dae = motor_arm(gravity)
    limits = {"motor.voltage": 24.0, "der(motor.voltage)": 240.0}
    problem = optim.RestToRest(
        {"hinge.angle": -1.0}, {"hinge.angle": 1.0}, "free", "time", limits=limits, input_ends="holding"
    )
    model = optim.pyomo_model(dae, problem, intervals=10)
    # At 24 V no motor turns the arm by more than 8 rad/s; the estimate of 3 ms had a range of 30 ms at most.
    estimate = transcribed_problem(model).first[0].mesh.duration
    assert estimate > 2.0 / (24.0 / (CONSTANT * RATIO))
    plan = optim.plan(dae, problem, intervals=20)
    assert plan.status == "converged"
    assert 0.5 * estimate < plan.duration < 1.5 * estimate


def test_bristles_end_where_the_motion_takes_them():
    dae = motor_arm(lugre=True)
    problem = optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 1.0}, 1.0, input_ends="holding")
    model = optim.pyomo_model(dae, problem, intervals=4)
    assert model.w[0, "seal.deflection"].fixed
    assert not model.w[4, "seal.deflection"].fixed
    assert not model.w[4, "motor.current"].fixed
    assert "balance of" in " ".join(model.goal_balance.get_external_model().equality_constraint_names())


def test_the_magnitude_of_a_voltage_is_that_of_the_motion():
    dae = motor_arm()
    problem = optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 1.0}, 1.0, input_ends="holding")
    (voltage,) = magnitudes(transcribed_problem(optim.pyomo_model(dae, problem, intervals=10)).first[0])["u"]
    # Back-EMF at the peak rate of the quintic, 15/8 rad/s, and the resistance with what accelerates: far below 24 V.
    times = np.linspace(0.0, 1.0, 1001)
    rate, acceleration = 30 * times**2 * (1 - times) ** 2, 60 * times * (1 - times) * (1 - 2 * times)
    current = (MASS * LENGTH**2 + ROTOR * RATIO**2) * acceleration / (CONSTANT * RATIO)
    assert voltage == pytest.approx(np.abs(RESISTANCE * current + CONSTANT * RATIO * rate).max(), rel=0.02)


def test_currents_are_free_where_an_arm_ends_bent_for_the_next_load():
    dae = motor_arm(gravity=9.81)
    for balance, is_free in (("own", False), ("next", True)):
        bring = optim.Phase("bring", {"hinge.angle": 1.0}, 1.0, balance=balance)
        back = optim.Phase("back", {"hinge.angle": 0.0}, 1.0)
        model = optim.pyomo_model(dae, optim.Problem({"hinge.angle": 0.0}, phases=[bring, back]), intervals=4)
        assert model.phase["bring"].w[4, "motor.current"].fixed != is_free
        assert model.phase["back"].w[4, "motor.current"].fixed
