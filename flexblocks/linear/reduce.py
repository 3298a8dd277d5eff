"""Model order reduction of linear models: modal truncation, residualisation, balanced truncation."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from flexblocks.errors import ComputationError, ParameterError, suggestion
from flexblocks.libraries import scipy
from flexblocks.linear.balancing import balance
from flexblocks.linear.forms.linear_system import Basis
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.spectral_split import InvariantSubspace, split_rigid, split_stable

METHODS = ("modal", "balanced", "residualized")
# Motions with a smaller damping ratio do not decay, for balanced truncation, which keeps them unchanged.
DECAYS = 1e-9


def reduce(
    lin: LinearModel, states: int, method: Literal["modal", "balanced", "residualized"] = "residualized"
) -> LinearModel:
    """Reduce the order of a linear model.

    Parameters
    ----------
    lin : LinearModel
    states : int
        Largest number of states; the result has one less where a pair of eigenvalues would be split.
    method : str
        ``"modal"`` keeps the slowest modes; ``"residualized"`` does so too, and adds the static gain of the others to
        D; ``"balanced"`` keeps the most controllable and observable states, and the static gain of the others.

    Returns
    -------
    LinearModel
        Rigid-body motions are kept exactly, with their poles at 0. Its states are ``rigid[i]`` and ``mode[i]`` or
        ``balanced[i]``; ``basis.matrix @ x`` are the states of `lin`, so that `modes` names coordinates and blocks as
        before.

    Raises
    ------
    ParameterError
        An unknown method, or states < 1.
    ComputationError
        The rigid-body motions, or with ``"balanced"`` they and the motions that do not decay, are more than `states`.

    Notes
    -----
    Hankel singular values, and thus ``"balanced"``, depend on the units of inputs and outputs; scale them if some
    matter more. The balanced coordinates left out are residualised, which keeps the static gain (singular perturbation
    approximation). The error is at most twice the sum of their singular values
    (Liu & Anderson, Int. J. Control 50, 1989, 1379-1405). The poles of the other methods are poles of `lin`.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> lin = fb.linearize(fb.assemble(models.subudhi_morris_2002()))
    >>> small = fb.reduce(lin, states=8)
    >>> len(small.states)
    8
    """
    if method not in METHODS:
        raise ParameterError(f"reduce: method = {method!r}{suggestion(method, METHODS, 'must be one of')}")
    if isinstance(states, bool) or not isinstance(states, (int, np.integer)) or states < 1:
        raise ParameterError(f"reduce: states = {states!r}; must be a whole number > 0.")
    lin = lin.minimal()
    if states >= len(lin.states):
        return lin
    A, B = lin.A, lin.B
    rigid, elastic = split_rigid(A)
    _refuse_too_few(lin, states, len(rigid.A), "rigid-body motions", "keep as many")
    if method == "balanced":
        kept, static = _balanced(lin, rigid, elastic, B, states)
    else:
        conserves = lin.basis is None and lin.structure.conserves_energy and not _has_more(lin)
        kept, static = _modal(elastic, B, lin.C, states - len(rigid.A), conserves)
        static = static if method == "residualized" else np.zeros(lin.D.shape)
    name = "balanced" if method == "balanced" else "mode"
    parts = [rigid, *kept]
    right, left = np.hstack([part.right for part in parts]), np.vstack([part.left for part in parts])
    names = [f"rigid[{i}]" for i in range(1, len(rigid.A) + 1)]
    names += [f"{name}[{i}]" for i in range(1, right.shape[1] - len(names) + 1)]
    return dataclasses.replace(
        lin,
        A=scipy.linalg.block_diag(*[part.A for part in parts]),
        B=left @ B,
        C=lin.C @ right,
        D=lin.D + static,
        E=np.eye(len(names)),
        states=tuple(names),
        state_units=("1",) * len(names),
        basis=Basis(lin.states, right) if lin.basis is None else Basis(lin.basis.states, lin.basis.matrix @ right),
    )


def _has_more(lin: LinearModel) -> bool:
    """Return whether there are states besides coordinates and their rates."""
    return len(lin.states) > 2 * len(lin.structure.coordinates)


def _modal(
    elastic: InvariantSubspace, B: np.ndarray, C: np.ndarray, count: int, conserves: bool
) -> tuple[list[InvariantSubspace], np.ndarray]:
    """Return the slowest modes, at most `count` states, and the static gain of the others.

    Where energy is conserved, squares of eigenvalues are real: nothing decays or grows by rounding.
    """
    values, vectors = np.linalg.eig(elastic.A)
    columns: list[np.ndarray] = []
    blocks: list[np.ndarray] = []
    taken = 0
    for i in np.lexsort((np.real(values), np.abs(values))):
        re, im = float(np.real(values[i])), float(np.imag(values[i]))
        if im < 0:
            continue  # with its conjugate
        if conserves and abs(re) < abs(im):
            re = 0.0
        mode = [np.real(vectors[:, i]), np.imag(vectors[:, i])] if im else [np.real(vectors[:, i])]
        if taken == len(columns) and taken + len(mode) <= count:
            taken += len(mode)
            blocks.append(np.array([[re, im], [-im, re]] if im else [[re]]))
        columns += mode
    T = np.array(columns).reshape(-1, len(elastic.A)).T
    W = np.linalg.inv(T)
    right, left = elastic.right @ T, W @ elastic.left
    static = -C @ right[:, taken:] @ np.linalg.solve(W[taken:] @ elastic.A @ T[:, taken:], left[taken:] @ B)
    slow = np.asarray(scipy.linalg.block_diag(*blocks)) if blocks else np.zeros((0, 0))
    return [InvariantSubspace(slow, right[:, :taken], left[:taken])], static


def _balanced(
    lin: LinearModel, rigid: InvariantSubspace, elastic: InvariantSubspace, B: np.ndarray, states: int
) -> tuple[list[InvariantSubspace], np.ndarray]:
    """Return the motions that do not decay, the first balanced coordinates of the rest, and the others' static gain.

    With A in balanced coordinates, x the first and y the others, 0 = der(y) leaves A_xx - A_xy A_yy^-1 A_yx.
    """
    lasting, decaying = split_stable(elastic.A, DECAYS)
    spent = len(rigid.A) + len(lasting.A)
    what = "rigid-body motions and motions that do not decay"
    _refuse_too_few(lin, states, spent, what, "damp the beams, or take method 'residualized'")
    inner = InvariantSubspace(decaying.A, elastic.right @ decaying.right, decaying.left @ elastic.left)
    _, right, left = balance(inner.A, inner.left @ B, lin.C @ inner.right)
    count = min(states - spent, right.shape[1])
    # The others span what the first do not see, also where their own singular values are rounding.
    T = np.hstack([right[:, :count], scipy.linalg.null_space(left[:count])])
    W = np.linalg.inv(T)
    A, into, out = W @ inner.A @ T, W @ inner.left, inner.right @ T
    kept, fast = slice(count), slice(count, None)
    solved = np.linalg.solve(A[fast, fast], np.hstack([A[fast, kept], into[fast]]))
    slow, onto = np.split(np.hstack([A[kept, kept], into[kept]]) - A[kept, fast] @ solved, [count], axis=1)
    along, static = out[:, kept] - out[:, fast] @ solved[:, :count], -lin.C @ out[:, fast] @ solved[:, count:] @ B
    return [
        InvariantSubspace(lasting.A, elastic.right @ lasting.right, lasting.left @ elastic.left),
        InvariantSubspace(slow, along, onto),
    ], static


def _refuse_too_few(lin: LinearModel, states: int, needed: int, what: str, otherwise: str) -> None:
    if states < needed:
        raise ComputationError(
            f"reduce: '{lin.name}': states = {states}; the {what} take {needed}, which are kept exactly; {otherwise}."
        )
