"""A crane slews, luffs and hoists at once, and its load ends without swing.

python optim/examples/hoist_crane.py [picture.png]
"""

from __future__ import annotations

import sys

import flexblocks as fb
from flexblocks import models, optim, plot


def problem() -> optim.RestToRest:
    """Return the motion, 30 s from rest to rest."""
    # Torques of 100 N m and winches at 0.5 m/s do not compare as they are: each input over its own size.
    sizes = {"slewing_motor.torque": 100.0, "luffing_rope.speed": 1.0, "hoist_rope.speed": 1.0}
    return optim.RestToRest(
        start={"slewing.angle": 0.0, "luffing.angle": 0.5, "load_z.displacement": 2.0},
        goal={"slewing.angle": 1.2, "luffing.angle": 0.9, "load_z.displacement": 10.0},
        duration=30.0,
        objective=optim.Effort(rate_weight=4.0, relative_to=sizes),
        limits={"der(luffing_rope.speed)": 1.0, "der(hoist_rope.speed)": 0.5, "der(slewing_motor.torque)": 100.0},
        input_ends="holding",
    )


def main(picture: str | None = None) -> tuple[optim.Plan, optim.Replay]:
    """Plan, replay, draw; return the plan and its replay."""
    dae = fb.assemble(models.hoist_crane())
    plan = optim.plan(dae, problem(), intervals=60)
    print(plan.summary())
    replay = plan.replay()
    misses = replay.arrivals[0].misses
    print(f"replayed: the load misses by {1e3 * misses['load']:.2g} mm, the jib head by {1e3 * misses['head']:.2g} mm")
    if picture:
        plot.save(plot.snapshots(plan, count=5, plane="xyz"), picture)
    return plan, replay


if __name__ == "__main__":
    main(*sys.argv[1:2])
