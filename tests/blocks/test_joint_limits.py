"""Limits of joints: what is refused, whose coordinate they limit, files, composites and end stops made of them."""

from __future__ import annotations

import math

import pytest

import flexblocks as fb
from arms.limited import limited
from flexblocks.errors import ModelError, ParameterError

LIMITS = {"low": -0.5, "high": 1.0, "max_speed": 0.8}


def ranges(dae: fb.DAE) -> dict[str, tuple[float, float]]:
    return {name: (own.low, own.high) for name, own in dae.tree.state_ranges.items()}


@pytest.mark.parametrize(("kind", "unit"), [(fb.Revolute, "rad"), (fb.Prismatic, "m")])
@pytest.mark.parametrize("high", [0.5, 0.2])
def test_limits_without_room_are_refused(kind, unit, high):
    with pytest.raises(ParameterError, match=f"'joint1': low = 0.5 {unit}, high = {high:g} {unit}; low must be < high"):
        kind("joint1", low=0.5, high=high)


@pytest.mark.parametrize("speed", [0.0, -1.0, math.inf])
def test_a_speed_that_is_none_is_refused(speed):
    with pytest.raises(ParameterError, match="max_speed"):
        fb.Revolute("joint1", max_speed=speed)


@pytest.mark.parametrize(
    "make",
    [
        lambda: fb.FlexibleJoint("joint1", inertia=0.1, stiffness=50.0, low=0.5, high=0.2),
        lambda: fb.Universal("joint1", low=(0.0, 0.5), high=(1.0, 0.2)),
    ],
)
def test_composites_refuse_them_as_they_are_made(make):
    with pytest.raises(ParameterError, match=r"joint1.*low = 0.5 rad, high = 0.2 rad"):
        make()


@pytest.mark.parametrize(("kind", "state"), [(fb.Revolute, "angle"), (fb.Prismatic, "displacement")])
def test_ranges_are_those_of_the_joints_coordinate(kind, state):
    joint = kind("joint1", **LIMITS)
    expected = {f"joint1.{state}": (-0.5, 1.0), f"der(joint1.{state})": (-0.8, 0.8)}
    assert ranges(fb.assemble(limited(joint))) == expected
    assert ranges(fb.assemble(limited(kind("joint1")))) == {}
    assert ranges(fb.assemble(limited(kind("joint1", high=1.0)))) == {f"joint1.{state}": (-math.inf, 1.0)}


def test_a_joint_behind_a_gear_limits_the_coordinate_that_it_shares():
    """angle of joint1 = -4 * angle of joint2, which gives the name or takes it."""
    model = limited(fb.Revolute("joint1", low=-2.0, high=1.0, max_speed=8.0))
    second = model.add(fb.Revolute("joint2", low=-0.2, high=3.0, max_speed=1.0))
    gear, load = model.add(fb.Gear("gear", ratio=-4.0)), model.add(fb.Payload("other", 1.0, inertia=0.1))
    model.connect("ground.frame_b", second.frame_a)
    model.connect(second.frame_b, load.frame_a)
    model.connect("joint1.axis", gear.flange_a)
    model.connect(gear.flange_b, second.axis)
    dae = fb.assemble(model)
    (name,) = dae.q_names
    ends, speed = ((-2.0, 0.8), 4.0) if name == "joint1.angle" else ((-0.2, 0.5), 1.0)
    assert ranges(dae)[name] == pytest.approx(ends)
    assert ranges(dae)[f"der({name})"] == pytest.approx((-speed, speed))


def test_joints_that_share_a_coordinate_and_no_value_of_it_are_refused():
    model = limited(fb.Revolute("joint1", high=1.0))
    second = model.add(fb.Revolute("joint2", low=0.6, start=0.7))
    gear, load = model.add(fb.Gear("gear", ratio=2.0)), model.add(fb.Payload("other", 1.0, inertia=0.1))
    model.connect("ground.frame_b", second.frame_a)
    model.connect(second.frame_b, load.frame_a)
    model.connect("joint1.axis", gear.flange_a)
    model.connect(gear.flange_b, second.axis)
    with pytest.raises(
        ModelError, match=r"low = 1.2, high = 1 for joint1.angle|low = 0.6, high = 0.5 for joint2.angle"
    ):
        fb.assemble(model)


def test_a_locked_joint_has_none():
    model = limited(fb.Revolute("joint1", **LIMITS))
    wrist = model.add(fb.Revolute("wrist", high=2.0))
    tool = model.add(fb.Payload("tool", 1.0, inertia=0.1, center=(0.2, 0.0, 0.0)))
    model.connect("joint1.frame_b", wrist.frame_a)
    model.connect(wrist.frame_b, tool.frame_a)
    assert ranges(fb.assemble(model, locked={"joint1.angle": 0.3})) == {"wrist.angle": (-math.inf, 2.0)}


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_limits_are_saved(tmp_path, suffix):
    model = limited(fb.Revolute("joint1", **LIMITS))
    model.save(tmp_path / f"arm.{suffix}")
    again = fb.load(tmp_path / f"arm.{suffix}")
    assert again.blocks["joint1"] == model.blocks["joint1"]
    assert ranges(fb.assemble(again)) == ranges(fb.assemble(model))


