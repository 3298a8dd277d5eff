"""Plans of ten real arms, from 50 g on a desk to 26 m of boom, for eight tasks each, from cold.

``python -m benchmarks.real_plans [--arms TEXT] [--tasks TEXT] [--limit SECONDS] [--jobs N] [--replays]
[--store PLANS.zarr] [--retry] [--random N [--kind KIND] [--first SEED]]`` prints how many iterations and seconds of CPU
each plan takes, and by how much its replay misses. A plan counts if it converges within 150 iterations and 60 s; with
``--replays`` it is refined as well, and has to replay within its criteria then. It is a study (docs/studies.md): with
``--store`` what is finished is kept, and the same command again plans what is missing. At the end comes the table of
docs/benchmarks/plans.md. With ``--random`` there are N random arms instead, with one task each, and at the end what
was not planned; of the kind "floating" on craft, of the kind "boom" turned by cylinders. Further tasks are planned if
``--tasks`` names them: "vibration", "waits" and "stays unbent".
"""

from __future__ import annotations

import argparse
import os

import flexblocks as fb
from benchmarks.real_plans.arms import ARMS
from benchmarks.real_plans.case import RANDOM
from benchmarks.real_plans.plan_case import PlanCase, rows
from benchmarks.real_plans.table import counts, markdown
from benchmarks.real_plans.tasks import EVERY, TASKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", default="", help="those whose names contain one of these words")
    parser.add_argument("--tasks", default="", help="likewise")
    parser.add_argument("--limit", type=float, default=75.0, help="CPU time of a plan [s]")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--replays", action="store_true")
    parser.add_argument("--store", help="a Zarr group (.zarr) or netCDF file (.nc) that keeps what came of each case")
    parser.add_argument("--retry", action="store_true", help="plan those again whose process was killed")
    parser.add_argument("--random", type=int, default=0, help="so many random arms instead, the n-th with task n")
    parser.add_argument("--kind", choices=RANDOM, default="random", help="of random arms")
    parser.add_argument("--first", type=int, default=0, help="the first seed of random arms")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.random)
    chosen = [{"arm": f"{options.kind} {seed}", "task": list(TASKS)[seed % len(TASKS)]} for seed in seeds] or [
        {"arm": arm, "task": task}
        for arm in ARMS
        for task in (EVERY if options.tasks else TASKS)
        if _named(arm, options.arms) and _named(task, options.tasks)
    ]
    if not chosen:
        parser.error(f"no such arm or task; there are {'; '.join(ARMS)}; and {', '.join(EVERY)}.")
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    task = PlanCase(options.limit, options.replays)
    runs = fb.study(task, fb.studies.table(chosen), options.store, options.jobs, retry=options.retry)
    planned = rows(runs)
    print(counts(planned) if seeds else markdown(planned))


def _named(name: str, words: str) -> bool:
    return not words or any(word in name for word in words.split(","))


if __name__ == "__main__":
    main()
