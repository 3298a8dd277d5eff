# %% [markdown]
# # A block of your own
#
# A spring that hardens with its deflection, in twenty lines, takes part in everything. A block states energies,
# forces and outputs of its own variables; equations of motion, linear models and plans follow.

# %%
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import optim, plot
from flexblocks.interfaces import GUEST, NOT_NEGATIVE, Block, Coordinate, Output, Physics, flange, parameter


@dataclass(frozen=True)
class HardeningSpring(Block):
    """A torsional spring between two shafts: torque k d + h d^3."""

    stiffness: float = parameter("N m/rad", NOT_NEGATIVE)
    hardening: float = parameter("N m/rad3", NOT_NEGATIVE, default=0.0)

    ports = (flange("flange_a"), flange("flange_b"))

    def coordinates(self):
        return (Coordinate("angle_a", "rad", rank=GUEST), Coordinate("angle_b", "rad", rank=GUEST))

    def flanges(self):
        return {"flange_a": ("angle_a", 1.0), "flange_b": ("angle_b", 1.0)}

    def physics(self, frame, local):
        d = local["angle_b"] - local["angle_a"]
        return Physics(
            potential=self.stiffness * d**2 / 2 + self.hardening * d**4 / 4,
            outputs={"deflection": Output(d, "rad")},
        )


# %% [markdown]
# It is added like any other. Its parameters have units and ranges, are checked, saved in model files, and may stay
# symbolic.

# %%
model = fb.Model("hardening joint")
ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor", limit=5.0))
rotor = model.add(fb.Rotor("rotor", inertia=0.02, gear_ratio=1.0))
spring = model.add(HardeningSpring("spring", stiffness=8.0, hardening=400.0))
joint, link = model.add(fb.Revolute("joint")), model.add(fb.RigidLink("link", length=0.5, mass=0.4))
model.connect(motor.flange_b, rotor.flange_a)
model.connect(rotor.flange_b, spring.flange_a)
model.connect(spring.flange_b, joint.axis)
model.connect(ground.frame_b, joint.frame_a)
model.connect(joint.frame_b, link.frame_a)
dae = fb.assemble(model, symbolic=("spring.hardening",))

# %% [markdown]
# The farther it is wound, the faster it swings: free vibrations from three deflections, the rotor free.

# %%
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for wound in (0.02, 0.15, 0.3):
    run = fb.simulate(dae, (0.0, 1.0), x0={"joint.angle": wound})
    ax.plot(run.t, run["spring.deflection"] / wound, label=f"wound by {wound} rad")
ax.set(xlabel="time [s]", ylabel="deflection over its start")
legend = ax.legend()

# %% [markdown]
# And a plan takes the spring as it is, without a line more.

# %%
task = optim.RestToRest(start={"joint.angle": 0.0}, goal={"joint.angle": np.pi / 2}, duration=0.8, input_ends="holding")
plan = optim.plan(dae, task, intervals=40)
print(plan.replay())
axes = plot.stacked(plan.trajectory, ["motor.torque", ("rotor.angle", "joint.angle"), "spring.deflection"])

# %%
plan.animate(frames=150)

# %% [markdown]
# [Blocks](../blocks.md) has the contract; [force elements](../forces.md), [discretisations](../discretizations.md)
# and [cross-sections](../sections.md) of your own are as short.
