# %% [markdown]
# # An arm on a spacecraft that floats
#
# The arm moves two tons, and the spacecraft under it turns and drifts back: momentum stays zero. Six geared elastic
# joints, two booms that bend both ways and twist, 48 states.

# %%
import numpy as np

import flexblocks as fb
from flexblocks import models, optim, plot

dae = fb.assemble(models.space_arm())
print(fb.linearize(dae).modes())

# %% [markdown]
# ## A push, and what floats back
#
# A tenth of a second of torque at the shoulder. `total` is a sensor of momenta, connected to nothing.

# %%
pushed = fb.simulate(
    dae, np.linspace(0.0, 2.0, 101), u={"shoulder_pitch_motor.torque": fb.piecewise_constant([0.0, 0.1], [0.4, 0.0])}
)
print(f"angular momentum: at most {abs(pushed['total.angular_momentum_y']).max():.1e} N m s")

# %% [markdown]
# ## A motion of all joints
#
# The base is named nowhere, so it ends where momentum takes it. Twelve elastic modes cannot be brought to exact rest
# one by one by six motors: `leeway` leaves 0.1 mJ, 0.3 mm/s of the payload.

# %%
GOAL = {
    "shoulder_yaw": -0.5,
    "shoulder_pitch": -0.9,
    "elbow_pitch": 1.4,
    "wrist_pitch": -0.5,
    "wrist_yaw": 0.4,
    "wrist_roll": 0.3,
}
start = {f"{name}.angle": float(dae.x.start[dae.x.index(f"{name}.angle")]) for name in GOAL}
goal = {f"{name}.angle": angle for name, angle in GOAL.items()}
task = optim.Problem(
    start=start,
    phases=[optim.Phase("move", goal, 40.0, leeway=1e-4)],
    objective=optim.Effort(rate_weight=16.0),
    limits={f"der({name})": 2.5 * abs(goal[name] - start[name]) / 40.0 for name in goal},
    input_ends="holding",
)
plan = optim.plan(dae, task, intervals=20)
print(plan.summary())
print("the spacecraft moves by", [f"{1e3 * plan.trajectory[f'base.displacement_{axis}'][-1]:.0f} mm" for axis in "xyz"])

# %%
ax = plot.snapshots(plan, count=5, plane="xyz")

# %%
plan.animate(frames=200)

# %% [markdown]
# [Where the numbers come from](../space_arm.md); [floating bases](../floating_bases.md).
