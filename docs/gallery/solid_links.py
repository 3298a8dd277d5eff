# %% [markdown]
# # Links from finite elements
#
# The links of this two-link arm taper, as castings and welded boxes do. They are meshed as solids by scikit-fem and
# become reduced bodies: a few modes each, with inertia exact to second order. Beside them stand beams of the same
# section.

# %%
import matplotlib.pyplot as plt
import numpy as np
import skfem

import flexblocks as fb
from flexblocks import optim, plot

LENGTH, SECTION, TAPER, WALL = 0.8, 0.05, 0.5, 0.1  # m, m, share left at the tip, share of the width
ALUMINIUM = fb.Material(density=2700.0, youngs_modulus=70e9, poissons_ratio=0.33)

# %% [markdown]
# A tapered box: bricks of a unit square without its inside, drawn out along x. The ends are closed, so that an
# interface is the whole face.

# %%
across = np.array([-0.5, -0.5 + WALL, 0.5 - WALL, 0.5])
bricks = skfem.MeshHex.init_tensor(np.linspace(0.0, LENGTH, 15), across, across)
center = bricks.p[:, bricks.t].mean(axis=1)
inside = (np.abs(center[1:]) < 0.5 - WALL).all(axis=0)
hollow = inside & (center[0] > LENGTH / 14) & (center[0] < LENGTH * 13 / 14)
bricks = bricks.restrict(np.flatnonzero(~hollow))
width = SECTION * (1 - (1 - TAPER) * bricks.p[0] / LENGTH)
mesh = skfem.MeshHex(np.vstack([bricks.p[0], bricks.p[1] * width, bricks.p[2] * width]), bricks.t)

body = fb.FlexibleBody.from_mesh(
    mesh,
    ALUMINIUM,
    interfaces={"frame_a": lambda x: x[0] < 1e-9, "frame_b": lambda x: x[0] > LENGTH - 1e-9},
    stress_at={"root": (0.08, 0.0, 0.47 * SECTION * 0.95)},
    quadratic=False,
)
print(body)

# %% [markdown]
# The arm lifts 6 kg. Each link keeps the six lowest modes of the clamped body with what it carries.


# %%
def box(x: float) -> fb.Box:
    """Return the section at x."""
    size = SECTION * (1 - (1 - TAPER) * x / LENGTH)
    return fb.Box(height=size, width=size, wall=WALL * size)


def arm(make) -> fb.Model:
    """Return the arm with links that `make` makes."""
    model = fb.Model("arm of solids", gravity=(0.0, 0.0, -9.81))
    before = model.add(fb.Ground("ground")).frame_b
    for i, limit in ((1, 400.0), (2, 200.0)):
        joint = model.add(fb.DrivenRevolute(f"joint{i}", axis=(0, 1, 0), damping=0.5, limit=limit))
        link = model.add(make(f"link{i}"))
        model.connect(before, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        before = link.frame_b
    model.connect(before, model.add(fb.Payload("load", 6.0, np.eye(3) * 0.01)).frame_a)
    return model


solid = fb.assemble(arm(lambda name: fb.ReducedBody(name, body=body, modes=6)))
beams = fb.assemble(
    arm(
        lambda name: fb.FlexibleBeam(
            name,
            LENGTH,
            section=box,
            material=ALUMINIUM,
            shear=True,
            rotary_inertia=True,
            bending="yz",
            torsion=True,
            discretization=fb.AssumedModes(2),
        )
    )
)

# %% [markdown]
# Linearised at a posture, both have frequencies within some per cent. What is left is the closed ends of the boxes,
# which the beams do not have.

# %%
posture = {"joint1.angle": -0.4, "joint2.angle": 0.8}
for name, dae in (("solids", solid), ("beams", beams)):
    modes = fb.linearize(dae, fb.equilibrium(dae, x=posture)).modes()
    elastic = [mode.frequency / (2 * np.pi) for mode in modes if mode.energy == "strain"]
    print(name, [round(each, 2) for each in sorted(elastic)[:4]], "Hz")

# %% [markdown]
# A plan raises the load and ends at rest; its replay is an independent simulation.

# %%
start, goal = {"joint1.angle": 0.2, "joint2.angle": 0.4}, {"joint1.angle": -0.6, "joint2.angle": 0.9}
plan = optim.plan(solid, optim.RestToRest(start, goal, duration=1.0, input_ends="holding"), intervals=40)
print(plan.status, plan.replay())

# %%
run = plan.trajectory
figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
for i in (1, 2):
    upper.plot(run.t, 1e3 * run[f"link{i}.frame_b_deflection_z"], label=f"link {i}")
    lower.plot(run.t, 1e-6 * run[f"link{i}.root.stress"], label=f"link {i}")
upper.set_ylabel("deflection [mm]")
lower.set(xlabel="time [s]", ylabel="stress near the root [MPa]")
legend = upper.legend()

# %%
plot.animate(plan, exaggeration=30.0, frames=80)

# %% [markdown]
# [Flexible bodies](../bodies.md) from other programs, with any number of interfaces.
