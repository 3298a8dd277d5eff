# %% [markdown]
# # Springs and motion, chosen together
#
# A soft spring in the shoulder gives its energy back in time: a quick swing takes less effort with it. Parameters
# named in `design` are unknowns of the plan, as the torques are.

# %%
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import models, optim, plot

GOAL = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}
DESIGN = {"spring1.stiffness": (3.0, 200.0), "spring2.stiffness": (3.0, 200.0)}  # N m/rad
dae = fb.assemble(models.subudhi_morris_2002(), symbolic=tuple(DESIGN))

# %% [markdown]
# What may be chosen stays symbolic when the arm is assembled. The weight on rates of torques makes softness cost
# something: with less of it the shoulder's spring would be as soft as it may be.


# %%
def task(design: dict) -> optim.Problem:
    """Return the swing, with or without a choice of the springs."""
    return optim.Problem(
        dict.fromkeys(GOAL, 0.0),
        (optim.Phase("swing", GOAL, 0.9),),
        objective=optim.Effort(rate_weight=0.01),
        input_ends="holding",
        design=design,
    )


paper, best = (optim.plan(dae, task(design), intervals=50) for design in ({}, DESIGN))
print(best.p)
print(f"{100 * (1 - best.objective / paper.objective):.0f} % less effort than with the springs of the paper")

# %%
figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
for plan, style, label in ((paper, "--", "100 N m/rad, as in the paper"), (best, "-", "best springs")):
    upper.plot(plan.trajectory.t, plan.trajectory["motor1.torque"], style, label=label)
    wound = plan.trajectory["rotor1.angle"] - plan.trajectory["joint1.angle"]
    lower.plot(plan.trajectory.t, wound, style, label=label)
upper.set_ylabel("torque at the shoulder [N m]")
lower.set(xlabel="time [s]", ylabel="the spring is wound by [rad]")
legend = upper.legend()

# %% [markdown]
# A design is worth what its replay is worth: an independent simulation with the chosen springs.

# %%
print(best.replay())

# %%
plot.animate(paper, best, labels=["paper", "best springs"], layout="side by side", frames=150)

# %% [markdown]
# [Design parameters](../planning.md#design-parameters) in plans.
