"""Mesh files: their units and colours, fewer triangles, and which other files they may name."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks import export, plot
from flexblocks.cli import app
from flexblocks.errors import FileFormatError, FlexblocksWarning
from flexblocks.plot.animation.shapes.decimation import decimated
from flexblocks.plot.animation.shapes.mesh import Mesh

RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
MATERIALS = "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n"
OBJ = """mtllib {library}
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
usemtl red
f 1 3 2
f 1 2 4
usemtl blue
f 1 4 3
f 2 3 4
"""
TRIANGLE = """{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 36}}], "buffers": [{{"byteLength": 36, "uri": "{uri}"}}]}}"""


def model(path: Path, **options: object) -> fb.Model:
    """Return a payload with a mesh on a hinge."""
    arm = fb.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    ground, joint = arm.add(fb.Ground("ground")), arm.add(fb.Revolute("joint", axis=(0, 1, 0)))
    load = arm.add(fb.Payload("load", mass=1.0, inertia=(1, 1, 1), center=(0, 0, -0.2), shape=fb.Mesh(path, **options)))
    arm.connect(ground.frame_b, joint.frame_a)
    arm.connect(joint.frame_b, load.frame_a)
    return arm


def meshes(path: Path, **options: int) -> list[Mesh]:
    """Return what is drawn of a file on a payload."""
    scene = plot.animate(fb.assemble(model(path)), **options).scene
    return [mesh for part in scene.runs[0].arm.parts if part.name == "load" for role, mesh in part.look if mesh]


def extents(path: Path) -> np.ndarray:
    return np.ptp(np.concatenate([mesh.offset for mesh in meshes(path)]), axis=0)


def open_edges(faces: np.ndarray) -> int:
    """Return how many edges belong to one triangle alone."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return int((np.unique(edges, axis=0, return_counts=True)[1] == 1).sum())


@pytest.mark.parametrize(("unit", "meter"), [("millimeter", "0.001"), ("inch", "0.0254"), ("meter", "1")])
def test_collada_states_its_unit(tmp_path, unit, meter):
    """The reader knows the unit, so that the box has its size in metres."""
    text = trimesh.creation.box((100.0, 200.0, 300.0)).export(file_type="dae").decode()
    head, _, rest = text.partition("<asset>")
    assert rest
    path = tmp_path / "box.dae"
    rest = "".join(part for part in rest.split("\n") if "<unit" not in part)
    path.write_text(f'{head}<asset><unit name="{unit}" meter="{meter}"/>{rest}')
    np.testing.assert_allclose(extents(path), np.array([100.0, 200.0, 300.0]) * float(meter), rtol=1e-6)


def test_materials_of_an_obj_colour_its_faces(tmp_path):
    (tmp_path / "tip.obj").write_text(OBJ.format(library="tip.mtl"))
    (tmp_path / "tip.mtl").write_text(MATERIALS)
    assert {(mesh.color, len(mesh.triangles)) for mesh in meshes(tmp_path / "tip.obj")} == {(RED, 2), (BLUE, 2)}


def test_faces_of_a_mesh_keep_their_colours(tmp_path):
    """Faces that each have a colour are drawn in it; a surface with shades of colours in the most frequent."""
    box = trimesh.creation.box((1, 1, 1))
    apart = trimesh.Trimesh(box.vertices[box.faces].reshape(-1, 3), np.arange(36).reshape(12, 3), process=False)
    apart.visual.vertex_colors = np.repeat([[255, 0, 0, 255]] * 5 + [[0, 255, 0, 255]] * 7, 3, axis=0)
    (tmp_path / "box.glb").write_bytes(apart.export(file_type="glb"))
    assert {(mesh.color, len(mesh.triangles)) for mesh in meshes(tmp_path / "box.glb")} == {(RED, 5), (GREEN, 7)}
    ball = trimesh.creation.icosphere(subdivisions=2)
    shades = np.random.default_rng(0).integers(0, 255, size=(len(ball.vertices), 4))
    shades[:20] = [0, 255, 0, 255]
    ball.visual.vertex_colors = shades
    (tmp_path / "ball.glb").write_bytes(ball.export(file_type="glb"))
    assert [mesh.color for mesh in meshes(tmp_path / "ball.glb")] == [GREEN]


def lattice(count: int) -> trimesh.Trimesh:
    """Return a block of cubes with the walls between them, of which edges cannot be collapsed one by one."""
    corners = np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return trimesh.util.concatenate([trimesh.creation.box((1, 1, 1)).apply_translation(each) for each in corners])


@pytest.mark.parametrize("most", [4, 30, 200, 2000])
def test_surfaces_with_fewer_triangles_stay_closed(most):
    cubes = lattice(6)
    beside = trimesh.util.concatenate([trimesh.creation.icosphere(subdivisions=3).apply_translation((9, 0, 0)), cubes])
    for surface in (cubes, beside):
        drawn = decimated(surface, most)
        assert len(drawn.faces) <= most
        assert open_edges(np.asarray(drawn.faces)) == 0
    assert most < 200 or np.all(decimated(cubes, most).extents > 0.75 * cubes.extents)


