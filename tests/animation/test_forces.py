"""Arrows of forces: what is drawn is what the blocks' outputs and inputs say, where it acts; and frames with names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import plot
from flexblocks.interfaces import Physics, attachment, parameter
from flexblocks.plot.animation.forces import Force
from flexblocks.plot.animation.run import Run
from flexblocks.plot.animation.scene import scene_data

T = np.linspace(0.0, 0.4, 41)
LOAD = 30.0


def arm(*elements: tuple[Any, dict[str, str]]) -> fb.DAE:
    """Return a spatial arm of a flexible and a rigid link with force elements between the frames that are named."""
    model = fb.Model("arm", gravity=(0.0, 0.0, -9.81))
    blocks = [
        fb.Ground("ground"),
        fb.Revolute("yaw", axis=(0, 0, 1)),
        fb.Revolute("pitch", axis=(0, 1, 0)),
        fb.FlexibleBeam("boom", 1.0, 1.5, 400.0, fb.AssumedModes(1), load_z="input"),
        fb.Revolute("elbow", axis=(0, 1, 0)),
        fb.RigidLink("rod", length=0.5, mass=0.5),
        fb.Payload("load", mass=1.0, inertia=(0.01, 0.01, 0.01)),
        fb.FixedTransform("foot", translation=(0.1, 0.2, -0.3)),
    ]
    for block in blocks:
        model.add(block)
    for inner, outer in (
        ("ground", "yaw"), ("yaw", "pitch"), ("pitch", "boom"), ("boom", "elbow"), ("elbow", "rod"), ("rod", "load"),
        ("ground", "foot"),
    ):  # fmt: skip
        model.connect(f"{inner}.frame_b", f"{outer}.frame_a")
    for element, ends in elements:
        model.add(element)
        for port, frame in ends.items():
            model.connect(f"{element.name}.{port}", frame)
    return fb.assemble(model)


def moved(dae: fb.DAE, **options: Any) -> tuple[fb.Trajectory, Run]:
    start = {"yaw.angle": 0.3, "pitch.angle": 0.1, "elbow.angle": 0.6, "der(yaw.angle)": 1.0}
    motion = fb.simulate(dae, T, x0=start, **options)
    return motion, plot.animate(motion).scene.runs[0]


def forces(run: Run, name: str, unit: str = "N") -> list[Force]:
    return [force for force in run.forces.forces if (force.name, force.unit) == (name, unit)]


def points(run: Run) -> np.ndarray:
    return np.concatenate([run.struts.points, run.forces.points], axis=1)


def place(motion: fb.Trajectory, name: str) -> np.ndarray:
    """Return where a frame is (frames, 3) [m]."""
    assert motion.dae is not None
    names = [f"{name}.{axis}" for axis in "xyz"]
    dae = motion.dae.with_outputs(names)
    y = np.array(dae.output(motion.x.T, motion.u.T, [])).T
    return y[:, [dae.y.names.index(each) for each in names]]


ENDS = {"frame_a": "foot.frame_b", "frame_b": "elbow.frame_a"}


@pytest.mark.parametrize(
    ("element", "output"),
    [
        (fb.SpringDamper("between", stiffness=300.0, damping=5.0, free_length=0.5), "between.force"),
        (fb.LineForce("between"), "between.force"),
    ],
)
def test_forces_along_a_line_push_both_ends_apart(element, output):
    dae = arm((element, ENDS))
    given = {"between.force": lambda t: 20 * np.cos(9 * t)} if output in dae.u.names else {}
    motion, run = moved(dae, u=given)
    a, b = forces(run, "between")
    line = points(run)[:, b.point] - points(run)[:, a.point]
    np.testing.assert_allclose(points(run)[:, a.point], place(motion, "foot.frame_b"), atol=1e-12)
    np.testing.assert_allclose(points(run)[:, b.point], place(motion, "elbow.frame_a"), atol=1e-12)
    wanted = motion[output][:, None] * line / np.linalg.norm(line, axis=1, keepdims=True)
    np.testing.assert_allclose(b.values, wanted, atol=1e-9)
    np.testing.assert_allclose(a.values, -wanted, atol=1e-9)
    assert forces(run, "between", "N m") == []


def test_a_cable_bears_on_what_it_runs_over():
    """Its ends pull along it with its tension; over the frame between both parts pull."""
    cable = fb.Cable("rope", length=1.0, rigidity=2e3, via=1, transition=1e-3)
    ends = {"frame_a": "foot.frame_b", "frame_1": "elbow.frame_a", "frame_b": "load.frame_a"}
    motion, run = moved(arm((cable, ends)))
    found = forces(run, "rope")
    lines = np.diff(np.stack([points(run)[:, each.point] for each in found], axis=1), axis=1)
    along = motion["rope.tension"][:, None, None] * lines / np.linalg.norm(lines, axis=2, keepdims=True)
    for force, wanted in zip(found, (along[:, 0], along[:, 1] - along[:, 0], -along[:, 1]), strict=True):
        np.testing.assert_allclose(force.values, wanted, atol=1e-9 * np.abs(along).max())


@pytest.mark.parametrize("axes", ["world", "frame"])
def test_external_forces_and_torques_are_their_inputs(axes):
    wind, jet = fb.WorldForce("wind", resolve_in=axes), fb.WorldTorque("jet", resolve_in=axes)
    dae = arm((wind, {"frame_a": "load.frame_a"}), (jet, {"frame_a": "load.frame_a"}))
    inputs = {"wind.force_x": 2.0, "wind.force_z": lambda t: 10 * t, "jet.torque_y": 0.3}
    motion, run = moved(dae, u=inputs)
    part = next(i for i, each in enumerate(run.arm.parts) if each.name == "load")
    R = run.tracks[part].R if axes == "frame" else np.eye(3)[None]
    for name, unit, kind in (("wind", "N", "force"), ("jet", "N m", "torque")):
        (found,) = forces(run, name, unit)
        given = np.stack([motion[f"{name}.{kind}_{axis}"] for axis in "xyz"], axis=1)
        np.testing.assert_allclose(
            found.values, np.einsum("tij,tj->ti", np.broadcast_to(R, (len(T), 3, 3)), given), atol=1e-9
        )
        np.testing.assert_allclose(points(run)[:, found.point], place(motion, "load"), atol=1e-12)


def test_a_contact_presses_where_it_touches():
    """Normal force and friction of its outputs, on the sphere at its lowest point, while it dips into the plane."""
    contact = fb.Contact("floor", stiffness=3e4, transition=1e-3, radius=0.05, damping=0.5, friction=0.4)
    motion, run = moved(arm((contact, {"frame_a": "load.frame_a", "frame_b": "foot.frame_b"})))
    (found,) = forces(run, "floor")
    assert motion["floor.gap"].min() < 0
    friction = np.stack([motion[f"floor.friction_{axis}"] for axis in "xyz"], axis=1)
    wanted = friction + motion["floor.normal_force"][:, None] * [0.0, 0.0, 1.0]
    np.testing.assert_allclose(found.values, wanted, atol=1e-6 * np.abs(wanted).max())
    center = place(motion, "load")
    gap = motion["floor.gap"][:, None]
    np.testing.assert_allclose(points(run)[:, found.point], center - (0.05 + gap) * [0, 0, 1], atol=1e-9)


def test_the_load_on_a_beam_is_its_resultant_at_its_middle():
    motion, run = moved(arm(), u={"boom.load_z": LOAD})
    (found,) = forces(run, "boom")
    part = next(i for i, each in enumerate(run.arm.parts) if each.name == "boom")
    np.testing.assert_allclose(found.values, LOAD * 1.0 * run.tracks[part].R[..., 2], atol=1e-9)
    np.testing.assert_allclose(points(run)[:, found.point], place(motion, "boom.station(0.5)"), atol=1e-9)


def test_what_is_zero_throughout_has_no_arrow():
    wind = fb.WorldForce("wind")
    _, run = moved(arm((wind, {"frame_a": "load.frame_a"})))
    assert run.forces.forces == ()


@dataclass(frozen=True)
class Bracket(fb.ForceElement):
    """A stiff torsion about the z axis of frame_a between two frames: an element of a user."""

    stiffness: float = parameter("N m/rad")

    ports = (attachment("frame_a"), attachment("frame_b"))

    def physics(self, frames: Mapping[str, Any], local: Any) -> Physics:
        seen = frames["frame_b"].seen_from(frames["frame_a"])
        return Physics(potential=self.stiffness / 2 * seen.R[0, 2] ** 2)


def test_torques_of_an_element_of_a_user_are_drawn():
    """They are opposite on both frames, and no force is with them."""
    _, run = moved(arm((Bracket("bracket", stiffness=5.0), {"frame_a": "ground.frame_b", "frame_b": "elbow.frame_a"})))
    a, b = forces(run, "bracket", "N m")
    np.testing.assert_allclose(a.values, -b.values, atol=1e-12)
    assert np.abs(a.values).max() > 0
    assert forces(run, "bracket") == []


def test_forces_of_an_arm_at_rest():
    """A spring holds what hangs on it against its weight; modes have no arrows."""
    model = fb.Model("hanging", gravity=(0.0, 0.0, -9.81))
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(0, 0, 1)))
    hook = model.add(fb.FixedTransform("hook", translation=(0.0, 0.0, 1.0)))
    load = model.add(fb.Payload("load", mass=2.0))
    spring = model.add(fb.SpringDamper("spring", stiffness=100.0, free_length=0.5))
    model.connect(ground.frame_b, slide.frame_a, hook.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    model.connect(spring.frame_a, hook.frame_b)
    model.connect(spring.frame_b, load.frame_a)
    rest = fb.equilibrium(dae := fb.assemble(model))
    on_hook, on_load = forces(plot.animate(rest).scene.runs[0], "spring")
    np.testing.assert_allclose(on_load.values, [[0.0, 0.0, 2 * 9.81]], rtol=1e-6)
    np.testing.assert_allclose(on_hook.values, [[0.0, 0.0, -2 * 9.81]], rtol=1e-6)
    assert plot.animate(fb.linearize(dae)).scene.runs[0].forces.forces == ()


def test_frames_are_inlets_and_free_outlets():
    _, run = moved(arm())
    names = [each.name for each in run.frames]
    assert sorted(names) == sorted(["ground", "yaw", "pitch", "boom", "elbow", "rod", "load", "foot"])
    (foot,) = [each for each in run.frames if each.name == "foot"]
    np.testing.assert_allclose(foot.r, [0.1, 0.2, -0.3], atol=1e-12)  # of a transform where it leads to
    bare = fb.Model("bare", gravity=(0.0, 0.0, -9.81))
    ground, joint = bare.add(fb.Ground("ground")), bare.add(fb.Revolute("joint", axis=(0, 1, 0)))
    link = bare.add(fb.FlexibleBeam("link", 1.0, 1.5, 400.0, fb.AssumedModes(1)))
    bare.connect(ground.frame_b, joint.frame_a)
    bare.connect(joint.frame_b, link.frame_a)
    scene = plot.animate(fb.assemble(bare)).scene
    assert [each.name for each in scene.runs[0].frames] == ["ground", "joint", "link", "link.frame_b"]
    assert scene_data(scene)["runs"][0]["frames"][3]["place"] == (2, 20)
