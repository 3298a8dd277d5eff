"""Chunks of a run: how far to integrate in one go."""

from __future__ import annotations

import time

from flexblocks.progress import ProgressDisplay

CHUNK = 0.3  # s, about, after which Ctrl-C is heard and the bar moves
# What a step takes, about: so much for itself, and so much for each instruction of the equations [s].
STEP, INSTRUCTION = 3e-5, 2e-8
MOST_STEPS = 5000  # SUNDIALS gives up after 10000


class Pace:
    """Cuts a run into chunks of as many steps as take a fraction of a second, and shows how far it is.

    Every chunk starts the method anew, which is cheap as long as chunks are long. They are counted in steps, and not
    timed, so that a run gives the same digits whatever else the machine does.

    Parameters
    ----------
    start, end : float
        The run [s].
    instructions : int
        Of the equations.
    bar : ProgressDisplay, optional
        Its total is the length of the run [s].
    """

    def __init__(self, start: float, end: float, instructions: int, bar: ProgressDisplay | None = None) -> None:
        self.start, self.end, self.bar = start, end, bar
        self.steps = min(max(int(CHUNK / (STEP + INSTRUCTION * instructions)), 1), MOST_STEPS)
        self.length = (end - start) / 1e4  # a guess, until the first chunk has shown how many steps it takes
        self._begun = time.perf_counter()

    def done(self, before: float, now: float, steps: int) -> None:
        """Note that the run has come from `before` to `now` [s] in so many steps."""
        self.length = min(self.steps / max(steps, 1), 50.0) * (now - before)
        if self.bar is not None:
            wall = time.perf_counter() - self._begun
            share = (now - self.start) / (self.end - self.start)
            self.bar.update(f"t = {now:.4g} s", now - self.start, wall / share)
