"""The objective counts by what a motion of this arm makes of it, also where it is zero at the first guess."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models, optim

SIMILAR = [{"length": 1e-3, "mass": 1e-6, "time": 0.02}, {"length": 1e3, "mass": 1e3, "time": 1e3}]
TURN = 0.8  # [rad]


def energy(length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> float:
    """Return the unit of energy [J] of an arm in other units."""
    return mass * length**2 / time**2


def turntable(length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> tuple[fb.DAE, float]:
    """Return a motor behind a spring that turns a beam with a load, in other units, and its duration."""
    torque, stiffness = energy(length, mass, time), energy(length, mass, time) * length
    model = fb.Model("turntable")
    motor, joint = model.add(fb.TorqueSource("motor")), model.add(fb.Revolute("joint"))
    rotor = model.add(fb.Rotor("rotor", inertia=mass * length**2))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=500.0 * torque))
    beam = model.add(fb.FlexibleBeam("beam", 2.0 * length, 0.5 * mass / length, 300.0 * stiffness,
                                     discretization=fb.AssumedModes(1, tip="free")))  # fmt: skip
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.Payload("load", mass=mass)).frame_a)
    return fb.assemble(model, symbolic=("load.mass",)), 2.0 * time


def task(duration: float, angle: float = TURN, **changes) -> optim.RestToRest:
    return optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": angle}, duration, **changes)


def turned(**units: float) -> tuple[int, float]:
    """Return the iterations of the least vibration, and its energy over time without units."""
    dae, duration = turntable(**units)
    plan = optim.plan(dae, task(duration, objective="vibration", input_ends="holding"), intervals=20)
    return plan.statistics.iterations, plan.objective / (energy(**units) * units.get("time", 1.0))


def test_least_vibration_of_similar_arms_takes_the_same_iterations():
    """It is zero where nothing is bent yet, but for rounding, by which it must not count."""
    iterations, vibration = turned()
    assert iterations <= 15
    for units in SIMILAR:
        again, similar = turned(**units)
        assert abs(again - iterations) <= 1, units
        assert similar == pytest.approx(vibration, rel=1e-6)


@pytest.mark.slow
def test_the_worst_vibration_of_similar_arms_takes_the_same_iterations():
    """The cost of the worst scenario has the unit of the objective, J s, and counts by what a motion makes of it."""

    def worst(**units: float) -> tuple[int, float]:
        dae, duration = turntable(**units)
        phase = optim.Phase("turn", {"joint.angle": TURN}, duration, leeway=0.01 * energy(**units))
        loads = [{"load.mass": load * units.get("mass", 1.0)} for load in (1.0, 1.3)]
        problem = optim.Problem({"joint.angle": 0.0}, (phase,), "vibration", scenarios=loads, aggregate="worst")
        plan = optim.plan(dae, problem, intervals=20)
        assert plan.pyomo_model.worst.value == pytest.approx(plan.objective, rel=1e-6)
        vibration = plan.objective / (energy(**units) * units.get("time", 1.0))
        return sum(attempt.iterations for attempt in plan.attempts), vibration

    iterations, vibration = worst()
    assert iterations <= 90
    for units in SIMILAR:
        again, similar = worst(**units)
        assert abs(again - iterations) <= 2, units
        assert similar == pytest.approx(vibration, rel=1e-4)


@pytest.fixture(scope="module")
def space_arm() -> fb.DAE:
    return fb.assemble(models.space_arm())


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["vibration", "effort", optim.Integral("(der(wrist_roll_motor.torque) / 50)**2")])
def test_an_arm_that_stays_is_planned_at_once(space_arm, objective):
    """The best there is, is the first guess: value and derivatives of the objective are nothing but rounding."""
    dae = space_arm
    ends = {name: 0.3 for name in dae.q_names if name.endswith(".angle") and "rotor" not in name}
    plan = optim.plan(dae, optim.RestToRest(ends, ends, 10.0, objective), intervals=10)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) <= 8
    for name in ends:
        np.testing.assert_allclose(plan.trajectory[name], 0.3, atol=1e-6)


def test_deviations_of_a_grey_box_are_checked():
    import casadi as ca

    from flexblocks.optim.casadi_solver.greyboxes.errors import GreyBoxError
    from flexblocks.optim.casadi_solver.greyboxes.greybox import CasadiGreyBox

    w = ca.SX.sym("w")
    square = ca.Function("square", [w], [w**2], ["w"], ["cost"])
    assert CasadiGreyBox(square, [[0]]).deviations.tolist() == [0.0]
    for wrong in ([1.0, 2.0], [np.nan]):
        with pytest.raises(GreyBoxError, match="deviations must be 1 finite numbers"):
            CasadiGreyBox(square, [[0]], deviations=wrong)
