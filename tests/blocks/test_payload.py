"""Payload: its grapple and its centre of mass, and inertia and centre as symbols."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from flexblocks.errors import NameUnknownError

INERTIA = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.5]])
CENTER = (0.1, 0.2, -0.3)
ANGLES = np.array([0.3, -0.4, 0.7])


def held_in_space(center: tuple[float, ...] = CENTER, inertia: np.ndarray = INERTIA, mass: float = 2.0) -> fb.Model:
    """A payload at the end of a link of 0.8 m on a ball joint."""
    model = fb.Model("held", gravity=(0.0, 0.0, -9.81))
    ground, ball = model.add(fb.Ground("ground")), model.add(fb.Gimbal("ball"))
    link = model.add(fb.RigidLink("link", 0.8, 0.5))
    payload = model.add(fb.Payload("payload", mass, inertia=inertia, center=center))
    model.connect(ground.frame_b, ball.frame_a)
    model.connect(ball.frame_b, link.frame_a)
    model.connect(link.frame_b, payload.frame_a)
    return model


def test_the_center_is_an_output_beside_the_grapple():
    dae = fb.assemble(held_in_space())
    y = dict(zip(dae.y.names, dae.output(np.r_[ANGLES, 0, 0, 0], [], []).full().ravel(), strict=True))
    R = Rotation.from_euler("XYZ", ANGLES).as_matrix()
    grapple = R @ [0.8, 0, 0]
    np.testing.assert_allclose([y[f"payload.{axis}"] for axis in "xyz"], grapple, rtol=1e-14)
    np.testing.assert_allclose([y[f"payload.center_{axis}"] for axis in "xyz"], grapple + R @ CENTER, rtol=1e-14)


def test_weight_acts_where_the_center_is_told_to_be():
    """The gradient of the height, times m g, is the weight on the joints."""
    dae = fb.assemble(held_in_space())
    x = ca.SX.sym("x", 6)
    height = dae.output(x, [], [])[dae.y.index("payload.center_z")]
    slope = ca.Function("slope", [x], [ca.jacobian(height, x[:3])])(np.r_[ANGLES, 0, 0, 0]).full().ravel()
    # Of the link itself: half its length along x.
    steps = 1e-6 * np.eye(3)
    above, below = (Rotation.from_euler("XYZ", ANGLES + sign * steps).apply([0.4, 0, 0])[:, 2] for sign in (1, -1))
    link = 0.5 * 9.81 * (above - below) / 2e-6
    force = dae.inverse_dynamics(ANGLES, np.zeros(3), np.zeros(3), []).full().ravel()
    np.testing.assert_allclose(force, 2.0 * 9.81 * slope + link, rtol=1e-8)


@pytest.mark.parametrize("dynamics", ["recursive", "closed-form"])
def test_symbolic_inertia_and_center_are_those_of_an_arm_with_their_values(dynamics: str):
    symbolic = ("payload.mass", "payload.inertia", "payload.center")
    dae = fb.assemble(held_in_space(), symbolic, dynamics=dynamics)
    assert dae.p.names == (
        "payload.mass",
        *(f"payload.inertia[{i},{j}]" for i, j in ((1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3))),
        *(f"payload.center[{i}]" for i in (1, 2, 3)),
    )
    assert set(dae.p.units) == {"kg", "kg m2", "m"}
    np.testing.assert_array_equal(dae.p.start, [2.0, *INERTIA[np.triu_indices(3)], *CENTER])
    other, center, mass = np.diag([0.5, 0.2, 0.4]) + 0.05, (-0.2, 0.1, 0.4), 3.0
    expected = fb.assemble(held_in_space(center, other, mass), dynamics=dynamics)
    p = [mass, *other[np.triu_indices(3)], *center]
    state = np.r_[ANGLES, 0.5, -1.0, 2.0]
    for function, arguments in (("forward_dynamics", (state, [])), ("output", (state, [])), ("mass_matrix", (ANGLES,))):
        found = getattr(dae, function)(*arguments, p).full()
        np.testing.assert_allclose(found, getattr(expected, function)(*arguments, []).full(), rtol=1e-11, atol=1e-12)


def test_single_entries_stay_symbolic_and_the_others_are_folded_in():
    dae = fb.assemble(held_in_space(), ("payload.center[2]", "payload.inertia[1,3]"))
    assert dae.p.names == ("payload.center[2]", "payload.inertia[1,3]")
    other = INERTIA.copy()
    other[0, 2] = other[2, 0] = 0.05
    expected = fb.assemble(held_in_space((0.1, 0.6, -0.3), other)).mass_matrix(ANGLES, []).full()
    np.testing.assert_allclose(dae.mass_matrix(ANGLES, [0.6, 0.05]).full(), expected, rtol=1e-13)


def test_a_body_has_a_symbolic_center_and_reach():
    def body(center: tuple[float, ...], reach: tuple[float, ...]) -> fb.Model:
        model = fb.Model("body")
        ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
        rigid = model.add(fb.RigidBody("body", 1.5, inertia=INERTIA, center=center, reach=reach))
        end = model.add(fb.LumpedMass("end", 0.5))
        model.connect(ground.frame_b, hinge.frame_a)
        model.connect(hinge.frame_b, rigid.frame_a)
        model.connect(rigid.frame_b, end.frame_a)
        return model

    dae = fb.assemble(body((0.1, 0, 0), (0.2, 0, 0)), ("body.center", "body.reach", "body.inertia[3,3]"))
    p = [0.1, 0.3, 0.0, 0.5, 0.4, 0.0, 0.7]
    assert float(dae.mass_matrix([0.2], p)) == pytest.approx(0.7 + 1.5 * 0.1 + 0.5 * 0.41, rel=1e-14)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("payload.inertia[2,1]", r"Did you mean payload\.inertia\[1,1\]"),
        ("payload.center[0]", r"Did you mean payload\.center\["),
        ("ball.axes", "not a number that can stay symbolic"),
    ],
)
def test_what_cannot_stay_symbolic_is_refused(name: str, near: str):
    with pytest.raises(NameUnknownError, match=near):
        fb.assemble(held_in_space(), (name,))


def test_all_numbers_leaves_vectors_out():
    """Their zeros save operations: they stay symbolic by name only."""
    assert not [name for name in fb.assemble(held_in_space(), "all").p.names if "[" in name]
