"""The warning where pulls along a straight beam change its frequencies: what it says is what rods that bend far do."""

from __future__ import annotations

import math
import warnings
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import FlexblocksWarning, LargeDeflectionWarning
from flexblocks.linear.linear_model import LinearModel
from flexblocks.validity.frequency_error import FrequencyError, frequency_error

LINEAR, RODS = fb.AssumedModes(3, tip="auto"), fb.StrainModes(5)
HANGING, STANDING = -math.pi / 2, math.pi / 2


@cache
def pendulum(kind: fb.Discretization, start: float, ratio: float, length: float = 0.8, **options: object) -> fb.DAE:
    """Return a beam of a tenth of its load's mass on a motor, which the load's weight times l^2/EI = `ratio` pulls."""
    mass = 0.3 * length**3
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    ground, motor, joint = (fb.Ground("ground"), fb.TorqueSource("motor"), fb.Revolute("joint", start=start))
    rod = fb.FlexibleBeam("rod", length, mass / length / 10, mass * 9.81 * length**2 / ratio, kind, **options)
    for block in (ground, motor, joint, rod):
        model.add(block)
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, model.add(fb.LumpedMass("load", mass)).frame_a)
    return fb.assemble(model)


def blade(**options: object) -> fb.DAE:
    """Return a blade on a heavy hub; speeds are in units of sqrt(EI/(m l^4))."""
    model = fb.Model("blade")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    hub = model.add(fb.RigidLink("hub", length=0.1, mass=10.0, inertia=np.diag([250.0, 250.0, 500.0])))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, fb.AssumedModes(3, tip="free"), bending="yz", **options))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, hub.frame_a)
    model.connect(hub.frame_b, beam.frame_a)
    return fb.assemble(model)


def quietly(dae: fb.DAE, at: object = None) -> LinearModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)
        return fb.linearize(dae, at=at)


def error_of(dae: fb.DAE, lin: LinearModel) -> FrequencyError | None:
    point = lin.operating_point
    return frequency_error(dae, lin.A, lin.structure.coordinates, point.x, point.z, point.u, point.p)


def vibrations(lin: LinearModel) -> np.ndarray:
    """Return frequencies of bending [rad/s]: those above a pendulum's."""
    poles = np.linalg.eigvals(lin.A).imag
    return np.sort(poles[poles > 1.5 * math.sqrt(9.81 / 0.8)])


@pytest.mark.parametrize("start", [HANGING, STANDING])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_expects_the_error_against_rods(start: float, ratio: float) -> None:
    """Of the slowest vibration, without any deflection: 18 to 40 %."""
    dae = pendulum(LINEAR, start, ratio)
    lin = quietly(dae)
    error = error_of(dae, lin)
    assert error is not None
    assert not error.stability
    linear, true = vibrations(lin)[0], vibrations(quietly(pendulum(RODS, start, ratio)))[0]
    assert error.frequency == pytest.approx(linear, rel=1e-6)
    assert error.error == pytest.approx(abs(linear / true - 1), rel=0.05)
    assert vibrations(quietly(pendulum(LINEAR, start, ratio, stiffening=True)))[0] == pytest.approx(true, rel=0.01)


@pytest.mark.parametrize("length", [0.002, 20.0])
def test_a_soft_beam_that_hangs_is_stable_whatever_the_linear_model_says(length: float) -> None:
    dae = pendulum(LINEAR, HANGING, 4.0, length)
    growth = np.linalg.eigvals(quietly(dae).A).real.max()
    assert growth > 1.0
    with pytest.warns(
        LargeDeflectionWarning, match="'rod' is pulled .* makes unstable, growing by e in .* stable"
    ) as seen:
        fb.linearize(dae)
    assert len(seen) == 1
    assert f"{1 / growth:.3g} s" in str(seen[0].message)
    assert np.linalg.eigvals(quietly(pendulum(RODS, HANGING, 4.0, length)).A).real.max() < 1e-6 * growth


def test_a_column_beyond_buckling_is_unstable() -> None:
    """A clamped beam under its load buckles at pi^2 EI/(4 l^2); the linear model does not know of it."""
    for ratio, buckled in ((2.3, False), (2.6, True)):
        dae = pendulum(LINEAR, STANDING, ratio)
        assert dae.model is not None
        held = fb.assemble(dae.model, locked={"joint.angle": STANDING})
        error = error_of(held, quietly(held))
        assert error is not None
        assert ("makes stable what grows" in error.text) == buckled


def test_a_steady_spin() -> None:
    dae = blade()
    assert error_of(dae, quietly(dae, {"der(joint.angle)": 0.3})) is None
    lin, stiffened = (quietly(each, {"der(joint.angle)": 2.0}) for each in (dae, blade(stiffening=True)))
    error = error_of(dae, lin)
    assert error is not None
    linear, true = (np.sort(np.linalg.eigvals(each.A).imag) for each in (lin, stiffened))
    place = int(np.argmin(np.abs(linear - error.frequency)))
    assert error.error == pytest.approx(1 - linear[place] / true[place], rel=0.05)


@pytest.mark.parametrize("kind", [RODS, fb.RigidSegments(4)], ids=["strains", "segments"])
def test_no_false_alarms(kind: fb.Discretization) -> None:
    for dae in (
        pendulum(kind, HANGING, 2.0),
        pendulum(LINEAR, HANGING, 2.0, stiffening=True),
        pendulum(LINEAR, HANGING, 0.2),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error", LargeDeflectionWarning)
            fb.linearize(dae)


def test_forces_from_outside_compress_a_beam_too() -> None:
    """A mast without weight under half the force that buckles it."""
    masts = []
    for stiffening in (False, True):
        model = fb.Model("mast")
        mast = fb.FlexibleBeam(
            "mast", 2.0, 0.5, 4.0, fb.AssumedModes(2, tip="free"), bending="y", stiffening=stiffening
        )
        ground, mast, press = (model.add(block) for block in (fb.Ground("ground"), mast, fb.WorldForce("press")))
        model.connect(ground.frame_b, mast.port("frame_a"))
        model.connect(mast.port("frame_b"), press.port("frame_a"))
        dae = fb.assemble(model)
        masts.append((dae, quietly(dae, {"press.force_x": -(math.pi**2) * 4.0 / (4 * 2.0**2) / 2})))
    (dae, lin), (_, stiffened) = masts
    error = error_of(dae, lin)
    assert error is not None
    assert "compressed by 50 % of what buckles it" in error.text
    linear, true = (np.abs(np.linalg.eigvals(each.A)).min() for each in (lin, stiffened))
    assert error.error == pytest.approx(linear / true - 1, rel=0.02)
