"""A flexible arm that stands upright lifts its load past a via point, from static equilibrium to static equilibrium.

python optim/examples/gravity.py [picture.png]
"""

from __future__ import annotations

import sys

import flexblocks as fb
from flexblocks import optim, plot


def upright_arm() -> fb.Model:
    """Return two flexible links in a vertical plane, 2.2 kg in all, each driven through an elastic joint."""
    model = fb.Model("upright arm", gravity=(0.0, -9.81, 0.0))
    carrier = model.add(fb.Ground("ground")).frame_b
    for i, (density, rigidity) in enumerate([(1.2, 60.0), (0.8, 25.0)], start=1):
        joint = model.add(fb.FlexibleJoint(f"joint{i}", inertia=0.05, stiffness=800.0, spring_damping=1.0))
        link = model.add(
            fb.FlexibleBeam(
                f"link{i}",
                length=0.6,
                linear_density=density,
                flexural_rigidity=rigidity,
                discretization=fb.AssumedModes(2, tip="auto"),
                damping_ratio=0.01,
                bending="y",
            )
        )
        model.connect(carrier, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        carrier = link.frame_b
    model.connect(carrier, model.add(fb.Payload("payload", mass=1.0, inertia=0.002)).frame_a)
    return model


def main(picture: str | None = None) -> optim.Plan:
    """Plan, replay, draw; return the plan."""
    dae = fb.assemble(upright_arm())
    problem = optim.RestToRest(
        start={"joint1.angle": -0.9, "joint2.angle": 0.9},
        goal={"payload.x": -0.3, "payload.y": 0.95},
        duration=1.5,
        via=optim.Via({"payload.x": 0.8, "payload.y": 0.6}, fraction=0.5),
        input_ends="holding",
    )
    plan = optim.plan(dae, problem, intervals=30, refine=True)
    print(plan.summary())
    print(plan.replay())
    if picture:
        plot.save(plot.snapshots(plan), picture)
    return plan


if __name__ == "__main__":
    main(*sys.argv[1:2])
