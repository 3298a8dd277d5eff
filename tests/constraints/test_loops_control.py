"""Control laws on linkages with closed kinematic loops."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.linkages import FourBar
from flexblocks import control
from flexblocks.errors import ParameterError


def test_lqr_keeps_a_flexible_four_bar_upright():
    dae = fb.assemble(FourBar(rigidity=5.0).model())
    top = fb.equilibrium(dae, u={"motor.torque": 0.0})
    lin = fb.linearize(dae, top)
    assert lin.modes().eigenvalue.real.max() > 5
    closed = control.close_loop(dae, control.LQR(Q={"crank_joint.angle": 10.0}, R={"motor.torque": 1.0}, at=top))
    run = fb.simulate(closed, (0.0, 3.0), x0={"crank_joint.angle": top["crank_joint.angle"] + 0.2})
    assert abs(run["crank_joint.angle"][-1] - top["crank_joint.angle"]) < 1e-3
    assert np.abs(dae.constraint(run.x[:, : dae.tree.size].T, []).full()).max() < 1e-8


def test_laws_that_know_no_loop_forces_refuse():
    dae = fb.assemble(FourBar().model())
    with pytest.raises(ParameterError, match="GravityCompensation: the model has closed kinematic loops"):
        control.close_loop(dae, control.GravityCompensation())
