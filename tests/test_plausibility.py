"""Angles that may have been intended in degrees, in simulations and equilibria as in plans."""

from __future__ import annotations

import warnings
from functools import cache

import pytest

import flexblocks as fb


@cache
def arm() -> fb.DAE:
    model = fb.Model("arm")
    joint, link = model.add(fb.Revolute("joint")), model.add(fb.RigidLink("link", length=0.5, mass=0.1))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize("angle", [90, -45.0, 180])
def test_angles_in_degrees_are_suspected(angle: float) -> None:
    dae = arm()
    name = dae.q_names[0]
    for call in (
        lambda: fb.simulate(dae, (0.0, 0.01), x0={name: angle}),
        lambda: fb.equilibrium(dae, x={name: angle}),
        lambda: fb.linearize(dae, at={name: angle}),
    ):
        with pytest.warns(fb.errors.FlexblocksWarning, match=r"if it is in degrees, use math.radians"):
            call()


@pytest.mark.parametrize("angle", [1.5707, 12.0, 100.5, 0])
def test_angles_in_radians_are_not(angle: float) -> None:
    dae = arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.simulate(dae, (0.0, 0.01), x0={dae.q_names[0]: angle})
