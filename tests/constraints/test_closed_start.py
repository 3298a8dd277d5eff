"""Start values that close the loops: joints move guess by guess, and beams bend only where joints cannot close."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import flexblocks as fb
from arms.booms import Boom
from arms.linkages import FourBar
from flexblocks.constraints.loop_equations import closure_equations, gap
from flexblocks.errors import FlexblocksWarning

KINDS = [fb.Rigid(), fb.RigidSegments(4), fb.AssumedModes(2, tip="pinned"), fb.FiniteElements(2), fb.StrainModes(2)]
JOINTS = ("crank_joint.angle", "knee.angle", "rocker_joint.angle", "elbow.angle")


def started(four_bar: FourBar, kind: object, start: tuple[float, ...]) -> fb.DAE:
    """Return the four-bar with these start values of its joints."""
    model, origin = fb.Model("four-bar", (0.0, -9.81, 0.0)), four_bar.model(kind)
    guesses = dict(zip(JOINTS, start, strict=True))
    for name, block in origin.blocks.items():
        guess = guesses.get(f"{name}.angle")
        model.add(block if guess is None else fb.Revolute(name, start=guess))
    for ports in origin.connections:
        model.connect(*map(str, ports))
    return fb.assemble(model)


@pytest.mark.parametrize(
    "start",
    [(1.0, 0.0, 1.5, 0.0), pytest.param((1.0, -0.6, 1.7, -1.2), marks=pytest.mark.slow)],
)
def test_all_discretizations_start_alike_and_straight(start: tuple[float, ...]) -> None:
    """No guess of a joint bends a beam; the first guess is kept, and the others follow from it."""
    four_bar = FourBar(rigidity=5.0)
    for kind in KINDS:
        dae = started(four_bar, kind, start)
        values = dict(zip(dae.q_names, dae.x.start, strict=False))
        np.testing.assert_allclose([values.pop(name) for name in JOINTS], four_bar.angles(start[0]), atol=1e-12)
        assert not any(values.values())
        assert dae.closed_start.strain_energy == {}
        assert dae.closed_start.kept == ("crank_joint.angle",)
        assert float(dae.energy(dae.x.start, [])[1]) == pytest.approx(four_bar.lagrange()(start[0], 0, 0)[2], abs=1e-12)


def probed_arm(exact: bool) -> fb.Model:
    """Return a flexible arm whose tip is followed by three slides and a gimbal, as a measuring arm does."""
    model = fb.Model("probed", gravity=(0, 0, -9.81))
    beam = fb.FlexibleBeam("beam", 1.0, 1.0, 200.0, discretization=fb.AssumedModes(2, tip="auto"), bending="yz")
    first, second = fb.Revolute("first", axis=(0, 0, 1)), fb.Revolute("second", axis=(0, 1, 0), start=-0.5)
    place = ground = model.add(fb.Ground("ground")).frame_b
    for block in (first, second, beam, fb.Payload("load", 1.0, (0.01, 0.01, 0.01))):
        model.connect(place, model.add(block).frame_a)
        place = getattr(block, "frame_b", place)
    starts = (np.cos(0.5), 0.0, np.sin(0.5)) if exact else (0.87, 0.0, 0.48)
    for name, axis, start in zip("xyz", np.eye(3), starts, strict=True):
        slide = model.add(fb.Prismatic(f"slide_{name}", axis=tuple(axis), start=float(start)))
        model.connect(ground, slide.frame_a)
        ground = slide.frame_b
    angles = (0.0, -0.5, 0.0) if exact else (0.0, 0.0, 0.0)
    ball = model.add(fb.Gimbal("ball", axes=((0, 0, 1), (0, 1, 0), (1, 0, 0)), start=angles))
    model.connect(ground, ball.frame_a)
    model.connect(ball.frame_b, beam.frame_b)
    return model


def test_rounded_start_values_of_a_probe_do_not_bend_the_arm() -> None:
    """Two digits of the tip's place: slides and gimbal move to where the exact start is, and the beam stays."""
    exact, rounded = (fb.assemble(probed_arm(which)) for which in (True, False))
    assert exact.closed_start.moved == {}
    assert str(exact.closed_start) == "all start values kept"
    np.testing.assert_allclose(rounded.x.start, exact.x.start, atol=1e-9)
    assert set(rounded.closed_start.moved) == {"slide_x.displacement", "slide_z.displacement", "ball.revolute2.angle"}
    assert rounded.closed_start.kept == ("second.angle",)


def test_a_rough_loop_does_not_disturb_its_neighbour() -> None:
    """Of the first loop the hinge's value is kept; of the second, which is closed, all values."""
    boom = Boom(2)
    start = boom.closed(np.array([0.5, 0.3]))
    rough = start | {name: round(value, 1) for name, value in start.items() if name.endswith("0.angle")}
    dae = fb.assemble(boom.model(rough))
    values = dict(zip(dae.q_names, dae.x.start, strict=False))
    assert [values[name] for name in start] == pytest.approx(list(start.values()), abs=1e-9)
    second = {name for name in start if name.split(".")[0].endswith("1")}
    assert second | {"hinge0.angle"} <= set(dae.closed_start.kept)


