"""Plans of ten real arms, from 50 g on a desk to 26 m of boom: ``python -m benchmarks.real_plans``.

Eight tasks for each arm, without a warm start: from joints to joints, to a place and to a pose of the tip, to a goal in
motion, past a sphere, along a line, with two loads, in shortest time. The table gives the iterations of all attempts
and the seconds of CPU, the derivation of the arm's kernels included. A plan counts if it converges within 150
iterations and 60 s; with `--replays` it is refined as well, and has to replay within its criteria then. Where valves,
winches or tendons hold an arm, the same inputs move two loads; other arms bring one load and take the other back. The
objective is effort, except for the crane (speeds and rates of its winches) and the boom on torques (their rates). Empty
cells: the arm has no such task.

* `--arms TEXT`, `--tasks TEXT`: those whose names contain one of these words. The tasks "vibration", "waits" and "stays
  unbent" (motions whose goal is their start) are planned if they are named.
* `--random N [--kind KIND] [--first SEED]`: N random arms instead, with one task each, and at the end what did not
  converge. Reach from 5 cm to 30 m, up to four hinges and slides with rotors and springs, beams of all discretisations;
  of the kind "floating" on craft that move freely, of the kind "boom" turned by cylinders.
* `--store PLANS.zarr`: keeps what is finished, and the same command again plans what is missing; `--retry` plans those
  again whose process was killed.
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
