"""Flexible bodies of finite elements, and arms of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import flexblocks as fb

ALUMINIUM = fb.Material(density=2700.0, youngs_modulus=70e9, poissons_ratio=0.33)
LOAD, LOAD_INERTIA = 1.0, 1e-3


def bar_mesh(length: float = 1.0, width: float = 0.02, height: float = 0.01, n: int = 10) -> Any:
    """Return a bar along x, `height` along y and `width` along z."""
    skfem = pytest.importorskip("skfem")
    y, z = (np.linspace(-size / 2, size / 2, 3) for size in (height, width))
    return skfem.MeshHex.init_tensor(np.linspace(0.0, length, n + 1), y, z).to_meshtet()


def angle_mesh(n: int = 6) -> Any:
    """Return an L in the x-y plane, 0.5 m along x and 0.3 m along y, that tapers in z."""
    skfem = pytest.importorskip("skfem")
    a, b, half = 0.5, 0.3, 0.02
    x = np.concatenate([[-half], np.linspace(0.0, a - half, n), [a, a + half]])
    y = np.concatenate([[-half, 0.0], np.linspace(half, b, max(n // 2, 2))])
    mesh = skfem.MeshHex.init_tensor(x, y, np.linspace(-0.5, 0.5, 3))
    center = mesh.p[:, mesh.t].mean(axis=1)
    mesh = mesh.restrict(np.flatnonzero((np.abs(center[1]) < half) | (center[0] > a - half)))
    p = mesh.p.copy()
    along = (np.clip(p[0], 0, a) + np.clip(p[1], 0, b)) / (a + b)
    p[2] *= 0.03 - 0.012 * along
    return skfem.MeshHex(p, mesh.t).to_meshtet()


def bar_ends(length: float = 1.0) -> dict[str, Any]:
    """Return the interfaces at both ends of a bar."""
    return {"frame_a": lambda x: np.abs(x[0]) < 1e-9, "frame_b": lambda x: np.abs(x[0] - length) < 1e-9}


ANGLE_ENDS = {"frame_a": lambda x: np.abs(x[0] + 0.02) < 1e-9, "frame_b": lambda x: np.abs(x[1] - 0.3) < 1e-9}


@cache
def bar() -> fb.FlexibleBody:
    """Return a bar of 1 m without Poisson's ratio, with quadratic modes and a stress."""
    material = fb.Material(2700.0, 70e9, 0.0)
    return fb.FlexibleBody.from_mesh(bar_mesh(), material, bar_ends(), modes=8, stress_at={"root": (0.05, 0.005, 0.0)})


@cache
def angle() -> fb.FlexibleBody:
    """Return the L of `angle_mesh`, in 12 modes."""
    return fb.FlexibleBody.from_mesh(angle_mesh(), ALUMINIUM, ANGLE_ENDS, quadratic=False)


def hung(block: Any, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81), load: float = LOAD) -> fb.Model:
    """Return a block clamped to the ground, with a load at its end."""
    model = fb.Model("hung", gravity=gravity)
    ground, body = model.add(fb.Ground("ground")), model.add(block)
    model.connect(ground.frame_b, body.frame_a)
    if load:
        carried = model.add(fb.Payload("load", load, np.eye(3) * LOAD_INERTIA))
        model.connect(body.frame_b, carried.frame_a)
    return model


def arm(*blocks: Any, gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), load: float = LOAD) -> fb.Model:
    """Return links on driven hinges about z, with a load at the end."""
    model = fb.Model("arm", gravity=gravity)
    before = model.add(fb.Ground("ground")).frame_b
    for i, block in enumerate(blocks, 1):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}"))
        body = model.add(block)
        model.connect(motor.flange_b, joint.axis)
        model.connect(before, joint.frame_a)
        model.connect(joint.frame_b, body.frame_a)
        before = body.frame_b
    model.connect(before, model.add(fb.Payload("load", load, np.eye(3) * LOAD_INERTIA)).frame_a)
    return model
