"""The lines of an arm against closed forms and against the arm's own outputs."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks.errors import NameUnknownError
from flexblocks.geometry import bending, shape


def cantilever(**beam) -> fb.Model:
    model = fb.Model("cantilever")
    ground = model.add(fb.Ground("ground"))
    link = model.add(fb.FlexibleBeam("link", length=0.8, linear_density=1.0, flexural_rigidity=1.0, **beam))
    model.connect(ground.frame_b, link.frame_a)
    return model


def test_rigid_arm_is_straight_lines_at_the_joint_angles():
    dae = subudhi_morris(modes=0)
    a, b = 0.3, -0.8
    lines = shape(dae)({"joint1.angle": a, "joint2.angle": b})
    elbow = 0.5 * np.array([np.cos(a), np.sin(a), 0])
    tip = elbow + 0.5 * np.array([np.cos(a + b), np.sin(a + b), 0])
    share = np.linspace(0, 1, len(lines["link2"]))[:, None]
    np.testing.assert_allclose(lines["link1"], share * elbow, atol=1e-14)
    np.testing.assert_allclose(lines["link2"], elbow + share * (tip - elbow), atol=1e-14)
    np.testing.assert_allclose(lines["payload"], [tip], atol=1e-14)


def test_beam_follows_its_mode():
    """First mode of the clamped-free beam (Blevins 1979, table 8-1), scaled to mean square 1: its tip moves by 2."""
    dae = fb.assemble(cantilever(discretization=fb.AssumedModes(1, tip="free")))
    line = shape(dae, stations=20)({"link.bending_y[1]": 0.01})["link"]
    b, sigma = 1.875104068711961, 0.734095513758
    s = b * np.linspace(0, 1, 21)
    mode = np.cosh(s) - np.cos(s) - sigma * (np.sinh(s) - np.sin(s))
    np.testing.assert_allclose(line[:, 0], np.linspace(0, 0.8, 21), atol=1e-15)
    np.testing.assert_allclose(line[:, 1], 0.01 * mode, atol=1e-11)
    assert line[-1, 1] == pytest.approx(0.02, abs=1e-11)


def test_lines_meet_and_end_where_the_outputs_are():
    dae = subudhi_morris(links=3)
    x = dae.x.values(None)
    x[: dae.tree.size] = 0.1 * np.random.default_rng(1).normal(size=dae.tree.size)
    lines = shape(dae)(x)
    outputs = dict(zip(dae.y.names, dae.output(x, np.zeros(3), []).full().ravel(), strict=True))
    np.testing.assert_allclose(lines["payload"][-1], [outputs[f"payload.{axis}"] for axis in "xyz"], atol=1e-14)
    for inner, outer in (("link1", "link2"), ("link2", "link3")):
        np.testing.assert_allclose(lines[inner][-1], lines[outer][0], atol=1e-14)


def test_beam_in_space_passes_through_what_its_station_carries():
    model = cantilever(discretization=fb.AssumedModes(2, tip="free"), bending="yz")
    probe = model.add(fb.Payload("probe", mass=1e-3, inertia=1e-3 * np.eye(3)))
    model.connect(model["link"].station(0.3), probe.frame_a)
    dae = fb.assemble(model)
    x = {"link.bending_y[1]": 0.02, "link.bending_y[2]": -0.01, "link.bending_z[1]": 0.03}
    lines = shape(dae, stations=8)(x)
    np.testing.assert_allclose(lines["probe"][0], lines["link"][3], atol=1e-15)  # 0.3 of 0.8 m is the third of eight
    assert lines["probe"][0, 2] > 0.004


def test_symbolic_length_stretches_the_line():
    dae = fb.assemble(cantilever(discretization=fb.AssumedModes(1, tip="free")), symbolic=("link.length",))
    line = shape(dae, stations=4)(None, {"link.length": 2.0})["link"]
    np.testing.assert_allclose(line[:, 0], [0, 0.5, 1.0, 1.5, 2.0], atol=1e-15)


def test_slide_is_drawn_from_its_inlet_to_its_outlet():
    model = fb.Model("slide")
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(0, 0, 2)))
    load = model.add(fb.LumpedMass("load", mass=1.0))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    lines = shape(fb.assemble(model))({"slide.displacement": 0.4})
    np.testing.assert_allclose(lines["slide"], [[0, 0, 0], [0, 0, 0.4]], atol=1e-15)


def test_bending_marks_the_coordinates_of_beams_only():
    dae = subudhi_morris()
    chosen = [name for name, is_bending in zip(dae.x.names, bending(dae), strict=True) if is_bending]
    assert chosen == [f"link{i}.bending_y[{k}]" for i in (1, 2) for k in (1, 2)]


def test_unknown_state_is_refused():
    dae = subudhi_morris()
    with pytest.raises(NameUnknownError, match=r"joint9.*Did you mean"):
        shape(dae)({"joint9.angle": 1.0})


def test_tip_is_the_body_farthest_out():
    assert shape(subudhi_morris(rotor_mount="carried")).tip == "payload"
    model = cantilever()
    joint, hook = model.add(fb.Revolute("joint")), model.add(fb.Payload("hook", mass=1.0, inertia=0.1))
    probe = model.add(fb.LumpedMass("probe", mass=1.0))
    model.connect(model["link"].frame_b, joint.frame_a)
    model.connect(joint.frame_b, hook.frame_a)
    model.connect(model["link"].station(0.1), probe.frame_a)
    assert shape(fb.assemble(model)).tip == "hook"
