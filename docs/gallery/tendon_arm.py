# %% [markdown]
# # A surgical arm on two tendons
#
# Eleven grams of superelastic spine bend by half their length, pulled by two tendons. The tendons run through discs 8
# mm beside the spine and are wound up at the base.

# %%
import flexblocks as fb
from flexblocks import models, optim, plot

dae = fb.assemble(models.tendon_arm())

# %% [markdown]
# ## How it hangs
#
# Each piece of the spine is a rigid segment whose joint may turn by any angle: deflections need not be small.

# %%
bent = fb.equilibrium(dae, x={"upper.length": 0.19, "lower.length": 0.208})
print(f"the tool is at {1e3 * bent['tool.x']:.0f}, {1e3 * bent['tool.y']:.0f} mm; {bent['upper.tension']:.1f} N")
ax = plot.arm(bent)

# %% [markdown]
# ## Up by half its length
#
# Two winches, one way to bend: start and goal also say how hard both pull.

# %%
task = optim.RestToRest(
    start={"tool.y": 0.0, "lower.tension": 2.0},
    goal={"tool.y": 0.1, "lower.tension": 2.0},
    duration=2.0,
    objective=optim.Effort(rate_weight=0.04),
    input_ends="holding",
)
plan = optim.plan(dae, task, intervals=40)
print(f"replayed, the tool misses by {1e6 * plan.replay().arrivals[0].misses['tool']:.0f} um")
ax = plot.snapshots(plan, count=5)

# %%
axes = plot.stacked(plan.trajectory, [("upper.speed", "lower.speed"), ("upper.tension", "lower.tension")])

# %%
plan.animate(frames=200)

# %% [markdown]
# [Where the numbers come from](../tendon_arm.md).
