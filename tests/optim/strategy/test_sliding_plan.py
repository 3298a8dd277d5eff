"""Plans of an arm with a sliding link."""

from __future__ import annotations

import pytest

import flexblocks as fb
from flexblocks import models, optim

REACH = optim.RestToRest(
    start={"joint2.angle": 0.0, "link3.displacement": 0.4},
    goal={"joint2.angle": 0.8, "link3.displacement": 0.7},
    duration=1.0,
)


def plan(shapes: str) -> optim.Plan:
    dae = fb.assemble(models.theodore_ghosal_1995("RP", n=1, shapes=shapes))
    found = optim.plan(dae, REACH, intervals=20)
    assert found.status == "converged"
    assert max(found.replay().misses.values()) < 5e-4
    return found


def test_sliding_link_is_planned_and_replayed() -> None:
    assert plan("fixed").objective > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Plan of .* its mesh. not judged")
def test_roots_as_algebraic_variables_and_as_states_give_one_plan() -> None:
    first, second = plan("algebraic"), plan("ode")
    assert first.objective == pytest.approx(second.objective, rel=1e-6)
    assert second.trajectory["link3.beta[1]"][-1] == pytest.approx(first.trajectory["link3.beta[1]"][-1], rel=1e-6)
