# %% [markdown]
# # A flexible joint, controlled from the motor's side
#
# A motor turns a heavy link through a soft gearbox, and sees only its own side of the spring. An encoder on the motor
# is what most robots have: the law must damp what it does not measure.

# %%
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import control, plot

model = fb.Model("flexible joint")
ground = model.add(fb.Ground("ground"))
motor = model.add(fb.TorqueSource("motor", limit=20.0))
rotor = model.add(fb.Rotor("rotor", inertia=0.05, gear_ratio=1.0))
gearbox = model.add(fb.TorsionalSpring("gearbox", stiffness=60.0))
joint = model.add(fb.Revolute("joint"))
link = model.add(fb.RigidLink("link", length=0.8, mass=1.5))
load = model.add(fb.Payload("payload", mass=0.5))
model.connect(motor.flange_b, rotor.flange_a)
model.connect(rotor.flange_b, gearbox.flange_a)
model.connect(gearbox.flange_b, joint.axis)
model.connect(ground.frame_b, joint.frame_a)
model.connect(joint.frame_b, link.frame_a)
model.connect(link.frame_b, load.frame_a)
dae = fb.assemble(model)
print(fb.linearize(dae).modes())

# %% [markdown]
# ## Three laws
#
# A stiff servo clamps the rotor, and the link swings on its spring as a pendulum does: high gain, no damping. A
# softer one lets the rotor yield, which takes energy out. LQG weighs the link's angle, estimated from the motor's;
# its Kalman filter must know that the link is disturbed, too, or it trusts the model and sees no swing in its
# estimate.

# %%
measured = {"rotor.angle": "motor.torque"}
regulator = control.LQR({"joint.angle": 100.0, "der(joint.angle)": 2.0, "elastic_energy": 20.0}, R=0.2)
observer = control.Kalman(["rotor.angle"], process={"motor.torque": 0.1, "der(joint.angle)": 10.0}, noise=1e-6)
laws = {
    "stiff servo": control.PD(measured, kp=200.0, kd=8.0),
    "soft servo": control.PD(measured, kp=20.0, kd=4.0),
    "LQG": control.LQG(regulator, observer),
}
loops = {label: control.close_loop(dae, law) for label, law in laws.items()}
for label, loop in loops.items():
    slowest = max(np.linalg.eigvals(fb.linearize(loop).A).real)
    print(f"{label}: the slowest pole decays with {-slowest:.2f} 1/s")

# %% [markdown]
# Each is released with the link pulled aside by 0.2 rad.

# %%
times = np.linspace(0.0, 3.0, 301)
runs = {label: fb.simulate(loop, times, x0={"joint.angle": 0.2}) for label, loop in loops.items()}
figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
for label, run in runs.items():
    upper.plot(run.t, run["joint.angle"], label=label)
    lower.plot(run.t, run["motor.torque"], label=label)
upper.set_ylabel("angle of the link [rad]")
lower.set(xlabel="time [s]", ylabel="torque of the motor [N m]")
legend = upper.legend()

# %% [markdown]
# ## How much does the loop forgive?
#
# Gain, phase and delay margins at the motor, and the poles with payloads from none to three times the nominal one.

# %%
print(control.margins(dae, laws["LQG"])["motor.torque"])
uncertain = fb.assemble(model, symbolic=("payload.mass",))
cases = control.monte_carlo(control.close_loop(uncertain, laws["LQG"]), {"payload.mass": (0.0, 1.5)}, runs=50)
slowest = -cases["growth"].max().item()
print(f"{int(cases['stable'].sum())} of {cases['stable'].size} stable; the slowest pole decays with {slowest:.2f} 1/s")

# %%
plot.animate(*runs.values(), labels=list(runs), frames=200)
