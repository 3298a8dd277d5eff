"""Sections and materials: closed forms, and the beams that they make."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import dblquad

import flexblocks as fb
from arms.fidelities import cantilever, frequencies
from flexblocks.beam.properties.section import Section
from flexblocks.errors import FlexblocksError

STEEL = fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)


def inside(section: Section, y: float, z: float) -> bool:
    """Return whether a point is in a section, by the look of it."""
    if isinstance(section, fb.Rectangle):
        return abs(y) <= section.height / 2 and abs(z) <= section.width / 2
    if isinstance(section, fb.Tube):
        return section.inner / 2 <= math.hypot(y, z) <= section.outer / 2
    if isinstance(section, fb.Box):
        hole = abs(y) < section.height / 2 - section.wall and abs(z) < section.width / 2 - section.wall
        return abs(y) <= section.height / 2 and abs(z) <= section.width / 2 and not hole
    assert isinstance(section, fb.ISection)
    in_web = abs(y) <= section.height / 2 and abs(z) <= section.web / 2
    in_flange = section.height / 2 - section.flange <= abs(y) <= section.height / 2 and abs(z) <= section.width / 2
    return in_web or in_flange


@pytest.mark.parametrize(
    "section",
    [
        fb.Rectangle(width=0.03, height=0.05),
        fb.Tube(outer=0.04, inner=0.03),
        fb.ISection(height=0.08, width=0.05, web=0.004, flange=0.006),
        fb.Box(height=0.08, width=0.05, wall=0.004),
    ],
    ids=str,
)
def test_areas_and_second_moments_are_the_integrals(section: Section) -> None:
    """By counting a fine grid."""
    step = 2e-4
    y, z = np.meshgrid(np.arange(-0.05, 0.05, step) + step / 2, np.arange(-0.05, 0.05, step) + step / 2)
    there = np.vectorize(lambda a, b: inside(section, a, b))(y, z)
    assert section.area == pytest.approx(there.sum() * step**2, rel=5e-3)
    assert section.second_moment("y") == pytest.approx((there * y**2).sum() * step**2, rel=5e-3)
    assert section.second_moment("z") == pytest.approx((there * z**2).sum() * step**2, rel=5e-3)
    assert section.extreme_fibre("y") == pytest.approx(np.abs(y[there]).max() + step / 2, rel=1e-9)
    assert section.extreme_fibre("z") == pytest.approx(np.abs(z[there]).max() + step / 2, rel=1e-9)


@pytest.mark.parametrize(("ratio", "k"), [(1.0, 0.1406), (2.0, 0.229), (5.0, 0.291), (10.0, 0.312)])
def test_torsion_of_a_rectangle(ratio: float, k: float) -> None:
    """J = k b^3 a for a >= b: Timoshenko & Goodier 1970, section 109, table of k."""
    for section in (fb.Rectangle(width=ratio, height=1.0), fb.Rectangle(width=1.0, height=ratio)):
        assert section.torsion_constant == pytest.approx(k * ratio, rel=2e-3)


def test_torsion_of_a_square_by_the_energy_of_its_stress_function() -> None:
    """J = 4 int phi for Prandtl's function of the square, a double series (Timoshenko & Goodier 1970, eq 160 ff)."""
    odd = np.arange(1, 60, 2)

    def prandtl(y: float, z: float) -> float:
        shape = 1 - np.cosh(odd * np.pi * y) / np.cosh(odd * np.pi / 2)
        return float(np.sum((-1.0) ** ((odd - 1) / 2) / odd**3 * shape * np.cos(odd * np.pi * z)) * 4 / np.pi**3)

    # phi_yy + phi_zz = -1 on the unit square, zero on its edge; J = 4 int phi with right-hand side -1.
    volume, _ = dblquad(prandtl, -0.5, 0.5, -0.5, 0.5, epsabs=1e-6)
    assert fb.Rectangle(width=1.0, height=1.0).torsion_constant == pytest.approx(4 * volume, rel=1e-4)


def test_torsion_of_tubes_and_open_profiles() -> None:
    assert fb.Tube(outer=0.04, inner=0.03).torsion_constant == pytest.approx(
        math.pi / 32 * (0.04**4 - 0.03**4), rel=1e-14
    )
    # A thin square tube has J = a^3 t for the side a of its middle line.
    assert fb.Box(height=1.001, width=1.001, wall=0.001).torsion_constant == pytest.approx(0.001, rel=1e-12)
    thin = fb.ISection(height=1.0, width=1.0, web=0.001, flange=0.001)
    assert thin.torsion_constant == pytest.approx(3 * 0.001**3 / 3, rel=1e-3)


