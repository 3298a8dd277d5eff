"""A beam of rigid segments: frequencies, deflections large and small, sections, damping and a swing."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.fidelities import (
    ARM,
    BEAM,
    assert_damping_ratio,
    cantilever,
    frequencies,
    outputs,
    static_response,
    swapped,
    swing,
    with_tip_body,
)
from flexblocks import models
from flexblocks.errors import SingularMassError


def segments(n: int, **values: object) -> fb.FlexibleBeam:
    size = {"length": 2.0, "linear_density": 3.0, "flexural_rigidity": 5.0}
    return fb.FlexibleBeam("beam", **{**size, **values}, discretization=fb.RigidSegments(n))


def assert_second_order(errors: np.ndarray, tolerance: float = 0.15) -> None:
    """Assert that errors (k, ...) go down to a quarter as the number of segments doubles."""
    for coarse, fine in pairwise(errors):
        assert np.all(np.abs(np.log2(coarse / fine) - 2) < tolerance)


@pytest.mark.parametrize("bending", ["y", "z", "yz"])
def test_coordinates_are_angles_of_the_pseudo_joints(bending: str) -> None:
    dae = fb.assemble(cantilever(segments(2, bending=bending)))
    assert dae.q_names == tuple(f"beam.bend_{axis}[{i}]" for axis in bending for i in (1, 2))
    assert set(dae.x.units) == {"rad", "rad/s"}


@pytest.mark.parametrize(("case", "axis"), zip(BEAM["clamped_mass"], "yz", strict=True), ids=["link 1", "link 2"])
def test_frequencies_with_a_tip_body_converge_at_second_order(case: dict, axis: str) -> None:
    found = [frequencies(fb.assemble(with_tip_body(case, fb.RigidSegments(n), axis)))[:3] for n in (5, 10, 20)]
    errors = np.array(found) / case["omega_rad_s"][:3] - 1
    assert_second_order(errors)
    assert np.all(np.abs(errors[-1]) < (3e-4, 2e-3, 5e-3))


def test_frequencies_of_the_clamped_free_beam_converge_at_second_order() -> None:
    exact = BEAM["theodore_ghosal_table_1_rad_s"]["exact"][:2]
    beams = (fb.FlexibleBeam("beam", 1.0, 0.3310, 1165.4916, discretization=fb.RigidSegments(n)) for n in (5, 10, 20))
    found = np.array([frequencies(fb.assemble(cantilever(beam)))[:2] for beam in beams])
    assert_second_order(np.abs(found / exact - 1))


def test_one_segment_is_a_pendulum_with_a_spring_in_the_middle() -> None:
    """Half a rod on a spring EI/l."""
    length, m, EI = 2.0, 6.0, 5.0
    inertia = (m / 2) * (length / 2) ** 2 / 3
    assert frequencies(fb.assemble(cantilever(segments(1)))) == pytest.approx(np.sqrt(EI / length / inertia), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_small_static_deflection_is_that_of_the_midpoint_rule(n: int) -> None:
    """F l^3/(3 EI) (1 - 1/(4 n^2)) under a force at the tip, and exactly M l^2/(2 EI) under a moment."""
    F, moment, length, EI = 1e-6, 1e-6, 2.0, 5.0
    dae = fb.assemble(cantilever(segments(n)))
    reach = length * (1 - (np.arange(1, n + 1) - 0.5) / n)
    for load, tip in (
        (F * reach, F * length**3 / (3 * EI) * (1 - 1 / (4 * n**2))),
        (moment * np.ones(n), moment * length**2 / (2 * EI)),
    ):
        y = outputs(dae, static_response(dae, load))
        assert y["beam.tip_deflection_y"] == pytest.approx(tip, rel=1e-9)


def elastica(weight: float, length: float, rigidity: float) -> tuple[float, float]:
    """Return the place of the tip of a heavy cantilever, EI theta'' = w (l - s) cos theta [m]."""

    def slopes(s: np.ndarray, y: np.ndarray) -> np.ndarray:
        theta, curvature = y[0], y[1]
        return np.array([curvature, weight * (length - s) * np.cos(theta) / rigidity, np.cos(theta), np.sin(theta)])

    def ends(root: np.ndarray, tip: np.ndarray) -> np.ndarray:
        return np.array([root[0], tip[1], root[2], root[3]])

    found = solve_bvp(slopes, ends, np.linspace(0, length, 50), np.zeros((4, 50)), tol=1e-10)
    assert found.success
    return tuple(found.y[2:, -1])


@pytest.mark.parametrize("axis", ["y", "z"])
def test_large_deflection_under_weight_converges_to_the_elastica(axis: str) -> None:
    exact = np.array(elastica(weight=3.0, length=1.0, rigidity=1.0))
    assert exact[1] < -0.33
    errors = []
    for n in (4, 8, 16):
        beam = segments(n, length=1.0, linear_density=1.0, flexural_rigidity=1.0, bending=axis)
        gravity = (0, -3.0, 0) if axis == "y" else (0, 0, -3.0)
        dae = fb.assemble(cantilever(beam, fb.LumpedMass("tip", 0.0), gravity=gravity))
        y = outputs(dae, fb.equilibrium(dae).x[:n])
        errors.append(np.array([y["tip.x"], y[f"tip.{axis}"]]) - exact)
        assert y[f"beam.tip_deflection_{axis}"] == pytest.approx(y[f"tip.{axis}"], rel=1e-12)
    assert_second_order(np.array(errors), tolerance=0.1)
    assert np.all(np.abs(errors[-1]) < 1e-3)


def test_sections_are_on_a_chain_of_rods() -> None:
    """Rods of l/6, l/3, l/3, l/6, each turned against the one before by a large angle about z, then about -y."""
    rng, length = np.random.default_rng(3), 2.0
    model = cantilever(segments(3, bending="yz"))
    places = np.array([0.0, 0.2, 0.5, 1.1, 1.9, 2.0])
    for i, x in enumerate(places):
        point, rod = model.add(fb.LumpedMass(f"point{i}", 0.0)), model.add(fb.RigidLink(f"rod{i}", 1.0))
        model.connect(model["beam"].station(float(x)), point.frame_a, rod.frame_a)
    dae = fb.assemble(model)
    bend_y, bend_z = rng.uniform(-1.5, 1.5, (2, 3))
    y = outputs(dae, np.r_[bend_y, bend_z])
    joints = length * np.array([1, 3, 5]) / 6
    for i, x in enumerate(places):
        place, turn, start = np.zeros(3), Rotation.identity(), 0.0
        for k in range(np.count_nonzero(joints < x)):
            place = place + turn.apply([joints[k] - start, 0, 0])
            turn, start = turn * Rotation.from_euler("ZY", [bend_y[k], -bend_z[k]]), joints[k]
        place = place + turn.apply([x - start, 0, 0])
        np.testing.assert_allclose([y[f"point{i}.{axis}"] for axis in "xyz"], place, atol=1e-14)
        np.testing.assert_allclose([y[f"rod{i}.{axis}"] for axis in "xyz"], place + turn.apply([1, 0, 0]), atol=1e-14)
    tip = [y["beam.tip_deflection_y"], y["beam.tip_deflection_z"]]
    np.testing.assert_allclose(tip, [y["point5.y"], y["point5.z"]], atol=1e-14)


def test_tip_deflection_is_seen_from_the_root() -> None:
    model = fb.Model("arm")
    ground, joint, beam = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint")), model.add(segments(1))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    y = outputs(fb.assemble(model), np.array([0.9, 0.4]))
    assert y["beam.tip_deflection_y"] == pytest.approx(np.sin(0.4), rel=1e-13)


@pytest.mark.parametrize("axis", ["y", "z", "yz"])
@pytest.mark.parametrize("case", [None, BEAM["clamped_mass"][0]], ids=["free", "tip body"])
def test_damping_ratio_is_that_of_every_mode(case: dict | None, axis: str) -> None:
    damped = {"damping_ratio": 0.03, "flexural_rigidity_z": 3.0}
    if case:
        dae = fb.assemble(with_tip_body(case, fb.RigidSegments(3), axis, **damped))
    else:
        dae = fb.assemble(cantilever(segments(3, bending=axis, **damped)))
    assert_damping_ratio(dae, 0.03)


def test_symbolic_parameters_are_those_of_another_beam() -> None:
    names = ("beam.length", "beam.linear_density", "beam.flexural_rigidity")
    load, gravity = fb.Payload("load", 0.3, 0.1), (1.0, -9.81, 0.0)
    symbolic = fb.assemble(cantilever(segments(3), load, gravity=gravity), symbolic=names)
    p = (0.7, 1.3, 20.0)
    other = segments(3, **dict(zip(("length", "linear_density", "flexural_rigidity"), p, strict=True)))
    folded = fb.assemble(cantilever(other, load, gravity=gravity))
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, 3))
    expected = folded.inverse_dynamics(q, v, a, []).full()
    np.testing.assert_allclose(symbolic.inverse_dynamics(q, v, a, p).full(), expected, rtol=1e-11)
    np.testing.assert_allclose(symbolic.mass_matrix(q, p).full(), folded.mass_matrix(q, []).full(), atol=1e-13)


def test_frequencies_of_the_two_link_arm_converge() -> None:
    reference = np.array(ARM["converged (9 functions a link)"])[:3]
    daes = (fb.assemble(swapped(models.subudhi_morris_2002(), fb.RigidSegments(n))) for n in (4, 8, 16))
    found = np.array([frequencies(dae)[2:5] for dae in daes])
    assert_second_order(found / reference - 1)
    np.testing.assert_allclose(found[-1], reference, rtol=1.5e-3)


@pytest.mark.slow
def test_a_small_swing_converges_to_that_of_the_modes() -> None:
    """So small that the shortening by bending, which modes do not have, counts for less than the segments' error."""
    tip = "link.tip_deflection_y"
    modes = swing(fb.AssumedModes(6, tip="auto"), 0.02)[tip]
    errors = np.array([np.abs(swing(fb.RigidSegments(n), 0.02)[tip] - modes).max() for n in (4, 8)])
    assert_second_order(errors)
    assert errors[-1] < 0.005 * np.abs(modes).max()


def test_come_back_from_a_file(tmp_path: Path) -> None:
    model = cantilever(segments(3))
    model.save(tmp_path / "arm.json")
    assert json.loads((tmp_path / "arm.json").read_text())["blocks"]["beam"]["discretization"] == {
        "type": "RigidSegments",
        "n": 3,
    }
    assert fb.load(tmp_path / "arm.json").blocks == model.blocks


@pytest.mark.parametrize("reach", [20.0, 2000.0])
def test_damped_segments_under_a_body_that_is_far_heavier_are_refused_by_name(reach: float) -> None:
    """Of 20 mg with 850 kg, metres off the tip, the mass matrix is rounding, that of the clamped beam included."""
    beam = fb.FlexibleBeam("beam", 0.02, 1e-3, 0.4, fb.RigidSegments(3), damping_ratio=0.02)
    with pytest.raises(SingularMassError, match="together move no mass"):
        fb.assemble(cantilever(beam, fb.Payload("load", 850.0, 0.0, center=(reach, 0.0, 0.0))))
