"""A linear change of coordinates: the same arm, described by other unknowns."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces.variables import Variables, variables


def change_coordinates(dae: DAE, T: Any, names: Sequence[str], units: Sequence[str] | None = None) -> DAE:
    """Describe an arm by the coordinates q_new with q = T q_new.

    Parameters
    ----------
    dae : DAE
    T : array (n, n)
        Constant and invertible; a row for each coordinate of `dae`, a column for each new one.
    names : sequence of n str
        Names of the new coordinates; their rates are ``der(name)``.
    units : sequence of n str, optional
        Their units; by default those of the old coordinates in the same places.

    Returns
    -------
    DAE
        The same arm, inputs, outputs and parameters; x = [q_new, der(q_new), first-order states]. Forces on
        the new coordinates do the same work: M_new = T' M T, Q_new = T' Q.

    Raises
    ------
    ParameterError
        T is not an invertible matrix of this size; names or units are too few or too many, or a name is taken;
        `dae` is a closed loop.

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
        raise ParameterError("change_coordinates: this is a closed loop; change coordinates first, then close it.")
    T = _checked_matrix(T, n)
    names = _checked_names(dae, names, "names")
    units = dae.x.units[:n] if units is None else _checked_length(units, n, "units")
    # A block's own coordinates are share @ q: the change is one of shares, and every algorithm goes on as before.
    bodies = tuple(dataclasses.replace(body, share=ca.sparsify(body.share @ ca.DM(T))) for body in dae.tree.bodies)
    tree = dataclasses.replace(dae.tree, bodies=bodies)
    return dataclasses.replace(dae, x=_states(dae, np.linalg.inv(T), names, units), tree=tree, model=None)


def _states(dae: DAE, inverse: np.ndarray, names: Sequence[str], units: Sequence[str]) -> Variables:
    x = dae.x
    (q, v, w0), (_, _, w) = dae.split_state(x.start), dae.split_state(x.names)
    q, v = inverse @ q, inverse @ v
    entries = list(zip(names, units, q, strict=True))
    entries += [(f"der({name})", f"{unit}/s", rate) for name, unit, rate in zip(names, units, v, strict=True)]
    entries += list(zip(w, dae.split_state(x.units)[2], w0, strict=True))
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
        raise ParameterError("change_coordinates: T must be finite; there is a nan or an infinity in it.")
    # Columns may be of very different units: each is brought to length 1 before the condition is looked at.
    length = np.linalg.norm(matrix, axis=0)
    condition = np.linalg.cond(matrix / np.where(length > 0, length, 1.0)) if n else 1.0
    if condition > 1e12:
        raise ParameterError(
            f"change_coordinates: T is singular (condition number {condition:.1e}); it must be invertible, so that the "
            "new coordinates describe every position of the arm."
        )
    return matrix


def _checked_names(dae: DAE, names: Sequence[str], what: str) -> tuple[str, ...]:
    found = _checked_length(names, dae.tree.size, what)
    others = (dae.split_state(dae.x.names)[2], dae.z.names, dae.u.names, dae.y.names)
    taken = {name for group in others for name in group}
    repeated = [name for name in dict.fromkeys(found) if found.count(name) > 1 or name in taken]
    if repeated:
        raise ParameterError(
            f"change_coordinates: names: {listing(repeated)}; each name must be there once, and be none of the arm's "
            "other variables."
        )
    return found


def _checked_length(given: Sequence[str], n: int, what: str) -> tuple[str, ...]:
    if isinstance(given, str) or len(given) != n or not all(isinstance(entry, str) and entry for entry in given):
        raise ParameterError(f"change_coordinates: {what} = {given!r}; must be {n} texts, one for each new coordinate.")
    return tuple(given)