@pytest.mark.parametrize("scale", [0.01, 50.0])
@pytest.mark.parametrize(("kind", "stiffer"), [(fb.FiniteElements(1), 1.0), (fb.RigidSegments(4), 1 / (1 - 1 / 64))])
def test_beams_bend_where_joints_cannot_close_and_it_is_told(scale: float, kind: object, stiffer: float) -> None:
    """Two columns under a bar that is 2 % too short bend by 1 % each: k = 3 EI / l^3, energy k d^2 / 2."""
    model = fb.Model("portal")
    up = (0.0, 0.0, np.pi / 2)
    for block in (
        fb.Ground("ground"),
        fb.FixedTransform("left", (0, 0, 0), up),
        fb.FixedTransform("right", (1.02 * scale, 0, 0), up),
        fb.FlexibleBeam("one", scale, 1.0, 200.0 * scale, discretization=kind),
        fb.FlexibleBeam("two", scale, 1.0, 200.0 * scale, discretization=kind),
        fb.Revolute("corner", start=-np.pi / 2),
        fb.RigidLink("bar", scale, 1.0),
        fb.Revolute("other", start=-np.pi / 2),
    ):
        model.add(block)
    for inner, outer in (
        ("ground", "left"),
        ("left", "one"),
        ("one", "corner"),
        ("corner", "bar"),
        ("ground", "right"),
        ("right", "two"),
        ("two", "other"),
    ):
        model.connect(f"{inner}.frame_b", f"{outer}.frame_a")
    model.connect("other.frame_b", "bar.frame_b")
    with pytest.warns(FlexblocksWarning, match=r"beams are bent at the start \(one stores .* J, two stores .* J\)"):
        dae = fb.assemble(model)
    energy = 3 * 200.0 * scale / scale**3 * (0.01 * scale) ** 2 / 2 * stiffer
    assert dae.closed_start.strain_energy == pytest.approx({"one": energy, "two": energy}, rel=2e-3)
    assert gap(closure_equations(dae), dae.x.start[: dae.tree.size], dae.p.start) < 1e-10
    assert "one stores" in str(dae.closed_start)


def test_a_guess_that_is_far_off_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.INFO, "flexblocks.assemble"),
        pytest.warns(FlexblocksWarning, match=r"start values moved far .* rocker_joint.angle from 0.1 to 1\.471"),
    ):
        dae = started(FourBar(), fb.Rigid(), (1.0, 0.0, 0.1, 0.0))
    old, new = dae.closed_start.moved["rocker_joint.angle"]
    assert (old, new) == (0.1, pytest.approx(FourBar().angles(1.0)[2]))
    assert "rocker_joint.angle: 0.1 ->" in caplog.text


def test_a_posture_beyond_a_gap_may_be_another_assembly() -> None:
    """A double rocker: its crank is above or below the ground, and cannot pass from one to the other."""
    double = FourBar(crank=0.25, coupler=0.1, rocker=0.3, ground=0.28)
    dae = started(double, fb.Rigid(), (1.1, 0.0, 1.3, 0.0))
    near = fb.simulate(dae, (0.0, 0.01), x0={"crank_joint.angle": 1.3})
    assert near.x[0][0] == 1.3
    with pytest.warns(FlexblocksWarning, match=r"open on the way from the start to crank_joint.angle = -1.1.*another"):
        run = fb.simulate(dae, (0.0, 0.01), x0={"crank_joint.angle": -1.1})
    assert gap(closure_equations(dae), run.x[0][:4], dae.p.start) < 1e-9


def test_a_loop_is_led_along_with_its_parameters() -> None:
    """A length that changes takes the linkage along, with no coordinate held; against the closed form."""
    dae = fb.assemble(FourBar().model(), symbolic=("coupler.length",))
    op = fb.equilibrium(dae, x={"crank_joint.angle": 1.4}, p={"coupler.length": 0.26})
    np.testing.assert_allclose(op.x[:4], FourBar(coupler=0.26).angles(1.4), atol=1e-9)


def test_a_closure_that_has_nothing_to_close() -> None:
    """Two arms of one bracket whose ends meet are one piece: the arm moves as without the second."""
    model = fb.Model("bracket", gravity=(0.0, -9.81, 0.0))
    hinge, link = model.add(fb.Revolute("hinge")), model.add(fb.RigidLink("link", length=1.0, mass=1.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    first, second = (model.add(fb.FixedTransform(name, translation=(0.1, 0.0, 0.0))) for name in ("first", "second"))
    for arm in (first, second):
        model.connect(link.frame_b, arm.frame_a)
    model.connect(first.frame_b, second.frame_b)
    dae = fb.assemble(model)
    np.testing.assert_allclose(dae.forward_dynamics([0, 0], [], []).full().ravel(), [0, -1.5 * 9.81], rtol=1e-12)
    motion = fb.simulate(dae, (0.0, 0.2))
    assert np.sum(motion.energy, axis=1) == pytest.approx(0.0, abs=1e-6)
    assert fb.equilibrium(dae).x == pytest.approx([-np.pi / 2, 0.0])
    lin = fb.linearize(dae)
    np.testing.assert_allclose(lin.A, [[0.0, 1.0], [-1.5 * 9.81, 0.0]], rtol=1e-9)
