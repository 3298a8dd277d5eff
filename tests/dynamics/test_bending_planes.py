"""The planes in which beams bend where that is left to the arm."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb

Z, Y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
DOWN, NONE = (0.0, 0.0, -9.81), (0.0, 0.0, 0.0)


def beam(name: str = "link", length: float = 1.0, **changes) -> fb.FlexibleBeam:
    properties = {"linear_density": 0.2, "flexural_rigidity": 20.0, "discretization": fb.AssumedModes(2)}
    return fb.FlexibleBeam(name, length, **(properties | changes))


def arm(*blocks: fb.Block, gravity=NONE) -> fb.Model:
    """Return blocks in series on the ground, what ends them on the last."""
    model = fb.Model("arm", gravity=gravity)
    place = model.add(fb.Ground("ground")).frame_b
    for block in map(model.add, blocks):
        model.connect(place, block.frame_a)
        place = getattr(block, "frame_b", place) if hasattr(block, "frame_b") else place
    return model


def hinged(axis=Z, gravity=NONE, **changes) -> fb.Model:
    return arm(fb.Revolute("joint", axis=axis), beam(**changes), fb.Payload("load", mass=1.0), gravity=gravity)


def planes(model: fb.Model, **options) -> str:
    """Return the axes along which all beams of an arm deflect, by its coordinates."""
    names = fb.assemble(model, **options).q_names
    return "".join(axis for axis in "yz" if any(f".bending_{axis}[1]" in name for name in names))


def test_an_arm_with_z_up_sags_under_its_load() -> None:
    dae = fb.assemble(hinged(Y, DOWN), locked={"joint.angle": 0.0})
    sag = fb.equilibrium(dae)["link.tip_deflection_z"]
    assert sag == pytest.approx(-9.81 / 20.0 * (1.0 / 3 + 0.2 / 8), rel=1e-3)


OFFSET, CENTER = (fb.FixedTransform("offset", place) for place in ((0.1, 0.2, 0.0), (0.0, 0.0, 0.1)))
BRACKET = fb.FixedTransform("bracket", rotation=(np.pi / 2, 0.0, 0.0))
ASLANT = fb.FixedTransform("aslant", rotation=(np.pi / 4, 0.0, 0.0))
LOAD = fb.Payload("load", mass=1.0)


@pytest.mark.parametrize(
    ("expected", "model"),
    [
        ("y", hinged()),
        ("y", hinged(gravity=(0.0, -9.81, 0.0))),
        ("y", hinged(gravity=(3.0, -4.0, 0.0))),
        ("z", hinged(Y, DOWN)),
        ("z", hinged((0.0, -1.0, 0.0), (9.81, 0.0, 0.0))),
        ("yz", hinged(gravity=DOWN)),
        ("yz", hinged(Y, (0.0, -9.81, 0.0))),
        ("yz", hinged((0.0, 1.0, 1.0))),
        ("y", arm(beam())),
        ("y", arm(beam(), gravity=(-9.81, 0.0, 0.0))),
        ("z", arm(beam(), gravity=DOWN)),
        ("yz", arm(beam(), gravity=(0.0, -7.0, -7.0))),
        ("y", arm(fb.Revolute("a"), beam(), fb.Revolute("b"), beam("outer"), LOAD)),
        ("yz", arm(fb.Revolute("a"), beam(), fb.Revolute("b", axis=Y), beam("outer"), LOAD)),
        ("y", arm(fb.Revolute("a"), beam(), OFFSET, LOAD)),
        ("yz", arm(fb.Revolute("a"), beam(), CENTER, LOAD)),
        ("y", arm(CENTER, fb.Revolute("a"), beam(), LOAD)),
        ("yz", arm(fb.Revolute("a"), beam(), CENTER, fb.Revolute("b"), beam("outer"), LOAD)),
        ("y", arm(fb.Revolute("a"), CENTER, beam(), LOAD)),
        ("z", arm(BRACKET, fb.Revolute("a", axis=Y), beam(), LOAD, gravity=(0.0, -9.81, 0.0))),
        ("yz", arm(fb.Revolute("a"), beam(), fb.Payload("load", 1.0, center=(0.1, 0.0, 0.02)))),
        ("yz", arm(fb.Revolute("a"), beam(), fb.Payload("load", 1.0, [[1, 0, 0.2], [0, 1, 0], [0.2, 0, 1]]))),
        ("y", arm(fb.Prismatic("slide", axis=Y), beam(), LOAD)),
        ("z", arm(fb.Prismatic("slide", axis=(1, 0, 0)), beam(), LOAD, gravity=DOWN)),
        ("yz", arm(fb.Revolute("a"), beam(), fb.Prismatic("quill", axis=Z), LOAD)),
        ("yz", arm(fb.FreeMotion("base"), fb.RigidLink("hull", 1.0, 5.0), fb.Revolute("a"), beam(), LOAD)),
        ("yz", arm(fb.Spherical("a"), fb.Payload("hull", 5.0, np.eye(3)), beam(), LOAD)),
        ("yz", arm(fb.Revolute("a"), beam(), ASLANT, fb.FlexibleBeam("outer", 1.0, 0.2, 9.0, fb.AssumedModes(1)))),
        ("yz", arm(fb.Revolute("a"), beam(), BRACKET, fb.Revolute("b", axis=Y), beam("outer"), LOAD)),
    ],
)  # fmt: skip
def test_the_planes_follow_from_the_topology(expected: str, model: fb.Model) -> None:
    assert planes(model) == expected
    assert set("".join(model.check().planes.values())) == set(expected)


def test_each_beam_bends_along_its_own_axis_in_the_plane_of_the_arm() -> None:
    model = arm(fb.Revolute("a"), beam(), BRACKET, fb.Revolute("b", axis=(0, 1, 0)), beam("outer"), LOAD)
    assert model.check().planes == {"link": "y", "outer": "z"}


@given(
    start=st.floats(-3.0, 3.0),
    mass=st.floats(1e-3, 1e3),
    rigidity=st.floats(1e-2, 1e6),
    length=st.floats(0.01, 30.0),
    pull=st.floats(1e-3, 1e3),
)
@settings(max_examples=8)
def test_values_do_not_change_the_planes(start, mass, rigidity, length, pull) -> None:
    blocks = fb.Revolute("joint", axis=Y, start=start), beam(length=length, flexural_rigidity=rigidity)
    model = arm(*blocks, fb.Payload("load", mass=mass), gravity=(pull, 0.0, -pull / 3))
    assert model.check().planes == {"link": "z"}


def with_forces(model: fb.Model, *elements: fb.ForceElement, at: str, foot: str = "ground.frame_b") -> fb.Model:
    for element in map(model.add, elements):
        model.connect(foot, element.frame_a)
        model.connect(at, element.frame_b)
    return model


def test_forces_from_outside_rename_no_coordinate() -> None:
    for model in (hinged(), hinged(Y, DOWN), arm(beam())):
        before = fb.assemble(model).q_names
        model.connect("link.frame_b", model.add(fb.WorldForce("wind")).frame_a)
        model.connect("link.frame_b", model.add(fb.WorldTorque("jet")).frame_a)
        assert fb.assemble(model).q_names == before


def test_a_line_force_in_the_plane_changes_nothing_and_one_across_adds_the_other_plane() -> None:
    foot = fb.FixedTransform("foot", (0.3, -0.2, 0.0))
    aside = fb.FixedTransform("foot", (0.3, -0.2, 0.1))
    for place, expected in ((foot, "y"), (aside, "yz")):
        model = hinged()
        model.connect("ground.frame_b", model.add(place).frame_a)
        ram = fb.LineForce("ram"), fb.SpringDamper("spring", stiffness=10.0, free_length=0.1)
        assert planes(with_forces(model, *ram, at="link.frame_b", foot="foot.frame_b")) == expected
    # Alone and without gravity it bends along y, whatever pulls at it besides.
    model = arm(beam())
    model.connect("ground.frame_b", model.add(fb.FixedTransform("foot", (0.5, 0.0, -0.5))).frame_a)
    assert planes(with_forces(model, fb.LineForce("ram"), at="link.frame_b", foot="foot.frame_b")) == "yz"


def test_a_floor_in_the_plane_changes_nothing() -> None:
    model = hinged(Y, DOWN)
    floor = model.add(fb.Contact("floor", stiffness=1e4, transition=1e-3, radius=0.05))
    model.connect("link.frame_b", floor.frame_a)
    model.connect("ground.frame_b", floor.frame_b)
    assert planes(model) == "z"
    model = hinged()
    floor = model.add(fb.Contact("floor", stiffness=1e4, transition=1e-3, radius=0.05))
    model.connect("link.frame_b", floor.frame_a)
    model.connect("ground.frame_b", floor.frame_b)
    assert planes(model) == "yz"


def test_a_symbolic_offset_may_lead_out_of_the_plane() -> None:
    model = arm(fb.Revolute("joint"), beam(), fb.Payload("load", 1.0, center=(0.1, 0.0, 0.0)))
    assert planes(model) == "y"
    assert planes(model, symbolic=("load.center[1]", "link.length", "link.flexural_rigidity")) == "y"
    assert planes(model, symbolic="load.center") == "yz"


def test_locks_and_prescribed_motions_change_no_plane() -> None:
    model = hinged(Y, DOWN)
    assert planes(model, locked={"joint.angle": 0.4}) == "z"
    assert planes(model, prescribed="joint.angle") == "z"
    dae = fb.assemble(model, locked={"link.bending_z[2]": 0.0})
    assert dae.q_names == ("joint.angle", "link.bending_z[1]")


def test_a_file_keeps_what_is_left_to_the_arm(tmp_path) -> None:
    model = hinged(Y, DOWN)
    model.save(tmp_path / "arm.yaml")
    assert "bending" not in (tmp_path / "arm.yaml").read_text()
    again = fb.load(tmp_path / "arm.yaml")
    assert again["link"].bending == "auto"
    assert fb.assemble(again).q_names == fb.assemble(model).q_names


def test_other_discretizations_bend_in_the_same_planes() -> None:
    for kind, name in ((fb.FiniteElements(1), "deflection_z[1]"), (fb.StrainModes(1), "curvature_z[1]")):
        assert f"link.{name}" in fb.assemble(fb.rediscretize(hinged(Y, DOWN), kind)).q_names
    found = fb.compare(hinged(Y, DOWN), [fb.AssumedModes(1), fb.AssumedModes(2)], at={"joint.angle": np.pi / 2})
    assert "AssumedModes" in str(found)


def test_symbols_of_a_beam_whose_planes_are_open_give_the_arm_built_anew() -> None:
    dae = fb.assemble(hinged(Y, DOWN), symbolic="link.flexural_rigidity")
    anew = fb.assemble(hinged(Y, DOWN, flexural_rigidity=33.0))
    x = np.linspace(0.1, 0.3, len(dae.x)) / 10
    assert dae.forward_dynamics(x, [], [33.0]).full() == pytest.approx(anew.forward_dynamics(x, [], []).full())


def test_a_closed_linkage_in_the_plane_x_z_bends_in_it() -> None:
    model = fb.Model("four-bar", gravity=DOWN)
    ground = model.add(fb.Ground("ground"))
    foot = model.add(fb.FixedTransform("foot", (1.0, 0.0, 0.0)))
    joints = [model.add(fb.Revolute(f"joint{i}", axis=Y)) for i in range(4)]
    crank = model.add(fb.RigidLink("crank", 0.3, 0.5))
    coupler = model.add(beam("coupler"))
    rocker = model.add(fb.RigidLink("rocker", 0.3, 0.5))
    chain = ((ground, joints[0], crank), (crank, joints[1], coupler), (ground, foot), (foot, joints[2], rocker))
    for blocks in chain:
        for inner, outer in pairwise(blocks):
            model.connect(inner.frame_b, outer.frame_a)
    model.connect(rocker.frame_b, joints[3].frame_a)
    model.connect(joints[3].frame_b, coupler.frame_b)
    assert model.check().planes == {"coupler": "z"}
    start = {"joint0": -1.2, "joint2": -1.2, "joint1": 1.2, "joint3": 1.2}
    model = model.copy({name: replace(model[name], start=angle) for name, angle in start.items()})
    assert planes(model) == "z"


def test_a_sliding_beam_bends_in_the_plane_of_its_arm() -> None:
    rod = fb.SlidingBeam("rod", 1.0, 0.3, 5.0, fb.AssumedModes(1))
    assert planes(arm(fb.Revolute("joint", axis=Y), rod, LOAD, gravity=DOWN)) == "z"


def test_a_block_of_a_user_counts_by_what_it_does() -> None:
    class Wrist(fb.Composite):
        ports = fb.Revolute.ports[:2]

        def parts(self):
            return (fb.Revolute("roll", axis=(1, 0, 0)), beam("finger", 0.1))

        def connections(self):
            return (("roll.frame_b", "finger.frame_a"),)

        def exposed(self):
            return {"frame_a": "roll.frame_a", "frame_b": "finger.frame_b"}

    model = arm(fb.Revolute("joint"), beam(), Wrist("wrist"), fb.Payload("load", 0.1, 1e-3 * np.eye(3)))
    assert model.check().planes == {"link": "yz", "wrist.finger": "yz"}


AXES = st.sampled_from([(1, 0, 0), Y, Z, (0, -1, 0)])
SIZE = st.sampled_from([0.0, 0.0, 0.2, -0.1])


@given(
    axes=st.lists(AXES, min_size=1, max_size=2),
    offset=st.tuples(SIZE, SIZE, SIZE),
    center=st.tuples(SIZE, SIZE, SIZE),
    gravity=st.sampled_from([NONE, DOWN, (0.0, -9.81, 0.0), (-9.81, 0.0, 0.0)]),
    seed=st.integers(0, 100),
)
@settings(max_examples=8)
def test_nothing_drives_a_beam_out_of_the_plane_in_which_it_is_left(axes, offset, center, gravity, seed) -> None:
    rng = np.random.default_rng(seed)
    hub = fb.Payload("hub", 0.3, np.diag([0.1, 0.2, 0.15]))
    blocks: list[fb.Block] = []
    for i, axis in enumerate(axes):
        blocks += [fb.Revolute(f"joint{i}", axis=axis), replace(hub, name=f"hub{i}"), beam(f"link{i}")]
        blocks += [fb.FixedTransform("offset", offset)] if i == 0 else []
    blocks.append(fb.Payload("load", 0.5, np.diag([0.01, 0.02, 0.03]), center=center))
    model = arm(*blocks, gravity=gravity)
    decided = model.check().planes
    if "yz" in decided.values():
        return
    free = model.copy({name: replace(model[name], bending="yz") for name in decided})
    dae = fb.assemble(free)
    n = len(dae.q_names)
    across = np.array(
        [any(f"{b}.bending_{'yz'.replace(a, '')}[" in q for b, a in decided.items()) for q in dae.q_names]
    )
    x = np.where(np.tile(across, 2), 0.0, rng.uniform(-0.5, 0.5, 2 * n))
    rates = dae.forward_dynamics(x, np.zeros(len(dae.u)), []).full().ravel()[n:]
    assert np.abs(rates[across]).max() <= 1e-9 * max(np.abs(rates).max(), 1.0)
