# %% [markdown]
# # A crane whose load ends at rest
#
# A luffing-jib crane slews, luffs and hoists at once, and three tons on a rope stop without swing. Nothing but ropes
# holds the jib and the load.

# %%
import flexblocks as fb
from flexblocks import models, optim, plot

dae = fb.assemble(models.hoist_crane())
start = {"slewing.angle": 0.0, "luffing.angle": 0.5, "load_z.displacement": 2.0}
held = fb.equilibrium(dae, x=start)
for rope in ("hoist_rope", "luffing_rope"):
    print(f"{rope}: {held[f'{rope}.tension'] / 1e3:.1f} kN")

# %% [markdown]
# Inputs that do not compare as they are, torques of 100 N m and winches at 0.5 m/s, are weighed by their size, and
# winches have limits on their rates: no real one starts within a tenth of a second.

# %%
sizes = {"slewing_motor.torque": 100.0, "luffing_rope.speed": 1.0, "hoist_rope.speed": 1.0}
task = optim.RestToRest(
    start=start,
    goal={"slewing.angle": 1.2, "luffing.angle": 0.9, "load_z.displacement": 10.0},
    duration=30.0,
    objective=optim.Effort(rate_weight=4.0, relative_to=sizes),
    limits={"der(luffing_rope.speed)": 1.0, "der(hoist_rope.speed)": 0.5, "der(slewing_motor.torque)": 100.0},
    input_ends="holding",
)
plan = optim.plan(dae, task, intervals=60)
replay = plan.replay()
print(plan.summary())
print(f"replayed, the load misses by {1e3 * replay.arrivals[0].misses['load']:.1f} mm")

# %%
ax = plot.snapshots(plan, count=5, plane="xyz")

# %%
axes = plot.stacked(
    plan.trajectory,
    [
        "slewing_motor.torque",
        ("luffing_rope.speed", "hoist_rope.speed"),
        ("luffing_rope.tension", "hoist_rope.tension"),
    ],
)

# %%
plan.animate(frames=200)

# %% [markdown]
# [Where the numbers come from](../hoist_crane.md).
