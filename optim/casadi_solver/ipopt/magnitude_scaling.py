"""Scaling of a program by the magnitudes that its grey boxes declare."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..program.nlp import NonlinearProgram
from .oracle import Oracle
from .scaling import Scaling

# Of the objective at the start. IPOPT's barrier begins at 0.1, a hundredth of it: by trial, where it begins at a tenth,
# solves with limits take half as many iterations again. Its largest derivative instead depends on the mesh.
OBJECTIVE = 10.0
ROUNDING = 1e-9  # of a variable
CHAIN = 3  # how far what is compared with costs is from them


def magnitude_scaling(nlp: NonlinearProgram, oracle: Oracle, x: np.ndarray, p: np.ndarray) -> Scaling | None:
    """Return the scaling by the magnitudes that grey boxes declare of their inputs; None if no box does.

    Variables become of magnitude one. Costs of boxes that are variables, and what is only compared with these, as the
    cost of the worst scenario, count by their start, or if that is zero, by the costs at the point beside the start
    that boxes declare; other variables of no box keep their unit. Then every row is divided by the norm of its gradient
    at the start, equally named residuals of a box by the largest of theirs, and the objective becomes ten there: by its
    value, by that at the point beside the start, or by its largest derivative, whichever is most. For the energy of
    vibration is zero, but for rounding, where an arm is not bent yet; so is any cost that is least at the start. So
    scaled, a program has the same iterates in every system of units, and for physically similar arms.

    Parameters
    ----------
    nlp : NonlinearProgram
    oracle : Oracle
        Unscaled.
    x : float array (n,)
        The start.
    p : float array
        Its parameters.
    """
    size, is_known, beside = _declared(nlp, x)
    if not is_known.any():
        return None
    values = ca.Function("fg", [oracle.problem["x"], oracle.problem["p"]], [oracle.problem["f"], oracle.problem["g"]])
    f, f_beside = float(values(x, p)[0]), float(values(beside, p)[0])
    jacobian = _Entries.of(oracle.derivatives["jac_g"](x, p)[1])
    if not is_known.all():
        rows = np.abs(np.asarray(values(np.where(is_known, beside, 0.0), p)[1]).ravel())
        costs, start = _costs(nlp, jacobian, rows, is_known), np.abs(x)
        size = np.where(costs > 0, np.where(start <= ROUNDING * costs, costs, start), size)
    squares = (jacobian.value * size[jacobian.col]) ** 2
    norms = np.sqrt(np.bincount(jacobian.row, np.where(np.isfinite(squares), squares, 0.0), minlength=len(nlp.lower)))
    for box in nlp.boxes:
        norms = _alike(norms, box.term.rows)
    slope = np.abs(np.asarray(oracle.derivatives["grad_f"](x, p)[1]).ravel() * size)
    amount = max(abs(f), abs(f_beside) if np.isfinite(f_beside) else 0.0, slope.max(initial=0.0))
    factor = OBJECTIVE / amount if OBJECTIVE * np.finfo(float).tiny < amount < np.inf else 1.0
    return Scaling(1 / size, 1 / np.where(norms > 0, norms, 1.0), factor)


@dataclass(frozen=True)
class _Entries:
    """The entries of a sparse matrix."""

    row: np.ndarray
    col: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, matrix: ca.DM) -> _Entries:
        row, col = (np.array(part, dtype=np.int64) for part in matrix.sparsity().get_triplet())
        return cls(row, col, np.asarray(matrix.nz[:]).ravel())


def _declared(nlp: NonlinearProgram, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the magnitudes of the free variables (n,), 1 where no box declares one, where one does, and the point
    beside the start `x` (n,)."""
    n = len(x)
    size, is_known, beside = np.ones(n), np.zeros(n, dtype=bool), x.copy()
    for box in nlp.boxes:
        if box.model.magnitudes is not None:
            free = box.columns < n
            columns = box.columns[free]
            size[columns], is_known[columns] = box.model.magnitudes[free], True
            beside[columns] = x[columns] + box.model.deviations[free]
    return size, is_known, beside


def _costs(nlp: NonlinearProgram, jacobian: _Entries, rows: np.ndarray, is_known: np.ndarray) -> np.ndarray:
    """Return the magnitudes (n,) of variables that are costs or are compared with costs; 0 of all others.

    By the values (m,) of the `rows` beside the start with all that is not known at zero.
    """
    row, col, slope = jacobian.row, jacobian.col, np.abs(jacobian.value)
    asked = ~is_known[col] & np.isfinite(slope) & (slope > 0)
    is_cost = np.zeros(len(rows), dtype=bool)
    is_cost[[box.term.cost_row for box in nlp.boxes if box.term.cost_row >= 0]] = True
    compares = np.bincount(row, is_known[col], minlength=len(rows)) == 0
    done, size = np.where(is_cost, rows, 0.0), np.zeros(len(is_known))
    for _ in range(CHAIN):
        here = asked & (done[row] > 0) & (size[col] == 0)
        np.maximum.at(size, col[here], done[row[here]] / slope[here])
        np.maximum.at(done, row[asked & compares[row]], (slope * size[col])[asked & compares[row]])
    return size


def _alike(norms: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the norms of all rows, with those of one residual in all copies (K, n_r) at the largest of them."""
    kept, there = norms.copy(), rows >= 0
    largest = np.max(np.where(there, norms[rows], 0.0), axis=0, initial=0.0)
    kept[rows[there]] = np.broadcast_to(largest, rows.shape)[there]
    return kept
