"""What a call of a beam or a section says by itself: sizes by name, and what is meant by default."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import ArgumentError


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: fb.Rectangle(0.1, 0.02), "Rectangle(0.1, 0.02): say which is which: Rectangle(width=..., height=...)"),
        (lambda: fb.Box(0.1, 0.05, wall=1e-3), "Box(0.1, 0.05): say which is which: Box(height=..."),
        (lambda: fb.Tube(0.1), "Tube(outer=..., inner=...)"),
        (lambda: fb.ISection(0.1, 0.05, 4e-3, 5e-3), "ISection(height=..., width=..., web=..., flange=...)"),
    ],
)  # fmt: skip
def test_sizes_of_sections_are_given_by_name(call, advice: str) -> None:
    with pytest.raises(ArgumentError) as refusal:
        call()
    assert advice in str(refusal.value)


def test_modes_are_by_default_those_with_what_the_beam_carries() -> None:
    assert fb.AssumedModes(2) == fb.AssumedModes(2, tip="auto")
    model = fb.Model("cantilever")
    beam = model.add(fb.FlexibleBeam("beam", 0.5, 0.2, 1.0, fb.AssumedModes(1)))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.Payload("load", 1.0, inertia=0.0)).frame_a)
    (frequency,) = (mode.frequency for mode in fb.linearize(fb.assemble(model)).modes())
    # Rayleigh: 3 EI / l^3 on the load and 33/140 of the beam, to a thousandth.
    assert frequency == pytest.approx(np.sqrt(3 * 1.0 / 0.5**3 / (1.0 + 33 / 140 * 0.1)), rel=1e-3)
