"""Shapes of bodies: their data, their files, and what animations draw of them."""

from __future__ import annotations

import json
import struct
import sys

import numpy as np
import pytest
import trimesh

import flexblocks as fb
from flexblocks import plot
from flexblocks.errors import FileFormatError, MissingExtraError, ParameterError
from flexblocks.plot.animation.films.solids import solids
from flexblocks.plot.animation.packing import packed, unpacked
from flexblocks.plot.animation.scene import scene_data
from flexblocks.plot.animation.shapes.mesh_file import shares

ANGLE, LENGTH = 0.7, 0.5


def arm(link=None, tip=None, base=None) -> fb.Model:
    """Return a pendulum about y of a link along x with a payload, on a massless base that is only drawn."""
    model = fb.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    ground = model.add(fb.Ground("ground"))
    stand = model.add(fb.RigidBody("stand", mass=0.0, inertia=(0.0, 0.0, 0.0), shape=base))
    joint = model.add(fb.Revolute("joint", axis=(0, 1, 0)))
    rod = model.add(fb.RigidLink("rod", length=LENGTH, mass=1.0, shape=link))
    load = model.add(fb.Payload("load", mass=1.0, shape=tip))
    model.connect(ground.frame_b, stand.frame_a)
    model.connect(stand.frame_b, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    return model


def drawn(model: fb.Model, **options):
    dae = fb.assemble(model)
    run = fb.simulate(dae, [0.0, 0.01], x0={"joint.angle": ANGLE})
    return plot.animate(run, **options)


def solid(animation, name: str):
    return [each for each in solids(animation.scene.runs[0], 1.0) if each.name == name]


@pytest.fixture
def tetrahedron(tmp_path):
    path = tmp_path / "meshes" / "tip.stl"
    path.parent.mkdir()
    corners = np.array([[0, 0, 0], [100, 0, 0], [0, 200, 0], [0, 0, 300.0]])
    trimesh.Trimesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).export(path)
    return path, corners


def test_vertices_of_a_mesh_ride_on_its_body(tetrahedron):
    path, corners = tetrahedron
    yaw = 0.3
    shape = fb.Mesh(path, scale=0.001, position=(0.1, 0.2, 0.3), orientation=(0.0, 0.0, yaw))
    (tip,) = solid(drawn(arm(tip=shape)), "load")
    c, s = np.cos(yaw), np.sin(yaw)
    on_body = corners / 1000 @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T + [0.1, 0.2, 0.3]
    c, s = np.cos(ANGLE), np.sin(ANGLE)
    about_y = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    expected = (on_body + np.array([LENGTH, 0, 0])) @ about_y.T
    distances = np.linalg.norm(tip.vertices(0)[:, None] - expected[None], axis=2)
    assert distances.min(axis=1).max() < 1e-7  # each vertex is a corner, and each corner a vertex
    assert distances.min(axis=0).max() < 1e-7


def test_roll_pitch_and_yaw_are_about_fixed_axes():
    """Rolled by a right angle about x, then yawed by one about z: the long side, z, lies along x."""
    shape = fb.Cuboid((0.02, 0.04, 0.6), orientation=(np.pi / 2, 0.0, np.pi / 2))
    (base,) = solid(drawn(arm(base=shape)), "stand")
    np.testing.assert_allclose(np.ptp(base.vertices(0), axis=0), [0.6, 0.02, 0.04], atol=1e-12)


def test_primitives_have_their_sizes_and_colours():
    cylinder = fb.Cylinder(radius=0.05, length=0.3, color=(1, 0, 0, 0.5))
    both = solid(drawn(arm(base=(cylinder, fb.Sphere(0.2, color="#0000ff")))), "stand")
    assert [each.mesh.color for each in both] == [(1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 1.0)]
    np.testing.assert_allclose(np.ptp(both[0].vertices(0), axis=0), [0.1, 0.1, 0.3], atol=1e-3)
    np.testing.assert_allclose(np.ptp(both[1].vertices(0), axis=0), [0.4, 0.4, 0.4], atol=1e-2)


def test_a_picture_shows_shapes_whole():
    base = fb.Cuboid(size=(6.0, 4.0, 2.0), position=(0.0, 0.0, -1.0))
    data = scene_data(drawn(arm(base=base)).scene)
    assert np.all(np.array(data["low"]) <= np.array([-3.0, -2.0, -2.0]) + 1e-9)
    assert np.all(np.array(data["high"])[:2] >= np.array([3.0, 2.0]) - 1e-9)


