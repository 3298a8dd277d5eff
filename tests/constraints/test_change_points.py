"""Change points on the way to a posture: what leads linkages past one warns of it, and of nothing else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.constraints.closed_posture import warn_of_change_points
from flexblocks.constraints.closed_state import closed_state
from flexblocks.constraints.continuation import led
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.constraints.singularities.change_points import may_pass, way_to_change_point

PASSED = "its loops pass a change point at about"
BEAMS = {
    "rigid": (None, False),
    "assumed modes": (fb.AssumedModes(2, tip="pinned"), False),
    "elements that stretch": (fb.FiniteElements(2), True),
    "strain functions": (fb.StrainModes(2), False),
}
SLOW = [pytest.param(*kind, 30.0, marks=pytest.mark.slow) for kind in list(BEAMS.values())[1::2]]


def parallelogram(
    size: float = 1.0,
    beam: fb.Discretization | None = None,
    axial: bool = False,
    start: float = 0.7,
    gravity: tuple[float, ...] = (0.0, -9.81, 0.0),
    longer: float = 0.0,
) -> fb.Model:
    """Two cranks and a bar between them, as long as their feet are apart, or `longer` by a share; a motor on one."""
    model = fb.Model("parallelogram", gravity=gravity)
    ground, foot = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("foot", (size, 0.0, 0.0)))
    length = (1 + longer) * size
    bar: fb.Block = fb.RigidLink("bar", length, size**3)
    if beam is not None:
        aluminium, square = fb.Material(2700.0, 70e9, 0.3), fb.Rectangle(width=0.03 * size, height=0.03 * size)
        bar = fb.FlexibleBeam("bar", length, material=aluminium, section=square, discretization=beam, axial=axial)
    model.add(bar)
    model.connect(ground.frame_b, foot.frame_a)
    for i, place in enumerate((ground.frame_b, foot.frame_b)):
        hinge, pin = model.add(fb.Revolute(f"hinge{i}", start=start)), model.add(fb.Revolute(f"pin{i}", start=-start))
        crank = model.add(fb.RigidLink(f"crank{i}", 0.5 * size, 0.5 * size**3))
        model.connect(place, hinge.frame_a)
        model.connect(hinge.frame_b, crank.frame_a)
        model.connect(crank.frame_b, pin.frame_a)
    model.connect("pin0.frame_b", "bar.frame_a")
    model.connect("pin1.frame_b", "bar.frame_b")
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "hinge0.axis")
    return model


@pytest.mark.parametrize(
    ("beam", "axial", "size"), [(*BEAMS["rigid"], 0.01), (*BEAMS["elements that stretch"], 1.0), *SLOW]
)
def test_a_posture_beyond_a_change_point_is_warned_of(beam: fb.Discretization | None, axial: bool, size: float) -> None:
    dae = fb.assemble(parallelogram(size, beam, axial))
    for angle in (0.2, 2.7):  # on the same side of it
        assert fb.equilibrium(dae, {"hinge0.angle": angle})["hinge0.angle"] == angle
    words = rf"equilibrium: x: on the way .*, {PASSED} hinge0.angle = -?0.0\d*, where .*hinge0.angle.* are in line"
    with pytest.warns(fb.FlexblocksWarning, match=words):
        fb.equilibrium(dae, {"hinge0.angle": -1.0})
    with pytest.warns(fb.FlexblocksWarning, match=f"grid: x0: on the way .*, {PASSED}"):
        closed_state(dae, {"hinge0.angle": -1.0}, dae.p.start, "grid: x0: ")


def test_a_posture_with_its_assembly_given_is_not() -> None:
    """Whoever holds more coordinates than the linkage has degrees of freedom has chosen the assembly."""
    dae = fb.assemble(parallelogram())
    crossed = -1.0, 2 * np.arctan2(-0.5 * np.sin(-1.0), 1 - 0.5 * np.cos(-1.0)) + 1.0
    for own, other in ((-1.0, -1.0), crossed):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*open on the way")
            point = fb.equilibrium(dae, {"hinge0.angle": own, "hinge1.angle": other})
        assert (point["hinge0.angle"], point["hinge1.angle"]) == pytest.approx((own, other), abs=1e-9)


def test_lengths_that_decide_are_no_change_point() -> None:
    """A bar longer by a thousandth leaves one way past the line; one longer by 1e-9 does not show it."""
    fb.equilibrium(fb.assemble(parallelogram(longer=1e-3, start=0.7)), {"hinge0.angle": 0.3})
    with pytest.warns(fb.FlexblocksWarning, match=PASSED):
        fb.equilibrium(fb.assemble(parallelogram(longer=1e-10)), {"hinge0.angle": -1.0})


@pytest.mark.parametrize(
    ("beam", "size"), [(None, 0.01), pytest.param(fb.StrainModes(2), 30.0, marks=pytest.mark.slow)]
)
def test_an_equilibrium_beyond_a_change_point_is_warned_of(beam: fb.Discretization | None, size: float) -> None:
    """It falls to where gravity points, past the line of its links; from the other side it does not pass it."""
    gravity = (9.81 * np.cos(-0.5), 9.81 * np.sin(-0.5), 0.0)
    for start, passes in ((0.4, True), (-1.0, False)):
        dae = fb.assemble(parallelogram(size, beam, start=start, gravity=gravity))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", fb.FlexblocksWarning)
            point = fb.equilibrium(dae, u={"motor.torque": 0.0})
        assert point["hinge0.angle"] == pytest.approx(-0.5, abs=1e-3)
        assert any(PASSED in str(each.message) for each in told) == passes


def test_guesses_of_assemble_beyond_a_change_point_are_warned_of() -> None:
    """The linkage closes on one side of the line; the start value that was set leads it to the other."""
    dae = fb.assemble(parallelogram())
    equations, p = closure_equations(dae), dae.p.start
    q = dae.x.start[: dae.tree.size]
    declared = np.where([name == "hinge0.angle" for name in dae.q_names], -0.6, q)
    free = np.array([name != "hinge0.angle" for name in dae.q_names])
    way = led(equations, (q, p), declared, p, ~free, free)
    assert way is not None
    with pytest.warns(fb.FlexblocksWarning, match=f"assemble: on the way .*, {PASSED}"):
        warn_of_change_points(dae, way, p, ~free, "assemble")


def misaligned(beams: fb.Discretization, skew: float) -> fb.Model:
    """A parallelogram of steel bars, one hinge skewed by an angle [rad]: rigid ones lock (Bauchau et al. 2016)."""
    model, steel = fb.Model("four-bar"), fb.Material(7800.0, 207e9, 0.3)
    thick, thin = fb.Rectangle(width=0.016, height=0.016), fb.Rectangle(width=0.008, height=0.008)
    options = {"material": steel, "discretization": beams, "bending": "yz", "torsion": True}
    ground = model.add(fb.Ground("ground"))
    blocks: tuple[fb.Block, ...] = (
        fb.Revolute("A", start=np.pi / 2),
        fb.FlexibleBeam("bar1", 0.12, section=thick, **options),
        fb.Revolute("B", start=-np.pi / 2),
        fb.FlexibleBeam("bar2", 0.24, section=thick, **options),
        fb.Revolute("C", axis=(np.sin(skew), 0.0, np.cos(skew))),
        fb.FixedTransform("turn", rotation=(0.0, 0.0, -np.pi / 2)),
        fb.FixedTransform("foot", (0.24, 0.0, 0.0)),
        fb.Revolute("D", start=np.pi / 2),
        fb.FlexibleBeam("bar3", 0.12, section=thin, **options),
    )
    for block in blocks:
        model.add(block)
    for first, second in (
        ("ground", "A"), ("A", "bar1"), ("bar1", "B"), ("B", "bar2"), ("bar2", "C"),
        ("ground", "foot"), ("foot", "D"), ("D", "bar3"), ("bar3", "turn"),
    ):  # fmt: skip
        model.connect(f"{first}.frame_b", f"{second}.frame_a")
    model.connect("C.frame_b", "turn.frame_b")
    del ground
    return model


@pytest.mark.slow
def test_a_linkage_that_bends_goes_on_in_one_assembly_or_is_warned_of() -> None:
    """It is led in postures of least strain energy, and so ends in the same one by elements and by strain functions."""
    skew = 1.0
    places, told = [], []
    for beams in (fb.FiniteElements(1), fb.StrainModes(2)):
        dae = fb.assemble(misaligned(beams, np.radians(skew)), prescribed="A.angle")
        dae = dae.with_outputs(("bar2.x", "bar2.y", "bar2.z"))
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always", fb.FlexblocksWarning)
            point = fb.equilibrium(dae, {"A.angle": np.pi / 2 - 3.6})
        places.append([point[f"bar2.{axis}"] for axis in "xyz"])
        told += [str(each.message) for each in given]
    assert np.abs(np.subtract(*places)).max() < 2e-4 or told
    # C's place as of a parallelogram: beside the tip of the crank, but for what bends.
    tip = 0.12 * np.array([np.cos(np.pi / 2 - 3.6), np.sin(np.pi / 2 - 3.6)])
    for place in places:
        assert np.abs(np.array(place[:2]) - tip - [0.24, 0.0]).max() < 0.06 or told


def test_the_way_to_a_change_point_is_told_by_its_slope() -> None:
    dae = fb.assemble(parallelogram())
    q, v = dae.x.start[: dae.tree.size].copy(), np.zeros(dae.tree.size)
    for angle in (0.02, -0.02):
        q[:] = [angle if name.startswith("hinge") else -angle for name in dae.q_names]
        v[:] = [-1.0 if name.startswith("hinge") else 1.0 for name in dae.q_names]
        assert way_to_change_point(dae, q, v, dae.p.start) == pytest.approx(angle, rel=1e-3)
    assert may_pass(dae, q, dae.p.start)
    assert way_to_change_point(dae, q, 0 * v, dae.p.start) == np.inf


@pytest.mark.parametrize(
    "beam", [fb.AssumedModes(2, tip="pinned"), pytest.param(fb.FiniteElements(1), marks=pytest.mark.slow)]
)
def test_a_lock_leads_the_linkage_to_its_value(beam: fb.Discretization) -> None:
    """As `equilibrium` does: to the same posture, and with the same warning."""
    model, free = parallelogram(beam=beam, gravity=(0.0, 0.0, 0.0)), fb.assemble(parallelogram(beam=beam))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        locked = fb.assemble(model, locked={"hinge0.angle": 2.7})
    held = fb.equilibrium(free, {"hinge0.angle": 2.7})
    for name in ("hinge1.angle", "pin0.angle"):
        assert locked.x.start[locked.x.index(name)] == pytest.approx(held[name], abs=1e-3)
    assert "hinge0.angle" not in locked.x
    assert locked.closed_start.moved["hinge1.angle"] == pytest.approx((0.7, 2.7), abs=1e-6)
    words = rf"assemble: on the way .*, {PASSED} hinge0.angle = -?0.0\d*, where .*hinge0.angle.* are in line"
    with pytest.warns(fb.FlexblocksWarning, match=words):
        fb.assemble(model, locked={"hinge0.angle": -1.0})
