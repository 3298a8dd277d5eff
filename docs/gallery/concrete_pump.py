# %% [markdown]
# # The boom of a concrete pump
#
# Four tapered boxes on hydraulic cylinders carry three tons of steel and concrete 26 m out. The third joint is a
# four-bar knuckle, so that the boom has a kinematic loop.

# %%
import flexblocks as fb
from flexblocks import models, optim, plot

dae = fb.assemble(models.concrete_pump(valves="ideal"))

# %% [markdown]
# ## What the cylinders carry
#
# Level is the worst posture. `fb.equilibrium` closes the knuckle and finds how the boxes hang.

# %%
level = fb.equilibrium(dae, x={f"joint{i}.angle": 0.0 for i in (1, 2, 3, 4)})
for i in (1, 2, 3, 4):
    print(f"ram{i}: {level[f'ram{i}.force'] / 1e3:.0f} kN")
print(f"the hose hangs {-level['hose.y']:.2f} m below the turret's hinge")
print(fb.linearize(dae, level).modes())

# %% [markdown]
# ## A motion that leaves the hose at rest
#
# Four valves, 20 s, from rest to rest. The plan starts from a path of equilibria and needs no guess from you.

# %%
start, goal = (0.9, -0.5, -0.6, -0.5), (0.6, -0.2, -0.9, -0.3)
task = optim.RestToRest(
    start={f"joint{i}.angle": angle for i, angle in enumerate(start, 1)},
    goal={f"joint{i}.angle": angle for i, angle in enumerate(goal, 1)},
    duration=20.0,
    objective=optim.Effort(rate_weight=4.0),  # [s2]: of the order of a hundredth of the duration's square
    input_ends="holding",
)
plan = optim.plan(dae, task, intervals=60)
print(plan.summary())
print(f"replayed, the hose misses by {1e3 * plan.replay().tip_miss:.1f} mm")

# %%
ax = plot.snapshots(plan, count=6)

# %%
plan.animate(color="bending moment", exaggeration=5.0, frames=200)

# %% [markdown]
# [Where the numbers come from](../concrete_pump.md).
