"""Arms in which nothing moves, but something flows or is held: no coordinates, and states of drives."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import ParameterError


@cache
def cylinder_between_walls() -> fb.DAE:
    """Return an ideal cylinder between two places of the ground: one state, no coordinate."""
    model = fb.Model("walls")
    ground, wall = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("wall", (0.7, 0.0, 0.0)))
    ram = model.add(fb.HydraulicCylinder("ram", 1e-3, 8e-4, retracted=0.2, extended=1.5, max_speed=0.1))
    model.connect(ground.frame_b, wall.frame_a)
    model.connect(ground.frame_b, ram.frame_a)
    model.connect(wall.frame_b, ram.frame_b)
    return fb.assemble(model)


def test_a_cylinder_pushes_between_walls() -> None:
    """The command grows by the speed that is requested, and the force by the stiffness of the oil."""
    dae = cylinder_between_walls()
    assert dae.x.names == ("ram.command",)
    run = fb.simulate(dae, (0.0, 0.01), u={"ram.valve": 0.5}, x0={"ram.command": 0.7})
    assert run["ram.command"][-1] == pytest.approx(0.7 + 0.5 * 0.1 * 0.01, rel=1e-9)
    assert run["ram.length"][-1] == 0.7
    assert run["ram.force"][-1] > run["ram.force"][0]


def test_a_grid_over_nothing_is_refused_with_an_example() -> None:
    model = fb.Model("empty")
    model.add(fb.Ground("ground"))
    with pytest.raises(ParameterError, match="must be a dict of values by name"):
        fb.linear_grid(fb.assemble(model), {})


def test_a_state_of_one_number_is_split_into_columns() -> None:
    """Of a 1 x 1 matrix CasADi's x[0:0] is 1 x 0, which no product takes."""
    dae = cylinder_between_walls()
    assert [part.shape for part in dae.tree.split_state(dae.x.symbol)] == [(0, 1), (0, 1), (1, 1)]
    assert [len(part) for part in dae.tree.split_state(np.zeros(1))] == [0, 0, 1]
