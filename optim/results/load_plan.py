"""Plan read from the file that `Plan.save` wrote."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ..solver_statistics import Statistics
from .attempt import Attempt
from .plan import Plan
from .plan_file import read_plan


def load_plan(path: str | Path, types: Iterable[type] = ()) -> Plan:
    """Load a plan written by `Plan.save`, to be replayed, audited or solved again.

    Parameters
    ----------
    path : str or Path
        A ``.nc`` file.
    types : iterable of type
        User-defined blocks (and discretizations) in its model.

    Raises
    ------
    FileFormatError
        The file does not exist, is not a plan, or has another format version.
    """
    model, figures = read_plan(path, types)
    return replace(
        Plan.from_model(model),
        objective=figures["objective"],
        status=figures["status"],
        statistics=Statistics(**figures["statistics"]),
        attempts=tuple(Attempt(**attempt) for attempt in figures["attempts"]),
    )
