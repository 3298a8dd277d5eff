"""Assembly and right-hand side of an N-link arm against code written by hand: ``python -m benchmarks.assembly``."""

from __future__ import annotations

import casadi as ca
import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.lagrange_by_hand import forward_dynamics
from benchmarks.timing import best_of
from flexblocks import models


def evaluation(function: ca.Function, arguments: list[np.ndarray], repeats: int = 2000) -> object:
    """Return a callable that evaluates a function many times without Python in between."""
    mapped = function.map(repeats)
    wide = [np.tile(np.reshape(a, (-1, 1)), repeats) for a in arguments]
    return lambda: mapped(*wide)


def main() -> None:
    table = Table(
        "links", "blocks [ms]", "by hand [ms]", "ratio", "rhs [us]", "by hand [us]", "ratio", "operations", "by hand"
    )
    for links in range(1, 9):
        model = models.subudhi_morris_2002(links=links, joints="rigid", shapes="as-printed")
        build, by_hand = best_of(
            3, lambda m=model: fb.assemble(m).forward_dynamics, lambda n=links: forward_dynamics(n)
        )
        ours, theirs = fb.assemble(model).forward_dynamics, forward_dynamics(links)
        x, u = 0.1 * np.random.default_rng(0).normal(size=6 * links), np.ones(links)
        np.testing.assert_allclose(np.array(ours(x, u, [])), np.array(theirs(x, u)), rtol=1e-7, atol=1e-9)
        many = 2000
        rhs, rhs_by_hand = best_of(5, evaluation(ours, [x, u, np.zeros(0)], many), evaluation(theirs, [x, u], many))
        table.add_row(
            str(links),
            f"{1e3 * build:.0f}",
            f"{1e3 * by_hand:.0f}",
            f"{build / by_hand:.2f}",
            f"{1e6 * rhs / many:.2f}",
            f"{1e6 * rhs_by_hand / many:.2f}",
            f"{rhs / rhs_by_hand:.2f}",
            str(ours.n_instructions()),
            str(theirs.n_instructions()),
        )
    Console(width=120, markup=False).print(table)


if __name__ == "__main__":
    main()
