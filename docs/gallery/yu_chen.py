# %% [markdown]
# # A circle against gravity
#
# Servos lead the flexible arm of Yu & Chen (2019) round a circle, and gravity bends it off. The references of the
# servos are the joint angles of a rigid arm on the circle.

# %%
import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import models, plot
from flexblocks.models.yu_chen import LINKS

model = models.yu_chen_2019()
for i in (1, 2):
    servo = model.add(fb.PDServo(f"servo{i}", kp=125.0, kd=25.0))
    model.connect(servo.flange_b, f"joint{i}.axis")  # beside the motor, which is left for the feedforward
dae = fb.assemble(model)

# %% [markdown]
# Inverse kinematics by the law of cosines, and the torques that hold the rigid arm's weight, from the equations of
# the same model with `modes=0`. Written with CasADi symbols, rates come by differentiation, and inputs are exact.

# %%
t = ca.SX.sym("t")
x, y = 0.67 + 0.1 * ca.cos(0.2 * np.pi * t), 0.34 + 0.1 * ca.sin(0.2 * np.pi * t)
l1, l2 = (link.length for link in LINKS)
elbow = -ca.acos((x**2 + y**2 - l1**2 - l2**2) / (2 * l1 * l2))
q = ca.vertcat(ca.atan2(y, x) - ca.atan2(l2 * ca.sin(elbow), l1 + l2 * ca.cos(elbow)), elbow)
still = ca.SX.zeros(2)
weight = fb.assemble(models.yu_chen_2019(modes=0)).inverse_dynamics(q, still, still, [])
rigid = ca.Function("rigid", [t], [q, ca.jacobian(q, t), weight])


def inputs(feedforward: bool) -> dict:
    """Return references of the servos, and the motors' torques where they carry the rigid arm's weight."""
    u = {}
    for i in (0, 1):
        u[f"servo{i + 1}.reference"] = lambda t, i=i: rigid(t)[0][i]
        u[f"servo{i + 1}.reference_rate"] = lambda t, i=i: rigid(t)[1][i]
        if feedforward:
            u[f"motor{i + 1}.torque"] = lambda t, i=i: rigid(t)[2][i]
    return u


times = np.linspace(0.0, 10.0, 501)
runs = {"servos": inputs(False), "servos and weight": inputs(True)}
runs = {label: fb.simulate(dae, times, u) for label, u in runs.items()}

# %% [markdown]
# Feedforward removes the errors of the joints; the links still hang.

# %%
figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.plot(0.67 + 0.1 * np.cos(0.2 * np.pi * times), 0.34 + 0.1 * np.sin(0.2 * np.pi * times), "k", label="wanted")
for label, run in runs.items():
    ax.plot(run["mass2.x"], run["mass2.y"], "--", label=label)
ax.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
legend = ax.legend()

# %%
plot.animate(*runs.values(), labels=list(runs), frames=200)

# %% [markdown]
# [Which figures of the paper are reproduced](../yu_chen_2019.md).
