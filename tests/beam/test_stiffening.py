"""Geometric stiffening: frequencies of rotating beams by power series, and where the points of a bent beam are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

import flexblocks as fb
from arms.fidelities import cantilever, outputs

SPEEDS = (0.0, 3.0, 6.0, 12.0)
TERMS = 150


@cache
def flapwise(speed: float) -> list[float]:
    """Return the frequencies below 90 of a uniform rotating cantilever without hub, over sqrt(EI/(m l^4)).

    Roots of the boundary conditions of w'''' - (T w')' - f^2 w = 0, T = speed^2 (1 - x^2)/2, by power series about the
    root, as Wright, Smith, Thresher & Wang do (J. Appl. Mech. 49, 1982, 197-202).
    """
    k = np.arange(TERMS)

    def determinant(frequency: float) -> float:
        ends = []
        for start in (2, 3):
            a = np.zeros(TERMS)
            a[start] = 1.0
            for i in range(TERMS - 4):
                pull = speed**2 / 2 * ((i + 2) * (i + 1) * a[i + 2] - i * (i + 1) * a[i])
                a[i + 4] = (pull + frequency**2 * a[i]) / ((i + 4) * (i + 3) * (i + 2) * (i + 1))
            ends.append((a @ (k * (k - 1)), a @ (k * (k - 1) * (k - 2))))
        return float(np.linalg.det(ends))

    tried = np.linspace(1.0, 90.0, 90)
    values = [determinant(f) for f in tried]
    pairs = zip(tried, tried[1:], values, values[1:], strict=False)
    return [float(brentq(determinant, a, b, xtol=1e-12)) for a, b, before, after in pairs if before * after < 0]


def rotor(discretization, axis: str, **options: object) -> fb.DAE:
    """Return a beam of unit length, mass and rigidity on a hub so heavy that its speed stays."""
    model = fb.Model("rotor")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    hub = model.add(fb.Rotor("hub", inertia=1e9))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, discretization, axis, **options))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(hub.flange_b, joint.axis)
    model.connect(joint.frame_b, beam.frame_a)
    return fb.assemble(model)


def spinning(dae: fb.DAE, speed: float) -> np.ndarray:
    """Return the frequencies about the steady rotation, which is no reason for a warning."""
    A = fb.linearize(dae, at={"der(joint.angle)": speed}).A
    found = np.linalg.eigvals(A).imag
    return np.sort(found[found > 1e-3])


@pytest.mark.parametrize("discretization", [fb.AssumedModes(4, tip="free"), fb.FiniteElements(4)], ids=str)
@pytest.mark.parametrize("axis", ["z", "y"], ids=["flapwise", "lagwise"])
def test_frequencies_of_a_rotating_beam(discretization, axis: str) -> None:
    dae = rotor(discretization, axis, stiffening=True)
    for speed in SPEEDS:
        squares = np.square(flapwise(speed)) - (speed**2 if axis == "y" else 0)
        # Lagwise most of the first stiffness is taken away again, and the error counts for more.
        np.testing.assert_allclose(spinning(dae, speed)[:2], np.sqrt(squares)[:2], rtol=1e-2 if axis == "y" else 2e-3)


def test_without_stiffening_a_beam_softens() -> None:
    """Lagwise then w^2 = w0^2 - speed^2 of the beam that keeps its stiffness: wrong, and zero at 3.516."""
    dae = rotor(fb.AssumedModes(1, tip="free"), "y")
    assert spinning(dae, 3.0)[0] == pytest.approx(np.sqrt(3.51602**2 - 9.0), rel=1e-4)


def test_segments_stiffen_by_themselves() -> None:
    dae = rotor(fb.RigidSegments(8), "z")
    np.testing.assert_allclose(spinning(dae, 6.0)[:2], flapwise(6.0)[:2], rtol=2e-2)


@pytest.mark.parametrize(
    ("discretization", "bending"), [(fb.AssumedModes(3, tip="free"), "yz"), (fb.FiniteElements(3), "y")], ids=str
)
def test_points_come_nearer_by_half_the_squared_slope(discretization, bending: str) -> None:
    """x - 1/2 int (v'^2 + w'^2) dx, by finite differences of the places of many stations."""
    beam = fb.FlexibleBeam("beam", 1.5, 1.0, 1.0, discretization, bending, stiffening=True)
    model = cantilever(beam)
    places = np.linspace(0.0, 1.5, 61)
    for i, x in enumerate(places):
        model.connect(beam.station(float(x)), model.add(fb.LumpedMass(f"p{i}", 0.0)).frame_a)
    dae = fb.assemble(model)
    q = np.random.default_rng(0).uniform(-0.1, 0.1, dae.tree.size)
    y = outputs(dae, q)
    points = np.array([[y[f"p{i}.{axis}"] for axis in "xyz"] for i in range(len(places))])
    steps = np.diff(points, axis=0)
    nearer = np.r_[0.0, np.cumsum((steps[:, 1] ** 2 + steps[:, 2] ** 2) / (2 * np.diff(places)))]
    assert nearer[-1] > 1e-3
    np.testing.assert_allclose(places - points[:, 0], nearer, atol=5e-3 * nearer[-1])


def test_a_stiffened_beam_keeps_its_energy_in_a_fast_spin() -> None:
    dae = rotor(fb.AssumedModes(2, tip="free"), "yz", stiffening=True)
    start = {"joint.angle": 0.0, "der(joint.angle)": 4.0, "beam.bending_y[1]": 0.05, "beam.bending_z[1]": 0.05}
    run = fb.simulate(dae, t=np.linspace(0.0, 2.0, 21), x0=start)
    energy = np.array([float(sum(dae.energy(x, []))) for x in run.x])
    # The hub alone has 8e9 J: what the beam has shows in the change of the sum without it.
    hub = 0.5e9 * run["der(joint.angle)"] ** 2
    assert np.abs(energy - hub - (energy - hub)[0]).max() < 20.0


@pytest.mark.parametrize(
    ("kind", "bounds"), [(fb.AssumedModes(2, tip="free"), (20, 73)), (fb.FiniteElements(2), (75, 478))]
)
def test_what_it_costs(kind, bounds: tuple[int, int]) -> None:
    """Instructions of M(q) without and with it: no more than were reached."""
    for stiffening, bound in zip((False, True), bounds, strict=True):
        model = fb.Model("arm")
        ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
        beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, kind, stiffening=stiffening))
        model.connect(ground.frame_b, joint.frame_a)
        model.connect(joint.frame_b, beam.frame_a)
        assert fb.assemble(model).mass_matrix.n_instructions() <= bound
