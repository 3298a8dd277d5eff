"""Plans that take longer: a fine mesh, and arms with more links."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from arms.library import subudhi_morris
from flexblocks import optim

pytestmark = pytest.mark.slow


def rest_to_rest(links: int) -> optim.RestToRest:
    names = [f"joint{i}.angle" for i in range(1, links + 1)]
    goal = dict(zip(names, [math.pi / 2, math.pi / 6, math.pi / 6, math.pi / 6], strict=False))
    return optim.RestToRest(dict.fromkeys(names, 0.0), goal, 2.0)


def test_objective_converges_under_refinement() -> None:
    dae = subudhi_morris()
    plans = [optim.plan(dae, rest_to_rest(2), intervals=intervals) for intervals in (100, 200, 400)]
    steps = [abs(finer.objective - coarser.objective) for coarser, finer in pairwise(plans)]
    assert steps[1] < steps[0] < 0.01 * plans[-1].objective
    replay = plans[-1].replay()
    assert replay.tip_miss < 1e-6
    assert 0 <= replay.energy_left < 1e-7


def test_four_links_converge_from_the_default_start() -> None:
    plan = optim.plan(subudhi_morris(links=4), rest_to_rest(4), intervals=40)
    assert plan.status == "converged"
    assert plan.replay().tip_miss < 0.5e-3
