"""A hexapod (Stewart platform): five loops through universal joints, slides and ball joints, against forces alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb

HEIGHT, LEGS = 1.1, 6  # in sizes
SPAN = 0.2  # s, times the root of the size


def feet(size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the legs on the ground, and on the platform from its middle (6, 3) [m]."""
    below, above = np.deg2rad([0, 20, 120, 140, 240, 260]), np.deg2rad([-50, 70, 70, 190, 190, 310])
    circles = [np.column_stack([np.cos(at), np.sin(at), 0.0 * at]) for at in (below, above)]
    return size * circles[0], 0.5 * size * circles[1]


def platform(size: float, mass: float) -> fb.RigidBody:
    return fb.RigidBody("platform", mass, np.diag([0.1, 0.12, 0.2]) * mass * size**2)


def hexapod(size: float, mass: float) -> fb.DAE:
    """Legs of a millionth of the platform's mass; the first carries it, the others close loops."""
    model = fb.Model("hexapod", gravity=(0.0, 0.0, -9.81))
    ground, top = model.add(fb.Ground("ground")), model.add(platform(size, mass))
    below, above = feet(size)
    leg_mass = 1e-6 * mass
    for i in range(LEGS):
        along = np.array([0.0, 0.0, HEIGHT * size]) + above[i] - below[i]
        length = float(np.linalg.norm(along))
        x, y, z = along / length
        angles = (float(np.arctan2(-y, z)), float(np.arcsin(x)))
        leaning = Rotation.from_euler("XY", angles)
        inertia = np.diag([0.02, 0.02, 0.002]) * leg_mass * size**2
        foot, hinges = (
            model.add(fb.FixedTransform(f"foot{i}", below[i])),
            model.add(fb.Universal(f"hinges{i}", start=angles)),
        )
        low = model.add(fb.RigidBody(f"low{i}", leg_mass, inertia, center=(0.0, 0.0, 0.3 * size)))
        slide = model.add(fb.Prismatic(f"slide{i}", axis=(0.0, 0.0, 1.0), start=length))
        high = model.add(fb.RigidBody(f"high{i}", leg_mass, inertia, center=(0.0, 0.0, -0.3 * size)))
        ball = model.add(fb.Spherical(f"ball{i}", orientation=leaning.inv().as_matrix()))
        ram = model.add(fb.ForceSource(f"ram{i}"))
        chain = [ground, foot, hinges, low, slide, high, ball]
        place = model.add(fb.FixedTransform(f"place{i}", above[i] if i else -above[i]))
        for inner, outer in pairwise(chain):
            model.connect(inner.frame_b, outer.frame_a)
        model.connect(ram.flange_b, slide.axis)
        if i:
            model.connect(top.frame_b, place.frame_a)
            model.connect(ball.frame_b, place.frame_b)
        else:
            model.connect(ball.frame_b, place.frame_a)
            model.connect(place.frame_b, top.frame_a)
    return fb.assemble(model)


def floating_platform(size: float, mass: float) -> fb.DAE:
    """The same without legs: their forces act along the lines between their ends."""
    model = fb.Model("floating platform", gravity=(0.0, 0.0, -9.81))
    ground, top = model.add(fb.Ground("ground")), model.add(platform(size, mass))
    free = model.add(fb.FreeMotion("free", position=(0.0, 0.0, HEIGHT * size)))
    model.connect(ground.frame_b, free.frame_a)
    model.connect(free.frame_b, top.frame_a)
    for i, (low, high) in enumerate(zip(*feet(size), strict=True)):
        foot, place = model.add(fb.FixedTransform(f"foot{i}", low)), model.add(fb.FixedTransform(f"place{i}", high))
        ram = model.add(fb.LineForce(f"ram{i}"))
        model.connect(ground.frame_b, foot.frame_a)
        model.connect(top.frame_b, place.frame_a)
        model.connect(foot.frame_b, ram.frame_a)
        model.connect(place.frame_b, ram.frame_b)
    return fb.assemble(model)


@pytest.mark.slow
def test_a_hexapod_moves_as_its_platform_under_the_forces_of_its_legs() -> None:
    size, mass = 20.0, 5e4
    weight = 9.81 * mass / LEGS
    forces = {f"ram{i}.force": weight * (1.5 + 0.03 * i) for i in range(LEGS)}
    names = [f"platform.{each}" for each in ("x", "y", "z", "rotation_xx", "rotation_xy", "rotation_yz")]
    times = np.linspace(0.0, SPAN * np.sqrt(size), 11)
    runs = [fb.simulate(arm(size, mass).with_outputs(names), times, u=forces) for arm in (hexapod, floating_platform)]
    legs, alone = (np.column_stack([run[name] for name in names]) / ([size] * 3 + [1.0] * 3) for run in runs)
    assert np.ptp(alone[:, 2]) > 0.01
    np.testing.assert_allclose(legs, alone, atol=1e-5)
