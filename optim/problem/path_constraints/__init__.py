"""What a motion can be made to keep to on its way: the register, to which a new path constraint adds its class."""

from typing import Any

from ...errors import ProblemError
from .keep import KeepIn, KeepOut
from .path_constraint import PathConstraint
from .within import Within

# What `optim` offers of them.
__all__ = ["KeepIn", "KeepOut", "Within"]

PATH_CONSTRAINTS: tuple[type[PathConstraint], ...] = (KeepOut, KeepIn, Within)


def checked_path(where: str, given: Any) -> tuple[PathConstraint, ...]:
    """Return path constraints as a tuple, one alone as well.

    Raises
    ------
    ProblemError
        Something else is among them.
    """
    constraints = (given,) if isinstance(given, PathConstraint) else given
    if not isinstance(constraints, (tuple, list)) or not all(isinstance(one, PathConstraint) for one in constraints):
        *names, last = (f"optim.{kind.__name__}(...)" for kind in PATH_CONSTRAINTS)
        raise ProblemError(f"{where} = {given!r}; must be a sequence of {', '.join(names)} and {last}.")
    return tuple(constraints)
