"""The warning where a bent beam's linear theory misses how its tip moves along it: what it says is what rods do."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import FlexblocksWarning, LargeDeflectionWarning
from flexblocks.linear.linear_model import LinearModel
from flexblocks.validity.frequency_error import frequency_error

LINEAR = fb.FiniteElements(3)


def hinged(
    kind: fb.Discretization, load: float, ratio: float, length: float = 1.0, mass: float = 1.0, **options: object
) -> fb.DAE:
    """Return a beam on a hinge, `ratio` times as heavy as its load, which deflects it by load/3 of its length."""
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    ground, motor, joint = (model.add(b) for b in (fb.Ground("g"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    rigidity = mass * 9.81 * length**2 / load
    boom = model.add(fb.FlexibleBeam("boom", length, mass * ratio / length, rigidity, kind, **options))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, boom.frame_a)
    model.connect(boom.frame_b, model.add(fb.LumpedMass("load", mass)).frame_a)
    return fb.assemble(model)


def at_rest(dae: fb.DAE) -> LinearModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)
        return fb.linearize(dae, at=fb.equilibrium(dae, {"joint.angle": 0.0}))


def frequencies(lin: LinearModel) -> np.ndarray:
    return np.array([mode.frequency for mode in lin.modes()][1:4])


@pytest.mark.slow
@pytest.mark.parametrize(("load", "ratio"), [(0.1, 0.3), (0.2, 0.03)])
def test_expects_the_error_against_rods_that_bend_far(load: float, ratio: float) -> None:
    """Of the second elastic frequency, at deflections of 1.7 to 6.7 % of the length: 19 to 58 %."""
    dae = hinged(LINEAR, load, ratio)
    lin = at_rest(dae)
    point = lin.operating_point
    error = frequency_error(dae, lin.A, lin.structure.coordinates, point.x, point.z, point.u, point.p)
    assert error is not None
    linear, true = frequencies(lin), frequencies(at_rest(hinged(fb.StrainModes(5), load, ratio)))
    assert error.frequency == pytest.approx(linear[1], rel=1e-6)
    assert error.error == pytest.approx(1 - linear[1] / true[1], rel=0.1)
    # What the warning advises holds.
    assert frequencies(at_rest(hinged(LINEAR, load, ratio, stiffening=True)))[:2] == pytest.approx(true[:2], rel=0.02)


@pytest.mark.parametrize(("length", "mass"), [(0.03, 0.005), pytest.param(30.0, 2e4, marks=pytest.mark.slow)])
def test_linearize_and_linear_grid_warn_once_at_any_size(length: float, mass: float) -> None:
    dae = hinged(LINEAR, 0.1, 0.3, length, mass)
    point = fb.equilibrium(dae, {"joint.angle": 0.0})
    for form in ("minimal", "descriptor"):
        with pytest.warns(LargeDeflectionWarning, match=r"'boom' deflects by 3\.\d % .* off by about 19 %") as seen:
            fb.linearize(dae, at=point, form=form)
        assert len(seen) == 1
        assert "stiffening=True counts it; StrainModes(n) holds" in str(seen[0].message)
        assert seen[0].filename == __file__
    with pytest.warns(LargeDeflectionWarning, match=r"at 2 points, the most at joint.angle = 0.2: .* off by") as seen:
        fb.linear_grid(dae, {"joint.angle": [0.0, 0.2]}, outputs="load.y")
    assert len(seen) == 1


@pytest.mark.parametrize(
    "arm",
    [
        (fb.FiniteElements(1), 0.1, 0.3, True),
        (fb.StrainModes(2), 0.2, 0.03, False),
        (fb.RigidSegments(2), 0.2, 0.03, False),
        (LINEAR, 0.01, 0.3, False),
        (LINEAR, 0.001, 0.01, False),
    ],
    ids=["stiffening", "strains", "segments", "stiff", "stiff and light"],
)
def test_no_false_alarms(arm: tuple) -> None:
    *arm, stiffening = arm
    dae = hinged(*arm, stiffening=stiffening)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.linearize(dae, at=fb.equilibrium(dae, {"joint.angle": 0.0}))


def test_a_beam_on_a_wall_hardly_turns_and_needs_no_warning() -> None:
    dae = hinged(LINEAR, 0.1, 0.3)
    assert dae.model is not None
    held = fb.assemble(dae.model, locked={"joint.angle": 0.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.linearize(held, at=fb.equilibrium(held))
