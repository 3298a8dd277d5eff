"""Linkages of the IFToMM benchmark that pass change points, or have more closures than they need."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import flexblocks as fb

G = 9.81


def windows(count: int) -> fb.Model:
    """Return `count` four-bars side by side (benchmark A02): links of 1 m and 1 kg, all upright at the start."""
    model = fb.Model("four-bars", gravity=(0.0, -G, 0.0))
    ground = model.add(fb.Ground("ground"))
    for i in range(count + 1):
        foot = model.add(fb.FixedTransform(f"foot{i}", (float(i), 0, 0)))
        hinge = model.add(fb.Revolute(f"hinge{i}", start=np.pi / 2))
        link = model.add(fb.RigidLink(f"upright{i}", 1.0, 1.0))
        model.connect(ground.frame_b, foot.frame_a)
        model.connect(foot.frame_b, hinge.frame_a)
        model.connect(hinge.frame_b, link.frame_a)
    for i in range(count):
        left, right = (model.add(fb.Revolute(f"{side}{i}", start=-np.pi / 2)) for side in ("left", "right"))
        bar = model.add(fb.RigidLink(f"bar{i}", 1.0, 1.0))
        model.connect(f"upright{i}.frame_b", left.frame_a)
        model.connect(left.frame_b, bar.frame_a)
        model.connect(f"upright{i + 1}.frame_b", right.frame_a)
        model.connect(right.frame_b, bar.frame_b)
    return model


def parallel_motion(count: int, times: np.ndarray, rate: float) -> np.ndarray:
    """Return the angle (k,) of the uprights in parallel motion, which starts upright at a rate [rad/s]."""
    inertia, torque = (count + 1) / 3 + count, G * ((count + 1) / 2 + count)

    def motion(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -torque * np.cos(y[0]) / inertia]

    span = (times[0], times[-1])
    return solve_ivp(motion, span, [np.pi / 2, rate], t_eval=times, rtol=1e-11, atol=1e-12).y[0]


def equal_slider_crank() -> fb.Model:
    """Return a slider-crank whose crank and rod are equal, of 1 m and 1 kg: its slide is 2 cos of the crank's angle.

    Where the crank is upright, the slide may stay in the middle, and the rod turn with the crank.
    """
    model = fb.Model("slider-crank", gravity=(0.0, -G, 0.0))
    ground, angle = model.add(fb.Ground("ground")), np.pi / 4
    joint, pin = model.add(fb.Revolute("joint", start=angle)), model.add(fb.Revolute("pin", start=-2 * angle))
    crank, rod = (model.add(fb.RigidLink(name, 1.0, 1.0)) for name in ("crank", "rod"))
    wrist = model.add(fb.Revolute("wrist", start=angle))
    slide = model.add(fb.Prismatic("slide", axis=(1, 0, 0), start=2 * np.cos(angle)))
    piston = model.add(fb.Payload("piston", 1.0))
    model.connect(ground.frame_b, joint.frame_a, slide.frame_a)
    for one, other in ((joint, crank), (crank, pin), (pin, rod), (rod, wrist)):
        model.connect(one.frame_b, other.frame_a)
    model.connect(slide.frame_b, piston.frame_a, wrist.frame_b)
    return model


def bricard() -> fb.Model:
    """Return Bricard's mechanism (benchmark A05): six closures of rank five, five rods of 1 m and 1 kg."""
    model = fb.Model("Bricard's mechanism", gravity=(0.0, -G, 0.0))
    ground = model.add(fb.Ground("ground"))
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    end = ground.frame_b
    for i in range(5):
        along = np.subtract(corners[i + 1], corners[i]).astype(float)
        inertia = (np.eye(3) - np.outer(along, along)) / 12 + 1e-6 * np.eye(3)
        hinge = model.add(fb.Revolute(f"hinge{i}", axis=axes[i]))
        rod = model.add(fb.RigidBody(f"rod{i}", 1.0, inertia, tuple(along / 2)))
        tip = model.add(fb.FixedTransform(f"tip{i}", tuple(along)))
        model.connect(end, hinge.frame_a)
        model.connect(hinge.frame_b, rod.frame_a, tip.frame_a)
        end = tip.frame_b
    last, foot = model.add(fb.Revolute("hinge5", axis=axes[5])), model.add(fb.FixedTransform("foot", corners[5]))
    model.connect(ground.frame_b, foot.frame_a)
    model.connect(end, last.frame_a)
    model.connect(last.frame_b, foot.frame_b)
    return model
