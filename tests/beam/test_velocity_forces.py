"""Velocity forces that beams state, by the acceleration of their points, against those derived from their energy."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks.dynamics.evaluation.evaluate import block_terms
from flexblocks.interfaces import Carried

TIP = np.diag([0.01, 0.02, 0.02, 0.3, 0.3, 0.3])
SECTIONS = {"rotary_inertia": True, "section_inertia": 2e-3, "section_inertia_z": 3e-3}
TWISTING = {"torsion": True, "torsional_rigidity": 20.0, "polar_inertia": 4e-3}


def beam(discretization: fb.Discretization, **options: object) -> fb.FlexibleBeam:
    return fb.FlexibleBeam("beam", 0.8, 1.3, 50.0, discretization, "yz", **options)


def sliding(discretization: fb.Discretization, **options: object) -> fb.SlidingBeam:
    return fb.SlidingBeam("beam", 1.3, 0.4, 900.0, discretization, **{"bending": "yz", "start": 0.7, **options})


@pytest.mark.parametrize(
    "block",
    [
        beam(fb.AssumedModes(2, tip=fb.TipBody(0.3))),
        beam(fb.FiniteElements(2), **SECTIONS, **TWISTING),
        beam(fb.FiniteElements(1), flexural_rigidity_z=lambda x: 90.0 - 40 * x, axial=True, axial_rigidity=1e4),
        beam(fb.AssumedModes(2, tip=fb.TipBody(0.3)), flexural_rigidity_z=lambda x: 90.0 + 9 * x),
        sliding(fb.FiniteElements(2)),
        sliding(fb.FiniteElements(1), bending="z"),
        sliding(fb.AssumedModes(2, tip=fb.TipBody(0.3))),
        sliding(fb.AssumedModes(2, tip=fb.TipBody(0.3, 0.01)), shapes="ode"),
        sliding(fb.AssumedModes(1, tip=fb.TipBody(0.3)), shapes="algebraic", bending="y"),
    ],
    ids=lambda block: f"{type(block).__name__}-{type(block.discretization).__name__}",
)
def test_stated_forces_are_those_of_the_kinetic_energy(block: fb.FlexibleBeam | fb.SlidingBeam) -> None:
    """Hamel's equations of the energy, differentiated: another way, that shares nothing but the shapes' integrals."""
    terms = block_terms(block, ("frame_b",), True, Carried({"frame_b": TIP}), ca.SX(0, 1))
    assert terms.physics.velocity_forces is not None
    derived = replace(terms, physics=replace(terms.physics, velocity_forces=None))
    symbols = [terms.inlet.omega, terms.symbols.q, terms.symbols.s, terms.p]
    numbers = np.random.default_rng(0)
    q, c = terms.reference(np.zeros(0))
    values = numbers.normal(size=3), q + 0.1 * numbers.normal(size=q.shape), numbers.normal(size=q.shape), c
    assert len(values) == len(symbols)
    stated, expected = (np.concatenate([f.full().ravel() for f in each.bias(*values)]) for each in (terms, derived))
    np.testing.assert_allclose(stated, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_forces_without_the_energy_are_refused() -> None:
    """Of a block of one's own."""

    class Light(fb.FlexibleBeam):
        def physics(self, frame, local):
            physics = super().physics(frame, local)
            forces = physics.velocity_forces
            assert forces is not None
            return replace(physics, velocity_forces=forces * ca.vertcat(0.5, ca.SX.ones(forces.shape[0] - 1)))

    model = fb.Model("arm")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    light = model.add(Light("light", 0.8, 1.3, 50.0, fb.AssumedModes(1, tip="free"), "yz"))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, light.frame_a)
    with pytest.raises(fb.FlexblocksError, match="inertia or velocity forces that are not those of its"):
        fb.assemble(model)