def test_they_stay_numbers_beside_parameters_that_are_symbolic():
    model = limited(fb.Revolute("joint1", **LIMITS))
    assert ranges(fb.assemble(model, symbolic=("joint1.damping", "load.mass"))) == ranges(fb.assemble(model))
    with pytest.raises(fb.errors.FlexblocksError, match="high"):
        fb.assemble(model, symbolic=("joint1.high",))


def test_a_start_beyond_them_is_listed():
    told = limited(fb.Revolute("joint1", start=1.5, **LIMITS)).check()
    assert "Revolute 'joint1': start = 1.5 rad; its limits are -0.5 to 1." in str(told)
    assert "its limits" not in str(limited(fb.Revolute("joint1", start=1.0, **LIMITS)).check())


@pytest.mark.parametrize("stiffness", [None, 50.0])
def test_elastic_joints_limit_the_link(stiffness):
    model = fb.Model("elastic")
    ground, load = model.add(fb.Ground("ground")), model.add(fb.Payload("load", 1.0, inertia=0.1))
    joint = model.add(fb.FlexibleJoint("joint1", inertia=0.1, stiffness=stiffness, **LIMITS))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    assert ranges(fb.assemble(model)) == {"joint1.angle": (-0.5, 1.0), "der(joint1.angle)": (-0.8, 0.8)}


def test_hinges_in_series_take_one_for_each_axis():
    hinges = fb.Universal("joint1", low=(-1.0, -0.5), max_speed=(2.0, 3.0)).nested().values()
    assert [(each.low, each.high, each.max_speed) for each in hinges] == [(-1.0, None, 2.0), (-0.5, None, 3.0)]


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_rows_of_a_denavit_hartenberg_table_take_them(kind):
    ((joint, _),) = fb.denavit_hartenberg([fb.DHRow(a=0.4, joint=kind, **LIMITS)])
    assert (joint.low, joint.high, joint.max_speed) == (-0.5, 1.0, 0.8)


@pytest.mark.parametrize("size", [0.1, 30.0])
def test_end_stops_made_of_them_throw_the_arm_back(size):
    """Without damping as fast as it came, and beyond the limit by what turns its kinetic energy into the spring's."""
    inertia, rate = 2.0 * size**2, 0.5
    joint = fb.Revolute("joint1", **LIMITS)
    stops = fb.EndStops.of(joint, "stops", stiffness=1e4 * inertia)
    assert (stops.lower, stops.upper) == (joint.low, joint.high)
    dae = fb.assemble(limited(joint, size, (stops,)))
    with pytest.warns(fb.errors.FlexblocksWarning, match="a limit of the joint"):
        run = fb.simulate(dae, (0.0, 2.5), x0={"der(joint1.angle)": rate})
    assert run["der(joint1.angle)"][-1] == pytest.approx(-rate, rel=1e-6)
    assert run["joint1.angle"].max() - joint.high == pytest.approx(rate / 100.0, rel=0.1)


@pytest.mark.parametrize(
    ("joint", "told"),
    [
        (fb.Prismatic("joint1", low=0.0, high=1.0), r"Prismatic 'joint1' is a slide.*fb\.Rack"),
        (fb.Revolute("joint1", low=0.0), r"Revolute 'joint1' has no high; give the joint both limits"),
        (fb.Revolute("joint1"), r"has no low and high"),
        (fb.Rotor("rotor1", inertia=1.0), r"must be a fb\.Revolute"),
    ],
)
def test_end_stops_of_other_blocks_are_refused(joint, told):
    with pytest.raises(ParameterError, match=told):
        fb.EndStops.of(joint, "stops", stiffness=1.0)


@pytest.mark.parametrize("joint", [fb.Revolute("joint1", **LIMITS), fb.Prismatic("joint1", **LIMITS)])
def test_a_lock_beyond_them_is_warned_of(joint):
    name = f"joint1.{joint.coordinates()[0].name}"
    free = (fb.Rotor("rotor", inertia=0.1),) if isinstance(joint, fb.Revolute) else ()
    with pytest.warns(fb.FlexblocksWarning, match=rf"locked: {name} = 1.5 .*limits are -0.5 to 1"):
        fb.assemble(limited(joint, extra=free), locked={name: 1.5})


def test_limits_lost_with_their_coordinates_are_warned_of():
    dae = fb.assemble(limited(fb.Revolute("joint1", **LIMITS)))
    with pytest.warns(fb.FlexblocksWarning, match=r"limits of joint1.angle, der\(joint1.angle\) are lost"):
        again = fb.change_coordinates(dae, [[2.0]], ("joint1.angle",))
    assert ranges(again) == {}
    assert ranges(fb.change_coordinates(dae, [[1.0]], ("joint1.angle",))) == ranges(dae)
