"""Loads along a beam: deflections in closed form, and virtual work on a moving arm."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.fidelities import cantilever
from flexblocks.errors import ParameterError

LENGTH, EI = 2.0, 5.0
KINDS = [fb.AssumedModes(8, tip="free"), fb.FiniteElements(3), fb.RigidSegments(12), fb.StrainModes(4)]


def tip(beam: fb.FlexibleBeam, axis: str = "y") -> float:
    dae = fb.assemble(cantilever(beam))
    found = fb.equilibrium(dae, u=dict.fromkeys(dae.u.names, 1e-3))
    y = dae.output(found.x, found.u, []).full().ravel()
    return float(y[dae.y.index(f"beam.tip_deflection_{axis}")])


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    ("axis", "load", "closed_form"),
    [
        ("y", 1e-3, 1 / 8),
        ("z", "input", 1 / 8),
        ("z", lambda x: 1e-3 * x / LENGTH, 11 / 120),
        ("y", ((0.0, 1e-3), (LENGTH, 0.0)), 1 / 30),
        ("z", ((0.0, 0.0), (LENGTH / 2, 0.0), (LENGTH / 2, 1e-3), (LENGTH, 1e-3)), 1 / 8 - 7 / 384),
    ],
    ids=["uniform", "input", "growing", "falling", "outer half"],
)
def test_static_deflection(kind, axis: str, load, closed_form: float) -> None:
    """v(l) = f l^4/(8 EI) and so on: Roark's formulas, table 8.1, cases 2 and 2a."""
    beam = fb.FlexibleBeam("beam", LENGTH, 3.0, EI, kind, axis, **{f"load_{axis}": load})
    expected = closed_form * 1e-3 * LENGTH**4 / EI
    assert tip(beam, axis) == pytest.approx(expected, rel=1e-2 if isinstance(kind, fb.RigidSegments) else 1e-4)


def test_a_load_across_the_plane_of_bending_does_not_bend() -> None:
    assert tip(fb.FlexibleBeam("beam", LENGTH, 3.0, EI, fb.FiniteElements(2), load_z=1.0)) == 0


@pytest.mark.parametrize(
    ("kind", "axis"),
    [
        (fb.Rigid(), "y"),
        (fb.AssumedModes(2, tip="pinned"), "z"),
        (fb.AssumedModes(2, tip="free"), "y"),
        (fb.FiniteElements(2), "z"),
        (fb.RigidSegments(3), "y"),
        (fb.StrainModes(2), "z"),
    ],
)
def test_virtual_work_on_an_arm_that_moves(kind, axis: str) -> None:
    """Generalised forces = int f e . (places differentiated by coordinates) dx, e an axis of the root of the beam."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    ends = {fb.FiniteElements: (0, 0.5, 1), fb.RigidSegments: (0, 1 / 6, 0.5, 5 / 6, 1)}.get(type(kind), (0, 1))
    pieces = [(a + (b - a) * (nodes + 1) / 2, (b - a) * weights / 2) for a, b in pairwise(ends)]
    xi, w = (np.concatenate(found) for found in zip(*pieces, strict=True))
    model, direction = fb.Model("arm"), (0.0, 0.6, 0.8)
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(1, 2, 3)))
    joint = model.add(fb.Revolute("joint", axis=direction))
    beam = fb.FlexibleBeam("beam", LENGTH, 3.0, EI, kind, "yz", stiffening=True, **{f"load_{axis}": lambda x: 1 + x**2})
    beam = model.add(beam)
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    for i, place in enumerate(xi):
        model.connect(beam.station(float(place * LENGTH)), model.add(fb.LumpedMass(f"p{i}", 0.0)).frame_a)
    dae = fb.assemble(model)
    q = np.random.default_rng(1).uniform(-0.1, 0.1, dae.tree.size) + np.r_[0.4, 0.8, np.zeros(dae.tree.size - 2)]
    x = np.r_[q, 0 * q]
    places = dae.output.jacobian()(x, [], [], 0)[0].full()[:, : len(q)]
    base = Rotation.from_rotvec(np.array(direction) * q[1])
    e = base.apply(np.eye(3)["xyz".index(axis)])
    expected = np.zeros(len(q))
    for i, (place, weight) in enumerate(zip(xi, w, strict=True)):
        rows = [dae.y.index(f"p{i}.{a}") for a in "xyz"]
        expected += weight * LENGTH * (1 + (place * LENGTH) ** 2) * e @ places[rows]
    found = dae.input_force(x, [], []).full().ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_energy_grows_by_the_work_of_a_load() -> None:
    model = fb.Model("arm")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 5.0, fb.AssumedModes(2, tip="free"), load_y="input"))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    dae = fb.assemble(model)
    assert dae.u.names == ("beam.load_y",)
    assert dae.u.units == ("N/m",)
    run = fb.simulate(dae, t=np.linspace(0, 1, 201), u={"beam.load_y": lambda t: np.sin(3 * t)})
    energy = np.array([float(sum(dae.energy(x, []))) for x in run.x])
    rates = np.array([dae.input_force(x, u, []).full().ravel() @ x[3:] for x, u in zip(run.x, run.u, strict=True)])
    work = np.concatenate([[0.0], np.cumsum((rates[1:] + rates[:-1]) / 2 * np.diff(run.t))])
    np.testing.assert_allclose(energy - energy[0], work, atol=2e-4 * np.abs(work).max())


@pytest.mark.parametrize(
    ("load", "message"),
    [
        ("output", "load_y = 'output'; must be a number in N/m, a function of x .* or 'input'"),
        ([(0.0, 1.0), (1.0, 2.0)], "load_y: the table goes from x = 0 m to 1 m"),
        (lambda x: np.nan * x, "load_y at x = 0 m = nan N/m; must be finite"),
    ],
)
def test_refused(load, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        fb.FlexibleBeam("beam", LENGTH, 3.0, EI, load_y=load)
