"""Flexible bodies: their integrals, frequencies, files, and what is refused of their matrices."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

import flexblocks as fb
from arms.flexible_bodies import ALUMINIUM, ANGLE_ENDS, angle, angle_mesh, bar
from flexblocks.bodies.finite_elements import finite_elements
from flexblocks.bodies.inertia_tensor import inertia_matrix
from flexblocks.bodies.kept_modes import kept_modes
from flexblocks.bodies.reduction import Reduction
from flexblocks.bodies.solid import patches, solid
from flexblocks.errors import FileFormatError, ModelWarning, ParameterError

pytest.importorskip("skfem")


@pytest.fixture(scope="module")
def matrices():
    """Mass, stiffness, nodes and interfaces of the L."""
    of = solid(angle_mesh(), ALUMINIUM)
    return *of.matrices, of.nodes, patches(of, ANGLE_ENDS)[0]


def test_rigid_integrals_are_those_of_a_bar():
    body = bar()
    mass = 2700 * 0.02 * 0.01
    assert body.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(body.center, (0.5, 0, 0), atol=1e-12)
    exact = mass / 12 * np.array([0.01**2 + 0.02**2, 1 + 0.02**2, 1 + 0.01**2])
    np.testing.assert_allclose(body.inertia, np.diag(exact), atol=1e-12 * exact.max())
    np.testing.assert_allclose(body.points, [(0, 0, 0), (1, 0, 0)], atol=1e-12)


def test_modes_have_a_mean_square_of_one_and_the_mass_matrix_is_that_of_the_elements(matrices):
    M, K, nodes, ends = matrices
    body = fb.FlexibleBody.from_matrices(M, K, nodes, ends)
    np.testing.assert_allclose(np.diag(body.modal_mass), body.mass, rtol=1e-9)
    model = finite_elements(M, K, nodes, ends)
    modes = Reduction(model).modes(12)
    modes = modes / np.sqrt(np.einsum("ij,ij->j", modes, M @ modes) / model.mass)
    turns = np.stack([np.cross(axis, nodes - model.points[0]).ravel() for axis in np.eye(3)], axis=1)
    shifts = np.tile(np.eye(3), (len(nodes), 1))
    moves = np.hstack([turns, shifts, modes])
    np.testing.assert_allclose(
        inertia_matrix(body.mass, body.first, body.second), moves.T @ (M @ moves), atol=1e-11 * body.mass
    )


def test_the_five_lowest_frequencies_clamped_and_loaded_are_those_of_all_elements(matrices):
    M, K, nodes, ends = matrices
    body = fb.FlexibleBody.from_matrices(M, K, nodes, ends, modes=12)
    carried = np.diag([1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])[None]
    full = Reduction(finite_elements(M, K, nodes, ends)).full_frequencies(5, carried)
    np.testing.assert_allclose(kept_modes(body, 5, carried).frequencies, full, rtol=1e-4)
    np.testing.assert_allclose(body.natural_frequencies[:5], body.frequencies, rtol=1e-4)


def test_kept_modes_are_eigenvectors_of_the_loaded_body():
    body, carried = angle(), np.diag([0.01, 0.02, 0.03, 2.0, 2.0, 2.0])[None]
    kept = kept_modes(body, 12, carried)
    tip = body.motion[1][[3, 4, 5, 0, 1, 2]]
    exact = scipy.linalg.eigh(body.stiffness, body.modal_mass + tip.T @ carried[0] @ tip, eigvals_only=True)
    np.testing.assert_allclose(kept.frequencies**2, exact, rtol=1e-8)
    np.testing.assert_allclose(np.trace(kept.second[1:, 1:], axis1=2, axis2=3).diagonal(), body.mass, rtol=1e-9)
    np.testing.assert_allclose(kept_modes(body, 3, carried).motion, kept.motion[..., :3], atol=1e-12)


def test_a_third_interface_moves_as_a_rigid_body(matrices):
    M, K, nodes, ends = matrices
    near = np.flatnonzero(np.linalg.norm(nodes - (0.5, 0.0, 0.0), axis=1) < 0.021)
    body = fb.FlexibleBody.from_matrices(M, K, nodes, ends | {"elbow": near}, modes=14, points={"elbow": (0.5, 0, 0)})
    assert body.names == ("frame_a", "frame_b", "elbow")
    np.testing.assert_allclose(body.points[2], (0.52, 0.0, 0.0), atol=1e-5)
    assert body.natural_frequencies[0] > 0.99 * angle().natural_frequencies[0]


@pytest.mark.parametrize("make", [bar, angle])
def test_a_body_comes_back_from_its_file_and_from_a_pickle(tmp_path, make):
    body = make()
    body.save(tmp_path / "link.npz")
    for again in (fb.FlexibleBody.load(tmp_path / "link.npz"), pickle.loads(pickle.dumps(body))):
        assert again == body
        assert hash(again) == hash(body)
    assert dataclasses.replace(body, mass=1.01 * body.mass) != body
    assert (dataclasses.replace(body, negligible=1e-3)).digest != body.digest


def test_a_body_tells_its_mass_and_frequencies_beside_those_of_the_elements():
    text = str(angle())
    assert "centre (" in text
    assert "finite elements:" in text


def test_files_that_hold_no_body_or_another_one_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "other.npz", a=1.0)
    with pytest.raises(FileFormatError, match=r"text.npz: is no .npz file"):
        fb.FlexibleBody.load(tmp_path / "text.npz")
    with pytest.raises(FileFormatError, match=r"other.npz: is no flexible body of format 1"):
        fb.FlexibleBody.load(tmp_path / "other.npz")
    with pytest.raises(FileFormatError, match=r"must end in .npz"):
        bar().save(tmp_path / "link.zip")
    angle().save(tmp_path / "link.npz")
    with pytest.raises(FileFormatError, match=r"holds the body .* made with deadbeef"):
        fb.BodyFile(str(tmp_path / "link.npz"), "deadbeef").load()


def test_wrong_matrices_are_refused_in_a_sentence_each(matrices):
    M, K, nodes, ends = matrices

    def refused(match: str, **changed) -> None:
        given = {"M": M, "K": K, "nodes": nodes, "interfaces": ends} | changed
        with pytest.raises(ParameterError, match=match):
            fb.FlexibleBody.from_matrices(**given)

    shared = np.append(ends["frame_b"], ends["frame_a"][0])
    refused("'frame_a' and 'frame_b' overlap in 1 nodes", interfaces=ends | {"frame_b": shared})
    refused("must name the nodes of frame_a and frame_b", interfaces={"frame_a": ends["frame_a"]})
    refused("needs three and more that are not on one line", interfaces=ends | {"frame_b": ends["frame_b"][:2]})
    refused("has nodes beyond 0 to", interfaces=ends | {"frame_b": np.array([1, 2, 10**6])})
    refused("negative mass", M=-M)
    refused("K is not symmetric", K=sp.triu(K))
    refused("must be .* three displacements for each", K=K[:-3, :-3])
    refused("M is not that of a solid", M=M + sp.diags(np.tile([1e-3, 0, 0], len(nodes))))
    held = K + sp.diags(np.r_[1e9, np.zeros(3 * len(nodes) - 1)])
    refused("fewer than six zero modes", K=held)
    apart = np.vstack([nodes, nodes + np.array([0, 0, 1])])
    refused("more than six zero modes", M=sp.block_diag([M, M]), K=sp.block_diag([K, K]), nodes=apart)
    refused("modes = 5; must be a whole number, at least 6", modes=5)
    refused("points: 'elbow' is no interface", points={"elbow": (0, 0, 0)})
    refused("triangles has shape", triangles=[1, 2, 3])
    refused("negligible = 2", negligible=2.0)


def test_units_that_are_off_by_a_thousand_are_warned_of(matrices):
    M, K, nodes, ends = matrices
    for changed, told in (
        ({"nodes": 1e3 * nodes}, "if its nodes are in mm"),
        ({"M": 1e3 * M}, "must be in kg, not in t or g"),
        ({"M": 1e-6 * M, "K": 1e3 * K}, "sound travels in it"),
    ):
        with pytest.warns(ModelWarning, match=told):
            fb.FlexibleBody.from_matrices(**({"M": M, "K": K, "nodes": nodes, "interfaces": ends} | changed))


def test_a_surface_follows_the_interfaces(matrices):
    """Stations at the outer end move as the end does."""
    body = angle()
    drawn = body.surface
    at_end = drawn.stations[:, 1] > drawn.stations[:, 1].max() - 1e-9
    arms = drawn.stations[at_end] - body.points[1]
    turned = np.array([np.cross(body.motion[1, 3:].T, arm).T for arm in arms])
    np.testing.assert_allclose(drawn.motion[at_end, :3], body.motion[1, :3] + turned, rtol=0.05, atol=0.05)
    corners = drawn.vertices[drawn.triangles]
    volume = np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume == pytest.approx(body.mass / ALUMINIUM.density, rel=1e-9)
