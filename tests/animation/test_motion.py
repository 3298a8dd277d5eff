"""What is drawn: poses, speeds and moments against other ways to get them, exaggeration, packing."""

from __future__ import annotations

import json
import re
import struct
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, plot
from flexblocks.errors import FileFormatError, NameUnknownError, ParameterError
from flexblocks.geometry import shape
from flexblocks.plot.animation.loads import beam_loads
from flexblocks.plot.animation.packing import packed, unpacked
from flexblocks.plot.animation.poses import STATIONS
from flexblocks.plot.animation.shapes.palette import ROLES, rgb
from flexblocks.plot.animation.shapes.sections import beam_mesh
from flexblocks.plot.animation.tracks import exaggerated


@pytest.fixture(scope="module")
def run(planar):
    return plot.animate(planar).scene.runs[0]


def part(run, name: str) -> int:
    return next(i for i, each in enumerate(run.arm.parts) if each.name == name)


def test_stations_lie_on_the_centerline_of_the_arm(planar, run):
    line = shape(planar.dae, STATIONS)
    posed = exaggerated(run.arm.parts, run.tracks)
    for frame in (0, 40, 100):
        lines = line(planar.x[frame])
        for name in ("link1", "link2"):
            np.testing.assert_allclose(posed[part(run, name)][1][frame], lines[name], atol=1e-12)


def test_exaggeration_multiplies_the_deflection_seen_from_the_root(planar, run):
    """The deflection of link 2 relative to its root is the output tip_deflection_y; lengths of joints stay closed."""
    posed = exaggerated(run.arm.parts, run.tracks, 7.0)
    R, r = posed[part(run, "link2")]
    local = np.einsum("tji,tj->ti", R[:, 0], r[:, -1] - r[:, 0])
    np.testing.assert_allclose(local[:, 1], 7.0 * planar["link2.tip_deflection_y"], atol=1e-9)
    np.testing.assert_allclose(posed[part(run, "link1")][1][:, -1], posed[part(run, "joint2")][1][:, 0], atol=1e-12)
    # And without deflections the arm is the rigid one: links of their length.
    straight = exaggerated(run.arm.parts, run.tracks, 0.0)[part(run, "link2")][1]
    np.testing.assert_allclose(np.linalg.norm(straight[:, -1] - straight[:, 0], axis=1), 0.5, rtol=2e-3)


def test_speed_of_the_tip_is_that_of_its_frame(planar, run):
    names = [f"payload.velocity_{axis}" for axis in "xyz"]
    dae = planar.dae.with_outputs(names)
    y = np.array(dae.output(planar.x.T, planar.u.T, [])).T
    velocity = y[:, [dae.y.names.index(name) for name in names]]
    speed = run.colors["speed"][part(run, "payload")][:, 0]
    np.testing.assert_allclose(speed, np.linalg.norm(velocity, axis=1), atol=1e-8)


def test_moment_of_a_cantilever_at_rest():
    """Under its weight w per length and a mass m at its tip: m g (l - x) + w (l - x)^2 / 2; stress is that over W."""
    model = fb.Model("cantilever", gravity=(0.0, -9.81, 0.0))
    ground = model.add(fb.Ground("ground"))
    tube, metal = fb.Tube(outer=0.02, inner=0.016), fb.Material(density=2700.0, youngs_modulus=70e9, poissons_ratio=0.3)
    options = {"section": tube, "material": metal, "discretization": fb.FiniteElements(1)}
    beam = model.add(fb.FlexibleBeam("beam", 1.0, **options))
    load = model.add(fb.Payload("load", 0.5))
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    rest = fb.equilibrium(dae := fb.assemble(model))
    loads = beam_loads(dae, rest.x[None], rest.z[None], rest.u[None], rest.p)["beam"]
    left = 1.0 - loads.xi
    wanted = 9.81 * (0.5 * left + 2700.0 * tube.area * left**2 / 2)
    np.testing.assert_allclose(loads.moment[0], wanted, atol=1e-3 * wanted[0])
    np.testing.assert_allclose(loads.stress[0], loads.moment[0] * 0.01 / tube.second_moment("y"), rtol=1e-12)


