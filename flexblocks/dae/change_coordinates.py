"""Linear change of coordinates of a DAE."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.prescription import Prescription
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces import StateRange
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import LOST_LIMITS


def change_coordinates(dae: DAE, T: Any, names: Sequence[str], units: Sequence[str] | None = None) -> DAE:
    """Change to the coordinates q_new, with q = T q_new.

    Parameters
    ----------
    dae : DAE
    T : array (n, n)
        Constant and invertible; a row for each coordinate of `dae`, a column for each new coordinate.
    names : sequence of n str
        Names of the new coordinates; their rates are ``der(name)``.
    units : sequence of n str, optional
        Units of the new coordinates; by default those of the old coordinates at the same positions.

    Returns
    -------
    DAE
        The same inputs, outputs and parameters; x = [q_new, der(q_new), first-order states]. By virtual work,
        M_new = T' M T and Q_new = T' Q.

    Raises
    ------
    ParameterError
        T is not an invertible matrix (n, n); the number of names or units is not n, or a name is taken; `dae` is a
        closed loop of control, or T does not leave a prescribed coordinate as it is.

    Warns
    -----
    FlexblocksWarning
        Limits of joints are lost, whose coordinates are not among the new ones.

    Examples
    --------
    The angle of the second joint from the horizontal instead of from the first link:

    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"))
    >>> absolute = fb.change_coordinates(dae, [[1, 0], [-1, 1]], ("angle1", "angle2"))
    >>> absolute.q_names
    ('angle1', 'angle2')
    """
    n = dae.tree.size
    if dae.tree.feedback is not None:
        raise ParameterError(
            "change_coordinates: this DAE is a closed loop of control; change coordinates first, then close the loop."
        )
    T = _checked_matrix(T, n)
    names = _checked_names(dae, names, "names")
    units = dae.x.units[:n] if units is None else _checked_length(units, n, "units")
    # The coordinates of a block are share @ q: only shares change, and every algorithm stays as it is.
    bodies = tuple(dataclasses.replace(body, share=body.share.times(T)) for body in dae.tree.bodies)
    kept = {"prescribed": _prescribed(dae, T, names), "state_ranges": _ranges(dae, T, names)}
    tree = dataclasses.replace(dae.tree, bodies=bodies, **kept)
    return dataclasses.replace(dae, x=_states(dae, np.linalg.inv(T), names, units), tree=tree, model=None)


def _ranges(dae: DAE, T: np.ndarray, names: Sequence[str]) -> dict[str, StateRange]:
    """Return the ranges of states that are the same ones among the new; others are warned of."""
    q, v, w = dae.tree.split_state(dae.x.names)
    kept = set(w)
    for name, rate, row in zip(q, v, T, strict=True):
        if name in names and np.array_equal(row, np.eye(len(T))[names.index(name)]):
            kept |= {name, rate}
    if lost := [state for state in dae.tree.state_ranges if state not in kept]:
        warn(
            f"change_coordinates: limits of {listing(lost)} are lost: no new coordinate is the same one. Keep those of "
            "joints with limits by name, with a row of T that is one in their column and zero elsewhere, or give plans "
            "limits of their own.",
            LOST_LIMITS,
        )
    return {state: own for state, own in dae.tree.state_ranges.items() if state in kept}


def _prescribed(dae: DAE, T: np.ndarray, names: Sequence[str]) -> tuple[Prescription, ...]:
    """Return the prescribed coordinates at their new positions; others may be measured from them."""
    moved = []
    for prescription in dae.tree.prescribed:
        name, row = prescription.name, T[prescription.column]
        column = names.index(name) if name in names else -1
        if column < 0 or np.any(row != np.eye(len(T))[column]):
            raise ParameterError(
                f"change_coordinates: {name} is prescribed, and must be a new coordinate, too: of the same name, with "
                "a row of T that is one in its column and zero elsewhere. Other coordinates may contain it."
            )
        moved.append(dataclasses.replace(prescription, column=column))
    return tuple(moved)


def _states(dae: DAE, inverse: np.ndarray, names: Sequence[str], units: Sequence[str]) -> Variables:
    x = dae.x
    (q, v, w0), (_, _, w) = dae.tree.split_state(x.start), dae.tree.split_state(x.names)
    q, v = inverse @ q, inverse @ v
    entries = list(zip(names, units, q, strict=True))
    entries += [(f"der({name})", f"{unit}/s", rate) for name, unit, rate in zip(names, units, v, strict=True)]
    entries += list(zip(w, dae.tree.split_state(x.units)[2], w0, strict=True))
    # Dependent variables keep their symbols: the block terms hold them.
    first_order = dict(zip(w, ca.vertsplit(dae.w), strict=True))
    return variables("state", entries, symbols=first_order)


def _checked_matrix(T: Any, n: int) -> np.ndarray:
    try:
        matrix = np.array(T, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"change_coordinates: T = {T!r}; must be an array of numbers ({n}, {n}).") from None
    if matrix.shape != (n, n):
        raise ParameterError(
            f"change_coordinates: T has shape {matrix.shape}; must be ({n}, {n}), a row for each coordinate of the arm."
        )
    if not np.all(np.isfinite(matrix)):
        raise ParameterError("change_coordinates: T must be finite; it contains a nan or an infinity.")
    # Columns may have very different units: each is scaled to length 1 before the condition number is taken.
    length = np.linalg.norm(matrix, axis=0)
    condition = np.linalg.cond(matrix / np.where(length > 0, length, 1.0)) if n else 1.0
    if condition > 1e12:
        raise ParameterError(
            f"change_coordinates: T is singular (condition number {condition:.1e}); it must be invertible, so that the "
            "new coordinates describe every position of the arm."
        )
    return matrix


def _checked_names(dae: DAE, names: Sequence[str], what: str) -> tuple[str, ...]:
    checked = _checked_length(names, dae.tree.size, what)
    others = (dae.tree.split_state(dae.x.names)[2], dae.z.names, dae.u.names, dae.y.names)
    taken = {name for group in others for name in group}
    repeated = [name for name in dict.fromkeys(checked) if checked.count(name) > 1 or name in taken]
    if repeated:
        raise ParameterError(
            f"change_coordinates: names: {listing(repeated)}; each name must be unique, and differ from those of the "
            "arm's other variables."
        )
    return checked


def _checked_length(texts: Sequence[str], n: int, what: str) -> tuple[str, ...]:
    if isinstance(texts, str) or len(texts) != n or not all(isinstance(entry, str) and entry for entry in texts):
        raise ParameterError(
            f"change_coordinates: {what} = {texts!r}; must be {n} strings, one for each new coordinate."
        )
    return tuple(texts)
