"""Layout of a descriptor form: what each row and each column is, by the kinds of its equations.

The kind of an equation is part of its name, so that it is kept in files and through interpolation. Zeros of E and A
would not show: a joint in a loop may move no mass, so that its row of E is zero although it is a balance of forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.errors import ParameterError, listing
from flexblocks.linear.forms.linear_system import LinearSystem

# How the names of equations begin. The i-th equation is that of the i-th variable: the rate of a coordinate or of a
# first-order state, the balance of forces for a rate, an equation for an algebraic or dependent variable, a closure for
# a loop force.
RATE, BALANCE, ALGEBRAIC, RELATION, CLOSURE = (
    "rate of ",
    "balance at ",
    "algebraic equation of ",
    "relation of ",
    "closure of ",
)
KINDS = (RATE, BALANCE, ALGEBRAIC, RELATION, CLOSURE)


@dataclass(frozen=True, eq=False)
class Layout:
    """Kinds of variables and equations of a descriptor form.

    Attributes
    ----------
    size : int
        Number n of coordinates, which come first; their rates come next.
    positions : ndarray of int (d,)
        Independent coordinates.
    free : ndarray of int
        Independent first-order states.
    solved : ndarray of int
        Variables that are eliminated, and the equations that determine them.
    closures : ndarray of int
        Loop forces, and the closure equations.
    """

    size: int
    positions: np.ndarray
    free: np.ndarray
    solved: np.ndarray
    closures: np.ndarray


def layout_of(lin: LinearSystem) -> Layout:
    """Return the layout of a descriptor form.

    Raises
    ------
    ParameterError
        An equation is of an unknown kind: the file of the model was changed by hand.
    """
    kinds = [next((kind for kind in KINDS if name.startswith(kind)), "") for name in lin.equations]
    if "" in kinds:
        unknown = [name for name, kind in zip(lin.equations, kinds, strict=True) if not kind]
        raise ParameterError(
            f"LinearModel '{lin.name}': equations {listing(unknown, 4)}; each must begin with one of "
            f"{', '.join(repr(kind) for kind in KINDS)}, as flexblocks.linearize names them."
        )
    n = kinds.count(BALANCE)

    def of(*wanted: str) -> np.ndarray:
        return np.array([i for i, kind in enumerate(kinds) if kind in wanted], dtype=int)

    rates = of(RATE)
    return Layout(
        size=n,
        positions=np.array([lin.states.index(name) for name in lin.structure.coordinates], dtype=int),
        free=rates[rates >= 2 * n],
        solved=of(ALGEBRAIC, RELATION),
        closures=of(CLOSURE),
    )
