# %% [markdown]
# # A four-bar linkage with a flexible coupler
#
# The loop closes where two outboard ends meet; nothing else needs to be said. The linkage is thrown from a posture
# near the top, and energy and closure show how well it is integrated.

# %%
import numpy as np

import flexblocks as fb
from flexblocks import plot

model = fb.Model("four-bar", gravity=(0.0, -9.81, 0.0))
ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor"))
crank_joint, crank = model.add(fb.Revolute("crank_joint", start=1.0)), model.add(fb.RigidLink("crank", 0.1, 0.5))
knee, elbow = model.add(fb.Revolute("knee")), model.add(fb.Revolute("elbow"))
coupler = model.add(
    fb.FlexibleBeam(
        "coupler",
        length=0.3,
        linear_density=1.3,
        flexural_rigidity=5.0,
        discretization=fb.AssumedModes(2, tip="pinned"),  # between its pins it is a simply supported beam
    )
)
foot = model.add(fb.FixedTransform("foot", translation=(0.28, 0.0, 0.0)))
rocker_joint, rocker = model.add(fb.Revolute("rocker_joint", start=1.5)), model.add(fb.RigidLink("rocker", 0.25, 0.6))
model.connect(motor.flange_b, crank_joint.axis)
model.connect(ground.frame_b, crank_joint.frame_a, foot.frame_a)
model.connect(crank_joint.frame_b, crank.frame_a)
model.connect(crank.frame_b, knee.frame_a)
model.connect(knee.frame_b, coupler.frame_a)
model.connect(foot.frame_b, rocker_joint.frame_a)
model.connect(rocker_joint.frame_b, rocker.frame_a)
model.connect(rocker.frame_b, elbow.frame_a)
model.connect(elbow.frame_b, coupler.frame_b)  # two outboard ends meet: a loop
model

# %% [markdown]
# Start values of joints in a loop are guesses; `closed_start` lists which of them moved to close it.

# %%
dae = fb.assemble(model)
print(dae.closed_start)

# %% [markdown]
# ## Hanging, and its modes

# %%
hanging = fb.equilibrium(dae, x={"crank_joint.angle": -1.6})
print(fb.linearize(dae, hanging).modes())

# %% [markdown]
# ## Running

# %%
run = fb.simulate(dae, t=(0.0, 4.0), u={"motor.torque": 0.02})
closure = dae.constraint(run.x[:, : dae.tree.size].T, []).full()
energy = run["kinetic_energy"] + run["potential_energy"] - run["work"]
print(f"the loop opens by up to {np.abs(closure).max():.1e} m, the energy drifts by {np.ptp(energy):.1e} J")
ax = plot.snapshots(run, count=8)

# %%
axes = plot.stacked(run, ["crank_joint.angle", "coupler.bending_y[1]"])

# %%
run.animate(exaggeration=10.0, color="bending moment", frames=300)

# %% [markdown]
# [Closed loops](../loops.md) has the equations, start values, equilibria and plans.
