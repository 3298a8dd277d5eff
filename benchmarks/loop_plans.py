"""Least effort of a closed loop by mesh: ``python -m benchmarks.loop_plans``.

The four-bar linkage of `examples/four_bar.py` with a rigid coupler; its crank turns by 2 rad in 1 s, from rest to rest
under gravity.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import optim

EXAMPLE = Path(__file__).parents[1] / "examples" / "four_bar.py"
CRANK = "crank_joint.angle"


def main() -> None:
    model = runpy.run_path(str(EXAMPLE))["four_bar"]()
    coupler = model["coupler"].with_values({"discretization": fb.Rigid()})
    dae = fb.assemble(model.copy({"coupler": coupler}))
    problem = optim.RestToRest({CRANK: 0.5}, {CRANK: 2.5}, 1.0)
    table = Table("intervals", "objective", "closures left by", "misses by [mm]", "crank off by [rad]")
    for intervals in (20, 40, 80):
        plan = optim.plan(dae, problem, intervals=intervals)
        replay = plan.replay()
        table.add_row(
            str(intervals),
            f"{plan.objective:.6f}",
            f"{np.abs(dae.constraint(plan.trajectory.x[:, : dae.tree.size].T, []).full()).max():.1e}",
            f"{1e3 * replay.tip_miss:.4f}",
            f"{abs(replay.trajectory[CRANK][-1] - 2.5):.1e}",
        )
    Console(width=120, markup=False).print(table)


if __name__ == "__main__":
    main()
