"""A discretisation of one's own and a cross-section of one's own, as docs/ shows them, against closed forms."""

from __future__ import annotations

import re
import sys
import types
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import flexblocks as fb
from flexblocks.beam import DISCRETIZATIONS
from flexblocks.errors import ParameterError
from flexblocks.linear.linear_model import LinearModel
from repository import ROOT


def run(page: str, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Return the module that a page's code makes."""
    module = types.ModuleType(f"page_{page}")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look their module up
    for code in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / f"{page}.md").read_text(), re.S | re.M):
        exec(compile(code, page, "exec"), module.__dict__)
    return module


@pytest.fixture
def polynomials(monkeypatch: pytest.MonkeyPatch) -> Any:
    return run("discretizations", monkeypatch).Polynomials


@pytest.fixture
def ellipse(monkeypatch: pytest.MonkeyPatch) -> Any:
    return run("sections", monkeypatch).Ellipse


def cantilever(*, load: fb.Payload | None = None, **options: Any) -> fb.Model:
    model = fb.Model("cantilever")
    beam = model.add(fb.FlexibleBeam("beam", length=0.8, linear_density=0.5, flexural_rigidity=2.0, **options))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    if load:
        model.connect(beam.frame_b, model.add(load).frame_a)
    return model


def frequencies(model: fb.Model) -> list[float]:
    linear = fb.linearize(fb.assemble(model))
    assert isinstance(linear, LinearModel)
    return [mode.frequency for mode in linear.modes()]


def test_ritz_values_with_a_tip_mass(polynomials):
    """One term, xi^2: omega^2 = 4 / (1/5 + mu) EI/(m l^3), mu the payload over the beam's mass."""
    mass, mu = 0.5 * 0.8, 0.75
    model = cantilever(load=fb.Payload("load", mu * mass), discretization=polynomials(1))
    assert frequencies(model) == pytest.approx([np.sqrt(4 / (1 / 5 + mu) * 2.0 / (mass * 0.8**3))], rel=1e-10)


def test_a_rod_of_powers_is_the_eigenvalue_problem_of_hilbert_matrices(polynomials):
    """xi, xi^2, xi^3 in torsion: integrals i j/(i + j - 1) and 1/(i + j + 1)."""
    options = {"torsion": True, "torsional_rigidity": 3.0, "polar_inertia": 0.02}
    model = cantilever(discretization=polynomials(3), **options)
    i, j = np.meshgrid(np.arange(1, 4), np.arange(1, 4))
    squares = eigh(i * j / (i + j - 1), 1 / (i + j + 1), eigvals_only=True) * 3.0 / (0.02 * 0.8**2)
    bent = frequencies(cantilever(discretization=polynomials(3)))
    assert sorted(frequencies(model)) == pytest.approx(sorted([*bent, *np.sqrt(squares)]), rel=1e-9)


def test_it_bends_in_files_comparisons_and_other_fidelities(polynomials, tmp_path):
    model = cantilever(discretization=polynomials(2), bending="yz", stiffening=True, damping_ratio=0.01)
    model.save(tmp_path / "arm.yaml")
    assert fb.load(tmp_path / "arm.yaml", types=(polynomials,)).blocks == model.blocks
    finer = fb.rediscretize(cantilever(discretization=fb.AssumedModes(1, tip="free")), polynomials(6))
    exact = frequencies(cantilever(discretization=fb.AssumedModes(1, tip="free")))
    assert frequencies(finer)[0] == pytest.approx(exact[0], rel=1e-7)
    found = fb.compare(
        cantilever(discretization=fb.AssumedModes(1, tip="free")),
        {"one": polynomials(1), "two": polynomials(2)},
        t=(0.0, 0.01),
        frequencies=1,
    )
    assert found.table["coordinates"].tolist() == [1, 2]


def test_a_discretisation_that_cannot_shear_refuses_beams_that_do(polynomials):
    options = {"shear": True, "shear_rigidity": 50.0}
    assert not polynomials(2).can_shear
    for kind in (polynomials(2), fb.RigidSegments(3), fb.AssumedModes(2, tip="pinned")):
        with pytest.raises(ParameterError, match=r"shear = True with .*, which is not flexible in shear.*leave it out"):
            cantilever(discretization=kind, **options)
    for kind in (fb.Rigid(), fb.FiniteElements(2), fb.AssumedModes(2, tip="free")):
        cantilever(discretization=kind, **options)


def test_a_discretisation_that_cannot_slide_is_refused_by_a_hub(polynomials):
    with pytest.raises(ParameterError, match="cannot slide through a hub"):
        fb.SlidingBeam("boom", 0.8, 0.5, 2.0, polynomials(1))


@pytest.mark.parametrize("kind", DISCRETIZATIONS, ids=lambda kind: kind.__name__)
def test_shapes_belong_to_coordinates(kind):
    """As many as coordinates; each is zero at the root."""
    one = kind(3) if kind is not fb.Rigid else kind()
    for axis, shapes in (("y", one.shapes(fb.TipBody(0.0))), ("torsion", one.rod_shapes(fb.TipBody(0.0)))):
        assert shapes.size == len(one.coordinates(axis)) == len(shapes.deflection(1.0))
        np.testing.assert_allclose(shapes.deflection(0.0), 0.0, atol=1e-12)


def test_an_ellipse_with_equal_axes_is_a_rod(ellipse):
    mine, rod = ellipse(height=0.03, width=0.03), fb.Tube(outer=0.03)
    for of in (mine, rod):
        assert not of.has_corners
    for quantity in ("area", "torsion_constant", "polar_moment"):
        assert getattr(mine, quantity) == pytest.approx(getattr(rod, quantity), rel=1e-14)
    for axis in "yz":
        assert mine.second_moment(axis) == pytest.approx(rod.second_moment(axis), rel=1e-14)
        assert mine.shear_area(axis, 0.3) == pytest.approx(rod.shear_area(axis, 0.3), rel=1e-14)
    moment = {"y": 3.0, "z": 4.0}
    assert float(mine.bending_stress(moment)) == pytest.approx(float(rod.bending_stress(moment)), rel=1e-14)


def test_the_stress_of_an_ellipse_is_the_largest_on_its_edge(ellipse):
    section, moment = ellipse(height=0.02, width=0.05), {"y": 3.0, "z": -4.0}
    angle = np.linspace(0, 2 * np.pi, 20001)
    y, z = section.extreme_fibre("y") * np.cos(angle), section.extreme_fibre("z") * np.sin(angle)
    on_edge = moment["y"] * y / section.second_moment("y") + moment["z"] * z / section.second_moment("z")
    assert float(section.bending_stress(moment)) == pytest.approx(on_edge.max(), rel=1e-7)


def test_a_tapered_beam_of_ellipses_comes_back_from_its_file(ellipse, tmp_path):
    steel = fb.Material(density=7850.0, youngs_modulus=2.1e11)
    table = [(0.0, ellipse(0.02, 0.05)), (1.0, ellipse(0.01, 0.02))]
    model = fb.Model("blade")
    model.add(fb.FlexibleBeam("blade", 1.0, section=table, material=steel, discretization=fb.FiniteElements(2)))
    model.save(tmp_path / "blade.yaml")
    assert fb.load(tmp_path / "blade.yaml", types=(ellipse,)).blocks == model.blocks
    with pytest.raises(ParameterError, match=r"Ellipse: width = 0 m; must be > 0"):
        ellipse(0.02, 0.0)
