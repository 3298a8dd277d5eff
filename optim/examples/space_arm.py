"""A space arm moves its payload, and the spacecraft under it floats back.

python optim/examples/space_arm.py [picture.png]
"""

from __future__ import annotations

import sys

import flexblocks as fb
from flexblocks import models, optim, plot

GOAL = {
    "shoulder_yaw": -0.5,
    "shoulder_pitch": -0.9,
    "elbow_pitch": 1.4,
    "wrist_pitch": -0.5,
    "wrist_yaw": 0.4,
    "wrist_roll": 0.3,
}
DURATION = 40.0  # [s]


def problem(dae: fb.DAE) -> optim.Problem:
    """Return the motion: all joints, from rest to rest; the base is named nowhere and ends where momentum takes it."""
    start = {f"{name}.angle": float(dae.x.start[dae.x.index(f"{name}.angle")]) for name in GOAL}
    goal = {f"{name}.angle": angle for name, angle in GOAL.items()}
    return optim.Problem(
        start=start,
        phases=[optim.Phase("move", goal, DURATION)],
        objective=optim.Effort(rate_weight=16.0),
        # 2.5 times the mean rate: a quintic needs 1.9 times. Without limits the optimum spins the arm round.
        limits={f"der({name})": 2.5 * abs(goal[name] - start[name]) / DURATION for name in goal},
        input_ends="holding",
    )


def main(picture: str | None = None) -> tuple[optim.Plan, optim.Replay]:
    """Plan, replay, draw; return the plan and its replay."""
    dae = fb.assemble(models.space_arm())
    plan = optim.plan(dae, problem(dae), intervals=20)
    print(plan.summary())
    replay = plan.replay()
    print(f"replayed: the payload misses by {1e3 * replay.tip_miss:.2g} mm; {replay.energy_left:.2g} J left")
    moved = [plan.trajectory[f"base.displacement_{axis}"][-1] for axis in "xyz"]
    print("the spacecraft moved by", ", ".join(f"{1e3 * value:.0f} mm" for value in moved))
    if picture:
        plot.save(plot.snapshots(plan, count=5, plane="xyz"), picture)
    return plan, replay


if __name__ == "__main__":
    main(*sys.argv[1:2])
