"""One motion for payloads from 0 to 0.3 kg: several scenarios that share the references of the joints' servos.

Torques alone cannot serve two payloads well: what turns a light arm by an angle turns a heavy one by less.
Servos bring each of them to the goal, and their references are shared. A plan serves the payloads it is
made for; five of them are near enough to each other to serve all in between.

python optim/examples/robust_payload.py [picture.png]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import models, optim, plot

GOAL = {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6}
CHOICES = {
    "one payload": (0.15,),
    "three payloads": (0.0, 0.15, 0.3),
    "five payloads": (0.0, 0.05, 0.1, 0.2, 0.3),
}  # kg


def arm() -> fb.DAE:
    """Return the arm with a PD servo in the place of each motor."""
    servos = {f"motor{i}": fb.PDServo(f"motor{i}", kp=20.0, kd=2.0) for i in (1, 2)}
    return fb.assemble(models.subudhi_morris_2002().copy(servos), symbolic=("payload.mass",))


def problem(masses: Sequence[float]) -> optim.Problem:
    """Return the problem: little bending on the way, and at the goal no more than 0.1 mJ left in any scenario."""
    return optim.Problem(
        start=dict.fromkeys(GOAL, 0.0),
        phases=(optim.Phase("swing", GOAL, 3.0, leeway=1e-4),),
        objective=optim.Vibration() + 1e-3 * optim.Effort(rate_weight=1.0),
        scenarios=[{"payload.mass": mass} for mass in masses],
        input_ends="holding",
    )


def main(
    picture: str | None = None, choices: Sequence[str] = tuple(CHOICES), points: int = 13
) -> dict[str, np.ndarray]:
    """Run the example; return the masses tried and, for each plan, the energy that its replay leaves with them [J]."""
    dae = arm()
    tried = np.linspace(0.0, 0.3, points)
    energies = {"mass": tried}
    for name in choices:
        plan = optim.plan(dae, problem(CHOICES[name]), intervals=40)
        print(plan.summary())
        energies[name] = np.array([plan.replay({"payload.mass": mass}).energy_left for mass in tried.tolist()])
        print(f"planned for {name}: at most {1e3 * energies[name].max():.2f} mJ left from 0 to 0.3 kg")
    if picture:
        _, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
        for name in choices:
            ax.semilogy(tried, energies[name], label=f"planned for {name}", marker=".")
        ax.set(xlabel="payload [kg]", ylabel="energy left at the goal, replayed [J]")
        ax.legend()
        plot.save(ax, picture)
    return energies


if __name__ == "__main__":
    main(next(iter(sys.argv[1:]), None))
