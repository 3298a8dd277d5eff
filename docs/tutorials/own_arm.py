# %% [markdown]
# # An arm of your own in a quarter of an hour
#
# After the [first arm](first_arm.py): from a fresh clone to an arm with geared motors and weight, planned, checked
# and animated. `git clone`, then `make demo`, which takes a few minutes, most of them for downloads; then save the
# cells below as `arm.py`, put in your own numbers, and run `.venv/bin/python arm.py`.

# %%
import math

import flexblocks as fb
from flexblocks import optim, plot

# %% [markdown]
# ## Your numbers
#
# A beam needs its length, its mass per length and its flexural rigidity E I. For a round tube of aluminium, 40 mm
# wide with a wall of 2 mm, these follow from the diameters:

# %%
outer, inner = 0.040, 0.036
area = math.pi / 4 * (outer**2 - inner**2)
second_moment = math.pi / 64 * (outer**4 - inner**4)
tube = {"linear_density": 2700.0 * area, "flexural_rigidity": 70e9 * second_moment}
print(tube)

# %% [markdown]
# ## Compose
#
# A motor with a gearbox is a `TorqueSource` on a `Rotor`. Torques and limits are those behind the gearbox, on the
# arm's side; the rotor's inertia counts by the square of its gear ratio. Do not leave rotors out where there are
# gears: without them light links move freely on their joints, and plans become much harder.

# %%
model = fb.Model("my arm", gravity=(0.0, -9.81, 0.0))
tip = model.add(fb.Ground("ground")).frame_b
for i, (length, limit) in enumerate([(0.8, 80.0), (0.6, 30.0)], start=1):
    motor = model.add(fb.TorqueSource(f"motor{i}", limit=limit))
    rotor = model.add(fb.Rotor(f"rotor{i}", inertia=1e-4, gear_ratio=80.0))
    joint = model.add(fb.Revolute(f"joint{i}", axis=(0, 0, 1), damping=0.1))
    link = model.add(fb.FlexibleBeam(f"link{i}", length, **tube, discretization=fb.AssumedModes(2)))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, joint.axis)
    model.connect(tip, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    tip = link.frame_b
load = model.add(fb.Payload("load", mass=2.0, inertia=0.01))
model.connect(tip, load.frame_a)
print(model.check())

# %% [markdown]
# `check` lists what is connected to what, and doubts numbers that look like millimetres or degrees. Then the
# equations, and what the arm does while the motors' torques stay as they are: it falls slowly in the first modes, and
# vibrates in the others.

# %%
dae = fb.assemble(model)
print(fb.linearize(dae).modes())

# %% [markdown]
# ## Plan
#
# From nearly hanging to a raised posture. If a motor is too weak to hold the load at an end, or a goal is beyond a
# limit, the plan is refused by name before anything is computed.

# %%
task = optim.RestToRest(
    start={"joint1.angle": -1.5, "joint2.angle": 0.0},
    goal={"joint1.angle": 0.5, "joint2.angle": -0.6},
    duration=1.5,
    input_ends="holding",
)
plan = optim.plan(dae, task)
print(plan.summary())
print(plan.replay())

# %% [markdown]
# Where a warning says that the mesh is too coarse, `refine=True` plans until the replay agrees.

# %%
axes = plot.stacked(plan.trajectory, ["motor1.torque", "motor2.torque", "link1.tip_deflection_y"])

# %%
plan.animate(color="bending moment", exaggeration=5.0, frames=200)

# %% [markdown]
# In a script, `plan.animate().save("arm.html")` writes the animation, and `export.report(plan, "arm_report.html")` a
# page with all figures. Next: [blocks at a glance](../blocks_at_a_glance.md) for springs in joints, sections and
# loads, [plan a motion](plan_a_motion.py) for obstacles and audits, [control](../control.md) to follow the plan.
