"""Loops that are closed in single postures only are refused: to first order alone they seem to move."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import ModelError

LENGTH, DENSITY, RIGIDITY = 2.0, 1.0, 200.0


def pinned_at_both_ends(**beam: object) -> fb.Model:
    """Return a beam between two pins that stand still."""
    model = fb.Model("bridge", gravity=(0.0, -9.81, 0.0))
    bar = model.add(fb.FlexibleBeam("bar", LENGTH, DENSITY, RIGIDITY, **beam))
    ground, foot = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("foot", (LENGTH, 0.0, 0.0)))
    model.connect(ground.frame_b, foot.frame_a)
    for i, (place, end) in enumerate(((ground.frame_b, bar.frame_a), (foot.frame_b, bar.frame_b))):
        pin = model.add(fb.Revolute(f"pin{i}"))
        model.connect(place, pin.frame_a)
        model.connect(pin.frame_b, end)
    return model


@pytest.mark.parametrize("kind", [fb.FiniteElements(1), fb.StrainModes(2)])
def test_a_straight_beam_that_keeps_its_length_between_two_pins(kind: object) -> None:
    """Bent, its ends come nearer: it cannot bend at all. Simulations bent it, with the pin off its place."""
    with pytest.raises(ModelError, match=r"to first order only: once moved by 0.01, .* let that stretch \(axial=True"):
        fb.assemble(pinned_at_both_ends(discretization=kind))


def test_what_can_bend_between_two_pins_is_not_refused() -> None:
    """Modes of a beam with pinned ends have these on its axis: the lowest frequency is Rayleigh's."""
    dae = fb.assemble(pinned_at_both_ends(discretization=fb.AssumedModes(1, tip="pinned")))
    lowest = np.min(np.abs(np.linalg.eigvals(fb.linearize(dae).A)))
    assert lowest == pytest.approx((np.pi / LENGTH) ** 2 * np.sqrt(RIGIDITY / DENSITY), rel=1e-9)
    assert len(fb.assemble(pinned_at_both_ends(discretization=fb.FiniteElements(1), axial=True, axial_rigidity=1e6)).x)


def test_two_links_in_line_between_two_pins() -> None:
    model = fb.Model("toggle", gravity=(0.0, -9.81, 0.0))
    place = ground = model.add(fb.Ground("ground")).frame_b
    for i in range(2):
        pin, link = model.add(fb.Revolute(f"pin{i}")), model.add(fb.RigidLink(f"link{i}", 1.0, 1.0))
        model.connect(place, pin.frame_a)
        model.connect(pin.frame_b, link.frame_a)
        place = link.frame_b
    foot, last = model.add(fb.FixedTransform("foot", (2.0, 0.0, 0.0))), model.add(fb.Revolute("last"))
    model.connect(ground, foot.frame_a)
    model.connect(foot.frame_b, last.frame_a)
    model.connect(last.frame_b, place)
    with pytest.raises(ModelError, match=r"pin0\.angle, pin1\.angle"):
        fb.assemble(model)
