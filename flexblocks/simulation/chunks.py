"""Chunking of a run, for Ctrl-C and the progress display."""

from __future__ import annotations

import time

from flexblocks.progress import ProgressDisplay

CHUNK = 0.3  # approximate wall time of a chunk [s]: the delay of Ctrl-C and of the progress bar
# Approximate wall time of an integration step, and of each instruction of the equations in it [s], as measured.
STEP, INSTRUCTION = 3e-5, 2e-8
MOST_STEPS = 5000  # SUNDIALS gives up after 10000


class Pace:
    """Length of the chunks of a run, each of as many steps as take a fraction of a second, and its progress.

    Every chunk restarts the method, which is cheap as long as chunks are long. They are measured in steps, not in wall
    time, so that a run gives the same digits whatever the load of the machine.

    Parameters
    ----------
    start, end : float
        Interval of the run [s].
    instructions : int
        Number of instructions of the equations.
    bar : ProgressDisplay, optional
        Progress bar, whose total is the length of the run [s].
    """

    def __init__(self, start: float, end: float, instructions: int, bar: ProgressDisplay | None = None) -> None:
        self.start, self.end, self.bar = start, end, bar
        self.steps = min(max(int(CHUNK / (STEP + INSTRUCTION * instructions)), 1), MOST_STEPS)
        self.length = (end - start) / 1e4  # a guess, until the first chunk has shown how many steps it takes
        self._begun = time.perf_counter()

    def done(self, before: float, now: float, steps: int) -> None:
        """Record that the run went from `before` to `now` [s] in `steps` steps, and update length and progress."""
        # At most 50 times as long as the last chunk, whose steps may have been a start-up phase.
        self.length = min(self.steps / max(steps, 1), 50.0) * (now - before)
        if self.bar is not None:
            wall = time.perf_counter() - self._begun
            share = (now - self.start) / (self.end - self.start)
            self.bar.update(f"t = {now:.4g} s", now - self.start, wall / share)
