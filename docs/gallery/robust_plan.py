# %% [markdown]
# # One motion for many payloads
#
# References of two servos, planned for three payloads at once, leave little vibration for all in between. Torques
# alone cannot serve two payloads well: what turns a light arm by an angle turns a heavy one by less.

# %%
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import models, optim, plot

GOAL = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}
servos = {f"motor{i}": fb.PDServo(f"motor{i}", kp=20.0, kd=2.0) for i in (1, 2)}
dae = fb.assemble(models.subudhi_morris_2002().copy(servos), symbolic=("payload.mass",))

# %% [markdown]
# Each scenario is the arm with other parameters: its own states, the same inputs. At the goal no more than 0.1 mJ may
# be left in any of them.


# %%
def task(masses: tuple[float, ...]) -> optim.Problem:
    """Return the swing with little bending, for these payloads [kg]."""
    return optim.Problem(
        start=dict.fromkeys(GOAL, 0.0),
        phases=(optim.Phase("swing", GOAL, 3.0, leeway=1e-4),),
        objective=optim.Vibration() + 1e-3 * optim.Effort(rate_weight=1.0),
        scenarios=[{"payload.mass": mass} for mass in masses],
        input_ends="holding",
    )


plans = {
    "one payload": optim.plan(dae, task((0.15,)), intervals=40),
    "three payloads": optim.plan(dae, task((0.0, 0.15, 0.3)), intervals=40),
}

# %% [markdown]
# Replays with payloads that no plan was made for:

# %%
tried = np.linspace(0.0, 0.3, 9).tolist()
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for label, plan in plans.items():
    left = [plan.replay({"payload.mass": mass}).energy_left for mass in tried]
    ax.semilogy(tried, left, ".-", label=f"planned for {label}")
    print(f"planned for {label}: at most {1e3 * max(left):.2f} mJ left")
ax.set(xlabel="payload [kg]", ylabel="energy left at the goal [J]")
legend = ax.legend()

# %%
heavy = [plan.replay({"payload.mass": 0.3}) for plan in plans.values()]
plot.animate(*heavy, labels=list(plans), exaggeration=3.0, frames=200)

# %% [markdown]
# [Scenarios](../planning.md#scenarios) in plans.
