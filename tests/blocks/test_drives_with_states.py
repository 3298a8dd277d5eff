"""Drives with states of their own: a motor's current, the bristles of friction that sticks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import flexblocks as fb
from flexblocks.errors import ParameterError
from flexblocks.statics.equilibrium import NoEquilibriumError


def shaft(drive: fb.Block, damping: float = 0.0) -> fb.Model:
    """Return a rotor of 0.02 kg m2 with a motor and this drive on its shaft."""
    model = fb.Model("shaft")
    rotor, motor = model.add(fb.Rotor("rotor", inertia=0.02)), model.add(fb.TorqueSource("motor"))
    model.add(fb.Ground("ground"))
    model.add(drive)
    model.connect(rotor.flange_a, motor.flange_b, drive.flange_b)
    return model


def test_a_motor_runs_up_as_its_linear_equations_say():
    resistance, inductance, constant = 2.0, 0.05, 0.4
    dae = fb.assemble(shaft(fb.DCMotor("dc", resistance, inductance, constant, limit=24.0)))
    assert dae.u.limits[dae.u.index("dc.voltage")] == 24.0
    times = np.linspace(0, 0.5, 6)
    run = fb.simulate(dae, t=times, u={"dc.voltage": 12.0}, rtol=1e-10)
    # States speed, current; forced by 12 V, a third state that stays.
    A = np.array(
        [[0, constant / 0.02, 0], [-constant / inductance, -resistance / inductance, 12 / inductance], [0, 0, 0]]
    )
    exact = np.array([expm(A * t) @ [0, 0, 1] for t in times])
    np.testing.assert_allclose(run["der(rotor.angle)"], exact[:, 0], atol=1e-6)
    np.testing.assert_allclose(run["dc.current"], exact[:, 1], atol=1e-6)
    # What the supply gives is lost in the armature, stored in its field and in the rotor's motion, or moves on.
    np.testing.assert_allclose(run["dc.power"], 12 * exact[:, 1], atol=1e-5)


FRICTION = {"stiffness": 500.0, "coulomb": 1.0, "breakaway": 1.5, "damping": 5.0, "viscous": 0.4}


def test_friction_sticks_below_breakaway_and_slides_above():
    dae = fb.assemble(shaft(fb.LuGreFriction("friction", **FRICTION)))
    # 1.3 N m is more than it takes to keep sliding, and less than to break away: bent bristles, no creep.
    stuck = fb.simulate(
        dae, t=np.array([0.0, 2.0, 60.0]), u={"motor.torque": fb.piecewise_linear([0, 1, 60], [0, 1.3, 1.3])}
    )
    # From z' = w (1 - stiffness z/breakaway) on the way up.
    assert stuck["rotor.angle"][1] == pytest.approx(-1.5 / 500 * np.log(1 - 1.3 / 1.5), rel=0.05)
    assert abs(stuck["rotor.angle"][2] - stuck["rotor.angle"][1]) < 1e-6
    sliding = fb.simulate(dae, t=(0.0, 3.0), u={"motor.torque": fb.piecewise_linear([0, 1, 3], [0, 2.0, 2.0])})
    assert sliding["der(rotor.angle)"][-1] == pytest.approx((2.0 - 1.0) / 0.4, rel=1e-3)
    assert sliding["friction.torque"][-1] == pytest.approx(-2.0, rel=1e-3)


def test_friction_only_takes_energy():
    """Over any motion from straight bristles back to rest, it has taken work: Olsson's dissipation, over sines."""
    dae = fb.assemble(shaft(fb.LuGreFriction("friction", **FRICTION)))
    run = fb.simulate(dae, t=np.linspace(0, 4, 2001), u={"motor.torque": fb.Signal(lambda t: 2.2 * np.sin(3 * t))})
    work = np.cumsum(run["friction.torque"] * run["der(rotor.angle)"]) * 0.002
    assert work.max() < 1e-3
    assert work[-1] < -1.0


def test_breakaway_below_coulomb_is_refused():
    with pytest.raises(ParameterError, match=r"LuGreFriction 'f': breakaway = 0.5 N m; must be >= coulomb, 1 N m"):
        fb.LuGreFriction("f", stiffness=1e3, coulomb=1.0, breakaway=0.5)


@pytest.mark.parametrize("breakaway", [5.0, 12.0])
def test_bristles_hold_at_rest_what_they_can_and_only_where_nothing_else_does(breakaway):
    """A level rod of 9.81 N m: a motor holds all of it; bristles without one up to breakaway, and then refuse."""
    for motor in (True, False):
        model = fb.Model("rod", gravity=(0, -9.81, 0))
        hinge, rod = model.add(fb.Revolute("hinge")), model.add(fb.RigidLink("rod", 1.0, 2.0))
        bristles = model.add(fb.LuGreFriction("bristles", stiffness=200.0, coulomb=1.0, breakaway=breakaway))
        model.connect(model.add(fb.Ground("ground")).frame_b, hinge.frame_a)
        model.connect(hinge.frame_b, rod.frame_a)
        model.connect(bristles.flange_b, hinge.axis)
        if motor:
            model.connect(model.add(fb.TorqueSource("motor")).flange_b, hinge.axis)
        dae = fb.assemble(model)
        if not motor and breakaway < 9.81:
            with pytest.raises(NoEquilibriumError, match=r"9\.81 N m at 'hinge.angle'"):
                fb.equilibrium(dae, x={"hinge.angle": 0.0})
            continue
        held = fb.equilibrium(dae, x={"hinge.angle": 0.0})
        assert held["bristles.deflection"] == pytest.approx(0.0 if motor else -9.81 / 200.0)
        assert not motor or held["motor.torque"] == pytest.approx(9.81)