def test_shear_coefficients_are_those_of_cowper() -> None:
    """At nu = 0.3: rectangle 0.850, full circle 0.886, thin round tube 0.531 (Cowper 1966)."""
    assert fb.Rectangle(width=1.0, height=1.0).shear_area("y", 0.3) == pytest.approx(0.850, abs=5e-4)
    rod, tube = fb.Tube(outer=1.0), fb.Tube(outer=1.0, inner=0.999)
    assert rod.shear_area("z", 0.3) / rod.area == pytest.approx(0.886, abs=5e-4)
    assert tube.shear_area("z", 0.3) / tube.area == pytest.approx(0.531, abs=5e-4)


def test_a_section_with_a_material_is_the_beam_with_those_numbers() -> None:
    size = {
        "length": 0.7,
        "bending": "yz",
        "discretization": fb.AssumedModes(2, tip="free"),
        "torsion": True,
        "axial": True,
    }
    section, E, rho = fb.Rectangle(width=0.02, height=0.03), 2.1e11, 7850.0
    made = fb.FlexibleBeam("beam", **size, section=section, material=STEEL, rotary_inertia=True, shear=True)
    given = fb.FlexibleBeam(
        "beam",
        **size,
        rotary_inertia=True,
        shear=True,
        linear_density=rho * 6e-4,
        flexural_rigidity=E * 0.02 * 0.03**3 / 12,
        flexural_rigidity_z=E * 0.03 * 0.02**3 / 12,
        axial_rigidity=E * 6e-4,
        torsional_rigidity=E / 2.6 * section.torsion_constant,
        shear_rigidity=E / 2.6 * 13 / 15.3 * 6e-4,
        section_inertia=rho * 0.02 * 0.03**3 / 12,
        section_inertia_z=rho * 0.03 * 0.02**3 / 12,
        polar_inertia=rho * 6e-4 * (0.02**2 + 0.03**2) / 12,
    )
    frequencies_ = [frequencies(fb.assemble(cantilever(beam))) for beam in (made, given)]
    assert len(frequencies_[0]) == 8
    np.testing.assert_allclose(frequencies_[0], frequencies_[1], rtol=1e-9)


def test_beams_of_sections_and_tables_come_back_from_files(tmp_path: Path) -> None:
    tapered = (
        (0.0, fb.Rectangle(width=0.02, height=0.02)),
        (0.2, fb.Rectangle(width=0.02, height=0.01)),
        (0.2, fb.Tube(outer=0.02, inner=0.01)),
    )
    one = fb.FlexibleBeam(
        "one", 0.5, section=(*tapered, (0.5, fb.Tube(outer=0.01, inner=0.008))), material=STEEL, torsion=True
    )
    two = fb.FlexibleBeam("two", 0.5, ((0.0, 1.0), (0.5, 0.5)), 10.0, stiffening=True, axial=True, axial_rigidity=1e4)
    model = cantilever(one)
    model.connect("one.frame_b", model.add(two).frame_a)
    for suffix in ("yaml", "json"):
        model.save(tmp_path / f"arm.{suffix}")
        assert fb.load(tmp_path / f"arm.{suffix}").blocks == model.blocks
    model = cantilever(replace(two, name="beam", linear_density=lambda x: 1.0 + x))
    with pytest.raises(FlexblocksError, match=r"linear_density = <function .*cannot be written to a file"):
        model.save(tmp_path / "arm.yaml")


def test_another_length_is_refused_along_a_function():
    """A function is evaluated along the length the beam was built with; along another one its values differ."""
    beam = fb.FlexibleBeam("beam", 1.0, lambda x: 0.1 + x, 500.0, fb.FiniteElements(3))
    dae = fb.assemble(cantilever(beam), symbolic=("beam.length", "beam.flexural_rigidity"))
    fb.equilibrium(dae, p={"beam.flexural_rigidity": 100.0, "beam.length": 1.0})
    with pytest.raises(FlexblocksError, match=r"another length than 1 m, and linear_density is a function of x"):
        fb.equilibrium(dae, p={"beam.length": 1.3})


