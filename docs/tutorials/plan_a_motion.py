# %% [markdown]
# # Plan a motion, and know what it is worth
#
# The two-link flexible arm of Subudhi & Morris passes a post, within the limits of its motors, and stops without
# vibration. Then the plan is checked: by a simulation, and on a richer arm.

# %%
import flexblocks as fb
from flexblocks import models, optim, plot

dae = fb.assemble(models.subudhi_morris_2002())

# %% [markdown]
# ## The task
#
# Start and goal name what the arm is to reach; what is named nowhere is left open. Limits are on any variable by
# name, of one number (both ways) or a pair. `KeepOut` keeps points of links out of a region, a hand's breadth away.

# %%
post = optim.Sphere(center=(0.40, 0.48), radius=0.06)  # two coordinates: round through all z
task = optim.RestToRest(
    start={"joint1.angle": 0.0, "joint2.angle": 0.0},
    goal={"joint1.angle": 1.6, "joint2.angle": 0.5},
    duration=2.0,
    limits={"motor1.torque": 4.0, "motor2.torque": 2.0},
    path=(optim.KeepOut(post, links="link2", stations=4, margin=0.02, name="post"),),
)
plan = optim.plan(dae, task, intervals=30)
print(plan.summary())

# %%
ax = plot.snapshots(plan)
ax = plot.region(post, ax)

# %% [markdown]
# ## Is it true?
#
# A plan meets the equations at the points of its mesh. `replay` integrates them with the planned torques and nothing
# else; what it says is what the arm of these equations would do.

# %%
replay = plan.replay()
print(replay)
axes = plan.plot(replay)

# %% [markdown]
# The replay shows what the mesh did not resolve. A finer one, where the errors are, is one word: `refine=True`.

# %%
finer = optim.plan(dae, task, intervals=30, refine=True)
print(f"tip: {1e3 * replay.tip_miss:.2g} mm beside the goal, refined {1e3 * finer.replay().tip_miss:.2g} mm")

# %% [markdown]
# ## And the real arm?
#
# It has more modes than two. `audit` replays the plan on an arm with finer beams and says how far the goal is missed
# there: what remains is for a feedback law ([control](../control.md)).

# %%
print(plan.audit())

# %% [markdown]
# [Motion planning](../planning.md) has all objectives, constraints, phases and options; `export.report(plan,
# "plan.html")` writes this page's content into one file for a colleague.

# %%
plan.animate(color="bending moment", frames=200)
