# %% [markdown]
# # First arm in five minutes
#
# One flexible link on a motor, from blocks to a motion that ends without vibration. Everything is in SI units, angles
# in radians.

# %%
import flexblocks as fb
from flexblocks import optim, plot

# %% [markdown]
# ## Compose
#
# Blocks have ports; `model.connect` joins them. A link lies along its x axis and bends along y. `AssumedModes(2)`
# lets it bend in its first two modes; `tip="auto"` takes the modes with the payload at the end.

# %%
model = fb.Model("one flexible link")
ground = model.add(fb.Ground("ground"))
motor = model.add(fb.TorqueSource("motor", limit=2.0))
joint = model.add(fb.Revolute("joint", axis=(0, 0, 1), damping=0.02))
link = model.add(
    fb.FlexibleBeam(
        "link", length=0.5, linear_density=0.2, flexural_rigidity=1.0, discretization=fb.AssumedModes(2, tip="auto")
    )
)
load = model.add(fb.Payload("payload", mass=0.1, inertia=0.005))
model.connect(motor.flange_b, joint.axis)
model.connect(ground.frame_b, joint.frame_a)
model.connect(joint.frame_b, link.frame_a)
model.connect(link.frame_b, load.frame_a)
model

# %% [markdown]
# ## Assemble
#
# `fb.assemble` derives the equations of motion, `M(q) q'' + h(q, q') = Q(u)`, as CasADi expressions. Names of
# variables are dotted paths.

# %%
dae = fb.assemble(model)
print(dae.x.names, dae.u.names)
print(dae.y.names)

# %% [markdown]
# ## Simulate
#
# A bang-bang torque turns the arm and leaves it swinging. Variables of a trajectory are looked up by name.

# %%
run = fb.simulate(dae, t=(0.0, 2.0), u={"motor.torque": fb.bang_bang(0.2, 0.5)})
print(f"the tip bends by up to {1e3 * abs(run['link.tip_deflection_y']).max():.0f} mm")
axes = plot.stacked(run, ["joint.angle", "link.tip_deflection_y"])

# %% [markdown]
# ## Linearise
#
# About rest, with frequency, damping and the blocks that take part in each mode.

# %%
lin = fb.linearize(dae)
print(lin.modes())

# %% [markdown]
# ## Plan
#
# The same turn in the same time, from rest to rest, with the least effort. `replay` checks the plan by an independent
# simulation under its inputs alone.

# %%
task = optim.RestToRest(
    start={"joint.angle": 0.0}, goal={"joint.angle": float(run["joint.angle"][-1])}, duration=2.0, input_ends="holding"
)
plan = optim.plan(dae, task)
replay = plan.replay()
print(plan.summary())
print(replay)
ax = plot.snapshots(plan)

# %% [markdown]
# Side by side in space: turn the view, drag the time, exaggerate deflections.

# %%
run.animate(plan, labels=["bang-bang", "planned"], layout="side by side", frames=200)

# %% [markdown]
# ## Where to go
#
# * [An arm of your own in a quarter of an hour](own_arm.py): geared motors, weight, your numbers.
# * [Plan a motion, and know what it is worth](plan_a_motion.py): limits, obstacles, audits.
# * The [gallery](../gallery/index.md) has machines of all sizes.
# * [Blocks at a glance](../blocks_at_a_glance.md) draws every block; the [reference](../api/index.rst) has all of them.
