"""Linear models of an arm with everything at once, against finite differences of its equations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.one_link import DCMotor, HardeningSpring
from flexblocks.errors import FlexblocksWarning


def differences(function, x: np.ndarray) -> np.ndarray:
    """Central differences of a function of (n,), with Richardson's extrapolation."""

    def central(h: float) -> np.ndarray:
        steps = h * np.eye(len(x))
        return np.column_stack([(function(x + step) - function(x - step)) / (2 * h) for step in steps])

    return (4 * central(5e-5) - central(1e-4)) / 3


@cache
def random_arm() -> fb.DAE:
    """Two flexible links with springs, dampers, gravity, a motor with current and a spring with an algebraic torque."""
    model = fb.Model("everything", gravity=(1.0, -9.0, 0.5))
    ground = model.add(fb.Ground("ground"))
    first, second = (
        model.add(fb.Revolute("joint1", axis=(0.1, 0.2, 1.0), damping=0.3)),
        model.add(fb.Revolute("joint2")),
    )
    elastic = {"damping_ratio": 0.02, "discretization": fb.AssumedModes(2, "auto")}
    links = [
        model.add(fb.FlexibleBeam("link1", 0.5, 0.2, 6.0, bending="yz", **elastic)),
        model.add(fb.FlexibleBeam("link2", 0.5, 0.2, 6.0, **elastic)),
    ]
    inertia = ((3e-3, 0, 1e-4), (0, 4e-3, 0), (1e-4, 0, 5e-3))
    load = model.add(fb.Payload("payload", mass=0.1, inertia=inertia, center=(0.05, 0.02, 0.0)))
    motor1, rotor1 = model.add(DCMotor("motor1")), model.add(fb.Rotor("rotor1", inertia=0.02, gear_ratio=3.0))
    spring1 = model.add(fb.TorsionalSpring("spring1", stiffness=20.0, damping=0.1))
    motor2, hard = model.add(fb.TorqueSource("motor2")), model.add(HardeningSpring("hard"))
    for ports in (
        (motor1.flange_b, rotor1.flange_a),
        (rotor1.flange_b, spring1.flange_a),
        (spring1.flange_b, first.axis),
        (motor2.flange_b, hard.flange_b, second.axis),
        (ground.frame_b, first.frame_a, rotor1.frame_a),
        (first.frame_b, links[0].frame_a),
        (links[0].frame_b, second.frame_a),
        (second.frame_b, links[1].frame_a),
        (links[1].frame_b, load.frame_a),
    ):
        model.connect(*ports)
    return fb.assemble(model)


def consistent(dae: fb.DAE, x: np.ndarray) -> np.ndarray:
    """The torque z of the hardening spring at joint2, 0.01 z^3 + 0.1 z = angle, by Cardano's roots."""
    roots = np.roots([0.01, 0, 0.1, -x[dae.x.index("joint2.angle")]])
    return np.real(roots[np.argmin(np.abs(roots.imag))]).reshape(1)


@pytest.mark.parametrize("where", ["equilibrium", "in motion"])
def test_everything_at_once_against_finite_differences(where: str) -> None:
    dae = random_arm()
    if where == "equilibrium":
        point = fb.equilibrium(dae, x={"joint1.angle": 0.3, "joint2.angle": 0.8})
        lin = fb.linearize(dae, point)
    else:
        rng = np.random.default_rng(3)
        x = dict(zip(dae.x.names, rng.normal(scale=0.2, size=len(dae.x)), strict=True))
        # Of links that are bent by more than their length, which derivatives do not mind.
        with (
            pytest.warns(FlexblocksWarning, match="not an equilibrium"),
            pytest.warns(FlexblocksWarning, match="deflects by"),
        ):
            lin = fb.linearize(dae, {"x": x, "u": [0.7, -0.4]})
        point = lin.operating_point
    np.testing.assert_allclose(point.z, consistent(dae, point.x), rtol=1e-10)
    nx = len(dae.x)

    def rates(s: np.ndarray) -> np.ndarray:
        return dae.forward_dynamics(s[:nx], s[nx:], [], consistent(dae, s)).full().ravel()

    def outputs(s: np.ndarray) -> np.ndarray:
        return dae.output(s[:nx], s[nx:], [], consistent(dae, s)).full().ravel()

    both = np.r_[point.x, point.u]
    AB, CD = np.hstack([lin.A, lin.B]), np.hstack([lin.C, lin.D])
    scale = np.max(np.abs(AB), axis=1, keepdims=True)
    np.testing.assert_allclose(AB / scale, differences(rates, both) / scale, atol=1e-8)
    np.testing.assert_allclose(CD, differences(outputs, both), atol=1e-9)
    np.testing.assert_array_equal(lin.E, np.eye(nx))