def test_surfaces_that_get_no_triangles_are_left_out(tmp_path):
    """A thousand spheres of dust beside a ball: few triangles go to the ball, and the body is drawn."""
    parts = trimesh.Scene([trimesh.creation.icosphere(subdivisions=4)])
    for x in np.linspace(2, 3, 100):
        parts.add_geometry(trimesh.creation.icosphere(subdivisions=1, radius=1e-3).apply_translation((x, 0, 0)))
    parts.export(tmp_path / "dust.glb")
    found = meshes(tmp_path / "dust.glb", triangles=200)
    assert 0 < sum(len(mesh.triangles) for mesh in found) <= 200
    assert all(len(mesh.triangles) for mesh in found)


@pytest.mark.parametrize("named", ["tip.mtl", "./tip.mtl", "more/tip.mtl", "../materials/tip.mtl", "more\\tip.mtl"])
def test_a_mesh_names_files_in_its_folder_and_beside_it(tmp_path, named):
    folder = tmp_path / "robot" / "meshes"
    folder.mkdir(parents=True)
    place = folder / named.replace("\\", "/")
    place.parent.mkdir(exist_ok=True)
    place.write_text(MATERIALS)
    (folder / "tip.obj").write_text(OBJ.format(library=named))
    assert {mesh.color for mesh in meshes(folder / "tip.obj")} == {RED, BLUE}


def test_a_mesh_reads_no_file_elsewhere(tmp_path):
    """By a path up, an absolute one or a link; it is drawn without, and a warning says so. A URL is no file."""
    folder, secret = tmp_path / "robot" / "meshes", tmp_path / "secret.mtl"
    folder.mkdir(parents=True)
    secret.write_text(MATERIALS)
    (folder / "link.mtl").symlink_to(secret)
    for i, name in enumerate(("../../secret.mtl", str(secret), "link.mtl")):
        path = folder / f"tip{i}.obj"
        path.write_text(OBJ.format(library=name))
        with pytest.warns(FlexblocksWarning, match=f"Payload 'load': shape: .*tip{i}.obj names the file .*is not read"):
            found = meshes(path)
        assert not {RED, BLUE} & {mesh.color for mesh in found}
    for name in (secret.as_uri(), "https://example.com/tip.mtl", "none.mtl"):
        (folder / "tip.obj").write_text(OBJ.format(library=name))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not {RED, BLUE} & {mesh.color for mesh in meshes(folder / "tip.obj")}


def test_a_mesh_whose_vertices_are_elsewhere_is_refused(tmp_path):
    folder = tmp_path / "robot" / "meshes"
    folder.mkdir(parents=True)
    corners = np.eye(3, dtype="<f4").tobytes()
    (tmp_path / "far.bin").write_bytes(corners)
    (folder.parent / "near 1.bin").write_bytes(corners)
    (folder / "near.gltf").write_text(TRIANGLE.format(uri="../near%201.bin"))
    np.testing.assert_allclose(extents(folder / "near.gltf"), 1.0)
    (folder / "far.gltf").write_text(TRIANGLE.format(uri="../../far.bin"))
    with pytest.raises(FileFormatError, match=r"far\.gltf: cannot be read: .*'\.\./\.\./far\.bin' is outside of"):
        meshes(folder / "far.gltf")


def test_files_of_more_than_200_megabytes_are_refused(tmp_path):
    path = tmp_path / "large.stl"
    with path.open("wb") as file:
        file.truncate(200_000_001)  # sparse: no disk is filled
    with pytest.raises(FileFormatError, match=r"Payload 'load': shape: .*large.stl: has 200 MB; must have at most 200"):
        meshes(path)
    with (tmp_path / "large.bin").open("wb") as file:
        file.truncate(200_000_001)
    (tmp_path / "tip.gltf").write_text(TRIANGLE.format(uri="large.bin"))
    with pytest.raises(FileFormatError, match=r"'large.bin' has 200 MB, of at most 200"):
        meshes(tmp_path / "tip.gltf")


@pytest.mark.parametrize("suffix", ["stl", "obj"])
def test_reports_show_meshes(tmp_path, suffix):
    """The animation in a report holds the mesh of a file, as saved runs and models do."""
    from html import unescape

    path = tmp_path / f"tip.{suffix}"
    trimesh.creation.icosphere(subdivisions=2, radius=0.2).export(path)
    dae = fb.assemble(model(path))
    run = fb.simulate(dae, np.linspace(0.0, 0.1, 5), x0={"joint.angle": 0.3})
    run.save(tmp_path / "run.nc")
    for number, shown in enumerate((run, fb.load(tmp_path / "run.nc"), fb.linearize(dae))):
        export.report(shown, tmp_path / f"{number}.html")
        text = unescape((tmp_path / f"{number}.html").read_text(encoding="utf-8"))
        shape = meshes(path)[0]
        assert f'"shape":[{len(shape.triangles)},3]' in text
        assert len(shape.triangles) == 320


def test_the_command_line_draws_fewer_triangles(tmp_path, monkeypatch):
    trimesh.creation.icosphere(subdivisions=4).export(tmp_path / "tip.stl")
    model(tmp_path / "tip.stl").save(tmp_path / "arm.yaml")
    command = ["view", str(tmp_path / "arm.yaml"), "--no-open", "--out"]
    for name, more in (("all", ()), ("few", ("--triangles", "500"))):
        result = CliRunner().invoke(app, [*command, str(tmp_path / f"{name}.html"), *more])
        assert result.exit_code == 0, result.output
    sizes = [(tmp_path / f"{name}.html").stat().st_size for name in ("all", "few")]
    assert sizes[0] > sizes[1] + 5000
    assert CliRunner().invoke(app, [*command, str(tmp_path / "no.html"), "--triangles", "5"]).exit_code != 0
