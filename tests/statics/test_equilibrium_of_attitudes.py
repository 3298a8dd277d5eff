"""Equilibria of joints that turn in all ways: their coordinates have two charts, and a search may end in either."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.statics.equilibrium import NoEquilibriumError


# In these the search turned a joint all the way, to infinite coordinates, and refused what it had reached.
@pytest.mark.filterwarnings("ignore:equilibrium. there are many equilibria")  # each rod turns about itself
@pytest.mark.parametrize("seed", [14, 16, 50, 56])
def test_chain_of_two_rods_on_ball_joints_hangs_or_stands(seed: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(seed + 1):
        gravity = 10.0 * rng.normal(size=3)
        turns = [3.0 * v / np.linalg.norm(v) for v in rng.normal(size=(2, 3))]
    model = fb.Model("chain", tuple(gravity))
    place = model.add(fb.Ground("ground")).frame_b
    for i, turn in enumerate(turns):
        for block in (
            fb.Spherical(f"joint{i}", orientation=tuple(turn)),
            fb.RigidLink(f"rod{i}", 1.0, 1.0, np.diag([0.1, 0.2, 0.25])),
        ):
            model.connect(place, model.add(block).frame_a)
            place = block.frame_b
    model.connect(place, model.add(fb.LumpedMass("end", 0.1)).frame_a)
    dae = fb.assemble(model)
    point = fb.equilibrium(dae)
    y = dict(zip(dae.y.names, dae.output(point.x, [], []).full().ravel(), strict=True))
    down = gravity / np.linalg.norm(gravity)
    end = np.array([y[f"end.{axis}"] for axis in "xyz"])
    np.testing.assert_allclose(end - (end @ down) * down, 0.0, atol=1e-9)
    assert np.min(np.abs(end @ down - [-2.0, 0.0, 2.0])) < 1e-9
    assert np.max(np.linalg.norm(point.x[:6].reshape(2, 3), axis=1)) < 6.0 + 1e-9  # 225 degrees, the charts' border


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.3, 2.0, 1.0)])
def test_arm_that_a_load_drives_round_a_ball_joint_has_no_equilibrium(turn: tuple[float, float, float]) -> None:
    """At the end of a chart, 1e5 and more, no moment is felt in its coordinates: the search took that for balance."""
    model = fb.Model("paddle")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Spherical("joint", orientation=turn))
    paddle = model.add(
        fb.FlexibleBeam(
            "paddle",
            length=0.7,
            linear_density=6.0,
            flexural_rigidity=150.0,
            discretization=fb.RigidSegments(1),
            bending="z",
            load_z=0.5,
        )
    )
    body = model.add(fb.Payload("body", mass=0.25, inertia=np.diag([0.6, 0.4, 0.5]), center=(0.1, -0.1, 0.6)))
    tip = model.add(fb.LumpedMass("tip", 0.8))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, paddle.frame_a, body.frame_a)
    model.connect(paddle.frame_b, tip.frame_a)
    with pytest.raises(NoEquilibriumError, match=r"0\.(0[5-9]|1)\d* N m at 'joint.rotation_"):
        fb.equilibrium(fb.assemble(model))
