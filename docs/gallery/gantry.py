# %% [markdown]
# # A gantry with a whipping mast
#
# A storage machine drives its flexible mast along an aisle, and a shaped command stops it without sway. The mast
# stands on a carriage and carries its load near the top, as stacker cranes do.

# %%
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import control, plot

STEEL = fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)
model = fb.Model("storage machine", gravity=(0.0, -9.81, 0.0))
ground = model.add(fb.Ground("ground"))
rail = model.add(fb.Prismatic("rail", axis=(1, 0, 0)))
drive = model.add(fb.ForceSource("drive"))
carriage = model.add(fb.Payload("carriage", mass=600.0))
upright = model.add(fb.FixedTransform("upright", rotation=(0.0, 0.0, np.pi / 2)))
mast = model.add(
    fb.FlexibleBeam(
        "mast",
        8.0,
        section=fb.Box(height=0.30, width=0.20, wall=0.006),
        material=STEEL,
        discretization=fb.AssumedModes(2, tip="auto"),
        damping_ratio=0.005,
    )
)
lift = model.add(fb.Payload("lift", mass=400.0))
model.connect(ground.frame_b, rail.frame_a)
model.connect(drive.flange_b, rail.axis)
model.connect(rail.frame_b, carriage.frame_a, upright.frame_a)
model.connect(upright.frame_b, mast.frame_a)
model.connect(mast.frame_b, lift.frame_a)
dae = fb.assemble(model)

# %% [markdown]
# A servo holds the carriage on its reference; the sway that is left is a mode of the closed loop.

# %%
servo = control.PD({"rail.displacement": "drive.force"}, kp=2e6, kd=6e4)
closed = control.close_loop(dae, servo)
modes = fb.linearize(closed).modes()
sway = min((mode for mode in modes if mode.eigenvalue.imag > 0), key=lambda mode: mode.frequency)
print(f"the mast sways at {sway.frequency / (2 * np.pi):.2f} Hz")

# %% [markdown]
# Six metres in 2.5 s by a quintic, plain and convolved with two and three impulses. `ZV` cancels the mode if its
# frequency is known; `ZVD` forgives an error of it, and takes half a period longer.

# %%
move = control.quintic(0.0, 6.0, 2.5)
commands = {"plain": move, "ZV": control.ZV(sway).apply(move), "ZVD": control.ZVD(sway).apply(move)}
times = np.linspace(0.0, 7.0, 701)
runs = {
    label: fb.simulate(closed, times, control.follow(closed, {"rail.displacement": command}))
    for label, command in commands.items()
}
figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
for label, run in runs.items():
    upper.plot(run.t, run["lift.x"], label=label)
    lower.plot(run.t, 1e3 * run["mast.tip_deflection_y"], label=label)
upper.set_ylabel("position of the lift [m]")
lower.set(xlabel="time [s]", ylabel="sway of the mast [mm]")
legend = upper.legend()

# %%
for label, run in runs.items():
    print(f"{label}: {1e3 * abs(run['mast.tip_deflection_y'][run.t > 4.5]).max():.1f} mm of sway after 4.5 s")

# %% [markdown]
# What if the mode is not where the model has it? The sensitivity curves of both shapers:

# %%
ratios = np.linspace(0.6, 1.4, 201)
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for label, shaper in (("ZV", control.ZV(sway)), ("ZVD", control.ZVD(sway)), ("EI", control.EI(sway))):
    ax.plot(ratios, [100 * shaper.residual(ratio * sway.frequency) for ratio in ratios], label=label)
ax.set(xlabel="true frequency over the one shaped for", ylabel="vibration left [%]")
legend = ax.legend()

# %%
plot.animate(runs["plain"], runs["ZVD"], labels=["plain", "ZVD"], exaggeration=5.0, frames=250)
