"""What is said as an arm is assembled, or a material made: each once, with what to do, and only if it matters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexblocks as fb
from arms.fidelities import cantilever
from flexblocks.errors import FlexblocksWarning


def hinged(beam: fb.Block, *loads: fb.Block, rotor: float = 0.0) -> fb.Model:
    model = fb.Model("hinged")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    model.add(beam)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    if rotor:
        model.connect(model.add(fb.Rotor("rotor", rotor)).flange_b, joint.axis)
    for load in loads:
        model.connect(beam.frame_b, model.add(load).frame_a)
    return model


def said(act: Callable[[], object], match: str) -> str:
    with pytest.warns(FlexblocksWarning, match=match) as seen:
        act()
    assert len(seen) == 1
    assert seen[0].filename == __file__
    return str(seen[0].message)


def beam(kind=None, **options: object) -> fb.FlexibleBeam:
    return fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, **({} if kind is None else {"discretization": kind}), **options)


def test_a_beam_is_not_rigid_silently(tmp_path) -> None:
    said(lambda: fb.assemble(hinged(beam())), "'beam' has no discretisation, so it does not bend")
    said(lambda: fb.assemble(hinged(fb.SlidingBeam("beam", 1.0, 1.0, 1.0))), "no discretisation")
    fb.assemble(hinged(beam(fb.Rigid())))
    # Files keep what was said, and what was not.
    hinged(beam(fb.Rigid())).save(tmp_path / "said.yaml")
    fb.assemble(fb.load(tmp_path / "said.yaml"))
    hinged(beam()).save(tmp_path / "not.yaml")
    said(lambda: fb.assemble(fb.load(tmp_path / "not.yaml")), "no discretisation")


def test_modes_of_a_free_tip_under_a_body_with_inertia() -> None:
    """The second frequency against that of modes made for the body, by linear models of both arms."""
    load = fb.Payload("load", 1.0, 0.2)
    message = said(lambda: fb.assemble(cantilever(beam(fb.AssumedModes(2, tip="free")), load)), "modes of a free tip")
    suited = fb.linearize(fb.assemble(cantilever(beam(fb.AssumedModes(2, tip="auto")), load))).modes()
    with pytest.warns(FlexblocksWarning):
        free = fb.linearize(fb.assemble(cantilever(beam(fb.AssumedModes(2, tip="free")), load))).modes()
    off = max(b.frequency for b in free) / max(a.frequency for a in suited) - 1
    assert off > 0.4
    assert f"frequency 2 of the clamped beam is off by {100 * off:.0f} %" in message
    # A mass alone, or what turns against the beam, does not need another shape.
    fb.assemble(cantilever(beam(fb.AssumedModes(2, tip="free")), fb.LumpedMass("mass", 3.0)))
    fb.assemble(cantilever(beam(fb.FiniteElements(2)), load))


def test_damping_of_clamped_modes_in_an_arm_that_gives_way() -> None:
    """On a hinge 2 % become 5 % and more; with a rotor that keeps the root nearly still they stay."""
    damped = beam(fb.AssumedModes(3, tip="free"), damping_ratio=0.02)
    message = said(lambda: fb.assemble(hinged(damped)), "damping_ratio = 0.02 of FlexibleBeam 'beam'")
    with pytest.warns(FlexblocksWarning):
        modes = fb.linearize(fb.assemble(hinged(damped))).modes()
    first = min((mode for mode in modes if mode.frequency > 1e-3), key=lambda mode: mode.frequency)
    assert f"modes have {100 * first.damping_ratio:.2g} %" in message
    assert first.damping_ratio > 0.05
    fb.assemble(hinged(damped, rotor=1.0))
    fb.assemble(cantilever(damped))


@pytest.mark.parametrize(
    ("material", "match"),
    [
        ((7850.0, 210.0), r"210 GPa is youngs_modulus=210e9"),
        ((7850.0, 2.1e5), r"210000 MPa \(N/mm2\) is youngs_modulus=210000e6"),
        ((7.85, 2.1e11), r"7.85 g/cm3 is density=7850"),
    ],
)
def test_a_material_in_other_units(material: tuple[float, float], match: str) -> None:
    said(lambda: fb.Material(*material), match)


@pytest.mark.parametrize(
    "material",
    [(7850.0, 2.1e11), (1070.0, 6e4), (1100.0, 1e6), (2500.0, 4e6), (160.0, 3e9), (30.0, 1e7), (19300.0, 4.1e11)],
    ids=["steel", "soft silicone", "rubber", "filled rubber", "balsa", "foam", "tungsten"],
)
def test_materials_that_there_are(material: tuple[float, float]) -> None:
    assert np.isfinite(fb.Material(*material).shear_modulus)
