# %% [markdown]
# # Two-link arm: control in two time scales
#
# Elastic joints and links vibrate while the arm of Subudhi & Morris (2002) moves; composite control damps them. A
# slow law moves the arm as if it were rigid, a fast one damps what bends, each designed for its own subsystem.

# %%
import numpy as np

import flexblocks as fb
from flexblocks import control, models, plot

dae = fb.assemble(models.subudhi_morris_2002(modes=1))
print(fb.linearize(dae).modes())

# %% [markdown]
# `control.singular_perturbation` splits the arm: `split.slow` is a DAE of its own, the arm with stiff joints and
# links.

# %%
split = control.singular_perturbation(dae)
print(split.slow.x.names)

# %% [markdown]
# Computed torque tracks with the slow subsystem; a damper acts on the fast one. Without the damper the slow law alone
# is unstable: it feeds back what the links do.

# %%
slow = control.ComputedTorque(5.0, 2.0, model=split.slow)
fast = control.FastFeedback.damper(split, 1.0)
goals = {"joint1.angle": control.quintic(0.0, np.pi / 2, 2.0), "joint2.angle": control.quintic(0.0, np.pi / 6, 2.0)}
closed = control.close_loop(dae, control.SlowFast(slow, fast))
run = fb.simulate(closed, np.linspace(0.0, 4.0, 401), control.follow(closed, goals))
print("poles right of the axis:", (np.linalg.eigvals(fb.linearize(closed).A).real > 1e-6).sum())

# %%
axes = plot.stacked(
    run,
    [
        ("joint1.angle", "joint2.angle"),
        ("error.joint1.angle", "error.joint2.angle"),
        ("link1.tip_deflection_y", "link2.tip_deflection_y"),
        ("motor1.torque", "motor2.torque"),
    ],
)

# %% [markdown]
# Is the split valid? The fastest slow pole must be far from the slowest fast one, at every posture on the way.

# %%
print(control.time_scales(split, run, slow, fast).ratio)

# %%
run.animate(exaggeration=3.0, frames=200)

# %% [markdown]
# [Which figures of the paper are reproduced](../subudhi_morris_2002.md); the law used here, step by step: [two time
# scales](../control.md).
