"""Shear, rotary inertia, torsion and extension against frequency equations solved here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import det, expm
from scipy.optimize import brentq

import flexblocks as fb
from arms.fidelities import assert_damping_ratio, cantilever, frequencies, static_response
from flexblocks.errors import FlexblocksError

LENGTH, RHO, EI = 1.3, 2.0, 3.0
SHEAR, TURNING = 60.0, 0.03  # kappa G A [N] and rho I [kg m]


def first_roots(equation: Callable[[float], float], start: float, end: float, count: int, step: float) -> np.ndarray:
    roots, values = [], ((w, equation(w)) for w in np.arange(start, end, step))
    for (low, before), (high, after) in pairwise(values):
        if np.sign(before) != np.sign(after):
            roots.append(brentq(equation, low, high, xtol=1e-13))
        if len(roots) == count:
            break
    return np.array(roots)


@cache
def timoshenko(shear: float | None, turning: float, tip: fb.TipBody, count: int) -> np.ndarray:
    """Return the frequencies [rad/s] of the cantilever with a tip body, by Timoshenko's transfer matrix.

    v' = psi + Q/(kGA), psi' = M/EI, M' = -Q - rho I w^2 psi, Q' = -rho A w^2 v, where Q and M are the force along y and
    the moment about z that the outer part exerts on the inner.
    """

    def equation(w: float) -> float:
        A = np.zeros((4, 4))
        A[0, 1], A[0, 3] = 1.0, 1 / shear if shear else 0.0
        A[1, 2] = 1 / EI
        A[2, 1], A[2, 3] = -turning * w**2, -1.0
        A[3, 0] = -RHO * w**2
        end = expm(A * LENGTH)[:, 2:]
        value, turn, moment, force = end
        # The tip body's inertia is what the beam's end exerts: m (v + reach psi) w^2 and so on.
        left = force - w**2 * (tip.mass * value + tip.static_moment * turn)
        right = moment - w**2 * (tip.inertia * turn + tip.static_moment * value)
        return det(np.stack([left, right]))

    return first_roots(equation, 0.05, 60.0, count, 0.05)


NONE = fb.TipBody(0.0)
BODY = fb.TipBody(1.0, 0.2, 0.1)


def test_the_transfer_matrix_gives_the_textbook_beam() -> None:
    expected = (np.array([1.87510407, 4.69409113]) / LENGTH) ** 2 * np.sqrt(EI / RHO)
    np.testing.assert_allclose(timoshenko(None, 0.0, NONE, 2), expected, rtol=1e-7)


def beam(discretization, *, shear: bool, rotary: bool, **other: object) -> fb.FlexibleBeam:
    options: dict[str, object] = dict(other)
    if shear:
        options |= {"shear": True, "shear_rigidity": SHEAR}
    if rotary:
        options |= {"rotary_inertia": True, "section_inertia": TURNING}
    return fb.FlexibleBeam("beam", LENGTH, RHO, EI, discretization=discretization, **options)


def payload(tip: fb.TipBody) -> tuple[fb.Block, ...]:
    if not tip.mass:
        return ()
    reach = tip.static_moment / tip.mass
    inertia = np.diag([0.0, 1.0, 1.0]) * (tip.inertia - tip.mass * reach**2)
    return (fb.Payload("load", tip.mass, inertia, center=(reach, 0.0, 0.0)),)


OPTIONS = {"shear": (True, False), "rotary inertia": (False, True), "both": (True, True)}


@pytest.mark.parametrize(("tip", "axis"), [(NONE, "y"), (BODY, "z")], ids=["free", "tip body"])
@pytest.mark.parametrize("option", OPTIONS)
def test_modes_have_the_exact_frequencies(option: str, tip: fb.TipBody, axis: str) -> None:
    shear, rotary = OPTIONS[option]
    exact = timoshenko(SHEAR if shear else None, TURNING if rotary else 0.0, tip, 4)
    model = cantilever(beam(fb.AssumedModes(4, tip="auto"), shear=shear, rotary=rotary, bending=axis), *payload(tip))
    np.testing.assert_allclose(frequencies(fb.assemble(model)), exact, rtol=1e-9)
    plain = timoshenko(None, 0.0, tip, 1)[0]
    assert exact[0] < plain * 0.995


@pytest.mark.parametrize(("option", "order"), [("shear", 2.0), ("rotary inertia", 4.0), ("both", 2.0)])
def test_elements_converge(option: str, order: float) -> None:
    shear, rotary = OPTIONS[option]
    exact = timoshenko(SHEAR if shear else None, TURNING if rotary else 0.0, BODY, 3)
    models = (cantilever(beam(fb.FiniteElements(n), shear=shear, rotary=rotary), *payload(BODY)) for n in (6, 12))
    errors = [frequencies(fb.assemble(model))[:3] / exact - 1 for model in models]
    assert np.all(np.abs(errors[1]) < 0.02)
    np.testing.assert_allclose(np.log2(errors[0] / errors[1])[1:], order, atol=0.3)


def test_segments_have_the_rotary_inertia_of_their_sections() -> None:
    exact = timoshenko(None, TURNING, BODY, 2)
    models = (cantilever(beam(fb.RigidSegments(n), shear=False, rotary=True), *payload(BODY)) for n in (8, 16))
    errors = [frequencies(fb.assemble(model))[:2] / exact - 1 for model in models]
    np.testing.assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.2)


@pytest.mark.parametrize("n", [1, 3])
def test_elements_that_shear_are_exact_under_a_force_at_the_tip(n: int) -> None:
    """v = F x^2 (3 l - x)/(6 EI) + F x/(kGA) at the nodes, rotation F x (2 l - x)/(2 EI); no locking either way."""
    for shear in (SHEAR, 1e-2, 1e9):
        dae = fb.assemble(
            cantilever(fb.FlexibleBeam("beam", LENGTH, RHO, EI, fb.FiniteElements(n), shear=True, shear_rigidity=shear))
        )
        q = static_response(dae, np.r_[np.zeros(2 * n - 2), 1.0, 0.0])
        x = LENGTH * np.arange(1, n + 1) / n
        np.testing.assert_allclose(q[::2], x**2 * (3 * LENGTH - x) / (6 * EI) + x / shear, rtol=1e-7)
        np.testing.assert_allclose(q[1::2], x * (2 * LENGTH - x) / (2 * EI), rtol=1e-6)


def test_a_beam_rigid_in_shear_is_the_plain_one() -> None:
    """No locking: with kappa G A a million times what matters, modes and elements have the plain frequencies."""
    for kind in (fb.AssumedModes(3, tip="free"), fb.FiniteElements(3)):
        stiff = fb.FlexibleBeam("beam", LENGTH, RHO, EI, kind, shear=True, shear_rigidity=1e7)
        plain = fb.FlexibleBeam("beam", LENGTH, RHO, EI, kind)
        found, expected = (frequencies(fb.assemble(cantilever(b)))[:3] for b in (stiff, plain))
        np.testing.assert_allclose(found, expected, rtol=1e-4)


ROD = {"torsion": ("torsional_rigidity", "polar_inertia"), "axial": ("axial_rigidity", None)}


def rod(kind, discretization, **other: object) -> fb.FlexibleBeam:
    options: dict[str, object] = {"linear_density": RHO, "flexural_rigidity": 1e6, kind: True} | other
    options |= {"torsional_rigidity": 40.0, "polar_inertia": 0.05} if kind == "torsion" else {"axial_rigidity": 1600.0}
    return fb.FlexibleBeam("beam", LENGTH, discretization=discretization, **options)


def rod_frequencies(kind: str, end: float, count: int) -> np.ndarray:
    """Return roots of k tan k = (inertia of the rod)/(inertia at its end) as frequencies [rad/s]."""
    stiffness, inertia = (40.0, 0.05) if kind == "torsion" else (1600.0, RHO)
    ratio = inertia * LENGTH / end
    roots = [brentq(lambda k: k * np.sin(k) - ratio * np.cos(k), i * np.pi, (i + 0.5) * np.pi) for i in range(count)]
    return np.array(roots) / LENGTH * np.sqrt(stiffness / inertia)


def closest(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return which of the frequencies of a beam are those of its torsion or extension."""
    return np.array([min(found, key=lambda f: abs(f - w)) for w in wanted])


