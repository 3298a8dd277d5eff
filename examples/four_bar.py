"""A four-bar linkage with a flexible coupler, driven by a motor: a closed kinematic chain, its motion and its modes.

python examples/four_bar.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np

import flexblocks as fb


def four_bar() -> fb.Model:
    """Return the linkage of crank, coupler and rocker; the loop closes where the rocker's pin meets the coupler."""
    model = fb.Model("four-bar", gravity=(0.0, -9.81, 0.0))
    ground = model.add(fb.Ground("ground"))
    motor = model.add(fb.TorqueSource("motor"))
    crank_joint = model.add(fb.Revolute("crank_joint", start=1.0))
    crank = model.add(fb.RigidLink("crank", length=0.1, mass=0.5))
    knee = model.add(fb.Revolute("knee"))
    coupler = model.add(
        fb.FlexibleBeam(
            "coupler",
            length=0.3,
            linear_density=1.3,
            flexural_rigidity=5.0,
            discretization=fb.AssumedModes(
                2, tip="pinned"
            ),  # between its pins it is a simply supported beam, bending="y"
        )
    )
    foot = model.add(fb.FixedTransform("foot", translation=(0.28, 0.0, 0.0)))
    rocker_joint = model.add(fb.Revolute("rocker_joint", start=1.5))
    rocker = model.add(fb.RigidLink("rocker", length=0.25, mass=0.6))
    elbow = model.add(fb.Revolute("elbow"))
    model.connect(motor.flange_b, crank_joint.axis)
    model.connect(ground.frame_b, crank_joint.frame_a, foot.frame_a)
    model.connect(crank_joint.frame_b, crank.frame_a)
    model.connect(crank.frame_b, knee.frame_a)
    model.connect(knee.frame_b, coupler.frame_a)
    model.connect(foot.frame_b, rocker_joint.frame_a)
    model.connect(rocker_joint.frame_b, rocker.frame_a)
    model.connect(rocker.frame_b, elbow.frame_a)
    model.connect(elbow.frame_b, coupler.frame_b)  # two outboard ends meet: a loop
    return model


def main(picture: str | None = None) -> fb.Trajectory:
    """Run the example and return the motion."""
    dae = fb.assemble(four_bar())
    print(dae)
    hanging = fb.equilibrium(dae, x={"crank_joint.angle": -1.6})
    print(fb.linearize(dae, hanging).modes())

    motion = fb.simulate(dae, t=(0.0, 10.0), u={"motor.torque": 0.01})
    closure = dae.constraint(motion.x[:, : dae.tree.size].T, []).full()
    energy = motion["kinetic_energy"] + motion["potential_energy"] - motion["work"]
    print(f"In 10 s the loop opens by up to {np.abs(closure).max():.1e}, the energy drifts by {np.ptp(energy):.1e} J;")
    print(f"the coupler bends by up to {1e3 * np.abs(motion['coupler.bending_y[1]']).max() * np.sqrt(2):.1f} mm.")
    if picture:
        from flexblocks import plot

        plot.snapshots(motion).figure.savefig(picture)
    return motion


if __name__ == "__main__":
    main(*sys.argv[1:2])
