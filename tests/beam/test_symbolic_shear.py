"""Symbolic parameters of beams that shear: the arm assembled anew with their values, or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.fidelities import cantilever
from flexblocks.beam.discretization import Discretization
from flexblocks.errors import ParameterError

SHEARING = ("length", "linear_density", "flexural_rigidity", "shear_rigidity")
FUNCTIONS = (lambda x: 1.0, lambda x: x * x)
KINDS = (
    fb.FiniteElements(1),
    fb.FiniteElements(3),
    fb.StrainModes(2),
    fb.StrainModes(1, breaks=(0.4,)),
    fb.StrainModes(2, functions=FUNCTIONS),
)


def arm(beam: fb.FlexibleBeam | fb.SlidingBeam) -> fb.Model:
    load = fb.Payload("load", 0.3, (0.0, 0.02, 0.02), center=(0.05, 0.0, 0.0))
    return cantilever(beam, load, gravity=(0.5, -9.81, 3.0))


def answers(dae: fb.DAE, values: dict[str, float] | None = None) -> np.ndarray:
    """Return the frequencies [rad/s] of an arm that hangs, and where its load is [m]."""
    point = fb.equilibrium(dae, p=values)
    lin = fb.linearize(dae, point)
    frequencies = np.sort(np.linalg.eigvals(np.linalg.solve(lin.E, lin.A)).imag)[len(dae.q_names) :]
    place = dae.output(point.x, point.u, point.p).full()[[dae.y.index(f"load.{axis}") for axis in "xyz"], 0]
    return np.concatenate([frequencies, place])


def check(beam: fb.FlexibleBeam, factors: dict[str, float]) -> None:
    """Compare values of symbols with the arm of these values."""
    values = {name: factor * getattr(beam, name) for name, factor in factors.items()}
    named = {f"beam.{name}": value for name, value in values.items()}
    symbolic = answers(fb.assemble(arm(beam), symbolic=tuple(named)), named)
    np.testing.assert_allclose(symbolic, answers(fb.assemble(arm(replace(beam, **values)))), rtol=1e-9, atol=1e-12)


FACTOR = st.floats(0.5, 2.0)


@settings(max_examples=5, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(("y", "z", "yz")),
    st.dictionaries(st.sampled_from(SHEARING), FACTOR, min_size=1),
    st.sampled_from(
        (
            {},
            {"stiffening": True},
            {"rotary_inertia": True, "section_inertia": 2e-3},
            {"torsion": True, "torsional_rigidity": 30.0, "polar_inertia": 2e-3, "flexural_rigidity_z": 20.0},
        )
    ),
    st.floats(1e-3, 0.2),
)
def test_values_of_symbols_are_those_of_the_arm_assembled_anew(
    kind: Discretization, bending: str, factors: dict[str, float], options: dict, softness: float
) -> None:
    """Softness is EI/(kappa G A l^2)."""
    shears = {"shear": True, "shear_rigidity": 50.0 / 0.64 / softness}
    check(fb.FlexibleBeam("beam", 0.8, 1.0, 50.0, kind, bending, **shears, **options), factors)


@pytest.mark.parametrize("kind", [fb.FiniteElements(4), fb.StrainModes(3)], ids=repr)
def test_elements_of_a_stepped_beam_follow_each_its_own_rigidity(kind: Discretization) -> None:
    table = [(0.0, 60.0), (0.4, 40.0), (0.4, 30.0), (0.8, 10.0)]
    check(
        fb.FlexibleBeam("beam", 0.8, 1.0, table, kind, shear=True, shear_rigidity=800.0), {"shear_rigidity": 0.4}
    )  # a length that went with the table would be another one


@pytest.mark.parametrize("name", ["length", "flexural_rigidity", "shear_rigidity", "linear_density"])
@pytest.mark.parametrize("kind", [fb.AssumedModes(2, tip="auto"), fb.StrainModes(2, functions="modes")], ids=repr)
def test_modes_that_shear_are_made_for_numbers(kind: Discretization, name: str) -> None:
    beam = fb.FlexibleBeam("beam", 0.8, 1.0, 50.0, kind, shear=True, shear_rigidity=800.0)
    with pytest.raises(ParameterError, match=rf"'beam\.{name}'.*made for its number; take fb\.FiniteElements"):
        fb.assemble(arm(beam), symbolic=(f"beam.{name}",))
    # What no shape depends on may stay a symbol, and without shear everything may.
    assert "beam.damping_ratio" in fb.assemble(arm(beam), symbolic="all").p.names
    slender = replace(beam, shear=False, shear_rigidity=None)
    if name != "shear_rigidity":
        fb.assemble(arm(slender), symbolic=(f"beam.{name}",))


def test_modes_of_a_beam_that_slides_are_made_for_numbers_unless_they_follow() -> None:
    fixed = fb.SlidingBeam(
        "beam", 1.0, 0.5, 20.0, fb.AssumedModes(1, tip="auto"), start=0.6, shear=True, shear_rigidity=300.0
    )
    for name in ("flexural_rigidity", "shear_rigidity", "linear_density"):
        with pytest.raises(ParameterError, match=r"made for its number; take fb\.FiniteElements"):
            fb.assemble(arm(fixed), symbolic=(f"beam.{name}",))
    for other in (replace(fixed, shapes="ode"), replace(fixed, discretization=fb.FiniteElements(2))):
        named, held = {"beam.shear_rigidity": 150.0}, {"beam.displacement": 0.6}
        anew = fb.assemble(arm(replace(other, shear_rigidity=150.0)), locked=held)
        symbolic = answers(fb.assemble(arm(other), symbolic=tuple(named), locked=held), named)
        np.testing.assert_allclose(symbolic, answers(anew), rtol=1e-9, atol=1e-12)
