# %% [markdown]
# # An arm that slides and bends in space
#
# The spatial RRP arm of Theodore & Ghosal (1995) turns, swings and extends at once, with modes and with elements. Its
# last link slides through a joint: what overhangs, and bends, changes with time.

# %%
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import control, models, plot

JOINTS = ("joint1.angle", "joint2.angle", "link3.displacement")
START, GOAL = (0.0, 0.0, 0.3), (np.pi, np.pi / 2, 1.0)

# %% [markdown]
# Feedback linearisation makes each joint a double integrator, whatever the links do. The same law closes the loop
# around both descriptions of the beams.

# %%
runs, arms = {}, {}
for label in ("modes", "elements"):
    arms[label] = fb.assemble(models.theodore_ghosal_1995("RRP", label))
    closed = control.close_loop(arms[label], control.Decoupling(JOINTS, 400.0, 40.0))
    motion = {name: control.cycloid(*ends, 0.5) for name, *ends in zip(JOINTS, START, GOAL, strict=True)}
    runs[label] = fb.simulate(closed, np.linspace(0.0, 0.5, 201), control.follow(closed, motion))

# %%
apart = max(abs(runs["modes"][f"payload.{c}"] - runs["elements"][f"payload.{c}"]).max() for c in "xyz")
print(f"payloads of both models are at most {1e3 * apart:.1f} mm apart")
ax = plot.snapshots(runs["modes"], count=6, plane="xyz")

# %%
figure, axes = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
for (label, run), style in zip(runs.items(), ("-", "--"), strict=True):
    axes[0].plot(run.t, run["link2.tip_deflection_z"] * 1e3, style, label=label)
    axes[1].plot(run.t, run["payload.z"], style, label=label)
axes[0].set_ylabel("deflection of link 2 [mm]")
axes[1].set(xlabel="time [s]", ylabel="height of the payload [m]")
legend = axes[0].legend()

# %%
plot.animate(*runs.values(), labels=list(runs), frames=150)

# %% [markdown]
# [Which figures of the paper are reproduced](../theodore_ghosal_1995.md).