NUMBERS = {"length": 1.0, "linear_density": 1.0, "flexural_rigidity": 1.0}
REFUSED = {
    "nothing": ({"length": 1.0}, "linear_density, flexural_rigidity not given; needs .*, or section and material"),
    "no material": ({"length": 1.0, "section": fb.Tube(outer=0.1)}, "must be given together"),
    "both": (
        NUMBERS | {"section": fb.Tube(outer=0.1), "material": STEEL},
        "section and linear_density, flexural_rigidity",
    ),
    "word": (NUMBERS | {"linear_density": "heavy"}, "linear_density = 'heavy'; must be a number in kg/m"),
    "not a section": ({"length": 1.0, "section": 3.0, "material": STEEL}, "section = 3.0; must be a section, such as"),
    "section as number": (
        NUMBERS | {"linear_density": fb.Tube(outer=0.1)},
        "must be a number in kg/m, a function of x",
    ),
    "short table": (NUMBERS | {"linear_density": [(0.0, 1.0)]}, "needs two points"),
    "not a pair": (NUMBERS | {"linear_density": [(0.0, 1.0), 3.0]}, r"3.0 in the table; must be a pair"),
    "wrong end": (
        NUMBERS | {"linear_density": [(0.0, 1.0), (0.9, 1.0)]},
        "to 0.9 m; must go from 0 to the length, 1 m",
    ),
    "back": (NUMBERS | {"flexural_rigidity": [(0, 1), (0.6, 1), (0.5, 1), (1, 1)]}, "must increase, with at most two"),
    "hinge": (NUMBERS | {"flexural_rigidity": [(0, 1), (0.5, 0), (1, 1)]}, "at x = 0.5 m = 0 N m2; must be > 0"),
    "failing": (NUMBERS | {"load_y": lambda x: {}["mine"]}, "load_y: the function fails at 0 m: KeyError: 'mine'"),
    "negative": (NUMBERS | {"linear_density": lambda x: 0.5 - x}, "at x = 0.5 m = 0 kg/m; must be > 0"),
    "mixed": (
        {
            "length": 1.0,
            "section": [(0, fb.Tube(outer=0.1)), (1, fb.Rectangle(width=0.1, height=0.1))],
            "material": STEEL,
        },
        "Tube at x = 0 m, Rectangle at 1 m; between two points must be sections of one kind",
    ),
    "bad function": ({"length": 1.0, "section": lambda x: x, "material": STEEL}, "section is 0.0 at x = 0 m"),
    "no torsion": (NUMBERS | {"torsion": True}, "torsion = True needs torsional_rigidity, polar_inertia, or section"),
    "no effect": (NUMBERS | {"axial_rigidity": 1.0}, "axial_rigidity has no effect; set axial=True"),
    "not asked": (NUMBERS | {"polar_inertia": 1.0}, "set torsion=True or rotary_inertia=True"),
    "segments": (
        NUMBERS | {"shear": True, "shear_rigidity": 1.0, "discretization": fb.RigidSegments(3)},
        r"RigidSegments\(n=3\), which is not flexible in shear \(can_shear\); take .*fb.FiniteElements",
    ),
    "option": (NUMBERS | {"stiffening": "yes"}, "stiffening = 'yes'; must be True or False"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    values, message = REFUSED[case]
    with pytest.raises(FlexblocksError, match=message):
        fb.FlexibleBeam("beam", **values)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fb.Rectangle(width=0.1, height=-1.0), "Rectangle: height = -1 m; must be > 0"),
        (
            lambda: fb.Tube(outer=0.1, inner=0.2),
            "Tube: inner = 0.2 m, outer = 0.1 m; the inner diameter must be the smaller",
        ),
        (lambda: fb.ISection(height=0.1, width=0.1, web=0.2, flange=0.01), "must be web < width"),
        (
            lambda: fb.Box(height=0.1, width=0.04, wall=0.02),
            "wall = 0.02 m with height = 0.1 m, width = 0.04 m; must leave a hole",
        ),
        (lambda: fb.Tube(outer="0.1"), "Tube: outer = '0.1'; must be a finite number in m.$"),
        (
            lambda: fb.Tube(outer=[(0.0, 0.1), (2.0, 0.05)]),
            r"the section itself varies: section=\[\(0, Tube\(...\)\), ",
        ),
        (lambda: fb.Tube(outer=lambda x: 0.1 - 0.02 * x), r"the section itself varies: section=\[\(0, Tube\(...\)\), "),
        (lambda: fb.Material(7850.0, -1.0), "both must be > 0"),
        (lambda: fb.Material(7850.0, 2.1e11, 0.5), "poissons_ratio = 0.5; must be >= 0 and < 0.5"),
        (lambda: fb.Material(math.nan, 1.0), "Material: density = nan; must be a finite number"),
        (lambda: fb.TipBody(1.0, polar_inertia=-1.0), "TipBody: polar_inertia = -1"),
    ],
)
def test_sections_and_materials_refused(make, message: str) -> None:
    with pytest.raises(FlexblocksError, match=message):
        make()
