"""Three flexible links bring the tip to a place; in which posture they rest there is optimised with the motion.

python optim/examples/tip_goal.py [picture.png]
"""

from __future__ import annotations

import sys

import flexblocks as fb
from flexblocks import models, optim, plot


def main(picture: str | None = None) -> optim.Plan:
    """Plan, replay, draw; return the plan."""
    dae = fb.assemble(models.subudhi_morris_2002(links=3))
    problem = optim.RestToRest(
        start={"joint1.angle": 0.0, "joint2.angle": 0.3, "joint3.angle": 0.3},
        goal={"payload.x": 0.2, "payload.y": 0.9},
        duration=2.0,
        input_ends="holding",
    )
    plan = optim.plan(dae, problem, intervals=20, refine=True)
    print(plan.summary())
    print(plan.replay())
    if picture:
        plot.save(plot.snapshots(plan), picture)
    return plan


if __name__ == "__main__":
    main(*sys.argv[1:2])
