"""The terms that an objective can be made of: the register, to which a new term adds its class."""

from typing import Any

from flexblocks.errors import nearest

from ...errors import ProblemError
from .effort import Effort
from .final import Final
from .integral import Integral
from .jerk import Jerk
from .objective import Objective
from .time import Time
from .tracking import Tracking
from .vibration import Vibration

# What `optim` offers of them.
__all__ = ["Effort", "Final", "Integral", "Jerk", "Time", "Tracking", "Vibration"]

OBJECTIVES: tuple[type[Objective], ...] = (Effort, Time, Vibration, Final, Integral, Jerk, Tracking)


def checked_objective(given: Any) -> Objective:
    """Return the objective itself, or the one of that word with its default weights.

    Raises
    ------
    ProblemError
        There is none of that word.
    """
    if isinstance(given, Objective):
        return given
    by_word = {kind.word: kind for kind in OBJECTIVES if kind.word}
    if isinstance(given, str) and given in by_word:
        return by_word[given]()
    words = ", ".join(f'"{word}"' for word in by_word)
    raise ProblemError(
        f"objective = {given!r}; must be {words}, optim.Effort(rate_weight=...), or a weighted sum as "
        f"optim.Time() + 0.1 * optim.Effort().{nearest(str(given), by_word)}"
    )
