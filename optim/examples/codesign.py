"""Choose the stiffness of the joints together with the motion.

A quick swing takes less effort on a soft spring in the shoulder that gives its energy back in time.

python optim/examples/codesign.py [picture.png]
"""

from __future__ import annotations

import math
import sys

import flexblocks as fb
from flexblocks import models, optim, plot

GOAL = {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6}
DESIGN = {"spring1.stiffness": (3.0, 200.0), "spring2.stiffness": (3.0, 200.0)}  # N m/rad


def problem(design: dict[str, tuple[float, float]]) -> optim.Problem:
    """Return the problem, with or without a choice of the springs."""
    return optim.Problem(
        dict.fromkeys(GOAL, 0.0),
        (optim.Phase("swing", GOAL, 0.9),),
        objective=optim.Effort(rate_weight=0.01),  # [s2]: with less the shoulder's spring were as soft as allowed
        input_ends="holding",
        design=design,
    )


def main(picture: str | None = None) -> tuple[optim.Plan, optim.Plan]:
    """Run the example; return the plans with the springs of the paper and with the best ones."""
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=tuple(DESIGN))
    plans = tuple(optim.plan(dae, problem(design), intervals=60) for design in ({}, DESIGN))
    for plan in plans:
        print(plan.summary())
        print(plan.replay())
    nominal, best = plans
    print(f"{100 * (1 - best.objective / nominal.objective):.0f} % less effort with the springs {best.p}")
    if picture:
        upper, lower = plot.stacked(
            best.trajectory, [("motor1.torque", "motor2.torque"), ("rotor1.angle", "joint1.angle")]
        )
        for ax, names in ((upper, ("motor1.torque", "motor2.torque")), (lower, ("joint1.angle",))):
            for name in names:
                ax.plot(nominal.trajectory.t, nominal.trajectory[name], "0.6", linewidth=1.0, zorder=0)
        upper.set_title("best springs; grey: the springs of the paper")
        plot.save(upper, picture)
    return nominal, best


if __name__ == "__main__":
    main(*sys.argv[1:2])
