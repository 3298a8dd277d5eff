"""Coordinates of a large tree that move no mass, by Gauss's elimination of the kinetic energy from the tips inward.

The dense mass matrix of n coordinates takes n^2 numbers and its eigenvalues n^3 operations, and of a chain of hinges
its condition grows with n^3 although no pivot of the recursion becomes small. Here a pivot, the inertia of one
coordinate with all that is outboard of it giving way, is compared with the rounding errors of the numbers it was
computed from, which are carried along (running error analysis). Both cost a few operations a block.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from flexblocks.dynamics.at_posture.block_numbers import PostureNumbers
from flexblocks.dynamics.tree.tree import Tree

EPS = np.finfo(float).eps
# A pivot below so many bounds of its rounding errors is none; the bound itself leaves out sums of a few terms.
BOUNDS = 100.0


@dataclass
class _Form:
    """Kinetic energy of all outboard of a body's inlet: K over its twist (6) and `columns`, with errors E.

    `uses` counts in how many bodies each coordinate among the columns has appeared so far.
    """

    K: np.ndarray
    E: np.ndarray
    columns: list[int]
    uses: Counter[int]


def massless_coordinate(tree: Tree, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray) -> int | None:
    """Return a coordinate that moves no mass while some of those outboard move with it; None if there is none.

    Parameters
    ----------
    tree : Tree
        Without closed loops.
    q : ndarray (n,)
        A generic posture.
    p, dependent : ndarray (np,), (k,)
        Symbolic parameters; dependent variables, if any.
    """
    numbers = PostureNumbers(tree, q, p, *dependent)
    forms: list[list[_Form]] = [[] for _ in tree.bodies]
    placed = [index for index, body in enumerate(tree.bodies) if body.parent is not None or index == tree.root]
    uses = Counter(j for index in placed for j in tree.bodies[index].share.used)
    user = {j: index for index in placed for j in tree.bodies[index].share.used}
    loose = _loose(tree, numbers)
    uses.update(j for form in loose for j in form.columns)
    if unused := [j for j in range(tree.size) if not uses[j]]:
        return unused[0]
    # Rotors without a mount count where their shafts turn something else; others by themselves.
    for shaft in _coupled(loose):
        places = [user[j] for form in shaft for j in form.columns if j in user]
        if places:
            forms[places[0]] += shaft
            continue
        form = _sum(shaft)
        for j in list(form.columns):
            if not _eliminated(form, j):
                return j
    for index in reversed(placed):
        body = tree.bodies[index]
        form = _sum([_own(tree, index, numbers), *forms[index]])
        forms[index] = []
        for j in [j for j in form.columns if form.uses[j] == uses[j]]:
            if not _eliminated(form, j):
                return j
        if body.parent is not None and body.outlet is not None:
            map_ = numbers.map(body.parent, body.outlet)
            forms[body.parent].append(_inboard(tree, form, body.parent, map_))
    return None


def _own(tree: Tree, index: int, numbers: PostureNumbers) -> _Form:
    """Return the form of one body; with its coordinates, even if it has no mass."""
    body = tree.bodies[index]
    columns = list(body.share.used)
    J = np.zeros((6 + body.share.shape[0], 6 + len(columns)))
    J[:6, :6], J[6:, 6:] = np.eye(6), body.share.within(columns)
    K = np.zeros((6 + len(columns),) * 2)
    if body.terms.has_inertia:
        K = J.T @ numbers.inertia(index) @ J
    return _Form(K, EPS * np.diag(np.diag(K)), columns, Counter(columns))


def _loose(tree: Tree, numbers: PostureNumbers) -> list[_Form]:
    """Return the forms of the bodies outside the tree of frames."""
    index, forms = {id(body): i for i, body in enumerate(tree.bodies)}, []
    for body in tree.loose:
        columns = list(body.share.used)
        share, K = body.share.within(columns), np.zeros((6 + len(columns),) * 2)
        K[6:, 6:] = share.T @ numbers.inertia(index[id(body)])[6:, 6:] @ share
        forms.append(_Form(K, EPS * np.diag(np.diag(K)), columns, Counter(columns)))
    return forms


def _coupled(forms: list[_Form]) -> list[list[_Form]]:
    """Return forms in groups that have coordinates in common."""
    group: dict[int, list[_Form]] = {}
    for form in forms:
        joined = {id(group[j]): group[j] for j in form.columns if j in group}
        merged = [form] if not joined else max(joined.values(), key=len)
        for other in joined.values():
            if other is not merged:
                merged += other
                group.update((j, merged) for each in other for j in each.columns)
        if joined:
            merged.append(form)
        group.update((j, merged) for j in form.columns)
    return list({id(each): each for each in group.values()}.values())


def _sum(forms: list[_Form]) -> _Form:
    """Return the sum of forms at one inlet."""
    if len(forms) == 1:
        return forms[0]
    columns = list(dict.fromkeys(j for form in forms for j in form.columns))
    place = {j: 6 + i for i, j in enumerate(columns)}
    K, E, uses = np.zeros((6 + len(columns),) * 2), np.zeros((6 + len(columns),) * 2), Counter()
    for form in forms:
        at = np.ix_(*[[*range(6), *(place[j] for j in form.columns)]] * 2)
        K[at] += form.K
        E[at] += form.E
        uses.update(form.uses)
    return _Form(K, E + EPS * np.diag(np.diag(K)), columns, uses)


def _eliminated(form: _Form, j: int) -> bool:
    """Eliminate a coordinate from a form, in place; False if its pivot is nothing but rounding errors."""
    at = 6 + form.columns.index(j)
    pivot = form.K[at, at]
    if not pivot > BOUNDS * form.E[at, at]:
        return False
    rest = np.delete(np.arange(len(form.K)), at)
    ratio = form.K[at, rest] / pivot
    form.K = form.K[np.ix_(rest, rest)] - np.outer(form.K[rest, at], ratio)
    # To first order errors change as the form itself does under the motion that is eliminated.
    across = np.outer(form.E[rest, at], ratio)
    form.E = form.E[np.ix_(rest, rest)] - across - across.T + form.E[at, at] * np.outer(ratio, ratio)
    form.columns.remove(j)
    del form.uses[j]
    return True


def _inboard(tree: Tree, form: _Form, parent: int, map_: np.ndarray) -> _Form:
    """Return a form over the twist of the parent's inlet and its coordinates; `map_` (6, 6 + k) gives the outlet's."""
    share = tree.bodies[parent].share
    used = list(share.used)
    columns = list(dict.fromkeys([*used, *form.columns]))
    T = np.zeros((6 + len(form.columns), 6 + len(columns)))
    T[:6, :6], T[:6, 6 : 6 + len(used)] = map_[:, :6], map_[:, 6:] @ share.within(used)
    for row, j in enumerate(form.columns):
        T[6 + row, 6 + columns.index(j)] = 1.0
    K = T.T @ form.K @ T
    return _Form(K, T.T @ form.E @ T + EPS * np.diag(np.diag(K)), columns, form.uses)
