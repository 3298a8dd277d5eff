"""Gravity and the pose of a fixed transform as symbolic parameters: an arm on a base that tilts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from flexblocks.errors import FlexblocksError, ParameterError

ROTATION = tuple(f"base.rotation[{i}]" for i in (1, 2, 3))


def tilted(rotation: object = (0.0, 0.0, 0.0), gravity: tuple = (0.0, -9.81, 0.0), bending: str = "yz") -> fb.Model:
    """Return a flexible arm on a mount."""
    model = fb.Model("arm", gravity=gravity)
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("base", (0.1, 0.0, 0.2), rotation))
    joint, motor = model.add(fb.Revolute("joint")), model.add(fb.TorqueSource("motor"))
    sizes = {"length": 1.2, "linear_density": 0.8, "flexural_rigidity": 15.0, "bending": bending}
    beam = model.add(fb.FlexibleBeam("beam", **sizes, discretization=fb.AssumedModes(2)))
    load = model.add(fb.Payload("load", mass=0.3, inertia=(1e-3, 2e-3, 3e-3)))
    model.connect(ground.frame_b, base.frame_a)
    model.connect(base.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return model


@pytest.mark.parametrize("rotation", [(0.0, 0.0, 0.0), (1e-6, 0.0, -2e-6), (0.009, 0.004, 0.0), (0.4, -1.1, 2.0)])
def test_values_given_later_are_values_built_in(rotation: tuple[float, ...]) -> None:
    gravity = (1.0, -3.0, 2.0)
    dae = fb.assemble(tilted(), symbolic=("gravity", "base.rotation"))
    assert dae.p.names == ("gravity[1]", "gravity[2]", "gravity[3]", *ROTATION)
    assert dae.p.units == ("m/s2",) * 3 + ("rad",) * 3
    built = fb.assemble(tilted(rotation, gravity))
    x, p = np.random.default_rng(3).normal(size=len(dae.x)) * 0.1, [*gravity, *rotation]
    for name in ("forward_dynamics", "output"):
        later, now = getattr(dae, name)(x, [0.4], p).full(), getattr(built, name)(x, [0.4], []).full()
        np.testing.assert_allclose(later, now, atol=1e-13 * np.abs(now).max())
    energies = [sum(map(float, each.energy(x, values))) for each, values in ((dae, p), (built, []))]
    assert energies[0] == pytest.approx(energies[1], rel=1e-12)


def test_a_tilt_of_the_base_is_one_of_gravity() -> None:
    """In the axes of the base nothing else changes."""
    tilt = np.array([0.3, -0.2, 0.5])
    dae = fb.assemble(tilted(), symbolic=("gravity", "base.rotation"))
    fell = Rotation.from_rotvec(tilt).as_matrix().T @ [0.0, -9.81, 0.0]
    x = np.random.default_rng(4).normal(size=len(dae.x)) * 0.1
    turned = dae.forward_dynamics(x, [0.0], [0.0, -9.81, 0.0, *tilt]).full()
    falling = dae.forward_dynamics(x, [0.0], [*fell, 0.0, 0.0, 0.0]).full()
    np.testing.assert_allclose(turned, falling, atol=1e-12 * np.abs(turned).max())


def test_the_derivative_in_a_tilt_is_that_of_differences() -> None:
    """Also where the base does not tilt, at which the angle of the rotation vector has no derivative."""
    dae = fb.assemble(tilted(), symbolic=ROTATION)
    x, step = np.zeros(len(dae.x)), 1e-6
    rate = dae.forward_dynamics.jacobian()(x, [0.0], np.zeros(3), np.zeros(len(dae.x)))[2].full()
    for i in range(3):
        ahead, behind = (dae.forward_dynamics(x, [0.0], side * step * np.eye(3)[i]).full() for side in (1, -1))
        np.testing.assert_allclose(rate[:, [i]], (ahead - behind) / (2 * step), atol=1e-6 * np.abs(rate).max())


def test_beams_bend_across_a_plane_that_a_parameter_may_leave() -> None:
    model = tilted(bending="auto")
    plane = [name for name in fb.assemble(model, symbolic=("gravity[2]", "base.rotation[3]")).x.names if "_z" in name]
    space = [name for name in fb.assemble(model, symbolic=("gravity[3]",)).x.names if "_z" in name]
    tipped = [name for name in fb.assemble(model, symbolic=("base.rotation[1]",)).x.names if "_z" in name]
    assert plane == []
    assert space == tipped != []


def test_what_cannot_stay_symbolic() -> None:
    with pytest.raises(ParameterError, match="give a rotation vector"):
        fb.assemble(tilted(np.eye(3)), symbolic=("base.rotation",))
    with pytest.raises(FlexblocksError, match=r"Did you mean gravity\[1\]"):
        fb.assemble(tilted(), symbolic=("gravity[4]",))
