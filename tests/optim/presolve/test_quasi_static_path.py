"""The first guess along equilibria: in balance where a straight line is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexblocks as fb
from arms import force_arms
from flexblocks import models
from flexblocks.optim.presolve.rigid_motion.driven_states import state_inputs
from flexblocks.optim.presolve.rigid_motion.quasi_static_path import follows_from_balance, quasi_static_path
from flexblocks.statics.balance import rest, unknown_vector


def residual(dae: fb.DAE, x: np.ndarray, forces: np.ndarray, u: np.ndarray) -> np.ndarray:
    return rest(dae)(unknown_vector(dae, x, np.zeros(0), forces, u), [])[0].full().ravel()


@pytest.mark.parametrize(
    ("model", "start", "goal"),
    [
        (models.hoist_crane(), (0.0, 0.5, 2.0), (1.2, 0.9, 10.0)),
        pytest.param(
            models.concrete_pump(valves="ideal"),
            (0.9, -0.5, -0.6, -0.5),
            (0.6, -0.2, -0.9, -0.3),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["crane", "pump"],
)
def test_it_stays_in_balance(model, start, goal):
    dae = fb.assemble(model)
    crane = ("slewing.angle", "luffing.angle", "load_z.displacement")
    names = crane if len(start) == 3 else tuple(f"joint{i}.angle" for i in range(1, 5))
    ends = [fb.equilibrium(dae, x=dict(zip(names, values, strict=True))) for values in (start, goal)]
    assert follows_from_balance(dae)
    path = quasi_static_path(dae, *ends, names)
    assert path is not None
    np.testing.assert_allclose(path.x(0.0), ends[0].x, atol=1e-6)
    np.testing.assert_allclose(path.x(1.0), ends[1].x, atol=1e-6)
    idle, largest, straight = np.zeros(len(dae.u)), 0.0, 0.0
    for share in (0.1, 0.37, 0.5, 0.81):
        x = path.x(share)
        driven = [x[dae.x.index(name)] for name in names]
        np.testing.assert_allclose(driven, np.array(start) + share * np.subtract(goal, start), atol=1e-9)
        largest = max(largest, np.abs(residual(dae, x, path.forces(share), idle)).max())
        between = (1 - share) * ends[0].x + share * ends[1].x
        straight = max(straight, np.abs(residual(dae, between, path.forces(share), idle)).max())
    # Weights of some 1e4 N are in balance to a newton; along the straight line there are forces of 1e6 N.
    assert largest < 10.0
    assert straight > 1e5 * largest


def test_winches_run_at_the_speed_of_their_rope():
    dae = fb.assemble(force_arms.hoist())
    x = np.tile(dae.x.start, (3, 1))
    u = state_inputs(dae, x, np.zeros((3, 0)), np.zeros((3, 1)), np.zeros(0), np.array([[0.1], [-0.2], [0.0]]))
    np.testing.assert_allclose(u, [[0.1], [-0.2], [0.0]], atol=1e-12)


def test_valves_open_for_the_flow():
    """At a given rate of both pressures the opening is that of the hydraulic equations."""
    dae = fb.assemble(force_arms.boom())
    x = dae.x.start.copy()
    x[1] = 0.2
    rates = dae.forward_dynamics(x, [0.15], []).full().ravel()[2:]
    u = state_inputs(dae, x[None], np.zeros((1, 0)), np.zeros((1, 1)), np.zeros(0), rates[None])
    assert u[0, 0] == pytest.approx(0.15, abs=1e-9)


def test_a_goal_out_of_balance_has_no_path():
    dae = fb.assemble(models.hoist_crane())
    names = ("slewing.angle", "luffing.angle", "load_z.displacement")
    here = fb.equilibrium(dae, x=dict(zip(names, (0.0, 0.5, 2.0), strict=True)))
    # The load beside its rope.
    x = here.x.copy()
    x[dae.x.index("load_x.displacement")] += 5.0
    assert quasi_static_path(dae, here, replace(here, x=x), ()) is None
