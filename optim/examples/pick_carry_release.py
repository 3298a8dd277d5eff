"""Pick up a load, carry it, put it down: three phases, in each another payload, planned at once.

python optim/examples/pick_carry_release.py [picture.png]
"""

from __future__ import annotations

import math
import sys

import flexblocks as fb
from flexblocks import models, optim, plot

HOME = {"joint1.angle": 0.0, "joint2.angle": 0.0}
SHELF = {"joint1.angle": 0.9, "joint2.angle": 0.5}
BENCH = {"joint1.angle": -0.6, "joint2.angle": 0.9}
EMPTY, LOADED = {"payload.mass": 0.0}, {"payload.mass": 0.2}  # kg


def problem() -> optim.Problem:
    """Return the problem; at the shelf and at the bench the arm stands still, so no momentum is lost."""
    return optim.Problem(
        start=HOME,
        phases=(
            optim.Phase("reach", SHELF, 1.2, p=EMPTY),
            optim.Phase("carry", BENCH, 2.0, p=LOADED, limits={"der(joint1.angle)": math.pi / 2}),
            optim.Phase("return", HOME, 1.5, p=EMPTY),
        ),
        limits={"motor1.torque": 4.0, "motor2.torque": 2.0},
        input_ends="holding",
    )


def main(picture: str | None = None) -> optim.Plan:
    """Run the example and return the plan."""
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    # In open loop errors add up from phase to phase: on 40 intervals each they make 1.9 mm.
    plan = optim.plan(dae, problem(), intervals=40, refine=True)
    print(plan.summary())
    for arrival in plan.replay().arrivals:
        print(f"{arrival.phase}: {1e3 * arrival.misses['payload']:.2f} mm off, {arrival.energy_left:.1e} J left")
    if picture:
        ax, *_ = axes = plot.stacked(
            plan.trajectory,
            [("joint1.angle", "joint2.angle"), ("motor1.torque", "motor2.torque"), ("link2.tip_deflection_y",)],
        )
        for name, (begin, end) in plan.phases.items():
            ax.text((begin + end) / 2, 1.03, name, transform=ax.get_xaxis_transform(), ha="center")
        for each in axes:
            for begin, _ in list(plan.phases.values())[1:]:
                each.axvline(begin, color="0.6", linewidth=0.8)
        plot.save(ax, picture)
    return plan


if __name__ == "__main__":
    main(*sys.argv[1:2])
