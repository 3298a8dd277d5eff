"""Budget: the iterations and the time that all solves of a plan share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

from ..errors import ProblemError

ITERATIONS = 600  # of all solves of a plan together, from which on what there is is the answer
RESERVE = 100  # of these, for what tells which limits conflict
SHARE = 3  # a solve may take the third part of what is left, as long as there is something easier to try
LEAST = 10  # iterations that are hardly worth another solve
LEAST_TIME = 1e-9  # s that a solve is left with after the end: it returns its start, the best that is known
KEPT = 0.1  # of the time is kept for the last iteration, and for saying what came of it; by trial


@dataclass
class Budget:
    """What is left for the solves of a plan.

    Attributes
    ----------
    iterations : int
        Left for all solves.
    end : float
        Wall time by which they end [s of `time.perf_counter`]; infinite without a limit.
    cpu_end : float
        CPU time of the process by which they end [s of `time.process_time`], of refinements; likewise.
    """

    iterations: int = ITERATIONS
    end: float = math.inf
    cpu_end: float = math.inf

    @classmethod
    def of_seconds(cls, limit: Any) -> Budget:
        """Return the budget with a wall time [s] from now; without a limit for None.

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
        return cls(end=perf_counter() + (1 - KEPT) * float(limit))

    @property
    def share(self) -> int:
        """Iterations of a solve beside which there is something easier to try."""
        return max((self.iterations - RESERVE) // SHARE, 1)

    @property
    def is_spent(self) -> bool:
        """Whether hardly an iteration is left for another solve."""
        return self.share < LEAST

    @property
    def seconds(self) -> float | None:
        """What is left of the wall time [s]; None without a limit."""
        return None if math.isinf(self.end) else max(self.end - perf_counter(), LEAST_TIME)

    @property
    def options(self) -> dict[str, float]:
        """IPOPT's options for what is left of the time; empty without a limit."""
        options = {} if self.seconds is None else {"max_wall_time": self.seconds}
        if math.isfinite(self.cpu_end):
            options["max_cpu_time"] = max(self.cpu_end - process_time(), LEAST_TIME)
        return options

    def spend(self, iterations: int | None) -> None:
        """Take the iterations of a solve off what is left."""
        self.iterations = max(self.iterations - (iterations or 0), 0)
