"""Plans of ten real arms, from 50 g on a desk to 26 m of boom, for eight tasks each, from cold.

``python -m benchmarks.real_plans [--arms TEXT] [--tasks TEXT] [--limit SECONDS] [--jobs N] [--replays]
[--rows FILE]`` prints how
many iterations and seconds of CPU each plan takes, and by how much its replay misses. A plan counts if it converges
within 150 iterations and 60 s; with ``--replays`` it is refined as well, and has to replay within its criteria then.
With ``--rows`` each case is noted in a file as it comes, and what is there is not planned again. At the end comes the
table of docs/planning.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from benchmarks.real_plans.arms import ARMS
from benchmarks.real_plans.case import Row, case
from benchmarks.real_plans.table import markdown
from benchmarks.real_plans.tasks import TASKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", default="", help="those whose names contain one of these words")
    parser.add_argument("--tasks", default="", help="likewise")
    parser.add_argument("--limit", type=float, default=75.0, help="CPU time of a plan [s]")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--replays", action="store_true")
    parser.add_argument("--rows", type=Path, help="a file that keeps what came of each case")
    options = parser.parse_args()
    chosen = [
        (arm, task) for arm in ARMS for task in TASKS if _named(arm, options.arms) and _named(task, options.tasks)
    ]
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    rows = _kept(options.rows, chosen)
    known = {(row.arm, row.task) for row in rows}
    # A process for each case: from cold is without what other plans have derived.
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        cases = [
            pool.submit(case, arm, task, options.limit, options.replays)
            for arm, task in chosen
            if (arm, task) not in known
        ]
        for done in as_completed(cases):
            if (row := done.result()) is not None:
                rows.append(row)
                if options.rows is not None:
                    with options.rows.open("a") as file:
                        file.write(json.dumps(asdict(row)) + "\n")
                print(
                    f"{row.arm}, {row.task}: {row.status}, {row.iterations}, {row.seconds:.1f} s {row.replayed}",
                    flush=True,
                )
    rows.sort(key=lambda row: chosen.index((row.arm, row.task)))
    print(markdown(rows))


def _named(name: str, words: str) -> bool:
    return not words or any(word in name for word in words.split(","))


def _kept(path: Path | None, chosen: list[tuple[str, str]]) -> list[Row]:
    """Return what a file has of the chosen cases."""
    if path is None or not path.exists():
        return []
    rows = [Row(**json.loads(line)) for line in path.read_text().splitlines()]
    return [row for row in rows if (row.arm, row.task) in chosen]


if __name__ == "__main__":
    main()
