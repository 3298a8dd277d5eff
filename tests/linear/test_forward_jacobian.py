"""Jacobians a column at a time; and that nothing of an arm is derived in order to linearise it that is not needed."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks.dae.forward_jacobian import forward_jacobian
from flexblocks.statics.balance import motion_residuals

x, y, none = ca.SX.sym("x", 3), ca.SX.sym("y", 2), ca.SX.sym("none", 0)
VALUES = ca.vertcat(ca.sin(x[0]) * y[1], x[2] ** 2, ca.SX(1, 1), ca.sqrt(y[0]) * x[1], x[0] * x[1] * x[2])


@cache
def boom(segments: int) -> fb.DAE:
    blocks: list[fb.Block] = []
    for i in range(2):
        beam = fb.FlexibleBeam(f"beam{i}", 5.0, 60.0, 4e7, discretization=fb.RigidSegments(segments))
        blocks += [fb.Revolute(f"joint{i}"), beam]
    return fb.assemble(chain(*blocks, fb.Payload("payload", 200.0)))


def test_columns_are_those_of_the_expression() -> None:
    function = ca.Function("f", [x, none, y], [ca.dot(x, x), ca.densify(VALUES)])
    columns = forward_jacobian(function, [2, 0, 1], output=1)
    expected = ca.Function("J", [x, none, y], [ca.jacobian(VALUES, group) for group in (y, x, none)])
    arguments = [0.3, -0.4, 0.7], [], [1.1, 2.0]
    for found, wanted in zip(columns(*arguments), expected(*arguments), strict=True):
        assert found.shape == wanted.shape
        assert found.sparsity() == wanted.sparsity()
        np.testing.assert_allclose(found.full(), wanted.full(), rtol=1e-14)


def test_an_infinite_slope_stays_where_it_is() -> None:
    """At y = 0 the slope of sqrt(y) is infinite: 0 times that, in the columns of what it does not depend on, is nan."""
    columns = forward_jacobian(ca.Function("f", [x, y], [ca.densify(VALUES)]), [0])
    assert np.isfinite(columns([0.3, -0.4, 0.7], [0.0, 2.0]).full()[[0, 1, 2, 4]]).all()
    assert columns([0.3, -0.4, 0.7], [0.0, 2.0]).full()[3, [0, 2]].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("segments", [2, 8])
def test_the_derivative_in_one_direction_takes_three_times_the_operations(segments: int) -> None:
    """The expression of the Jacobian takes 2.6 times those of the residuals at two segments a beam, 6.1 at eight."""
    residuals = motion_residuals(boom(segments))
    assert residuals.forward(1).n_instructions() < 3.5 * residuals.n_instructions()


@pytest.mark.filterwarnings("ignore:linearize. at. not an equilibrium")
def test_linearizing_derives_neither_the_mass_matrix_nor_its_inverse() -> None:
    dae = boom(4)
    fb.linearize(dae, {"joint1.angle": 0.3}, outputs=())
    assert not {"mass_matrix", "forward_dynamics", "inverse_dynamics"} & set(vars(dae))
    assert not {"mass", "acceleration"} & set(vars(dae.expressions))
