"""Plans of arms on floating bases: what is not named is left to the momentum."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks import optim
from flexblocks.optim.presolve.boundary import End
from flexblocks.optim.presolve.feasibility.open_base import check_momentum

GOAL = {"joint.angle": 1.0}


@pytest.fixture(scope="module", params=[1.0, 0.1], ids=["metres", "decimetres"])
def dae(request: pytest.FixtureRequest) -> fb.DAE:
    """A body with an elastic link and a payload that floats; lengths times s, masses times s^3, as fast."""
    s = request.param
    model = chain(
        fb.FreeMotion("base", orientation=(0.4, -0.2, 1.0)),
        fb.RigidBody("body", 200.0 * s**3, np.diag([10.0, 20.0, 25.0]) * s**5, reach=(1.0 * s, 0.3 * s, 0.0)),
        fb.Revolute("joint", axis=(0, 0, 1)),
        fb.FlexibleBeam("link", 3.0 * s, 2.0 * s**2, 3000.0 * s**6, discretization=fb.AssumedModes(1, tip="auto")),
        fb.Payload("payload", 20.0 * s**3, np.diag([1.0, 1.0, 2.0]) * s**5),
        gravity=(0, 0, 0),
    )
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "joint.axis")
    model.add(fb.TotalMomentum("total"))
    return fb.assemble(model)


def test_a_base_that_is_not_named_ends_where_momentum_takes_it(dae: fb.DAE) -> None:
    plan = optim.plan(dae, optim.RestToRest({"joint.angle": 0.0}, GOAL, 5.0), intervals=20)
    run = plan.trajectory
    assert plan.status == "converged"
    assert run["joint.angle"][-1] == pytest.approx(1.0)
    size = np.linalg.norm([np.ptp(run[f"payload.{axis}"]) for axis in "xyz"])
    # The body turns back, about its own axis z, and its centre of mass stays.
    assert max(np.ptp(run[f"base.rotation_{axis}"]) for axis in "xyz") > 0.3
    assert max(np.ptp(run[f"total.center_{axis}"]) for axis in "xyz") < 1e-3 * size
    assert plan.replay().tip_miss < 1e-3 * size
    # At rest at the end: what nobody fixed, momentum stops.
    assert np.abs(plan.replay().trajectory["base.angular_velocity_z"][-1]) < 1e-2


def test_a_motion_of_the_tiniest_arm_is_refused_and_none_is_not() -> None:
    """A body of micrometres: nothing moves, or its centre of mass does."""
    body = fb.RigidBody("body", 1e-9, 1e-20 * np.eye(3), center=(1e-6, 0.0, 0.0))
    dae = fb.assemble(chain(fb.FreeMotion("base"), body, gravity=(0, 0, 0)))
    still = fb.equilibrium(dae, x=dict.fromkeys(dae.q_names, 0.0))
    moved = fb.equilibrium(dae, x=dict.fromkeys(dae.q_names, 0.0) | {"base.rotation_z": 1.0})
    check_momentum(dae, End("fixed", still), End("fixed", still))
    with pytest.raises(optim.ProblemError, match="momentum forbids it"):
        check_momentum(dae, End("fixed", still), End("fixed", moved))


def test_what_momentum_forbids_is_refused_by_that_word(dae: fb.DAE) -> None:
    held = {name: float(dae.x.start[i]) for i, name in enumerate(dae.q_names) if name.startswith("base.")}
    with pytest.raises(optim.ProblemError, match=r"momentum forbids it.*centre of mass stays at"):
        optim.plan(dae, optim.RestToRest({"joint.angle": 0.0}, GOAL | held, 5.0), intervals=20)
