"""Closed states: coordinates and rates that satisfy all loop closures, with values given by name unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.constraints.closed_posture import choices, closed_posture, refuse_singular
from flexblocks.constraints.loop_equations import LoopError, closure_equations, gap, mismatches, regular_mass
from flexblocks.constraints.loop_newton import CLOSED, RANK, polished
from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_root
from flexblocks.errors import listing

StateValues = Mapping[str, float] | Sequence[float] | np.ndarray | None

# A full state vector that misses by less, as after a coarse step, is closed silently [lengths of the loops, rad].
NEARLY = 1e-4


def closed_state(dae: DAE, values: StateValues, p: np.ndarray, where: str) -> np.ndarray:
    """Return the state (nx,) of the user, completed so that all loops are closed.

    Parameters
    ----------
    dae : DAE
    values : dict, array (nx,) or None
        As for `flexblocks.interfaces.variables.Variables.values`. Values by name are kept; an array must close the
        loops already, up to rounding; None means the start values.
    p : ndarray (np,)
    where : str
        Name of the caller, for messages.

    Raises
    ------
    NameUnknownError, ParameterError
        See `Variables.values`.
    LoopError
        The loops cannot be closed with these values.
    """
    x = dae.x.values(values, where)
    if not dae.tree.loops.closures:
        return x
    named = np.zeros(len(x), dtype=bool) if values is None else np.ones(len(x), dtype=bool)
    if isinstance(values, Mapping):
        named = np.array([name in values for name in dae.x.names])
    # Coordinates: the named ones are held, the others follow.
    (q, v, w), (held_q, held_v, _) = dae.tree.split_state(x), dae.tree.split_state(named)
    if held_q.all():
        _refuse_open(dae, q, p, where)
        q = polished(closure_equations(dae), q, p, held_q)
    else:
        q = closed_posture(dae, q, p, held_q, where)
    refuse_singular(dae, q, p, where)
    # Rates: likewise.
    return np.concatenate([q, _closed_rates(dae, q, v, p, held_v, where), w])


def _closed_rates(dae: DAE, q: np.ndarray, v: np.ndarray, p: np.ndarray, held: np.ndarray, where: str) -> np.ndarray:
    J = closure_equations(dae).closures(q, p)[1].full()
    M = regular_mass(dae, *posture(dae, np.concatenate([q, dae.x.start[len(q) :]]), p))
    scale = max(np.max(np.abs(J) @ np.abs(v), initial=0.0), 1e-3)
    if held.all() and np.max(np.abs(J @ v)) <= NEARLY * scale:
        held = ~held
    for free in choices(dae, held):
        root = mass_root(M[np.ix_(free, free)])
        step = np.linalg.lstsq(np.linalg.solve(root, J[:, free].T).T, -J @ v, rcond=RANK)[0]
        closed = v.copy()
        closed[free] += np.linalg.solve(root.T, step)
        if np.max(np.abs(J @ closed), initial=0.0) <= CLOSED * scale:
            return closed
    _, rates, _ = dae.tree.split_state(dae.x.names)
    kept = [name for name, fixed in zip(rates, held, strict=True) if fixed]
    raise LoopError(
        f"{where.rstrip(': ')}: no motion that keeps the loops of '{dae.name}' closed has the rates given for "
        f"{listing(kept)}. Give fewer of them; the others follow from the constraints."
    )


def _refuse_open(dae: DAE, q: np.ndarray, p: np.ndarray, where: str) -> None:
    if gap(closure_equations(dae), q, p) > NEARLY:
        raise LoopError(
            f"{where.rstrip(': ')}: the full state leaves the loops of '{dae.name}' open, by {mismatches(dae, q, p)}; "
            "it must close them. Give a dict of the coordinates to keep; the others follow from the constraints."
        )
