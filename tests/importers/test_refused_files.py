"""Files of unknown origin: what they may not do, and what is reported of those that are no robots."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import flexblocks as fb
from urdf_files import INERTIAL, joint, link, two_links, written

ENTITIES = '<!DOCTYPE robot [<!ENTITY a "0"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
EXTERNAL = '<!DOCTYPE robot SYSTEM "file:///etc/passwd">'


@pytest.mark.parametrize("head", [ENTITIES, EXTERNAL, '<!DOCTYPE robot [<!ENTITY % p SYSTEM "http://x/y"> %p;]>'])
def test_document_types_are_refused(tmp_path: Path, head: str) -> None:
    with pytest.raises(fb.FlexblocksError, match="declares a document type"):
        fb.from_urdf(written(tmp_path, link("base"), head=head))


def test_deep_and_large_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(fb.FlexblocksError, match="more than 200 deep"):
        fb.from_urdf(written(tmp_path, "<a>" * 300 + "</a>" * 300))
    monkeypatch.setattr("flexblocks.importers.foreign_xml.LARGEST", 100)
    with pytest.raises(fb.FlexblocksError, match="must be at most 100"):
        fb.from_urdf(two_links(tmp_path))


BOX = "<geometry><box size='1 1 1'/></geometry>"
BEND = joint("j", "a", "b")
REFUSED = {
    "xacro": (('<xacro:property name="a"/>',), "expand them first"),
    "no links": ((), "has no links"),
    "two roots": ((link("a"), link("b")), "2 links that no joint carries (a, b)"),
    "circle": (
        (link("r"), link("a"), link("b"), BEND, joint("k", "b", "a")),
        "some joints go in a circle",
    ),
    "two parents": ((link("a"), link("b"), BEND, joint("k", "a", "b")), "is carried by the joints 'j' and 'k'"),
    "unknown link": ((link("a"), BEND), "child 'b' is no link"),
    "planar": ((link("a"), link("b"), joint("j", "a", "b", kind="planar")), "is planar; must be"),
    "floating": ((link("a"), link("b"), joint("j", "a", "b", kind="floating")), "base='free'"),
    "unknown kind": ((link("a"), link("b"), joint("j", "a", "b", kind="screw")), "type = 'screw'"),
    "name twice": ((link("a"), link("a")), "the name 'a' twice"),
    "no number": ((link("a"), link("b"), joint("j", "a", "b", xyz="0 nan 0")), "xyz = '0 nan 0'; must be 3 numbers"),
    "no axis": ((link("a"), link("b"), BEND.replace("0 1 0", "0 0 0")), "must have a direction"),
    "limits": ((link("a"), link("b"), joint("j", "a", "b", "<limit lower='2' upper='1'/>")), "lower must be less"),
    "damping": ((link("a"), link("b"), joint("j", "a", "b", "<dynamics damping='-1'/>")), "damping = -1; must be >= 0"),
    "mass": ((link("a", INERTIAL.replace('"2"', '"-2"')),), "mass = -2 kg"),
    "inertia": ((link("a", INERTIAL.replace("0.01", "9")),), "1 inertias that no rigid body has"),
    "massless": ((link("a"), link("b", ""), BEND), "lock={'j': 0.0}"),
    "mimic of itself": (
        (link("a"), link("b"), joint("j", "a", "b", "<mimic joint='j'/>")),
        "mimics 'j', which mimics it in turn",
    ),
    "mimic of nothing": (
        (link("a"), link("b"), joint("j", "a", "b", "<mimic joint='k'/>")),
        "mimics 'k', which is no joint",
    ),
    "shape": ((link("a", INERTIAL + "<visual/>"),), "geometry is missing"),
    "radius": ((link("a", "<visual><geometry><sphere radius='-1'/></geometry></visual>"),), "radius = -1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_files_that_are_no_robots(tmp_path: Path, case: str) -> None:
    parts, words = REFUSED[case]
    head = '<?xml version="1.0"?>'
    path = tmp_path / "arm.urdf"
    path.write_text(f'{head}<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">{"".join(parts)}</robot>')
    with pytest.raises(fb.FlexblocksError, match=re.escape(words)) as caught:
        fb.from_urdf(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["", "robot", "<robot", "<robot>\x00</robot>", "<sdf/>", "<mujoco/>"])
def test_files_that_are_no_urdf(tmp_path: Path, text: str) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    with pytest.raises(fb.FlexblocksError, match=r"no XML|must be a URDF file"):
        fb.from_urdf(path)


def test_arguments_about_what_is_not_there(tmp_path: Path) -> None:
    path = two_links(tmp_path, more=joint("rail", "forearm", "end", kind="prismatic") + link("end"))
    spring = fb.Elastic(stiffness=1.0, rotor=1.0)
    for arguments, words in (
        ({"lock": {"sholder": 0.0}}, "Did you mean shoulder?"),
        ({"elastic": {"wrist": spring}}, "elastic: 'wrist'"),
        ({"flexible": {"foot": {}}}, "flexible: 'foot'"),
        ({"elastic": {"rail": spring}}, "'rail' is a slide"),
        ({"elastic": {"elbow": 3.0}}, "must be a fb.Elastic"),
        ({"lock": {"elbow": float("nan")}}, "must be a number in rad or m"),
        ({"lock": {"elbow": 0.0}, "elastic": {"elbow": spring}}, "'elbow' is locked"),
        ({"flexible": {"forearm": 3.0}}, "must be a fb.FlexibleBeam"),
        ({"packages": tmp_path / "nowhere"}, "there is no such folder"),
        ({"base": "floating"}, "base = 'floating'; must be 'fixed' or 'free'"),
        ({"inertia": "mend"}, "inertia = 'mend'; must be 'refuse' or 'repair'"),
    ):
        with pytest.raises(fb.FlexblocksError, match=re.escape(words)):
            fb.from_urdf(path, **arguments)


def test_inertias_are_repaired_to_the_nearest_of_a_body(tmp_path: Path) -> None:
    path = written(tmp_path, link("a", INERTIAL.replace("0.01", "0.09")))
    robot = fb.from_urdf(path, inertia="repair")
    # Second moments -0.025, 0.045, 0.045 kg m2; the first becomes zero.
    assert robot.model["a"].inertia == ((0.09, 0.0, 0.0), (0.0, 0.045, 0.0), (0.0, 0.0, 0.045))
    assert robot.repaired == ("a: principal moments 0.02, 0.02, 0.09 became 0.045, 0.045, 0.09 kg m2",)


def mesh(uri: str) -> str:
    return link("base", INERTIAL + f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>')


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.stl",
        "/etc/hostname",
        "file:///etc/hostname",
        "http://x.org/a.stl",
        "package://other/a.stl",
        "link.stl",
    ],
)
def test_meshes_elsewhere_are_left_out(tmp_path: Path, uri: str) -> None:
    (tmp_path / "secret.stl").write_text("solid")
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "link.stl").symlink_to("/etc/hostname")
    with pytest.warns(fb.FlexblocksWarning, match="1 meshes are left out"):
        robot = fb.from_urdf(written(folder, mesh(uri)))
    assert robot.model["base"].shape is None
    assert uri in robot.left_out[0]


def test_meshes_of_packages(tmp_path: Path) -> None:
    package = tmp_path / "arm_description"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    file = package / "meshes/base.stl"
    file.write_text("solid")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    inside = written(package / "urdf", mesh("package://arm_description/meshes/base.stl"))
    assert fb.from_urdf(inside).model["base"].shape.path == str(file)
    outside = written(elsewhere, mesh("package://arm_description/meshes/base.stl"))
    for packages in (package, [tmp_path], {"arm_description": package}):
        assert fb.from_urdf(outside, packages=packages).model["base"].shape.path == str(file)
    relative = written(package / "urdf", mesh("../meshes/base.stl"))
    assert fb.from_urdf(relative, packages=package).model["base"].shape.path == f"{package}/urdf/../meshes/base.stl"
