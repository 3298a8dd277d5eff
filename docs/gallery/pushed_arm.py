# %% [markdown]
# # An arm that is pushed while it tracks
#
# Two flexible links behind elastic joints follow a line with the tip. Halfway the arm is hit. A regulator and model
# predictive control, both at 500 Hz, know the same model; the second knows the line ahead, its motors' limits and what
# the links do meanwhile.

# %%
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import control, models, optim, plot

dae = fb.assemble(models.subudhi_morris_2002(modes=1))
start = {"joint1.angle": -0.555, "rotor1.angle": -0.555, "joint2.angle": 1.11, "rotor2.angle": 1.11}
limits = {"motor1.torque": 4.0, "motor2.torque": 2.0}
sample_time = 2e-3


def height(t):
    return 0.2 * np.sin(np.pi * t)


# %% [markdown]
# ## Two laws
#
# The tip is to be at x = 0.85 m, its height a sine. The regulator follows the joints of the rigid arm on that line, and
# their rates.

# %%
task = optim.Tracking({"payload.x": 0.85, "payload.y": height}, tolerance=1e-3)
mpc = optim.MPC(dae, task, sample_time, horizon=0.5, intervals=14, limits=limits, at=start)


def elbow(t):
    return np.arccos((0.85**2 + height(t) ** 2) / 0.5 - 1.0)


def shoulder(t):
    return np.arctan(height(t) / 0.85) - elbow(t) / 2


joints = [f"{kind}{i}.angle" for kind in ("rotor", "joint") for i in (1, 2)]
weights = dict.fromkeys(joints, 1e3) | {"kinetic_energy": 10.0, "elastic_energy": 100.0}
regulator = control.LQR(weights, at=start, references=(*joints, *(f"der({name})" for name in joints)))
loops = {
    "MPC": control.close_loop(dae, mpc),
    "LQR": control.close_loop(dae, control.Sampled(regulator, sample_time)),
}
wanted = {f"{kind}{i}.angle": path for kind in ("rotor", "joint") for i, path in ((1, shoulder), (2, elbow))}
inputs = {"MPC": {}, "LQR": control.follow(loops["LQR"], wanted)}

# %% [markdown]
# ## The push
#
# It changes the speed of the first joint by 1 rad/s, that of the tip by most of a metre a second.

# %%
runs = {}
for name, loop in loops.items():
    before = fb.simulate(loop, (0.0, 1.5), inputs[name], x0=start, rtol=1e-6)
    x = before.x[-1].copy()
    x[loop.x.index("der(joint1.angle)")] += 1.0
    runs[name] = before, fb.simulate(loop, (1.5, 3.0), inputs[name], x0=x, rtol=1e-6)
print(mpc.report(runs["MPC"][1]))

# %%
figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
for name, parts in runs.items():
    t = np.concatenate([part.t for part in parts])
    error = np.concatenate([np.hypot(part["payload.x"] - 0.85, part["payload.y"] - height(part.t)) for part in parts])
    torque = np.concatenate([part["motor1.torque"] for part in parts])
    upper.semilogy(t, 1e3 * error + 1e-3, label=name)
    lower.plot(t, torque, label=name)
upper.set_ylabel("tip error [mm]")
lower.set_ylabel("torque of motor 1 [N m]")
lower.set_xlabel("t [s]")
upper.legend()
plt.show()

# %% [markdown]
# Both arms after the push:

# %%
plot.animate(runs["MPC"][1], runs["LQR"][1], labels=["MPC", "LQR"])
