"""Functions in C of one's own inside CasADi's expressions: where their libraries are, and how they are built again.

Such a function has no derivatives, and CasADi knows of it a name alone. What compiles an expression that calls one
links its library; a pickle brings along what builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca

from flexblocks.errors import ParameterError

_KNOWN: dict[str, Foreign] = {}


@dataclass(frozen=True)
class Foreign:
    """A function in a library of its own.

    Attributes
    ----------
    name : str
        It distinguishes it from all others.
    path : Path
        Of the library.
    build : callable
        ``build(*arguments)`` returns this object, and builds the library if there is none.
    arguments : tuple
    source : str
        C code that defines it and nothing else that is visible, for exports; empty if it needs more than that.
    memory : int
        How many numbers it keeps of a run between calls: by itself, or after ``#define OWN_MEMORY 1`` in that code
        behind its argument w.
    """

    name: str
    path: Path
    build: Callable[..., Foreign]
    arguments: tuple[Any, ...]
    source: str = ""
    memory: int = 0

    def __reduce__(self) -> Any:
        return self.build, self.arguments

    def function(self) -> ca.Function:
        """Return it as CasADi calls it."""
        _KNOWN[self.name] = self
        return ca.external(self.name, str(self.path))


def register(foreign: Foreign) -> Foreign:
    """Keep where a function is, and return it."""
    _KNOWN[foreign.name] = foreign
    return foreign


def foreign_in(functions: Iterable[ca.Function]) -> tuple[Foreign, ...]:
    """Return the foreign functions that these call, or are."""
    found: dict[str, Foreign] = {}
    for function in functions:
        for each in (function, *function.find_functions()):
            if each.class_name() == "External" and each.name() in _KNOWN:
                found[each.name()] = _KNOWN[each.name()]
    return tuple(found.values())


def refuse_unpicklable(function: ca.Function) -> None:
    """Refuse to pickle what calls a function of Python.

    Raises
    ------
    ParameterError
    """
    for each in opaque_functions((function,)):
        if each.class_name() == "CallbackInternal":
            raise ParameterError(
                f"pickle: the loop calls '{each.name()}', a function of Python inside CasADi, and cannot be pickled; "
                "must call compiled functions alone. Close the loop anew where it is needed."
            )


def opaque_functions(functions: Iterable[ca.Function]) -> tuple[ca.Function, ...]:
    """Return the functions that these call and that CasADi cannot look into: of libraries, and of Python."""
    found: dict[str, ca.Function] = {}
    for function in functions:
        for each in function.find_functions():
            if each.class_name() in ("External", "CallbackInternal"):
                found[each.name()] = each
    return tuple(found.values())


def is_opaque(function: ca.Function) -> bool:
    """Whether a function calls one that CasADi cannot look into."""
    return bool(opaque_functions((function,)))
