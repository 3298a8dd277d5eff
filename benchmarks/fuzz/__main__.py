"""Runs random cases for a time, prints counts and how to rerun what failed; the exit code says whether any did."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator

from benchmarks.fuzz.outcome import Verdict, judged
from benchmarks.fuzz.register import KINDS
from benchmarks.fuzz.workers import Judged, run

# A case takes a second or so; what takes this long [s] beside other load does not end.
LIMIT = 300.0
# How often [s] a line says how far a run is.
EVERY = 60.0


def cases(kinds: list[str], first: int, count: int | None, seconds: float) -> Iterator[tuple[str, int]]:
    """Yield (kind, seed), kind by kind at each seed, until the time or the number of seeds is up."""
    end = time.monotonic() + seconds
    for seed in itertools.count(first) if count is None else range(first, first + count):
        for kind in kinds:
            if time.monotonic() > end:
                return
            yield kind, seed


def table(results: list[Judged]) -> str:
    """Return the table of Markdown: a line a kind, with the number of cases of each verdict."""
    counts = Counter((result.kind, result.outcome.verdict) for result in results)
    lines = [f"| kind | cases | {' | '.join(Verdict)} | seconds a case |", "|---|" + "--:|" * (len(Verdict) + 2)]
    for kind in dict.fromkeys(result.kind for result in results):
        taken = [result.seconds for result in results if result.kind == kind]
        cells = [str(counts[kind, verdict]) for verdict in Verdict]
        lines.append(f"| {kind} | {len(taken)} | {' | '.join(cells)} | {sum(taken) / len(taken):.2f} |")
    return "\n".join(lines)


def rerun(kinds: list[str], seed: int) -> bool:
    """Run one seed in this process, print what comes out in full, and return whether all went well."""
    fine = True
    for kind in kinds:
        outcome = judged(KINDS[kind], seed)
        fine &= not outcome.verdict.failed
        print(f"{kind} {seed}: {outcome.verdict}  {outcome.detail}")
        if outcome.verdict is Verdict.RAW:
            try:
                KINDS[kind](seed)
            except Exception:
                traceback.print_exc()
    return fine


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument(
        "seconds", type=float, nargs="?", help="how long to start new cases; 60, or with --cases as long as they take"
    )
    parser.add_argument("--kind", choices=list(KINDS), action="append", help="this kind of case only")
    parser.add_argument("--seed", type=int, help="run this seed alone, and print all about it")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cases", type=int, help="so many seeds")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    kinds = arguments.kind or list(KINDS)
    if arguments.seed is not None:
        sys.exit(not rerun(kinds, arguments.seed))
    seconds = arguments.seconds or (60.0 if arguments.cases is None else math.inf)
    results: list[Judged] = []
    since = told = time.monotonic()
    for result in run(cases(kinds, arguments.first, arguments.cases, seconds), arguments.jobs, LIMIT):
        results.append(result)
        if (now := time.monotonic()) > told + EVERY:
            failed = sum(one.outcome.verdict.failed for one in results)
            print(f"{len(results)} cases in {now - since:.0f} s, {failed} failed", file=sys.stderr)
            told = now
        if result.outcome.verdict.failed:
            print(f"--kind {result.kind} --seed {result.seed}: {result.outcome.verdict}: {result.outcome.detail}")
            sys.stdout.flush()
    print(f"\n{table(results)}\n\n{len(results)} cases in {time.monotonic() - since:.0f} s")
    refusals = Counter(" ".join(r.outcome.detail.split()[:9]) for r in results if r.outcome.verdict is Verdict.REFUSED)
    for words, count in refusals.most_common(12):
        print(f"  {count:5d} refused: {words} ...")
    sys.exit(any(result.outcome.verdict.failed for result in results))


if __name__ == "__main__":
    main()
