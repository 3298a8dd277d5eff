"""Plans of ten real arms, from 50 g on a desk to 26 m of boom, for eight tasks each, from cold.

``python -m benchmarks.real_plans [--arms TEXT] [--tasks TEXT] [--limit SECONDS] [--jobs N] [--replays]`` prints how
many iterations and seconds of CPU each plan takes, and by how much its replay misses. A plan counts if it converges
within 150 iterations and 60 s; with ``--replays`` it is refined as well, and has to replay within its criteria then.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.console import Console
from rich.table import Table

from benchmarks.real_plans.arms import ARMS
from benchmarks.real_plans.case import Row, case
from benchmarks.real_plans.tasks import TASKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", default="", help="those whose names contain one of these words")
    parser.add_argument("--tasks", default="", help="likewise")
    parser.add_argument("--limit", type=float, default=120.0, help="wall time of a plan [s]")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--replays", action="store_true")
    options = parser.parse_args()
    chosen = [
        (arm, task) for arm in ARMS for task in TASKS if _named(arm, options.arms) and _named(task, options.tasks)
    ]
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    rows = []
    # A process for each case: from cold is without what other plans have derived.
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        cases = [pool.submit(case, arm, task, options.limit, options.replays) for arm, task in chosen]
        for done in as_completed(cases):
            if (row := done.result()) is not None:
                rows.append(row)
                print(
                    f"{row.arm}, {row.task}: {row.status}, {row.iterations}, {row.seconds:.1f} s {row.replayed}",
                    flush=True,
                )
    rows.sort(key=lambda row: chosen.index((row.arm, row.task)))
    _print(rows)


def _named(name: str, words: str) -> bool:
    return not words or any(word in name for word in words.split(","))


def _print(rows: list[Row]) -> None:
    table = Table("arm", "states", "task", "status", "iterations", "CPU [s]", "refined")
    for row in rows:
        table.add_row(
            row.arm, str(row.states), row.task, row.status, str(row.iterations), f"{row.seconds:.1f}", row.replayed
        )
    console = Console(width=160, markup=False)
    console.print(table)
    console.print(f"{sum(row.counts for row in rows)} of {len(rows)} converge within 150 iterations and 60 s")


if __name__ == "__main__":
    main()
