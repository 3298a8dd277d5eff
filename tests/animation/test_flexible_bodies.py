"""Animations of flexible bodies: their surface deforms with the modes, exaggerated on request."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import flexblocks as fb
from arms.flexible_bodies import LOAD, angle, arm, bar, hung
from flexblocks import plot
from flexblocks.plot.animation.modal_stress import ModalStress
from flexblocks.plot.animation.packing import unpacked
from flexblocks.plot.animation.scene import scene_data
from flexblocks.plot.animation.shapes.modal_surface import modal_surface
from flexblocks.plot.animation.tracks import exaggerated

pytest.importorskip("skfem")


@pytest.fixture(scope="module")
def bent():
    """A bar that hangs under a load, and its picture."""
    dae = fb.assemble(hung(fb.ReducedBody("link", body=bar(), modes=4), (0, -9.81, 0)))
    run = fb.simulate(dae, t=(0, 1e-3), x0=fb.equilibrium(dae).x)
    return run, plot.animate(run).scene


def test_vertices_are_where_the_modes_move_them(bent):
    run, scene = bent
    arm_, tracks = scene.runs[0].arm, scene.runs[0].tracks
    number = next(i for i, part in enumerate(arm_.parts) if part.name == "link")
    part, body = arm_.parts[number], bar()
    ((role, mesh),) = part.look
    assert role == "link"
    assert part.stations == len(body.surface.stations)
    R, r = exaggerated(arm_.parts, tracks)[number]
    places = r[0][mesh.station] + np.einsum("vij,vj->vi", R[0][mesh.station], mesh.offset)
    tip = np.isclose(mesh.offset[:, 0], 1.0)
    down = places[tip, 1] - mesh.offset[tip, 1]
    np.testing.assert_allclose(down, run["link.frame_b_deflection_y"][0], rtol=0.02)
    root = np.isclose(mesh.offset[:, 0], 0.0)
    np.testing.assert_allclose(places[root], mesh.offset[root], atol=2e-4)
    R, r = exaggerated(arm_.parts, tracks, 3.0)[number]
    places = r[0][mesh.station] + np.einsum("vij,vj->vi", R[0][mesh.station], mesh.offset)
    np.testing.assert_allclose(places[tip, 1] - mesh.offset[tip, 1], 3 * down, rtol=0.02)


def test_what_a_body_carries_goes_along(bent):
    _, scene = bent
    parts, tracks = scene.runs[0].arm.parts, scene.runs[0].tracks
    load = next(i for i, part in enumerate(parts) if part.name == "load")
    true, thrice = (exaggerated(parts, tracks, factor)[load][1][0, 0] for factor in (1.0, 3.0))
    assert thrice[1] == pytest.approx(3 * true[1], rel=0.02)


def test_colours_are_von_mises_stress_at_the_vertices(bent):
    """At the foot of a bar M y / I; the page reads the same, and a body of matrices has none."""
    _, scene = bent
    parts = scene.runs[0].arm.parts
    number = next(i for i, part in enumerate(parts) if part.name == "link")
    (stress,) = (each for each in scene.runs[0].colors["stress"] if each is not None)
    ((_, mesh),) = parts[number].look
    values = stress.mises(slice(0, 1))[0]
    at = np.linalg.norm(mesh.offset - (0.1, 0.005, 0.0), axis=1) < 1e-6
    moment = 9.81 * (LOAD * 0.9 + bar().mass * 0.9**2 / 2)
    np.testing.assert_allclose(values[at], moment * 0.005 / (0.02 * 0.01**3 / 12), rtol=0.03)
    assert stress.largest == pytest.approx(values.max(), rel=1e-3)
    assert values[mesh.offset[:, 0] > 0.95].max() < 0.1 * values.max()
    packed = scene_data(scene)["runs"][0]["colours"]["stress"][number]
    modal, amplitudes = unpacked(packed["modal"]).reshape(6, 4, -1), unpacked(packed["amplitudes"])
    again = ModalStress(modal.transpose(2, 0, 1), amplitudes).mises(slice(0, 1))[0]
    np.testing.assert_allclose(again, values, atol=1e-3 * values.max())
    plain = dataclasses.replace(bar(), surface=dataclasses.replace(bar().surface, stress=None))
    dae = fb.assemble(hung(fb.ReducedBody("link", body=plain, modes=2), (0, -9.81, 0)))
    assert "stress" not in plot.animate(fb.simulate(dae, t=(0, 1e-3))).scene.runs[0].colors


def test_a_surface_is_closed_and_has_fewer_triangles_where_that_is_asked():
    full = modal_surface(angle().surface, 100_000)
    assert len(full.triangles) == len(angle().surface.triangles)
    np.testing.assert_allclose(np.linalg.norm(full.normal, axis=1), 1.0)
    pytest.importorskip("trimesh")
    pytest.importorskip("fast_simplification")
    assert len(modal_surface(angle().surface, 60).triangles) <= 60


def test_pages_models_and_modes_of_bodies_are_written(tmp_path):
    dae = fb.assemble(arm(fb.ReducedBody("link", body=angle(), modes=2)))
    run = fb.simulate(dae, t=np.linspace(0, 0.05, 5), u={"motor1.torque": 1.0})
    for suffix in ("html", "glb"):
        plot.animate(run, exaggeration=2.0).save(tmp_path / f"run.{suffix}")
        assert (tmp_path / f"run.{suffix}").stat().st_size > 10_000
    plot.animate(fb.linearize(dae)).save(tmp_path / "modes.glb")


def test_a_body_without_a_surface_is_a_rod():
    block = fb.ReducedBody("link", body=dataclasses.replace(angle(), surface=None), modes=2)
    run = fb.simulate(fb.assemble(arm(block)), t=(0, 0.01))
    scene = plot.animate(run).scene
    assert any("link" in strut.name for strut in scene.runs[0].struts.struts) or scene.runs[0].arm.rods