def test_a_mirrored_mesh_has_its_outside_outside(tetrahedron):
    path, _ = tetrahedron
    (tip,) = solid(drawn(arm(tip=fb.Mesh(path, scale=(0.001, -0.001, 0.001)))), "load")
    a, b, c = (tip.mesh.offset[tip.mesh.triangles[:, k]] for k in range(3))
    assert np.einsum("fi,fi->", a, np.cross(b, c)) / 6 == pytest.approx(0.1 * 0.2 * 0.3 / 6, rel=1e-6)
    assert np.all(np.einsum("fi,fi->f", np.cross(b - a, c - a), tip.mesh.normal[tip.mesh.triangles[:, 0]]) > 0)


def test_a_shape_takes_the_place_of_the_standard_look():
    bare = drawn(arm())
    shown = drawn(arm(link=fb.Cuboid((LENGTH, 0.1, 0.1), position=(LENGTH / 2, 0, 0)), tip=fb.Sphere(0.1)))
    assert [role for role, _ in bare.scene.runs[0].arm.parts[4].look] != ["payload"]
    for name, role in (("rod", "link"), ("load", "payload")):
        part = next(each for each in shown.scene.runs[0].arm.parts if each.name == name)
        assert [each for each, _ in part.look] == [role]


@pytest.mark.parametrize("shape", [None, fb.Cuboid((0.1, 0.1, 0.1))])
def test_sticks_are_left_out_of_links_with_a_shape(shape):
    model = fb.Model("crank")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    body = model.add(fb.RigidBody("body", mass=1.0, inertia=(1.0, 1.0, 1.0), shape=shape))
    offset = model.add(fb.FixedTransform("offset", translation=(0.3, 0.0, 0.0)))
    load = model.add(fb.Payload("load", mass=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, body.frame_a, offset.frame_a)
    model.connect(offset.frame_b, load.frame_a)
    rods = plot.animate(fb.assemble(model)).scene.runs[0].arm.rods
    assert bool(rods) == (shape is None)


def test_shapes_change_nothing_in_the_equations():
    plain, shaped = fb.assemble(arm()), fb.assemble(arm(fb.Sphere(1.0), fb.Mesh("none.stl"), fb.Sphere(1.0)))
    for name in ("forward_dynamics", "inverse_dynamics", "mass_matrix", "energy", "output"):
        assert getattr(plain, name).n_instructions() == getattr(shaped, name).n_instructions()
    assert plain.x.names == shaped.x.names


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_saved_model_names_files_beside_it(tetrahedron, tmp_path, suffix, monkeypatch):
    path, _ = tetrahedron
    mesh = fb.Mesh(path, scale=(1.0, 2.0, 3.0), orientation=np.eye(3), color=(0.1, 0.2, 0.3))
    model = arm(link=fb.Cuboid((1, 2, 3), color="#aabbcc"), tip=(mesh, fb.Cylinder(1, 2), fb.Sphere(3)))
    file = tmp_path / f"arm.{suffix}"
    model.save(file)
    assert "meshes/tip.stl" in file.read_text()
    assert str(tmp_path) not in file.read_text()
    assert fb.load(file).blocks == model.blocks
    # The folder moves, and with it the mesh.
    moved = tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}_moved"))
    monkeypatch.chdir(moved)
    again = fb.load(f"arm.{suffix}")
    assert len(solid(drawn(again), "load")) == 3


def test_colours_of_a_file_are_kept_unless_the_shape_has_its_own(tmp_path):
    parts = trimesh.Scene()
    for name, color, place in (("red", [255, 0, 0, 255], 0.0), ("blue", [0, 0, 255, 255], 1.0)):
        box = trimesh.creation.box((1, 1, 1))
        box.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(baseColorFactor=color))
        parts.add_geometry(box, node_name=name, transform=trimesh.transformations.translation_matrix((place, 0, 0)))
    path = tmp_path / "two.glb"
    parts.export(path)
    found = solid(drawn(arm(tip=fb.Mesh(path))), "load")
    assert {each.mesh.color for each in found} == {(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)}
    own = solid(drawn(arm(tip=fb.Mesh(path, color=(0, 1, 0)))), "load")
    assert {each.mesh.color for each in own} == {(0.0, 1.0, 0.0, 1.0)}


def test_large_meshes_have_fewer_triangles_and_a_small_page(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=6)  # 81 920 triangles
    box = trimesh.creation.box((0.1, 0.1, 0.1)).subdivide().subdivide().subdivide().subdivide().subdivide()
    ball.export(tmp_path / "ball.stl")
    box.export(tmp_path / "box.obj")
    model = arm(link=fb.Mesh(tmp_path / "box.obj"), tip=fb.Mesh(tmp_path / "ball.stl"))
    animation = drawn(model)
    counts = [len(s.mesh.triangles) for name in ("rod", "load") for s in solid(animation, name)]
    assert 40_000 < sum(counts) <= 50_000
    (tip,) = solid(animation, "load")
    np.testing.assert_allclose(np.linalg.norm(tip.mesh.offset, axis=1), 1.0, atol=2e-3)
    assert len(animation.html()) < 5e6
    assert sum(len(s.mesh.triangles) for s in solid(drawn(model, triangles=2000), "load")) <= 2000


