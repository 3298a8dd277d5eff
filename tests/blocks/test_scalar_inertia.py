"""An inertia about z alone: enough where nothing turns the body about another axis, refused elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks.errors import ParameterError

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
MODES = fb.AssumedModes(2, tip="auto")


def beam(bending: str, **more: object) -> fb.FlexibleBeam:
    return fb.FlexibleBeam(
        "beam", 1.0, linear_density=1.0, flexural_rigidity=1.0, discretization=MODES, bending=bending, **more
    )


TWISTING = {"torsion": True, "torsional_rigidity": 1.0, "polar_inertia": 1e-3}
PLANAR = (
    (beam("y"),),
    (fb.Revolute("a"), fb.Prismatic("b"), beam("y"), fb.Revolute("c")),
    (fb.FixedTransform("post", rotation=(np.pi / 2, 0.0, 0.0)), fb.Revolute("a"), fb.RigidLink("b", 1.0, 1.0)),
    (fb.Prismatic("a", axis=X), fb.Prismatic("b", axis=Y), fb.Prismatic("c", axis=Z)),
)
SPATIAL = (
    (beam("z"),),
    (beam("yz"),),
    (beam("y", **TWISTING),),
    (fb.Revolute("a", axis=Y),),
    (fb.Revolute("a"), fb.FixedTransform("elbow", rotation=(np.pi / 2, 0.0, 0.0)), fb.RigidLink("b", 1.0, 1.0)),
    (fb.Spherical("a"),),
    (fb.FreeMotion("a"),),
)


@pytest.mark.parametrize("blocks", PLANAR)
@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_it_counts_where_the_body_turns_about_z_alone(blocks: tuple[fb.Block, ...], size: float) -> None:
    fb.assemble(chain(*blocks, fb.Payload("load", 0.5, 0.02 * size)))


@pytest.mark.parametrize("blocks", SPATIAL)
@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_it_is_refused_where_the_arm_turns_the_body_about_another_axis(
    blocks: tuple[fb.Block, ...], size: float
) -> None:
    turning = next(block for block in blocks if not isinstance(block, fb.FixedTransform))
    with pytest.raises(
        ParameterError,
        match=rf"load': inertia = .* about z alone, and .*'{turning.name}'.*=\(Jx, Jy, {0.02 * size:g}\)",
    ):
        fb.assemble(chain(*blocks, fb.Payload("load", 0.5, 0.02 * size)))
    fb.assemble(chain(*blocks, fb.Payload("load", 0.5, (0.02 * size,) * 3)))


@pytest.mark.parametrize("inertia", [0.1, (0.1, 0.2, 0.2)])
def test_bodies_that_carry_others_are_asked_as_well(inertia: object) -> None:
    for body in (fb.RigidBody("body", 1.0, inertia, reach=X), fb.RigidLink("body", 1.0, 1.0, inertia=inertia)):
        model = chain(fb.Revolute("first"), fb.Revolute("second", axis=Y), body, fb.Payload("load", 1.0))
        if isinstance(inertia, tuple):
            fb.assemble(model)
        else:
            with pytest.raises(ParameterError, match=r"'body': inertia = 0\.1 .*'second' can turn it"):
                fb.assemble(model)


@pytest.mark.parametrize("bending", ["y", "z"])
def test_a_tip_body_counts_in_either_plane(bending: str) -> None:
    """Roots of the frequency equation of a cantilever (EI = m = l = 1) with 0.5 m, 0.02 m l^2, 0.2 l beyond the tip."""
    modes = fb.AssumedModes(4, tip="auto")
    tube = fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, modes, bending)
    for inertia in ((0.0, 0.02, 0.02), np.diag([0.0, 0.02, 0.02])):
        dae = fb.assemble(chain(tube, fb.Payload("load", 0.5, inertia, center=(0.2, 0.0, 0.0)), gravity=(0, 0, 0)))
        found = [mode.frequency for mode in fb.linearize(dae).modes()][:2]
        np.testing.assert_allclose(found, [1.6249, 10.0426], rtol=1e-4)


def test_three_moments_are_the_matrix_and_may_stay_symbolic() -> None:
    moments = (0.1, 0.2, 0.25)

    def arm(inertia: object) -> fb.Model:
        return chain(fb.Spherical("ball"), fb.Payload("load", 1.0, inertia, center=(0.3, 0.1, 0.0)))

    q = [0.3, -0.2, 0.5]
    expected = fb.assemble(arm(np.diag(moments))).mass_matrix(q, []).full()
    np.testing.assert_allclose(fb.assemble(arm(moments)).mass_matrix(q, []).full(), expected, rtol=1e-14)
    symbolic = fb.assemble(arm((0.3, 0.3, 0.3)), symbolic=("load.inertia",))
    assert symbolic.p.names == ("load.inertia[1]", "load.inertia[2]", "load.inertia[3]")
    np.testing.assert_allclose(symbolic.mass_matrix(q, moments).full(), expected, rtol=1e-14)
    with pytest.raises(ParameterError, match="at least 0"):
        symbolic.p.values({"load.inertia[2]": -0.1})
    with pytest.raises(ParameterError, match="no rigid body has these"):
        symbolic.p.values({"load.inertia[2]": 1.0})


@pytest.mark.parametrize("inertia", [(1.0, 2.0), (0.1, 0.1, -0.1), (1.0, 1.0, 2.1), ((1, 0, 0), (0, 1, 0)), "heavy"])
def test_what_is_no_inertia_is_refused(inertia: object) -> None:
    with pytest.raises(ParameterError, match="load': inertia"):
        fb.Payload("load", 1.0, inertia)


def test_a_symbolic_inertia_about_z_stays_zero_in_space() -> None:
    model = chain(fb.Revolute("first", axis=Y), fb.RigidLink("link", 1.0, 1.0), fb.Payload("load", 1.0))
    dae = fb.assemble(model, symbolic="all")
    assert dae.p.values({"load.mass": 2.0})[dae.p.index("load.mass")] == 2.0
    with pytest.raises(ParameterError, match="about z alone"):
        dae.p.values({"load.inertia": 0.1})


def test_in_a_closed_loop_what_joints_by_themselves_are_free_to_do_does_not_count() -> None:
    """A four-bar mechanism with a ball in place of a hinge, which could turn the coupler if the loop let it."""
    model = fb.Model("linkage")
    ground, end = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("end", (1.0, 0.0, 0.0)))
    crank, rocker = model.add(fb.RigidLink("crank", 0.4, 1.0)), model.add(fb.RigidLink("rocker", 0.7, 1.0))
    rod = model.add(fb.RigidLink("rod", 0.9, 1.0, inertia=0.05))
    first, second = model.add(fb.Revolute("first", start=1.2)), model.add(fb.Revolute("second", start=2.5))
    third, ball = model.add(fb.Revolute("third", start=1.7)), model.add(fb.Spherical("ball"))
    for inboard, outboard in (
        (ground.frame_b, first.frame_a), (first.frame_b, crank.frame_a), (ground.frame_b, end.frame_a),
        (end.frame_b, third.frame_a), (third.frame_b, rocker.frame_a), (rocker.frame_b, ball.frame_a),
        (ball.frame_b, rod.frame_a), (crank.frame_b, second.frame_a), (second.frame_b, rod.frame_b),
    ):  # fmt: skip
        model.connect(inboard, outboard)
    assert fb.assemble(model).tree.loops.closures
