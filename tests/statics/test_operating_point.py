"""Operating points: all there is to know of them by name, outputs included."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from arms.linkages import FourBar
from flexblocks import models
from flexblocks.errors import NameUnknownError


@pytest.fixture(scope="module")
def arm() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))


def test_outputs_are_those_of_the_arm_at_that_point(arm: fb.DAE):
    op = fb.equilibrium(arm, {"joint1.angle": 0.3, "joint2.angle": -0.7}, p={"payload.mass": 0.2})
    # Two links of 0.5 m at rest without gravity are straight.
    assert op["payload.x"] == pytest.approx(0.5 * (np.cos(0.3) + np.cos(-0.4)), rel=1e-12)
    assert op["payload.y"] == pytest.approx(0.5 * (np.sin(0.3) + np.sin(-0.4)), rel=1e-12)
    assert op.outputs == arm.y.names
    np.testing.assert_array_equal(op.y, arm.output(op.x, op.u, op.p).full().ravel())
    assert op.y.shape == (len(arm.y),)


def test_a_point_that_moves_has_its_own_outputs(arm: fb.DAE):
    op = fb.equilibrium(arm)
    assert op["payload.y"] == pytest.approx(0.0, abs=1e-12)
    moved = dataclasses.replace(op, x=np.where(np.array(op.states) == "joint1.angle", 0.5, op.x))
    assert moved["payload.y"] == pytest.approx(np.sin(0.5), rel=1e-12)


def test_outputs_with_algebraic_variables_and_loops():
    loop = fb.assemble(FourBar().model())
    op = fb.linearize(loop, fb.equilibrium(loop)).operating_point
    expected = loop.output(op.x, op.u, op.p).full().ravel()
    np.testing.assert_allclose(
        [op[name] for name in loop.y.names if name not in op.multipliers],
        [value for name, value in zip(loop.y.names, expected, strict=True) if name not in op.multipliers],
    )
    beam = fb.SlidingBeam("beam", 1.0, 0.5, 3.0, discretization=fb.AssumedModes(1, tip="free"), shapes="algebraic")
    motor = chain(beam, fb.Payload("payload", 0.3), gravity=(0.0, 0.0, 0.0))
    motor.connect(motor.add(fb.ForceSource("motor")).flange_b, "beam.axis")
    sliding = fb.assemble(motor)
    op = fb.equilibrium(sliding)
    np.testing.assert_array_equal(op.y, sliding.output(op.x, op.u, op.p, op.z).full().ravel())


def test_pickled_with_its_outputs(arm: fb.DAE):
    op = fb.equilibrium(arm, {"joint1.angle": 0.3})
    again = pickle.loads(pickle.dumps(op))
    assert again["payload.x"] == op["payload.x"]
    assert again.as_dict() == op.as_dict()


def test_an_unknown_name_is_told_the_nearest_output(arm: fb.DAE):
    with pytest.raises(NameUnknownError, match=r"Did you mean payload\.center_x"):
        fb.equilibrium(arm)["payload.centre_x"]
