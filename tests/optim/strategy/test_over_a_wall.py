"""A gantry crane lifts a load over a wall: obstacles in the way of what hangs on a rope."""

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim


@cache
def gantry() -> fb.DAE:
    """Return a trolley of 200 kg with a winch, from which 500 kg hang on a steel rope."""
    model = fb.Model("gantry", gravity=(0.0, -9.81, 0.0))
    ground, trolley = (
        model.add(fb.Ground("ground")),
        model.add(fb.Prismatic("trolley", axis=(1.0, 0.0, 0.0), damping=50.0)),
    )
    cart, drive = model.add(fb.LumpedMass("cart", 200.0)), model.add(fb.ForceSource("drive", limit=2000.0))
    across = model.add(fb.Prismatic("across", axis=(1.0, 0.0, 0.0)))
    up = model.add(fb.Prismatic("up", axis=(0.0, 1.0, 0.0), start=-5.0))
    load, rope = (
        model.add(fb.Payload("load", mass=500.0)),
        model.add(fb.Cable("rope", 5.0, 2e6, damping_time=2e-3, winch=True, limit=1.0)),
    )
    for one, other in (
        (ground.frame_b, trolley.frame_a), (trolley.frame_b, cart.frame_a), (drive.flange_b, trolley.axis),
        (ground.frame_b, across.frame_a), (across.frame_b, up.frame_a), (up.frame_b, load.frame_a),
        (trolley.frame_b, rope.frame_a), (up.frame_b, rope.frame_b),
    ):  # fmt: skip
        model.connect(one, other)
    return fb.assemble(model)


@pytest.mark.slow
def test_a_load_is_lifted_over_a_wall():
    """From within a wall all ways out are as long; the detour over it hangs on a rope of the right length."""
    region = optim.Capsule((2.0, -9.0), (2.0, -4.5), 0.5)
    problem = optim.RestToRest(
        {"trolley.displacement": 0.0, "up.displacement": -5.0},
        {"trolley.displacement": 4.0, "up.displacement": -5.0},
        8.0,
        objective=optim.Effort(0.1, {"drive.force": 1000.0, "rope.speed": 1.0}),
        limits={"der(rope.speed)": 1.0, "der(drive.force)": 5000.0},
        path=optim.KeepOut(region, frames="load"),
        input_ends="holding",
    )
    plan = optim.plan(gantry(), problem, intervals=50)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) < 250  # 3300 to 3500 before
    x, y = plan.trajectory["load.x"], plan.trajectory["load.y"]
    assert np.interp(2.0, x, y) > -4.01
