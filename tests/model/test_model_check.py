"""What the check of a model lists: the planes of its beams, and what may not be intended."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb

STEEL = fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)
DOWN = (0.0, -9.81, 0.0)
SLENDER = {"linear_density": 0.2, "flexural_rigidity": 20.0}


def arm(length=1.0, mass=0.1, gravity=DOWN, axis=(0, 0, 1), properties=SLENDER, kind=None, **changes) -> fb.Model:
    model = fb.Model("arm", gravity=gravity)
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", axis=axis))
    link = model.add(
        fb.FlexibleBeam("link", length, **properties, discretization=kind or fb.AssumedModes(2), **changes)
    )
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, model.add(fb.Payload("load", mass=mass)).frame_a)
    return model


def of_steel(section: fb.Section) -> dict:
    return {"section": section, "material": STEEL}


BOX = of_steel(fb.Box(height=0.3, width=0.2, wall=0.006))


@pytest.mark.parametrize(
    "model",
    [
        arm(),
        arm(length=0.1, mass=0.005, properties=of_steel(fb.Rectangle(width=0.01, height=0.001))),
        arm(length=30.0, mass=500.0, properties=of_steel(fb.Box(height=0.6, width=0.4, wall=0.008))),
        arm(length=6.0, mass=20.0, properties=BOX),
    ],
)
def test_nothing_is_listed_of_usual_arms(model: fb.Model) -> None:
    assert model.check().remarks == ()


def test_inputs_are_listed_with_their_roles() -> None:
    model = arm(load_y="input")
    motor = model.add(fb.TorqueSource("motor"))
    model.connect(motor.flange_b, "joint.axis")
    for block in (fb.WorldTorque("jet", role="actuator"), fb.WorldForce("wind")):
        model.connect("link.frame_b", model.add(block).frame_a)
    checked, dae = model.check(), fb.assemble(model)
    assert checked.inputs == tuple(
        (name, unit, role) for name, unit, role in zip(dae.u.names, dae.u.units, dae.u.roles, strict=True)
    )
    assert {("link.load_y", "N/m", "disturbance"), ("motor.torque", "N m", "actuator")} < set(checked.inputs)
    lines = [line.split() for line in str(checked).splitlines()]
    assert ["input", "unit", "role"] in lines
    assert ["wind.force_x", "N", "disturbance"] in lines
    assert "input" not in str(arm().check())


def test_references_and_their_rates_are_listed() -> None:
    model = fb.Model("servo")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, model.add(fb.RigidLink("rod", 1.0, 2.0)).frame_a)
    model.connect(model.add(fb.PDServo("servo", kp=100.0, kd=10.0)).flange_b, joint.axis)
    assert model.check().inputs == (
        ("servo.reference", "rad", "reference"),
        ("servo.reference_rate", "rad/s", "reference rate"),
    )


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("carries 30 kg, 150 times its own mass", arm(mass=30.0)),
        ("has no gravity", arm(gravity=(0.0, 0.0, 0.0))),
        ("0.3 m deep, more than half of its length of 0.5 m", arm(length=0.5, properties=BOX)),
        ("mm, write 0.5, or 500e-3", arm(length=500.0, properties=of_steel(fb.Tube(outer=0.5, inner=0.4)))),
        ("mm, write 0.03, or 30e-3", arm(length=0.5, properties=of_steel(fb.Tube(outer=30.0, inner=20.0)))),
        ("one rigidity for both", arm(axis=(0, 1, 0))),
        ("load_z of 3 N acts across the plane", arm(load_z=3.0)),
        ("frequency 1 of bending along y, clamped and with what it carries, is", arm(properties=BOX)),
        ("Take shear=True and rotary_inertia=True", arm(properties=BOX, kind=fb.FiniteElements(2))),
        ("with fb.FiniteElements(n)", arm(properties=BOX, kind=fb.AssumedModes(1, tip="pinned"))),
        ("no discretisation", arm(kind=fb.FlexibleBeam("a", 1.0, **SLENDER).discretization)),
    ],
)
def test_what_may_not_be_meant_is_listed_with_a_remedy(words: str, model: fb.Model) -> None:
    checked = model.check()
    assert any(words in remark for remark in checked.remarks)
    assert words in str(checked)


def test_a_floating_arm_needs_no_gravity() -> None:
    model = fb.Model("satellite")
    base = model.add(fb.FreeMotion("base", position=(7e6, 0.0, 0.0)))
    model.connect(model.add(fb.Ground("ground")).frame_b, base.frame_a)
    model.connect(base.frame_b, model.add(fb.Payload("hull", 10.0, np.eye(3))).frame_a)
    assert model.check().remarks == ()


def test_a_grid_of_a_stubby_beam_is_warned_of_once() -> None:
    stubby = fb.assemble(arm(properties=BOX, kind=fb.AssumedModes(1), gravity=(0.0, 0.0, 0.0)))
    with pytest.warns(fb.errors.ModelWarning) as caught:
        fb.linear_grid(stubby, {"joint.angle": [0.0, 0.2, 0.4]})
    texts = [str(one.message) for one in caught if "% too high" in str(one.message)]
    assert len(texts) == 1
    assert texts[0].startswith("linear_grid of 'arm': FlexibleBeam 'link'")


def test_a_stubby_beam_is_warned_of_as_it_is_linearized_and_its_remedy_holds() -> None:
    stubby = arm(properties=BOX, kind=fb.AssumedModes(3))
    held = {"joint.angle": 0.0}
    with pytest.warns(fb.errors.ModelWarning, match=r"frequency 1 of bending along y, .* is 1\d % too high"):
        slender = fb.linearize(fb.assemble(stubby, locked=held)).modes()[0].frequency
    true = arm(properties=BOX, kind=fb.AssumedModes(3), shear=True, rotary_inertia=True)
    assert not [each for each in true.check().remarks if "slender" in each]
    thick = fb.linearize(fb.assemble(true, locked=held)).modes()[0].frequency
    assert slender / thick - 1 == pytest.approx(0.13, abs=0.02)
