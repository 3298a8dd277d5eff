"""`dataclasses.replace` works on every block: what was made can be made again with another value."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import flexblocks as fb
from arms.flexible_bodies import bar
from flexblocks.blocks import ALL_BLOCKS
from flexblocks.errors import ParameterError

MODES = fb.AssumedModes(2, tip=fb.TipBody(0.3, 0.01, 0.02))
STEEL = fb.Material(density=7850.0, youngs_modulus=210e9)
EXAMPLES: dict[type, tuple[fb.Block | fb.Composite, ...]] = {
    fb.Backlash: (fb.Backlash("a", 1e3, 0.02, damping=1.0),),
    fb.EndStops: (fb.EndStops("a", -1.0, 2.0, 1e3, damping=1.0),),
    fb.Cable: (fb.Cable("a", 5.0, 1e5, via=2), fb.Cable("a", length=5.0, rigidity=1e5, damping_time=1e-3)),
    fb.Contact: (fb.Contact("a", 1e4, 1e-4, normal=(0, 3, 4), radius=0.1, damping=0.5, friction=0.3),),
    fb.DCMotor: (fb.DCMotor("a", 0.5, 1e-3, 0.05, limit=24.0),),
    fb.HydraulicCylinder: (
        fb.HydraulicCylinder("a", 2e-3, 1e-3, 0.8, 1.4, supply_pressure=2e7, rated_flow=1e-3),
        fb.HydraulicCylinder("a", 2e-3, 1e-3, 0.8, 1.4, supply_pressure=2e7, rated_flow=1e-3, shock_pressure=3e7),
        fb.HydraulicCylinder("a", 2e-3, 1e-3, 0.8, 1.4, max_speed=0.2),
    ),
    fb.LineForce: (fb.LineForce("a", limit=100.0),),
    fb.LuGreFriction: (fb.LuGreFriction("a", 1e3, 0.5, breakaway=0.8, damping=1.0),),
    fb.SpringDamper: (fb.SpringDamper("a", 1e3, 10.0, 0.5),),
    fb.WorldForce: (fb.WorldForce("a"), fb.WorldForce("a", resolve_in="frame")),
    fb.WorldTorque: (fb.WorldTorque("a"),),
    fb.Accelerometer: (fb.Accelerometer("a"),),
    fb.ForceSensor: (fb.ForceSensor("a"),),
    fb.Fixed: (fb.Fixed("a"),),
    fb.FixedTransform: (
        fb.FixedTransform("a", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)),
        fb.FixedTransform("a", rotation=((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))),
    ),
    fb.FixedTranslation: (fb.FixedTranslation("a"),),
    fb.FlexibleBeam: (
        fb.FlexibleBeam("a", 0.5, 0.2, 1.0, discretization=MODES, damping_ratio=0.01, internal_forces=(0.0, 0.2)),
        fb.FlexibleBeam("a", 0.5, section=fb.Tube(outer=0.1, inner=0.01), material=STEEL, load_y="input", torsion=True),
        fb.FlexibleBeam("a", 0.5, lambda x: 0.2 + x, ((0.0, 1.0), (0.5, 2.0)), discretization=fb.FiniteElements(2)),
    ),
    fb.FlexibleJoint: (fb.FlexibleJoint("a", 0.1, 100.0, gear_ratio=50.0, axis=(1, 0, 0), limit=3.0, start=0.2),),
    fb.DrivenPrismatic: (fb.DrivenPrismatic("a", (0, 3, 4), 0.1, 5.0, 0.2, low=-1.0, high=1.0, max_speed=2.0),),
    fb.DrivenRevolute: (fb.DrivenRevolute("a", (0, 3, 4), 0.1, 5.0, 0.2, low=-1.0, high=1.0, max_speed=2.0),),
    fb.ForceSource: (fb.ForceSource("a", limit=2.0),),
    fb.Friction: (fb.Friction("a", 0.1, 0.2, breakaway=0.3),),
    fb.FreeMotion: (fb.FreeMotion("a", (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)),),
    fb.Gear: (fb.Gear("a", -3.0),),
    fb.Gimbal: (fb.Gimbal("a", axes=((0, 0, 2), (1, 1, 0), (0, 0, 1)), start=(0.1, 0.2, 0.3)),),
    fb.Ground: (fb.Ground("a"),),
    fb.LumpedMass: (fb.LumpedMass("a", 1.0),),
    fb.PDServo: (fb.PDServo("a", 10.0, 1.0),),
    fb.Payload: (fb.Payload("a", 1.0, np.diag([0.1, 0.2, 0.2]), (0.1, 0.0, 0.3)),),
    fb.Prismatic: (fb.Prismatic("a", axis=(0, 3, 4), damping=0.1, start=0.2),),
    fb.PulleyRope: (fb.PulleyRope("a", [1.0, 2.0], 1e4, radii=[0.1], inertias=[0.01], senses=[-1], damping_time=0.01),),
    fb.Rack: (fb.Rack("a", -0.02),),
    fb.ReducedBody: (
        fb.ReducedBody("a", body=bar(), modes=3, damping_ratio=0.01, stiffening=True),
        fb.ReducedBody("a", body=bar(), tip="free", shape=fb.Sphere(0.1)),
    ),
    fb.Revolute: (fb.Revolute("a", axis=(0, 3, 4), damping=0.1, start=0.2),),
    fb.RigidBody: (fb.RigidBody("a", 1.0, 0.1, (0.1, 0.0, 0.0), (0.2, 0.0, 0.0)),),
    fb.RigidLink: (fb.RigidLink("a", 0.5, 1.0, inertia=0.1, center=0.2), fb.RigidLink("a", 0.5)),
    fb.Rotor: (fb.Rotor("a", 0.1, 30.0, axis=(1, 1, 0), start=0.3),),
    fb.SlidingBeam: (fb.SlidingBeam("a", 0.5, 0.2, 1.0, discretization=fb.AssumedModes(1, tip="free"), start=0.3),),
    fb.Spherical: (fb.Spherical("a", 0.1, (0.1, 0.2, 0.3)), fb.Spherical("a", 0.1, np.diag([1.0, -1.0, -1.0]))),
    fb.TorqueSource: (fb.TorqueSource("a", limit=2.0),),
    fb.TotalMomentum: (fb.TotalMomentum("a"),),
    fb.Track: (fb.Track("a", 0.5, 0.2, 1.0, discretization=MODES, damping=0.1, start=0.3, high=0.4, max_speed=1.0),),
    fb.TranslationalGear: (fb.TranslationalGear("a", -2.0),),
    fb.TranslationalSpring: (fb.TranslationalSpring("a", 10.0, 0.1, free_length=0.2),),
    fb.TorsionalSpring: (fb.TorsionalSpring("a", 10.0, 0.1, free_angle=0.2),),
    fb.Universal: (fb.Universal("a", damping=0.1, start=(0.1, 0.2)),),
}


def test_every_block_has_an_example():
    assert set(EXAMPLES) == set(ALL_BLOCKS)


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.__name__)
def test_replacing_nothing_or_the_name_keeps_everything_else(kind: type):
    for block in EXAMPLES[kind]:
        assert dataclasses.replace(block) == block
        other = dataclasses.replace(block, name="b")
        assert type(other) is kind
        before, after = ({f.name: getattr(b, f.name) for f in dataclasses.fields(b)} for b in (block, other))
        assert after == before | {"name": "b"}


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.__name__)
def test_any_number_is_replaced_and_checked_again(kind: type):
    for block in EXAMPLES[kind]:
        for field in dataclasses.fields(block):
            value = getattr(block, field.name)
            tabulated = isinstance(getattr(block, "flexural_rigidity", None), tuple)
            if not isinstance(value, float) or (field.name == "length" and tabulated):
                continue  # a table goes to the end of its beam: another length is refused
            other = dataclasses.replace(block, **{field.name: value * 0.9})
            assert getattr(other, field.name) == value * 0.9
            with pytest.raises(ParameterError, match=field.name):
                dataclasses.replace(block, **{field.name: float("nan")})


@pytest.mark.parametrize("joint", [fb.Revolute, fb.Prismatic])
def test_the_axis_of_a_joint_is_replaced_by_its_argument(joint: type[fb.Revolute] | type[fb.Prismatic]):
    along_y = joint("a", axis=(0.0, 2.0, 0.0), damping=0.3)
    assert dataclasses.replace(along_y, damping=0.1).direction == (0.0, 1.0, 0.0)
    assert dataclasses.replace(along_y, axis=(1.0, 0.0, 0.0)).direction == (1.0, 0.0, 0.0)
    assert dataclasses.replace(along_y, axis=(0.0, 0.0, 1.0)).direction == (0.0, 0.0, 1.0)
    assert dataclasses.replace(along_y, direction=(0.0, 0.0, 5.0)) == joint("a", damping=0.3)


def test_a_composite_of_ones_own_is_replaced():
    drive = dataclasses.replace(EXAMPLES[fb.FlexibleJoint][0], stiffness=40.0)
    assert {part.name: part for part in drive.parts()}["spring"].stiffness == 40.0
