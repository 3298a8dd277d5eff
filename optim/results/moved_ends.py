"""Moved ends: start or goal that were fixed to other values by hand after the model was built."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ..errors import PlanWarning


def warn_of_moved_ends(moved: Sequence[str]) -> None:
    """Warn of states at the ends that have other values than in the problem, described one by one.

    Warns
    -----
    PlanWarning
    """
    more = f" (and {len(moved) - 1} more)" if moved[1:] else ""
    warnings.warn(
        f"Plan: {moved[0]}, as in the problem{more}; replay and summary refer to the problem. Change start and "
        "goal by optim.repose(model, problem).",
        PlanWarning,
        stacklevel=3,
    )
