"""A bridge crane whose load hangs on four ropes with winches of their own: it keeps its attitude as it is moved."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
LEVEL = {f"load.rotation_{axis}": 0.0 for axis in "xyz"}
START = {"bridge.displacement": 0.0, "trolley.displacement": 0.0, "load.displacement_z": -6.0} | LEVEL
GOAL = {"bridge.displacement": 5.0, "trolley.displacement": 3.0, "load.displacement_z": -5.0} | LEVEL


@cache
def crane() -> fb.DAE:
    """Return 4 t on four steel ropes under a trolley of 0.8 t on a bridge of 2 t."""
    model = fb.Model("bridge crane", gravity=(0.0, 0.0, -9.81))
    ground = model.add(fb.Ground("ground"))
    place = ground.frame_b
    for name, axis, mass, limit in (("bridge", (1, 0, 0), 2000.0, 3e4), ("trolley", (0, 1, 0), 800.0, 2e4)):
        slide, drive = (
            model.add(fb.Prismatic(name, axis=axis, damping=50.0)),
            model.add(fb.ForceSource(f"{name}_drive", limit)),
        )
        model.connect(place, slide.frame_a)
        model.connect(drive.flange_b, slide.axis)
        model.connect(slide.frame_b, model.add(fb.LumpedMass(f"{name}_mass", mass)).frame_a)
        place = slide.frame_b
    load = model.add(fb.FreeMotion("load", position=(0.0, 0.0, -6.0)))
    model.connect(ground.frame_b, load.frame_a)
    model.connect(load.frame_b, model.add(fb.RigidBody("box", 4000.0, np.diag([3e3, 3e3, 4e3]))).frame_a)
    for i, (x, y) in enumerate(CORNERS):
        above = model.add(fb.FixedTransform(f"above{i}", (1.2 * x, 0.8 * y, 0.0)))
        below = model.add(fb.FixedTransform(f"below{i}", (1.0 * x, 0.6 * y, 0.5)))
        rope = model.add(fb.Cable(f"rope{i}", 5.5, 4e6, damping_time=1e-2, winch=True))
        model.connect(place, above.frame_a)
        model.connect(load.frame_b, below.frame_a)
        model.connect(above.frame_b, rope.frame_a)
        model.connect(below.frame_b, rope.frame_b)
    return fb.assemble(model)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*too coarse")
def test_a_load_on_four_ropes_is_carried_and_lifted() -> None:
    limits = {f"rope{i}.speed": 0.5 for i in range(4)}
    plan = optim.plan(crane(), optim.RestToRest(START, GOAL, 10.0, limits=limits, input_ends="holding"), intervals=30)
    assert plan.status == "converged"
    assert sum(attempt.iterations or 0 for attempt in plan.attempts) < 3 * 110
    replay = plan.replay()
    assert replay.tip_miss < 0.02
    for axis in "xyz":
        assert np.abs(replay.trajectory[f"load.rotation_{axis}"][-1]) < 5e-3
