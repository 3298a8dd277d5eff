"""Path constraints: the register, to which a new path constraint adds its class."""

from typing import Any

from ...errors import ProblemError
from .follow import Follow
from .keep import KeepIn, KeepOut
from .keep_apart import KeepApart
from .path_constraint import PathConstraint
from .speed_limit import SpeedLimit
from .upright import Upright
from .within import Within

# What `optim` offers of them.
__all__ = ["Follow", "KeepApart", "KeepIn", "KeepOut", "SpeedLimit", "Upright", "Within"]

PATH_CONSTRAINTS: tuple[type[PathConstraint], ...] = (
    KeepOut,
    KeepIn,
    KeepApart,
    Follow,
    Upright,
    SpeedLimit,
    Within,
)


def checked_path(where: str, path: Any) -> tuple[PathConstraint, ...]:
    """Return one or several path constraints as a tuple.

    Raises
    ------
    ProblemError
        An element is not a path constraint.
    """
    constraints = (path,) if isinstance(path, PathConstraint) else path
    if not isinstance(constraints, (tuple, list)) or not all(isinstance(one, PathConstraint) for one in constraints):
        *names, last = (f"optim.{kind.__name__}(...)" for kind in PATH_CONSTRAINTS)
        raise ProblemError(f"{where} = {path!r}; must be a sequence of {', '.join(names)} and {last}.")
    return tuple(constraints)
