"""A concrete pump's boom swings its end hose to another place: four valves, gravity, a four-bar knuckle.

python optim/examples/concrete_pump.py [picture.png]
"""

from __future__ import annotations

import sys
from typing import Literal

import flexblocks as fb
from flexblocks import models, optim, plot


def problem() -> optim.RestToRest:
    """Return the motion, 20 s from rest to rest."""
    start, goal = (0.9, -0.5, -0.6, -0.5), (0.6, -0.2, -0.9, -0.3)
    return optim.RestToRest(
        start={f"joint{i}.angle": angle for i, angle in enumerate(start, 1)},
        goal={f"joint{i}.angle": angle for i, angle in enumerate(goal, 1)},
        duration=20.0,
        objective=optim.Effort(rate_weight=4.0),  # [s2]: of the order of a hundredth of the duration's square
        input_ends="holding",
    )


def main(picture: str | None = None, valves: Literal["servo", "ideal"] = "ideal") -> tuple[optim.Plan, optim.Replay]:
    """Plan, replay, draw; return the plan and its replay."""
    dae = fb.assemble(models.concrete_pump(valves=valves))
    plan = optim.plan(dae, problem(), intervals=40)
    print(plan.summary())
    replay = plan.replay()
    print(f"replayed: the hose misses by {1e3 * replay.tip_miss:.2g} mm")
    if picture:
        plot.save(plot.snapshots(plan, count=6), picture)
    return plan, replay


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