@pytest.mark.parametrize("kind", ROD)
def test_torsion_and_extension_with_a_body_at_the_tip(kind: str) -> None:
    load = fb.Payload("load", 1.5, np.diag([0.04, 0.04, 0.04]))
    exact = rod_frequencies(kind, 0.04 if kind == "torsion" else 1.5, 2)

    def found(discretization) -> np.ndarray:
        return closest(frequencies(fb.assemble(cantilever(rod(kind, discretization), load))), exact)

    np.testing.assert_allclose(found(fb.AssumedModes(3, tip="auto")), exact, rtol=1e-10)
    given = fb.TipBody(1.5, 0.04, polar_inertia=0.04)
    np.testing.assert_allclose(found(fb.AssumedModes(3, tip=given)), exact, rtol=1e-10)
    for discretization in (fb.FiniteElements, fb.RigidSegments):
        errors = [found(discretization(n)) / exact - 1 for n in (6, 12)]
        np.testing.assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.2)
        assert np.all(np.abs(errors[1]) < 0.02)


def test_torsion_turns_the_tip_about_the_beam() -> None:
    for kind in (fb.AssumedModes(1, tip="free"), fb.FiniteElements(1), fb.RigidSegments(1)):
        model = cantilever(rod("torsion", kind), fb.Payload("load", 1.0, center=(0.0, 0.1, 0.0)))
        dae = fb.assemble(model)
        q = np.zeros(dae.tree.size)
        q[-1] = 0.3
        y = dict(zip(dae.y.names, dae.output(np.r_[q, 0 * q], [], []).full().ravel(), strict=True))
        # The load's centre is off the axis: its weight would turn the beam; here only where the frame is counts.
        assert (y["load.x"], y["load.y"], y["load.z"]) == pytest.approx((LENGTH, 0.0, 0.0))
        M = dae.mass_matrix(q, []).full()
        tip = {"AssumedModes": np.sqrt(2), "FiniteElements": 1.0, "RigidSegments": 1.0}[type(kind).__name__]
        own = 0.05 * LENGTH * {"AssumedModes": 1.0, "FiniteElements": 1 / 3, "RigidSegments": 0.5}[type(kind).__name__]
        assert M[-1, -1] == pytest.approx(own + 1.0 * 0.1**2 * tip**2, rel=1e-12)


@pytest.mark.parametrize("kind", ["torsion", "axial"])
@pytest.mark.parametrize("discretization", [fb.AssumedModes(2, tip="free"), fb.FiniteElements(3), fb.RigidSegments(3)])
def test_damping_ratio_is_that_of_every_mode(kind: str, discretization) -> None:
    options = {"flexural_rigidity": 3.0, "damping_ratio": 0.03}
    assert_damping_ratio(fb.assemble(cantilever(rod(kind, discretization, **options))), 0.03)


@pytest.mark.parametrize("discretization", [fb.AssumedModes(2, tip="free"), fb.FiniteElements(2)])
def test_damping_ratio_of_a_beam_that_shears(discretization) -> None:
    assert_damping_ratio(
        fb.assemble(cantilever(beam(discretization, shear=True, rotary=True, damping_ratio=0.03))), 0.03
    )


def test_a_beam_that_shears_does_not_become_rigid_segments() -> None:
    model = cantilever(beam(fb.FiniteElements(2), shear=True, rotary=False))
    with pytest.raises(FlexblocksError, match="shear = True with RigidSegments"):
        fb.rediscretize(model, fb.RigidSegments(4))
