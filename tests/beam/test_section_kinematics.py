"""Where the sections of a bent beam are, how they are turned, and what they weigh."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks.beam.shapes.euler_bernoulli_modes import SineModes, clamped_modes


def station_arm(bending: str, tip: str, gravity=(0.0, 0.0, 0.0), places=()) -> fb.DAE:
    """Return a beam on a hinge with probes at `places`: massless points, and rods along the section's x axis."""
    model = fb.Model("arm", gravity=gravity)
    joint = model.add(fb.Revolute("joint", axis=(0, 0.6, 0.8)))
    beam = model.add(
        fb.FlexibleBeam("beam", 0.8, 0.5, 4.0, fb.AssumedModes(2, tip=tip), bending=bending, flexural_rigidity_z=7.0)
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    for i, x in enumerate(places):
        point, rod = model.add(fb.LumpedMass(f"point{i}", 0.0)), model.add(fb.RigidLink(f"rod{i}", 1.0))
        model.connect(beam.station(x), point.frame_a, rod.frame_a)
    return fb.assemble(model)


def places_at(dae: fb.DAE, q: np.ndarray, stem: str, count: int) -> np.ndarray:
    y = dict(zip(dae.y.names, dae.output(np.r_[q, 0 * q], [], []).full().ravel(), strict=True))
    return np.array([[y[f"{stem}{i}.{axis}"] for axis in "xyz"] for i in range(count)])


@pytest.mark.parametrize(("bending", "tip"), [("y", "pinned"), ("z", "free"), ("yz", "pinned")])
def test_weight_of_the_deflected_beam(bending, tip):
    nodes, weights = np.polynomial.legendre.leggauss(16)
    gravity = np.array([3.0, -9.0, 2.0])
    heavy = station_arm(bending, tip, tuple(gravity), tuple(0.4 * (nodes + 1)))
    light = station_arm(bending, tip)
    rng = np.random.default_rng(1)
    q = rng.uniform(-0.1, 0.1, heavy.tree.size)
    points = places_at(heavy, q, "point", 16)
    expected = -0.5 * 0.4 * weights @ points @ gravity
    x = np.r_[q, 0 * q]
    found = float(heavy.energy(x, [])[1]) - float(light.energy(x, [])[1])
    assert found == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("tip", ["free", "pinned"])
def test_sections_turn_by_the_slope_of_the_curve(tip):
    h, x = 1e-4, 0.3
    dae = station_arm("y", tip, places=(x - h, x, x + h))
    q = np.array([0.0, 0.07, -0.02])
    points, ends = places_at(dae, q, "point", 3), places_at(dae, q, "rod", 3)
    # In the chord's axes the points are (x, v(x)); the hinge is at zero, the chord turned by the root's slope.
    root = 0.0 if tip == "free" else -SineModes(2).slope(0.0) @ q[1:] / 0.8
    chord = np.array([[np.cos(root), np.sin(root), 0], [-np.sin(root), np.cos(root), 0], [0, 0, 1]])
    step = chord @ (points[2] - points[0]) / (2 * h)
    assert step[0] == pytest.approx(1.0, abs=1e-12)
    slope = step[1]
    assert abs(slope) > 0.05
    direction = chord @ (ends[1] - points[1])
    np.testing.assert_allclose(direction, [np.cos(slope), np.sin(slope), 0.0], atol=1e-6)


def test_the_tip_turns_as_a_true_rotation_about_y_after_z():
    dae = station_arm("yz", "free", places=(0.8,))
    shapes = clamped_modes(2)
    q = np.array([0.0, 0.06, 0.01, -0.08, 0.02])
    slope_y, slope_z = (shapes.slope(1.0) @ part / 0.8 for part in (q[1:3], q[3:]))
    (point,), (end,) = places_at(dae, q, "point", 1), places_at(dae, q, "rod", 1)
    np.testing.assert_allclose(point, [0.8, 2 * q[1:3].sum(), 2 * q[3:].sum()], rtol=1e-12)
    direction = [np.cos(slope_z) * np.cos(slope_y), np.cos(slope_z) * np.sin(slope_y), np.sin(slope_z)]
    np.testing.assert_allclose(end - point, direction, rtol=1e-12)


def test_the_root_of_pinned_shapes_is_the_root_however_they_bend():
    dae = station_arm("yz", "pinned", places=(0.0, 0.8))
    q = np.array([0.0, 0.06, 0.05, -0.08, 0.01])
    points, ends = (places_at(dae, q, stem, 2) for stem in ("point", "rod"))
    np.testing.assert_allclose(ends[0] - points[0], [1.0, 0.0, 0.0], atol=1e-15)
    # The tip turns against the root by what first modes turn, twice their slopes: of the second, both slopes are equal.
    slope_y, slope_z = (-2 * np.sqrt(2) * np.pi / 0.8 * first for first in (0.06, -0.08))
    direction = [np.cos(slope_z) * np.cos(slope_y), np.cos(slope_z) * np.sin(slope_y), np.sin(slope_z)]
    np.testing.assert_allclose(ends[1] - points[1], direction, rtol=1e-12)


def test_second_pinned_modes_of_a_short_beam_keep_all_digits_under_a_bulky_body():
    """They turn the body at the tip by nothing, 1e5 times the mass that they move if slope and chord are summed."""
    length, mass, body = 0.015, 0.0002, 0.03
    joint = fb.Prismatic("joint", direction=(1, 0, 0))
    beam = fb.FlexibleBeam("beam", length, mass / length, 0.07, fb.AssumedModes(2, tip="pinned"))
    model = chain(joint, beam, fb.Payload("body", body, 0.2), gravity=(0, 0, 0))
    dae = fb.assemble(model)
    q = np.array([0.0, 2e-4, -1e-4])
    # Mode 2 turns the chord by -sqrt(8) pi q2 / l, on which the beam bends by sqrt(2) sin(2 pi xi) q2.
    chord = np.sqrt(8) * np.pi
    of_beam = mass * (chord**2 / 3 + 1 + 2 * chord * np.sqrt(2) / (2 * np.pi))
    expected = of_beam + mass * chord**2 / length**2 * (q[1] ** 2 + q[2] ** 2) + body * chord**2
    assert dae.mass_matrix(q, []).full()[2, 2] == pytest.approx(expected, rel=1e-14)


def test_station_at_the_end_is_the_end():
    daes = []
    for place in ("frame_b", "station(0.5)"):
        beam = fb.FlexibleBeam("beam", 0.5, 0.2, 1.0, discretization=fb.FiniteElements(1))
        model = chain(beam, gravity=(0, 0, 0))
        model.add(fb.Payload("load", 0.1, 0.005))
        model.connect(f"beam.{place}", "load.frame_a")
        daes.append(fb.assemble(model))
    q = [0.03, -0.01]
    np.testing.assert_allclose(daes[0].mass_matrix(q, []).full(), daes[1].mass_matrix(q, []).full(), rtol=1e-14)
