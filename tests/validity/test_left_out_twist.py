"""A twist turns the planes of bending: what linear beams are off by there, beside geometrically exact ones."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import LargeDeflectionWarning
from flexblocks.interfaces import Carried
from flexblocks.validity.induced_twist import twist_angles

ALUMINIUM = fb.Material(2700.0, 7e10, 0.33)
SIZES = (0.01, 20.0)
LINEAR = [fb.AssumedModes(3, tip="auto"), fb.FiniteElements(4)]


@cache
def strip(
    kind: fb.Discretization,
    load: float,
    size: float = 1.0,
    wide: float = 0.04,
    thick: float = 0.004,
    light: float = 1.0,
    roll: float = 0.0,
    **options: bool,
) -> fb.DAE:
    """Return a strip of `size` [m], `wide` across and `thick`, with a `load` [kg] at its tip.

    Gravity is along its width, or off that by an angle [rad].
    """
    material = fb.Material(light * ALUMINIUM.density, ALUMINIUM.youngs_modulus, ALUMINIUM.poissons_ratio)
    model = fb.Model("strip", gravity=(0.0, -9.81 * math.cos(roll), -9.81 * math.sin(roll)))
    section = fb.Rectangle(width=thick * size, height=wide * size)
    options = {"torsion": True} | options
    beam = fb.FlexibleBeam(
        "beam", size, section=section, material=material, discretization=kind, bending="yz", **options
    )
    body, torque = fb.Payload("load", load, np.eye(3) * 1e-6 * load * size**2), fb.WorldTorque("torque")
    for part in (ground := fb.Ground("ground"), beam, body, torque):
        model.add(part)
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(beam.frame_b, body.frame_a)
    model.connect(beam.frame_b, torque.frame_a)
    return fb.assemble(model)


def at_rest(dae: fb.DAE, twisting: float = 0.0) -> fb.OperatingPoint:
    return fb.equilibrium(dae, u={"torque.torque_x": twisting, "torque.torque_y": 0.0, "torque.torque_z": 0.0})


def place(dae: fb.DAE, twisting: float) -> np.ndarray:
    rest = at_rest(dae, twisting)
    return np.array([rest[f"load.{axis}"] for axis in "xyz"])


def text_of(told: pytest.WarningsRecorder) -> str:
    """Return the warning of deflections among others."""
    return next(str(each.message) for each in told if issubclass(each.category, LargeDeflectionWarning))


@cache
def exact_place(load: float, twisting: float, size: float = 1.0, **options: float) -> np.ndarray:
    return place(strip(fb.StrainModes(5), load, size, **options), twisting)


@pytest.mark.parametrize(
    ("kind", "size", "share"),
    [(kind, SIZES[(i + j) % len(SIZES)], share) for i, kind in enumerate(LINEAR) for j, share in enumerate((0.1, 0.4))],
    ids=str,
)
def test_the_tip_is_off_by_as_much_as_it_is_told(kind: fb.Discretization, size: float, share: float) -> None:
    """Twisted by a tenth and four tenths of a radian the strip bends sideways under its load."""
    rigidity = ALUMINIUM.shear_modulus * fb.Rectangle(width=0.004, height=0.04).torsion_constant * size**4
    load, torque = 1.5 * size**2, share * rigidity / size
    with pytest.warns(LargeDeflectionWarning, match="twists") as told:
        linear = place(strip(kind, load, size, wide=0.06), torque)
    off = np.linalg.norm(linear - exact_place(load, torque, size, wide=0.06)) / size
    said = re.search(r"its tip is off by about ([\d.e-]+) % of its length", text_of(told))
    assert said
    assert float(said[1]) / 100 == pytest.approx(off, rel=0.35)


@pytest.mark.parametrize(
    ("torsion", "kind", "size", "share", "roll"),
    [
        (torsion, kind, SIZES[(i + torsion) % len(SIZES)], *((0.4, 0.1), (0.7, 0.03))[(i // 2 + torsion) % 2])
        for i, kind in enumerate([*LINEAR, fb.AssumedModes(1, tip="auto")])
        for torsion in (True, False)
    ],
    ids=str,
)
def test_a_load_askew_twists_a_strip(
    torsion: bool, kind: fb.Discretization, size: float, share: float, roll: float
) -> None:
    """Its moments in both planes induce a twist that linear beams leave out, with torsion or without."""
    load = share * critical() * size**2
    with pytest.warns(LargeDeflectionWarning, match="twist turns its planes of bending") as told:
        linear = place(strip(kind, load, size, light=0.01, roll=roll, torsion=torsion), 0.0)
    off = np.linalg.norm(linear - exact_place(load, 0.0, size, light=0.01, roll=roll)) / size
    text = text_of(told)
    said = re.search(r"its tip is off by about ([\d.e-]+) % of its length", text)
    assert said
    assert float(said[1]) / 100 == pytest.approx(off, rel=0.25)
    assert ("with torsion would twist" in text) == ("with torsion=True" in text) == (not torsion)


@pytest.mark.parametrize("kind", LINEAR, ids=repr)
def test_the_strip_of_the_page(kind: fb.Discretization) -> None:
    with pytest.warns(LargeDeflectionWarning, match=r"off by about 2\.[12] % of its length"):
        linear = place(strip(kind, 0.3), 20.0)
    assert np.abs(linear[1:]).max() < 2e-3
    assert np.linalg.norm(linear - exact_place(0.3, 20.0)) == pytest.approx(0.0235, abs=5e-4)


@cache
def sliding_strip(kind: fb.Discretization, load: float, light: float = 1.0) -> fb.DAE:
    """Return the strip of 1 m as the outside of one of 2 m in a hub, its slide locked."""
    area = 0.04 * 0.004
    stiff, soft = (ALUMINIUM.youngs_modulus * area * side**2 / 12 for side in (0.04, 0.004))
    slide = fb.SlidingBeam(
        "beam",
        length=2.0,
        linear_density=light * ALUMINIUM.density * area,
        flexural_rigidity=stiff,
        flexural_rigidity_z=soft,
        discretization=kind,
        bending="yz",
        torsion=True,
        torsional_rigidity=ALUMINIUM.shear_modulus * fb.Rectangle(width=0.004, height=0.04).torsion_constant,
        polar_inertia=light * 6e-5,
        start=1.0,
    )
    model = fb.Model("sliding strip", gravity=(0.0, -9.81, 0.0))
    body, torque = fb.Payload("load", load, np.eye(3) * 1e-6 * load), fb.WorldTorque("torque")
    for part in (ground := fb.Ground("ground"), slide, body, torque):
        model.add(part)
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, body.frame_a)
    model.connect(slide.frame_b, torque.frame_a)
    return fb.assemble(model, locked={"beam.displacement": 1.0})


@pytest.mark.parametrize("kind", LINEAR, ids=repr)
def test_strips_that_shear_and_strips_that_slide_are_told_of(kind: fb.Discretization) -> None:
    for dae in (strip(kind, 0.3, shear=True), sliding_strip(kind, 0.3)):
        with pytest.warns(LargeDeflectionWarning, match=r"off by about 2\.[12] % of its length"):
            place(dae, 20.0)


@pytest.mark.parametrize("kind", LINEAR, ids=repr)
def test_a_sliding_strip_tips_over_under_the_same_load(kind: fb.Discretization) -> None:
    for share, says in ((0.9, "off by about"), (1.1, "makes stable what grows by e in")):
        dae = sliding_strip(kind, share * critical(), light=1e-3)
        rest = at_rest(dae)
        with pytest.warns(LargeDeflectionWarning, match=f"twist turns its planes of bending.*{says}"):
            fb.linearize(dae, rest)


@cache
def growth_of_the_exact_strip(share: float) -> float:
    """Return the rate [1/s] at which a share of the critical load tips the geometrically exact strip over."""
    exact = strip(fb.StrainModes(5), share * critical(), light=1e-3)
    return np.linalg.eigvals(fb.linearize(exact, at_rest(exact)).A).real.max()


def critical(wide: float = 0.04, thick: float = 0.004) -> float:
    """Return the load [kg] that tips a cantilever of 1 m over: 4.013 (EI GJ)^1/2 / l^2 (Prandtl 1899)."""
    soft = ALUMINIUM.youngs_modulus * wide * thick**3 / 12
    torsion = ALUMINIUM.shear_modulus * fb.Rectangle(width=thick, height=wide).torsion_constant
    return 4.013 * math.sqrt(soft * torsion) / 9.81


def test_the_induced_twist_grows_beyond_all_bounds_at_prandtls_load() -> None:
    """Next to its pole P / phi is linear in P^2; moments P (1 - x/l) in the stiff plane, and next to none across."""
    measure = strip(LINEAR[0], 1.0, torsion=False).model["beam"].small_deflections(Carried())
    assert measure is not None
    assert measure.twist is not None
    along, none = measure.twist.to_tip, np.zeros_like(measure.twist.to_tip)
    twist = replace(measure.twist, curvatures=np.array([np.stack([along, none], 1), np.stack([none, along], 1)]),
                    twists=np.zeros((len(along), 2)))  # fmt: skip
    (stiff, *_), (soft, *_) = twist.rigidities
    gj = ALUMINIUM.shear_modulus * fb.Rectangle(width=0.004, height=0.04).torsion_constant
    loads = np.array([3.99, 4.0]) * math.sqrt(soft * gj / (1 - soft / stiff))
    angles = twist_angles(twist, np.column_stack([loads / stiff, 1e-9 * loads / soft]))[-1]
    (low, high), (first, second) = loads**2, loads / angles
    pole = math.sqrt(low - first * (high - low) / (second - first))
    assert pole / math.sqrt(soft * gj / (1 - soft / stiff)) == pytest.approx(4.0126, rel=4e-4)


@pytest.mark.parametrize(("kind", "torsion"), [*zip(LINEAR, (True, False), strict=True)], ids=repr)
@pytest.mark.parametrize(("share", "says"), [(0.9, "is off by about"), (1.1, "makes stable what grows by e in")])
def test_linear_models_tell_where_a_strip_tips_over(
    kind: fb.Discretization, share: float, says: str, torsion: bool
) -> None:
    load = share * critical()
    linear = strip(kind, load, light=1e-3, torsion=torsion)
    rest = at_rest(linear)
    with pytest.warns(LargeDeflectionWarning, match=f"twist turns its planes of bending.*{says}") as warned:
        fb.linearize(linear, rest)
    told = next(str(one.message) for one in warned if one.category is LargeDeflectionWarning)
    assert "stiffening" not in told
    assert ("with torsion=True" in told) == (not torsion)
    growth = growth_of_the_exact_strip(share)
    assert (growth > 0.1) == (share > 1)
    if share > 1:
        seconds = re.search(r"grows by e in ([\d.]+) s", told)
        assert seconds
        assert float(seconds[1]) == pytest.approx(1 / growth, rel=0.15)


@pytest.mark.parametrize("kind", [LINEAR[0], pytest.param(LINEAR[1], marks=pytest.mark.slow)], ids=repr)
def test_no_false_alarms(kind: fb.Discretization) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LargeDeflectionWarning)
        for dae, torque in (
            (strip(kind, 1.0), 0.0),  # straight up, far from tipping over
            (strip(kind, 1.0, torsion=False), 0.0),
            (strip(kind, 0.3, roll=0.5, torsion=False), 0.0),  # askew, off by 2 % of its deflection
            (strip(kind, 0.02), 2.0),  # twisted, hardly loaded
            (strip(kind, 5.0, wide=0.03, thick=0.03), 50.0),  # as stiff in both planes
            (strip(kind, 5.0, wide=0.03, thick=0.03, roll=0.5, torsion=False), 0.0),
        ):
            fb.linearize(dae, at_rest(dae, torque))
