"""The two-link flexible arm of Subudhi & Morris (2002) moves past a post, its elbow past a block.

python optim/examples/obstacle.py [picture.png]
"""

from __future__ import annotations

import sys

import flexblocks as fb
from flexblocks import models, optim, plot

POST = optim.Sphere(center=(0.40, 0.48), radius=0.06)  # two coordinates: round through all z
BLOCK = optim.Cuboid(low=(0.36, -0.40), high=(0.76, -0.12), rotation=0.2)


def main(picture: str | None = None) -> optim.Plan:
    """Plan, replay, draw; return the plan."""
    dae = fb.assemble(models.subudhi_morris_2002())
    problem = optim.RestToRest(
        start={"joint1.angle": 0.0, "joint2.angle": 0.0},
        goal={"joint1.angle": 1.6, "joint2.angle": 0.5},
        duration=2.0,
        limits={"motor1.torque": 4.0, "motor2.torque": 2.0},
        path=(
            optim.KeepOut(POST, links="link2", stations=4, margin=0.02, name="post"),
            optim.KeepOut(BLOCK, frames="link1", margin=0.02, name="block"),
        ),
    )
    plan = optim.plan(dae, problem, intervals=30, refine=True)
    print(plan.summary())
    print(plan.replay())
    if picture:
        ax = plot.snapshots(plan)
        for region in (POST, BLOCK):
            plot.region(region, ax)
        plot.save(ax, picture)
    return plan


if __name__ == "__main__":
    main(*sys.argv[1:2])
