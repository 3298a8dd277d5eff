"""Plans of a five-bar with soft rods: slow or fast, small or large, the loop stays closed and the iterations few."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

pytestmark = pytest.mark.slow

CRANKS = "shoulder1.angle", "shoulder2.angle"


@cache
def five_bar(scale: float) -> fb.DAE:
    """Two motors 60 mm apart, cranks of 80 mm, rods of 120 mm that meet in a tool of 8 g; upright, times a scale."""
    model = fb.Model("five-bar", gravity=(0.0, -9.81, 0.0))
    ground = model.add(fb.Ground("ground"))
    base = model.add(fb.FixedTransform("base", translation=(0.06 * scale, 0.0, 0.0)))
    model.connect(ground.frame_b, base.frame_a)

    def side(number: int, foot: fb.Block, angle: float, elbow_angle: float) -> fb.FlexibleBeam:
        motor = model.add(fb.TorqueSource(f"motor{number}", limit=0.05 * scale**4))
        shoulder = model.add(fb.Revolute(f"shoulder{number}", start=angle))
        crank = model.add(fb.RigidLink(f"crank{number}", length=0.08 * scale, mass=0.01 * scale**3))
        elbow = model.add(fb.Revolute(f"elbow{number}", start=elbow_angle))
        rod = model.add(
            fb.FlexibleBeam(
                f"rod{number}",
                length=0.12 * scale,
                linear_density=0.02 * scale**2,
                flexural_rigidity=0.02 * scale**4,
                discretization=fb.AssumedModes(2, tip="pinned"),
                damping_ratio=0.01,
                bending="y",
            )
        )
        model.connect(motor.flange_b, shoulder.axis)
        for before, after in ((foot, shoulder), (shoulder, crank), (crank, elbow), (elbow, rod)):
            model.connect(before.frame_b, after.frame_a)
        return rod

    left, right = side(1, ground, 2.2, -1.2), side(2, base, 0.9, 1.2)
    tool = model.add(fb.Payload("tool", mass=0.008 * scale**3, inertia=1e-7 * scale**5))
    apex = model.add(fb.Revolute("apex"))
    model.connect(left.frame_b, tool.frame_a)
    model.connect(left.frame_b, apex.frame_a)
    model.connect(apex.frame_b, right.frame_b)
    return fb.assemble(model)


@pytest.mark.parametrize(("scale", "duration"), [(0.1, 0.158), (30.0, 2.7)])
def test_iterations_do_not_depend_on_speed_or_size(scale: float, duration: float) -> None:
    dae = five_bar(scale)
    rest = fb.equilibrium(dae)
    goal = {"tool.x": rest["tool.x"] + 0.03 * scale, "tool.y": rest["tool.y"] - 0.02 * scale}
    problem = optim.RestToRest({name: rest[name] for name in CRANKS}, goal, duration)
    plan = optim.plan(dae, problem, intervals=100)
    assert plan.status == "converged"
    assert plan.statistics.iterations <= 15
    closures = np.array(dae.constraint(plan.trajectory.x[:, : dae.tree.size].T, []))
    assert np.max(np.abs(closures)) < 1e-6 * max(scale, 1.0)
    assert np.hypot(*(plan.trajectory[name][-1] - at for name, at in goal.items())) < 1e-6 * scale
