"""Objective terms: the register, to which a new term adds its class."""

from typing import Any

from flexblocks.errors import meant

from ...errors import ProblemError
from .effort import Effort
from .excitation import Excitation
from .final import Final
from .integral import Integral
from .jerk import Jerk
from .objective import Objective
from .time import Time
from .tracking import Tracking
from .vibration import Vibration

# What `optim` offers of them.
__all__ = ["Effort", "Excitation", "Final", "Integral", "Jerk", "Time", "Tracking", "Vibration"]

OBJECTIVES: tuple[type[Objective], ...] = (Effort, Time, Vibration, Final, Integral, Jerk, Tracking, Excitation)


def checked_objective(objective: Any) -> Objective:
    """Return an objective as it is, or the one named by a word with its default weights.

    Raises
    ------
    ProblemError
        No objective has that name.
    """
    if isinstance(objective, Objective):
        return objective
    by_word = {kind.word: kind for kind in OBJECTIVES if kind.word}
    if isinstance(objective, str) and objective in by_word:
        return by_word[objective]()
    words = ", ".join(f'"{word}"' for word in by_word)
    sums = "optim.Effort(rate_weight=...), or a weighted sum as optim.Time() + 0.1 * optim.Effort()"
    raise ProblemError(f"objective = {objective!r}{meant(objective, by_word, f'must be {words}, {sums}.')}")