def test_a_sliding_beam_has_the_moment_of_its_cuts():
    """Along the part outside of its hub, where an output of its own gives it."""
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    ground, drive = model.add(fb.Ground("ground")), model.add(fb.ForceSource("drive"))
    metal = fb.Material(density=2700.0, youngs_modulus=70e9)
    options = {"section": fb.Rectangle(width=0.02, height=0.01), "material": metal, "internal_forces": (0.0, 0.5)}
    modes = fb.AssumedModes(1, tip="auto")
    beam = model.add(fb.SlidingBeam("beam", 1.3, start=0.8, bending="y", discretization=modes, **options))
    load = model.add(fb.Payload("load", 0.3))
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    model.connect(drive.flange_b, beam.axis)
    run = fb.simulate(fb.assemble(model), np.linspace(0.0, 0.2, 21), u={"drive.force": 5.0})
    assert np.ptp(run["beam.displacement"]) > 0.05
    colors = plot.animate(run).scene.runs[0].colors
    (moment,) = [values for values in colors["bending moment"] if values is not None]
    for station, name in ((0, "beam.root_moment_y"), (STATIONS // 2, "beam.fraction(0.5).moment_y")):
        np.testing.assert_allclose(moment[:, station], np.abs(run[name]), rtol=1e-9, atol=1e-9)
    (stress,) = [values for values in colors["stress"] if values is not None]
    np.testing.assert_allclose(stress, moment / (0.02 * 0.01**2 / 6), rtol=1e-9)


def luminance(color: str) -> float:
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    linear = np.where(rgb(color) <= 0.04045, rgb(color) / 12.92, ((rgb(color) + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def test_ropes_are_seen_on_both_backgrounds():
    """They are thin: a contrast of 3, as of the parts of a picture by WCAG 2.1."""
    theme = (Path(plot.__file__).parent / "animation" / "viewer" / "src" / "theme.css").read_text()
    backgrounds = set(re.findall(r"--back: (#[0-9a-f]{6})", theme))
    assert len(backgrounds) == 2
    for background in backgrounds:
        light, dark = sorted((luminance(ROLES["rope"][0]), luminance(background)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 3


def test_tapered_beam_is_drawn_with_its_section():
    table = [(0.0, fb.Rectangle(width=0.02, height=0.06)), (2.0, fb.Rectangle(width=0.02, height=0.01))]
    material = fb.Material(density=2700.0, youngs_modulus=70e9, poissons_ratio=0.33)
    beam = fb.FlexibleBeam("beam", 2.0, section=table, material=material, discretization=fb.Rigid())
    mesh = beam_mesh(beam, 2.0, STATIONS)
    for station, height in ((0, 0.06), (STATIONS // 2, 0.035), (STATIONS, 0.01)):
        y, z = mesh.offset[mesh.station == station][:, 1:].T
        assert (np.ptp(y), np.ptp(z)) == pytest.approx((height, 0.02))


@pytest.mark.parametrize(("kind", "within"), [("f4", 1e-7), ("i2", 1.6e-5), ("u1", 4e-3)])
def test_packed_arrays_are_read_back(kind, within):
    values = np.cumsum(np.random.default_rng(0).normal(size=(50, 4, 3)), axis=0)
    data = json.loads(json.dumps(packed(values, kind)))
    np.testing.assert_allclose(unpacked(data), values, atol=within * np.ptp(values))


@pytest.mark.parametrize("kind", ["i2", "u1"])
def test_constants_have_a_range_without_width(kind):
    data = packed(np.full((5, 2), 3.0), kind)
    assert (data["low"], data["scale"]) == (3.0, 0.0)
    np.testing.assert_array_equal(unpacked(data), np.full((5, 2), 3.0))


def test_glb_is_a_gltf_whose_nodes_end_where_the_motion_ends(planar, tmp_path):
    plot.animate(planar).save(tmp_path / "arm.glb")
    content = (tmp_path / "arm.glb").read_bytes()
    magic, version, size = struct.unpack("<4sII", content[:12])
    assert (magic, version, size) == (b"glTF", 2, len(content))
    length = struct.unpack("<I", content[12:16])[0]
    document, binary = json.loads(content[20 : 20 + length]), content[20 + length + 8 :]
    node = next(i for i, each in enumerate(document["nodes"]) if each.get("name", "").startswith("payload payload"))
    samplers, channels = document["animations"][0]["samplers"], document["animations"][0]["channels"]
    channel = next(c for c in channels if c["target"] == {"node": node, "path": "translation"})
    accessor = document["accessors"][samplers[channel["sampler"]]["output"]]
    view = document["bufferViews"][accessor["bufferView"]]
    places = np.frombuffer(binary, "<f4", accessor["count"] * 3, view["byteOffset"]).reshape(-1, 3)
    wanted = [planar[f"payload.{axis}"][-1] for axis in "xyz"]
    np.testing.assert_allclose(places[-1], wanted, atol=1e-6)


def test_film_has_a_picture_for_each_time(planar, tmp_path):
    from PIL import Image

    plot.animate(planar).save(tmp_path / "arm.gif", fps=3, size=(160, 100))
    with Image.open(tmp_path / "arm.gif") as film:
        pictures = []
        for number in range(film.n_frames):
            film.seek(number)
            pictures.append(np.asarray(film.convert("RGB"), dtype=int))
    assert len(pictures) == 3
    assert pictures[0].shape == (100, 160, 3)
    assert np.abs(pictures[0] - pictures[2]).sum() > 0


@pytest.mark.skipif(sys.platform == "win32", reason="a program in a shell's language")
def test_a_film_that_cannot_be_written_leaves_the_old_one(planar, tmp_path):
    """ffmpeg ended in an error of its own, which requested a report of a defect."""
    program, film = tmp_path / "ffmpeg", tmp_path / "arm.mp4"
    program.write_text("#!/bin/sh\ncat > /dev/null\necho 'av_write: No space left on device' >&2\nexit 1\n")
    program.chmod(0o700)
    film.write_text("old")
    full = pytest.raises(FileFormatError, match=r"arm\.mp4: cannot be written: .*No space left on device")
    with matplotlib.rc_context({"animation.ffmpeg_path": str(program)}), full:
        plot.animate(planar).save(film, fps=2, size=(80, 60))
    assert film.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.mp4", "ffmpeg"]


def test_saved_motions_know_their_arm(planar, tmp_path):
    planar.save(tmp_path / "run.nc")
    planar.save(tmp_path / "run.csv")
    assert fb.load(tmp_path / "run.nc").animate().scene.runs[0].label == "simulation"
    with pytest.raises(ParameterError, match="does not know its arm"):
        fb.load(tmp_path / "run.csv").animate()


def test_a_motion_with_a_control_law_is_refused_on_the_arm_without() -> None:
    dae = subudhi_morris(links=1, modes=1)
    closed = control.close_loop(dae, control.PD({"rotor1.angle": "motor1.torque"}, kp=2.0, kd=1.0))
    run = fb.simulate(closed, t=(0.0, 0.02))
    with pytest.raises(ParameterError, match="other inputs than the DAE"):
        run.of(dae)


def test_refusals(planar, tmp_path):
    with pytest.raises(FileFormatError, match=r"\.html"):
        plot.animate(planar).save(tmp_path / "arm.txt")
    for options, error in (
        ({"color": "heat"}, ParameterError),
        ({"layout": "mixed"}, ParameterError),
        ({"signals": ("joint7.angle",)}, NameUnknownError),
        ({"frames": 1}, ParameterError),
        ({"labels": ("a", "b")}, ParameterError),
    ):
        with pytest.raises(error):
            plot.animate(planar, **options)
    with pytest.raises(ParameterError, match="no motion"):
        plot.animate()
