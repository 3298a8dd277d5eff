"""How far to integrate in one go."""

from __future__ import annotations

import time

from flexblocks.simulation.progress import ProgressBar

CHUNK = 0.5  # s of wall time after which Ctrl-C is heard and the bar moves


class Pace:
    """Cuts a run into chunks of about half a second of wall time, and shows how far it is.

    Every chunk starts the method anew, which is cheap as long as chunks are long.

    Parameters
    ----------
    start, end : float
        The run [s].
    length : float, optional
        Length of the first chunk [s], where it is known how fast it goes.
    bar : ProgressBar, optional
        Its total is the length of the run [s].
    """

    def __init__(self, start: float, end: float, length: float | None = None, bar: ProgressBar | None = None) -> None:
        self.start, self.end, self.bar = start, end, bar
        self.length = length or (end - start) / 1e5  # a guess, until the first chunk has shown how fast it goes
        self._wall = 0.0

    def begin(self) -> None:
        """Start the clock of a chunk."""
        self._begun = time.perf_counter()

    def done(self, before: float, now: float) -> None:
        """Note that the run has come from `before` to `now` [s]."""
        wall = max(time.perf_counter() - self._begun, 1e-6)
        self._wall += wall
        self.length = min(CHUNK * (now - before) / wall, 50 * self.length)
        if self.bar is not None:
            left = wall * (self.end - now) / (now - before)
            self.bar.update(now - self.start, f"t = {now:.4g} s", self._wall + left)
