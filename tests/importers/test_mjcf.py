"""What a MuJoCo file says of joints, actuators and shapes, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.shapes.shape import attitude_matrix

mujoco = pytest.importorskip("mujoco")
BOX = '<geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0" mass="1"/>'


def written(folder: Path, world: str, rest: str = "", head: str = "") -> Path:
    path = folder / "arm.xml"
    path.write_text(f"{head}<mujoco model='arm'><worldbody>{world}</worldbody>{rest}</mujoco>")
    return path


def arm(joint: str = "", geom: str = BOX) -> str:
    return (
        f'<body name="upper"><joint name="shoulder" axis="0 1 0" {joint}/>{geom}'
        f'<body name="forearm" pos="0.4 0 0"><joint name="elbow" axis="0 1 0"/>{BOX}</body></body>'
    )


def test_motors_servos_and_limits(tmp_path: Path) -> None:
    actuators = (
        '<actuator><motor name="m" joint="shoulder" gear="5" ctrllimited="true" ctrlrange="-2 3"/>'
        '<position name="p" joint="elbow" kp="30" kv="4"/></actuator>'
    )
    robot = fb.from_mjcf(written(tmp_path, arm('limited="true" range="-60 90"'), actuators))
    shoulder = robot.model["shoulder"]
    assert (shoulder.low, shoulder.high) == pytest.approx((-np.pi / 3, np.pi / 2))
    assert shoulder.limit == 15.0
    assert robot.inputs == {"m": "shoulder.motor.torque", "p": "elbow_servo.reference"}
    assert robot.model["elbow_servo"].kp == 30.0
    assert robot.model["elbow"].damping == 4.0


def test_servos_of_elastic_joints_turn_the_rotor(tmp_path: Path) -> None:
    path = written(tmp_path, arm(), '<actuator><position name="p" joint="elbow" kp="30"/></actuator>')
    robot = fb.from_mjcf(path, elastic={"elbow": fb.Elastic(stiffness=200.0, rotor=0.01)})
    dae = fb.assemble(robot.model)
    dae = fb.assemble(robot.model, locked={"shoulder.angle": 0.1})
    rest = fb.equilibrium(dae, u={"elbow_servo.reference": 0.3, "elbow.motor.torque": 0.0})
    # Servo and spring carry the same torque.
    twist = rest["elbow.rotor.angle"] - rest["elbow.angle"]
    assert abs(twist) > 1e-3
    assert 30 * (0.3 - rest["elbow.rotor.angle"]) == pytest.approx(200 * twist, rel=1e-6)


def test_free_bodies_float(tmp_path: Path) -> None:
    world = f'<body name="craft" pos="0 0 2"><freejoint name="root"/>{BOX}</body>'
    dae = fb.assemble(fb.from_mjcf(written(tmp_path, world)).model)
    run = fb.simulate(dae, [0.0, 0.5])
    assert run["craft.z"][0] == pytest.approx(2.0)
    assert run["craft.z"][-1] == pytest.approx(2.0 - 9.81 / 8, rel=1e-6)


def test_shapes_of_bodies(tmp_path: Path) -> None:
    seen = '<geom type="capsule" size="0.1 0.3" contype="0" conaffinity="0" rgba="1 0 0 1" mass="0"/>'
    robot = fb.from_mjcf(written(tmp_path, arm(geom=BOX + seen)))
    cylinder, *caps = robot.model["upper"].shape  # what touches nothing is made to be seen
    assert (cylinder.radius, cylinder.length, cylinder.color) == (0.1, 0.6, (1.0, 0.0, 0.0, 1.0))
    assert [cap.position[2] for cap in caps] == [-0.3, 0.3]
    box = robot.model["forearm"].shape
    assert (box.size, box.position) == ((0.2, 0.4, 0.6), (0.1, 0.0, 0.0))


def test_meshes_lie_where_mujoco_has_them(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    surface = trimesh.creation.box((0.2, 0.4, 0.6)).apply_translation((1.0, 2.0, 3.0))
    surface.export(tmp_path / "link.stl")
    geom = '<geom type="mesh" mesh="link" pos="0.1 0 0" euler="0 0 90"/>'
    path = written(tmp_path, arm(geom=geom), '<asset><mesh name="link" file="link.stl" scale="2 2 2"/></asset>')
    mesh = fb.from_mjcf(path).model["upper"].shape
    assert Path(mesh.path) == tmp_path / "link.stl"
    placed = np.array(mesh.scale) * surface.vertices @ attitude_matrix(mesh.orientation).T + mesh.position
    expected = 2 * surface.vertices @ np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).T + [0.1, 0, 0]
    np.testing.assert_allclose(placed, expected, atol=1e-6)


REFUSED = {
    "tendon": ("", '<tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>', "has tendons (t)"),
    "weld": ("", '<equality><weld name="w" body1="upper" body2="forearm"/></equality>', "equality 'w' (weld)"),
    "polynomial": (
        "",
        '<equality><joint name="e" joint1="elbow" joint2="shoulder" polycoef="0 1 1 0 0"/></equality>',
        "equality 'e' (joint)",
    ),
    "several": (
        f"<body name='b1'><freejoint/>{BOX}</body><body name='b2'><freejoint/>{BOX}</body>",
        "",
        "2 bodies move freely (b1, b2)",
    ),
    "plugin": ("", "<extension><plugin plugin='mujoco.pid'/></extension>", "has plugins"),
    "broken": ("<body><joint/></body>", "", "MuJoCo cannot compile it"),
    "include": ("", '<include file="/etc/hostname"/>', "lies outside the folder"),
    "mesh": ("", '<asset><mesh name="m" file="../../secret.stl"/></asset>', "lies outside the folder"),
    "texture": ("", '<asset><texture name="t" type="2d" file="/etc/hostname"/></asset>', "lies outside the folder"),
    "folder": (
        "",
        '<compiler meshdir="/etc"/><asset><mesh name="m" file="hostname"/></asset>',
        "lies outside the folder",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_files_that_are_refused(tmp_path: Path, case: str) -> None:
    world, rest, words = REFUSED[case]
    sites = '<site name="a"/><site name="b" pos="1 0 0"/>'
    with pytest.raises(fb.FlexblocksError, match=re.escape(words)):
        fb.from_mjcf(written(tmp_path, arm(geom=BOX + sites) + world, rest))


def test_files_of_another_format(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text("<robot name='arm'/>")
    with pytest.raises(fb.FlexblocksError, match=r"fb\.from_urdf reads it"):
        fb.from_mjcf(path)
    with pytest.raises(fb.FlexblocksError, match="declares a document type"):
        fb.from_mjcf(written(tmp_path, arm(), head='<!DOCTYPE a [<!ENTITY b "c">]>'))


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    rest = (
        '<actuator><velocity name="v" joint="shoulder" kv="3"/></actuator>'
        '<sensor><jointpos joint="elbow"/></sensor><option density="1.2"/>'
    )
    with pytest.warns(fb.FlexblocksWarning, match="actuators are left out: v"):
        robot = fb.from_mjcf(written(tmp_path, arm(), rest))
    assert {line.partition(":")[0] for line in robot.left_out} == {
        "actuators",
        "sensors",
        "contact",
        "forces of the surrounding fluid",
    }
