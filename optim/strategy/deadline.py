"""Deadline: the wall time by which planning ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ..errors import ProblemError

KEPT = 0.1  # of the time is kept for the last iteration, and for saying what came of it; by trial
LEAST = 1e-9  # s that a solve is left with after the end: it returns its start, the best that is known


@dataclass(frozen=True)
class Deadline:
    """The end of the time for all solves of a plan [s of `time.perf_counter`]; infinite without a limit."""

    end: float = math.inf

    @classmethod
    def after(cls, limit: Any) -> Deadline:
        """Return the deadline after a wall time [s] from now; none for None.

        Raises
        ------
        ProblemError
            It is not a positive number.
        """
        if limit is None:
            return cls()
        number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
        if not number or not limit > 0:
            raise ProblemError(f"plan: time_limit = {limit!r}; must be a number > 0 [s of wall time], or None.")
        return cls(perf_counter() + (1 - KEPT) * float(limit))

    @property
    def options(self) -> dict[str, float]:
        """IPOPT's option for what is left of the time; empty without a limit."""
        return {} if math.isinf(self.end) else {"max_wall_time": max(self.end - perf_counter(), LEAST)}
