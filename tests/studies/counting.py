"""A task that leaves a line in a file for every case that it ends, and the study of it, run by itself."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import flexblocks as fb


@dataclass(frozen=True)
class Counting:
    """Squares, each after a while; what it has done is in a file of the process that did it."""

    folder: str
    seconds: float
    deadly: float = -1.0

    def __call__(self, case: dict[str, float]) -> dict[str, float]:
        time.sleep(self.seconds)
        if case["a"] == self.deadly:
            os.kill(os.getpid(), 9)
        with open(os.path.join(self.folder, f"{os.getpid()}.txt"), "a") as file:
            file.write(f"{case['a']:g}\n")
        return {"square": case["a"] ** 2}


def counts(folder: Path) -> dict[float, int]:
    """Return how often each case was ended."""
    seen: dict[float, int] = {}
    for file in folder.glob("*.txt"):
        for line in file.read_text().split():
            seen[float(line)] = seen.get(float(line), 0) + 1
    return seen


def run(folder: str, count: int, seconds: float, workers: int | None, deadly: float = -1.0):
    """Do or continue the study of `count` cases."""
    task = Counting(folder, seconds, deadly)
    cases = fb.studies.grid({"a": [float(a) for a in range(count)]})
    return fb.study(task, cases, store=os.path.join(folder, "study.zarr"), executor=workers, progress=False)


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]) or None)
