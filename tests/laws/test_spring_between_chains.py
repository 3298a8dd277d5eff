"""A spring between two chains in space, against MuJoCo: `tests/oracles/references/spring_between_chains.py`."""

from __future__ import annotations

import json

import numpy as np

import flexblocks as fb
from repository import ROOT

REFERENCE = ROOT / "tests" / "oracles" / "references" / "spring_between_chains.json"


def chain(model: fb.Model, name: str, place: fb.Port, axes, rods) -> fb.Port:
    for i, (axis, (length, center, mass, inertia)) in enumerate(zip(axes, rods, strict=True), 1):
        hinge = model.add(fb.Revolute(f"{name}{i}", axis=axis))
        rod = fb.RigidBody(f"{name}_rod{i}", mass, np.diag(inertia), center=(center, 0, 0), reach=(length, 0, 0))
        model.connect(place, hinge.frame_a)
        model.connect(hinge.frame_b, model.add(rod).frame_a)
        place = rod.frame_b
    return place


def test_motion_is_that_of_mujoco():
    told = json.loads(REFERENCE.read_text())
    model = fb.Model("two chains", gravity=(0.0, 0.0, -9.81))
    ground, foot = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("foot", (0.2, 0.9, 0.3)))
    model.connect(ground.frame_b, foot.frame_a)
    rods = [(0.5, 0.25, 1.2, (0.001, 0.025, 0.025)), (0.4, 0.2, 0.8, (0.001, 0.011, 0.011))]
    one = chain(model, "a", ground.frame_b, [(0, 1, 0), (0, 0, 1)], rods)
    rods = [(0.6, 0.3, 1.5, (0.002, 0.045, 0.045)), (0.3, 0.15, 0.5, (0.0005, 0.004, 0.004))]
    end = chain(model, "b", foot.frame_b, [(0, 1, 0), (1, 0, 1)], rods)
    eye = model.add(fb.FixedTransform("eye", (0.0, 0.05, 0.0)))
    spring = model.add(fb.SpringDamper("spring", stiffness=60.0, damping=1.5, free_length=0.35))
    model.connect(end, eye.frame_a)
    model.connect(one, spring.frame_a)
    model.connect(eye.frame_b, spring.frame_b)
    start = {"a1.angle": 0.4, "a2.angle": -0.6, "b1.angle": -0.3, "b2.angle": 0.8}
    run = fb.simulate(fb.assemble(model), np.array(told["t"]), x0=start)
    for name, angles in zip(start, told["angles"], strict=True):
        assert np.ptp(angles) > 0.3
        np.testing.assert_allclose(run[name], angles, atol=1e-6)
    np.testing.assert_allclose(run["spring.length"], told["length"], atol=1e-6)
