"""Random arms: the laws of mechanics hold for each."""

from __future__ import annotations

import numpy as np

import flexblocks as fb
from benchmarks.fuzz.outcome import OK, Outcome, wrong


def case(seed: int) -> Outcome:
    """Assemble a random arm and check laws on it."""
    rng = np.random.default_rng(seed)
    model = fb.Model("arm")
    joint, link = model.add(fb.Revolute("joint1")), model.add(fb.RigidLink("link1", rng.uniform(0.1, 1.0), 1.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    dae = fb.assemble(model)
    q, v = rng.normal(size=1), rng.normal(size=1)
    kinetic = float(dae.energy(np.r_[q, v], [])[0])
    expected = v @ dae.mass_matrix(q, []).full() @ v / 2
    return OK if np.isclose(kinetic, expected, rtol=1e-12) else wrong(f"T = {kinetic:g}, v'Mv/2 = {expected:g}")
