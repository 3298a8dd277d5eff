"""Many runs at once against a Python loop over `fb.simulate`: ``python -m benchmarks.batch``."""

from __future__ import annotations

import os

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.timing import best_of
from flexblocks import models

CASES = {"32 runs of 0.02 s": (32, 0.02), "32 runs of 0.2 s": (32, 0.2), "16 runs of 1 s": (16, 1.0)}


def main() -> None:
    dae = fb.assemble(models.subudhi_morris_2002())
    counts = [n for n in (1, 2, 4, 8, 16) if n <= (os.cpu_count() or 1)]
    table = Table("two-link arm, a different pulse in each run", "loop [s]", *[f"{n} threads" for n in counts])
    for name, (runs, end) in CASES.items():
        times = np.linspace(0.0, end, 101)
        pulses = [fb.bang_bang(a, 0.3 * end) for a in np.linspace(0.05, 0.2, runs)]

        def loop(times: np.ndarray = times, pulses: list = pulses) -> None:
            for pulse in pulses:
                fb.simulate(dae, times, {"motor1.torque": pulse})

        def batch(threads: int, times: np.ndarray = times, pulses: list = pulses) -> None:
            fb.simulate_batch(dae, times, {"motor1.torque": pulses}, threads=threads)

        alone, *together = best_of(3, loop, *[lambda n=n, batch=batch: batch(n) for n in counts])
        table.add_row(name, f"{alone:.3f}", *[f"{alone / taken:.2f} times as fast" for taken in together])
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
