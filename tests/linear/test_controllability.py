"""What inputs move and outputs see: against arms where it is plain."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks.linear.controllability import controllability_report


@cache
def spatial_beam(axis: tuple[int, int, int] = (0, 0, 1)) -> fb.DAE:
    """A beam that bends along y and z, on a hinge about z."""
    model = fb.Model("beam")
    joint, motor = model.add(fb.Revolute("joint", axis=axis)), model.add(fb.TorqueSource("motor"))
    link = model.add(
        fb.FlexibleBeam(
            "link", 0.5, 0.2, 1.0, discretization=fb.AssumedModes(2, tip="free"), bending="yz", damping_ratio=0.01
        )
    )
    model.connect(motor.flange_b, joint.axis)
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


@cache
def two_masses() -> fb.DAE:
    """A motor's rotor and a load behind a damped spring."""
    model = fb.Model("two masses")
    model.add(fb.Ground("ground"))
    motor, wheel = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("wheel", inertia=0.1))
    spring, load = (
        model.add(fb.TorsionalSpring("spring", stiffness=20.0, damping=0.05)),
        model.add(fb.Rotor("load", 0.3)),
    )
    model.connect(motor.flange_b, wheel.flange_a)
    model.connect(wheel.flange_b, spring.flange_a)
    model.connect(spring.flange_b, load.flange_a)
    return fb.assemble(model)


def test_a_bent_arm_is_minimal_and_a_straight_one_hides_a_motion() -> None:
    dae = subudhi_morris()
    straight = fb.linearize(dae).report()
    # Along the arm the payload does not move, across it sees one combination of the two angles.
    assert (straight.controllable, straight.observable, straight.rigid_observable) == (16, 14, 2)
    lin = fb.linearize(dae, fb.equilibrium(dae, x={"joint1.angle": 0.0, "joint2.angle": 0.7}))
    report = lin.report()
    assert report.minimal
    assert (report.states, report.rigid, len(report.modes)) == (16, 4, 6)
    found = [abs(mode.eigenvalue) for mode in report.modes]
    assert np.allclose(found, [mode.frequency for mode in lin.modes() if mode.eigenvalue], rtol=1e-9)


def test_a_torque_about_z_does_not_bend_the_beam_along_z() -> None:
    lin = fb.linearize(spatial_beam(), outputs=("link.tip_deflection_y", "link.tip_deflection_z"))
    report = lin.report()
    assert (report.states, report.controllable, report.observable) == (10, 6, 8)
    # The hinge makes bending along y stiffer to move: its modes are faster than those of the clamped beam along z.
    clamped = [mode for mode in report.modes if not mode.input]
    assert len(clamped) == 2
    assert all(mode.output == "link.tip_deflection_z" for mode in clamped)
    assert all(mode.controllability == 0 for mode in clamped)
    free = [mode for mode in report.modes if mode.input]
    assert all(mode.output == "link.tip_deflection_y" for mode in free)
    assert (report.rigid, report.rigid_controllable, report.rigid_observable) == (2, 2, 0)
    assert "no input moves it" in str(report)
    assert "10 states, 6 controllable, 8 observable" in str(report)


def test_a_round_beam_has_equal_modes_that_one_input_cannot_tell_apart() -> None:
    """Two equal modes of a clamped round beam, one force between them: one combination of both is out of reach."""
    A = np.kron(np.eye(2), np.array([[0.0, 1.0], [-100.0, -0.1]]))
    B = np.array([[0.0], [1.0], [0.0], [1.0]])
    C = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    report = controllability_report(A, B, C, ("force",), ("y", "z"))
    assert (report.controllable, report.observable) == (2, 4)
    assert all(mode.input == "force" for mode in report.modes)


def test_what_two_masses_hide() -> None:
    dae = two_masses()
    assert fb.linearize(dae, outputs=("load.angle",)).report().minimal
    speed = fb.linearize(dae, outputs=("der(load.angle)",)).report()
    assert (speed.controllable, speed.observable) == (4, 3)  # where they are is not observable
    assert (speed.rigid, speed.rigid_observable) == (2, 1)
    nothing = fb.linearize(dae, outputs=()).report()
    assert (nothing.controllable, nothing.observable) == (4, 0)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale: float) -> None:
    lin = fb.linearize(spatial_beam(), outputs=("link.tip_deflection_y",))
    report = controllability_report(lin.A, lin.B * scale, lin.C / scale, lin.inputs, lin.outputs)
    assert [mode.controllability for mode in report.modes] == pytest.approx(
        [mode.controllability for mode in lin.report().modes], rel=1e-9
    )
    assert report.controllable == 6
