"""Closed states: coordinates and rates with which all loops are closed, those given by name kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.constraints.closed_posture import CLOSED, RANK, choices, closed_position, led
from flexblocks.constraints.loop_equations import LoopError, closure_equations, gap, mismatches, regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing

Given = Mapping[str, float] | Sequence[float] | np.ndarray | None

NEARLY = 1e-5  # a whole state is closed without a word if it misses by less [m, rad]
# Links in line by less than this share are in line: errors of closing go into their angle with the square root.
IN_LINE = 1e-4


def closed_state(dae: DAE, given: Given, p: np.ndarray, where: str) -> np.ndarray:
    """Return the state (nx,) that a user gave, completed so that all loops are closed.

    Parameters
    ----------
    dae : DAE
    given : dict, array (nx,) or None
        As for `flexblocks.interfaces.variables.Variables.values`. Values by name are kept; an array must close the
        loops already, but for rounding; None stands for the start values.
    p : ndarray (np,)
    where : str
        What was called, for messages.

    Raises
    ------
    NameUnknownError, ParameterError
        See `Variables.values`.
    LoopError
        The loops cannot be closed with what was given.
    """
    x = dae.x.values(given, where)
    if not dae.tree.loops.closures:
        return x
    named = np.zeros(len(x), dtype=bool) if given is None else np.ones(len(x), dtype=bool)
    if isinstance(given, Mapping):
        named = np.array([name in given for name in dae.x.names])
    (q, v, w), (held_q, held_v, _) = dae.split_state(x), dae.split_state(named)
    if held_q.all():
        _refuse_open(dae, q, p, where)
        held_q = ~held_q
    else:
        q = led(dae, q, p, held_q)
    q = closed_position(dae, q, p, held_q, where)
    _refuse_singular(dae, q, p, where)
    return np.concatenate([q, _closed_rates(dae, q, v, p, held_v, where), w])


def _closed_rates(dae: DAE, q: np.ndarray, v: np.ndarray, p: np.ndarray, held: np.ndarray, where: str) -> np.ndarray:
    J, M = closure_equations(dae).closures(q, p)[1].full(), regular_mass(dae, q, p)
    scale = max(np.max(np.abs(J) @ np.abs(v), initial=0.0), 1e-3)
    if held.all() and np.max(np.abs(J @ v)) <= NEARLY * scale:
        held = ~held
    for free in choices(dae, held):
        root = np.linalg.cholesky(M[np.ix_(free, free)])
        step = np.linalg.lstsq(np.linalg.solve(root, J[:, free].T).T, -J @ v, rcond=RANK)[0]
        found = v.copy()
        found[free] += np.linalg.solve(root.T, step)
        if np.max(np.abs(J @ found), initial=0.0) <= CLOSED * scale:
            return found
    _, rates, _ = dae.split_state(dae.x.names)
    kept = [name for name, fixed in zip(rates, held, strict=True) if fixed]
    raise LoopError(
        f"{where.rstrip(': ')}: no motion that keeps the loops of '{dae.name}' closed has the rates given for "
        f"{listing(kept)}. Give fewer of them; the others are found."
    )


def _refuse_open(dae: DAE, q: np.ndarray, p: np.ndarray, where: str) -> None:
    if gap(closure_equations(dae), q, p) > NEARLY:
        raise LoopError(
            f"{where.rstrip(': ')}: a whole state that leaves the loops of '{dae.name}' open, by "
            f"{mismatches(dae, q, p)}. Give a dict of the coordinates that you want to keep; the others are found."
        )


def _refuse_singular(dae: DAE, q: np.ndarray, p: np.ndarray, where: str) -> None:
    values = np.linalg.svd(closure_equations(dae).closures(q, p)[1].full(), compute_uv=False)
    if len(values) and values[-1] <= IN_LINE * values[0]:
        raise LoopError(
            f"{where.rstrip(': ')}: a posture in which the loops of '{dae.name}' do not determine how they move on "
            "(links in line, at a change point or a dead end). Start beside it."
        )
