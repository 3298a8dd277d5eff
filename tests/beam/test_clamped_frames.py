"""Beams in loops without a joint that moves the cut: clamped frames of any size, against closed forms."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.beam.discretization import Discretization

RIGIDITY, DENSITY = 400.0, 2.0  # EI [N m2], rho A [kg/m] of a beam of 1 m


@cache
def held_beam(size: float, discretization: Discretization, pinned: bool) -> fb.DAE:
    """A beam clamped at the left and clamped or pinned at the right; lengths go with the size, masses with its cube."""
    model = fb.Model("held", gravity=(0.0, -9.81, 0.0))
    ground, end = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("end", (size, 0.0, 0.0)))
    beam = model.add(
        fb.FlexibleBeam(
            "beam", size, linear_density=DENSITY * size**2, flexural_rigidity=RIGIDITY * size**5,
            discretization=discretization, axial=True, axial_rigidity=1e7 * size**3,
        )
    )  # fmt: skip
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(ground.frame_b, end.frame_a)
    held = end
    if pinned:
        held = model.add(fb.Revolute("pin"))
        model.connect(end.frame_b, held.frame_a)
    model.connect(held.frame_b, beam.frame_b)
    return fb.assemble(model)


@pytest.mark.parametrize(
    ("size", "pinned", "discretization"),
    [(0.02, False, fb.StrainModes(4)), (0.02, True, fb.FiniteElements(3)), (20.0, True, fb.FiniteElements(3))],
    ids=str,
)
def test_a_beam_held_at_both_ends(size: float, pinned: bool, discretization: Discretization) -> None:
    """w L^4 / 384 EI in the middle, 192 with a pin, and (k L)^2 sqrt(EI/(rho A L^4)); higher strains move no end."""
    dae = held_beam(size, discretization, pinned)
    assert dae.closed_start is not None
    assert not dae.closed_start.strain_energy
    middle = f"beam.station({size / 2}).y"
    rest = fb.equilibrium(dae.with_outputs((middle,)))
    sag = 9.81 * DENSITY / RIGIDITY / (192 if pinned else 384)
    assert rest[middle] / size == pytest.approx(-sag, rel=2e-2)
    modes = fb.linearize(dae, fb.equilibrium(dae)).modes()
    first = (3.92660 if pinned else 4.73004) ** 2 * np.sqrt(RIGIDITY / DENSITY / size)
    assert modes[0].frequency == pytest.approx(first, rel=2e-2)
    fb.simulate(dae, (0.0, 1e-3))


@pytest.mark.parametrize(("size", "count"), [(20.0, 3), (0.02, 4)])
def test_sway_of_a_portal_with_clamped_columns(size: float, count: int) -> None:
    """Two light columns guide a heavy beam: 24 EI / h^3 on its mass."""
    height, mass, rigidity = 2.0 * size, 50.0 * size**3, 1e3 * size**5
    model = fb.Model("portal", gravity=(0.0, 0.0, 0.0))
    ground, top = model.add(fb.Ground("ground")), fb.RigidLink("top", 1.5 * size, mass)
    tops = []
    for i in range(2):
        up = model.add(fb.FixedTransform(f"up{i}", (1.5 * size * i, 0.0, 0.0), rotation=(0.0, 0.0, np.pi / 2)))
        column = model.add(
            fb.FlexibleBeam(f"column{i}", height, 1e-4 * size**2, rigidity, discretization=fb.StrainModes(count))
        )
        level = model.add(fb.FixedTransform(f"level{i}", rotation=(0.0, 0.0, -np.pi / 2)))
        model.connect(ground.frame_b, up.frame_a)
        model.connect(up.frame_b, column.frame_a)
        model.connect(column.frame_b, level.frame_a)
        tops.append(level)
    model.add(top)
    model.connect(tops[0].frame_b, top.frame_a)
    model.connect(top.frame_b, tops[1].frame_b)
    dae = fb.assemble(model)
    sway = fb.linearize(dae, fb.equilibrium(dae)).modes()[0].frequency
    assert sway == pytest.approx(np.sqrt(24 * rigidity / height**3 / mass), rel=1e-4)
