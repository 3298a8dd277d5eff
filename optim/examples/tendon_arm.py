"""A surgical arm of two tendons bends by half its length, at a tension that stays in the slack one.

python optim/examples/tendon_arm.py [picture.png]
"""

from __future__ import annotations

import sys

import flexblocks as fb
from flexblocks import models, optim, plot


def problem() -> optim.RestToRest:
    """Return the motion, 2 s from rest to rest."""
    # Two winches, one way to bend: the tension of the lower tendon says how hard both pull.
    return optim.RestToRest(
        start={"tool.y": 0.0, "lower.tension": 2.0},
        goal={"tool.y": 0.1, "lower.tension": 2.0},
        duration=2.0,
        objective=optim.Effort(rate_weight=0.04),
        input_ends="holding",
    )


def main(picture: str | None = None) -> tuple[optim.Plan, optim.Replay]:
    """Plan, replay, draw; return the plan and its replay."""
    dae = fb.assemble(models.tendon_arm())
    plan = optim.plan(dae, problem(), intervals=40)
    print(plan.summary())
    replay = plan.replay()
    print(f"replayed: the tool misses by {1e6 * replay.arrivals[0].misses['tool']:.2g} um")
    if picture:
        plot.save(plot.snapshots(plan, count=5), picture)
    return plan, replay


if __name__ == "__main__":
    main(*sys.argv[1:2])