def test_a_page_holds_a_mesh_once(tetrahedron):
    """Two runs of one arm share meshes; on the page they are within 16 bits of what they were."""
    dae = fb.assemble(arm(tip=fb.Mesh(tetrahedron[0])))
    scene = plot.animate(dae, dae).scene
    data = scene_data(scene)
    looks = [part["look"] for each in data["arms"] for part in each["parts"] if part["name"] == "load"]
    assert len(looks) == 2
    assert looks[0] == looks[1]
    packed_mesh = data["meshes"][looks[0][0]["mesh"]]
    (tip,) = [part.look[0][1] for part in scene.runs[0].arm.parts if part.name == "load"]
    np.testing.assert_array_equal(unpacked(packed_mesh["triangles"]), tip.triangles)
    np.testing.assert_allclose(unpacked(packed_mesh["offset"]), tip.offset, atol=300 / 2**16)


def test_whole_numbers_are_packed_exactly():
    numbers = np.array([[3, 2**31, 7], [0, 5, 2**32 - 1]])
    np.testing.assert_array_equal(unpacked(packed(numbers, "u4")), numbers)


def test_models_of_gltf_have_meshes_in_their_colours(tetrahedron, tmp_path):
    path, _ = tetrahedron
    drawn(arm(tip=fb.Mesh(path, color="#ff0000"))).save(tmp_path / "arm.glb")
    content = (tmp_path / "arm.glb").read_bytes()
    document = json.loads(content[20 : 20 + struct.unpack_from("<I", content, 12)[0]])
    colors = [each["pbrMetallicRoughness"]["baseColorFactor"] for each in document["materials"]]
    assert [1.0, 0.0, 0.0, 1.0] in colors


def test_triangles_are_shared_by_size():
    assert shares([10, 10], [1.0, 5.0], 100) == [10, 10]
    assert shares([1000, 1000], [1.0, 3.0], 400) == [100, 300]
    assert shares([10, 1000], [1.0, 1.0], 400) == [10, 390]


def test_files_are_missed_when_they_are_drawn(tmp_path):
    dae = fb.assemble(arm(tip=fb.Mesh(tmp_path / "none.stl")))
    with pytest.raises(FileFormatError, match=r"Payload 'load': shape: .*none.stl: there is no such file"):
        plot.animate(dae)
    (tmp_path / "bad.stl").write_text("no mesh")
    with pytest.raises(FileFormatError, match=r"Payload 'load': shape: .*bad.stl"):
        plot.animate(fb.assemble(arm(tip=fb.Mesh(tmp_path / "bad.stl"))))
    (tmp_path / "arm.step").write_text("no mesh")
    with pytest.raises(FileFormatError, match=r"must end in one of .stl, .obj"):
        plot.animate(fb.assemble(arm(tip=fb.Mesh(tmp_path / "arm.step"))))


def test_a_missing_library_is_named_with_its_extra(tetrahedron, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingExtraError, match=r"needs trimesh, which is not installed: .*flexblocks\[robots\]"):
        plot.animate(fb.assemble(arm(tip=fb.Mesh(tetrahedron[0]))))


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: fb.Cuboid((1, 2)), r"Cuboid: size = \(1, 2\); must be an array of shape \(3,\) in m"),
        (lambda: fb.Cylinder(-1, 1), "Cylinder: radius = -1 m; must be > 0"),
        (lambda: fb.Sphere(1, color=(1, 2, 3)), "Sphere: color = .*each from 0 to 1"),
        (lambda: fb.Sphere(1, color="red"), "Sphere: color = 'red'; must be"),
        (lambda: fb.Sphere(1, orientation=2 * np.eye(3)), "must be a rotation matrix"),
        (lambda: fb.Mesh("a.stl", scale=0), "Mesh: scale = 0; must be different from 0"),
        (lambda: fb.Mesh(1), "Mesh: path = 1; must be the path of a file"),
        (lambda: fb.Payload("load", mass=1, shape="a.stl"), "Payload 'load': shape = 'a.stl'; must be a shape"),
    ],
)
def test_what_is_no_shape_is_refused(made, told):
    with pytest.raises(ParameterError, match=told):
        made()
