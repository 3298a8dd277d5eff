"""Beams of pinned modes whose roots cannot turn are reported, with how far they are off, and only these."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import ModelWarning
from flexblocks.validity.held_roots import remarks_on_held_roots

LENGTH, DENSITY, RIGIDITY = 0.7, 2.0, 400.0


def rooted(count: int, *axes: tuple[float, float, float], bending: str = "y", tip: str = "pinned") -> fb.DAE:
    """A beam behind hinges about these axes; without any it is clamped."""
    model = fb.Model("rooted")
    place = model.add(fb.Ground("ground")).frame_b
    for i, axis in enumerate(axes):
        joint = model.add(fb.Revolute(f"joint{i}", axis=axis))
        model.connect(place, joint.frame_a)
        place = joint.frame_b
    discretization = fb.AssumedModes(count, tip=tip)
    beam = fb.FlexibleBeam("beam", LENGTH, DENSITY, RIGIDITY, discretization=discretization, bending=bending)
    hub = fb.Payload("hub", 0.1, inertia=1e-3 * np.eye(3))  # so that hinges about the beam move something
    model.connect(place, model.add(hub).frame_a, model.add(beam).frame_a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return fb.assemble(model)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_the_first_frequency_is_off_by_as_much_as_is_told(count: int) -> None:
    dae = rooted(count)
    (remark,) = remarks_on_held_roots(dae)
    assert f"off by a share of 0.4/{count}." in remark
    first = np.abs(np.linalg.eigvals(fb.linearize(dae).A)).min()
    clamped = 1.8751040687**2 * math.sqrt(RIGIDITY / DENSITY) / LENGTH**2
    assert first / clamped - 1 == pytest.approx(0.4 / count, rel=0.05)


@pytest.mark.parametrize(
    ("axes", "bending", "is_told"),
    [
        ([(0, 0, 1)], "y", False),
        ([(0, 1, 0)], "y", True),
        ([(0, 0, 1)], "yz", True),
        ([(0, 0, 1), (0, 1, 0)], "yz", False),
        ([(0, 0, 1), (1, 0, 0)], "yz", True),
    ],
)
def test_hinges_about_the_axis_of_bending_take_moments_up(
    axes: list[tuple[float, float, float]], bending: str, is_told: bool
) -> None:
    assert bool(list(remarks_on_held_roots(rooted(3, *axes, bending=bending)))) == is_told
    assert not list(remarks_on_held_roots(rooted(3, *axes, bending=bending, tip="auto")))


def test_it_is_told_when_the_arm_is_assembled() -> None:
    model = rooted(3).model
    assert model is not None
    with pytest.warns(ModelWarning, match=r"FlexibleBeam 'beam': AssumedModes\(n=3, tip='pinned'\) has no bending"):
        fb.assemble(model)
