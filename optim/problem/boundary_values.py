"""Boundary values: what a start or goal prescribes, by name."""

from __future__ import annotations

from typing import Any

from ..errors import ProblemError
from .pose import Pose
from .validation import mapping, number


def boundary_values(where: str, values: Any) -> dict[str, float]:
    """Return the finite numbers by name that a start or goal prescribes, at least one; poses as their conditions.

    Raises
    ------
    ProblemError
        A value is neither a number nor a pose; nothing is prescribed, or something twice.
    """
    checked: dict[str, float] = {}
    for name, value in mapping(where, values).items():
        if isinstance(value, Pose):
            conditions = value.conditions(str(name))
        else:
            conditions = {name: number(f"{where}: {name}", value, "a finite number, or an optim.Pose")}
        if twice := [known for known in conditions if known in checked]:
            raise ProblemError(f"{where}: {twice[0]} twice, by a pose and by itself; give it once.")
        checked |= conditions
    if not checked:
        raise ProblemError(f'{where} is empty; name coordinates, as in {{"joint1.angle": 0.0}}.')
    return checked
