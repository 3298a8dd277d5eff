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
CHAIN = 3  # how far variables that no box declares are from one that is: worst cost, costs of scenarios, motions


def magnitude_scaling(nlp: NonlinearProgram, oracle: Oracle, x: np.ndarray, p: np.ndarray) -> Scaling | None:
    """Return the scaling by the magnitudes that grey boxes declare of their inputs; None if no box does.

    Variables become of magnitude one; those of no box, such as the cost of the worst scenario, count by their start, or
    if that is zero, by what the others make of the rows that they share. Then every row is divided by the norm of its
    gradient at the start, equally named residuals of a box by the largest of theirs, and the objective becomes ten
    there: by its value, by that at the point beside the start that boxes declare, or by its largest derivative,
    whichever is most. For the energy of vibration is zero, but for rounding, where an arm is not bent yet; so is any
    cost that is least at the start. So scaled, a program has the same iterates in every system of units, and for
    physically similar arms.

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
        rows = np.asarray(values(np.where(is_known, beside, 0.0), p)[1]).ravel()
        shared, start = _shared(jacobian, rows, size, is_known), np.abs(x)
        size = np.where(is_known | (start <= ROUNDING * shared), shared, start)
    squares = (jacobian.value * size[jacobian.col]) ** 2
    norms = np.sqrt(np.bincount(jacobian.row, np.where(np.isfinite(squares), squares, 0.0), minlength=len(nlp.lower)))
    for box in nlp.boxes:
        norms = _alike(norms, box.term.rows)
    slope = np.abs(np.asarray(oracle.derivatives["grad_f"](x, p)[1]).ravel() * size)
    amount = max(abs(f), abs(f_beside) if np.isfinite(f_beside) else 0.0, slope.max(initial=0.0))
    factor = OBJECTIVE / amount if 0 < amount < np.inf else 1.0
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


def _shared(jacobian: _Entries, rows: np.ndarray, size: np.ndarray, is_known: np.ndarray) -> np.ndarray:
    """Return the magnitudes (n,) also of variables that are not known: what others do in their rows.

    By slope, or by the values (m,) of the `rows` beside the start with all that is not known at zero.
    """
    row, col, slope = jacobian.row, jacobian.col, np.abs(jacobian.value)
    slope = np.where(np.isfinite(slope), slope, 0.0)
    size, is_known = size.copy(), is_known.copy()
    for _ in range(CHAIN):
        known = is_known[col]
        done = np.zeros(len(rows))
        np.maximum.at(done, row[known], slope[known] * size[col[known]])
        done = np.where(done > 0, np.fmax(done, np.abs(rows)), 0.0)
        asked = ~known & (slope > 0) & (done[row] > 0) & np.isfinite(done[row])
        found = np.zeros(len(size))
        np.maximum.at(found, col[asked], done[row[asked]] / slope[asked])
        size, is_known = np.where(found > 0, found, size), is_known | (found > 0)
    return size


def _alike(norms: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the norms of all rows, with those of one residual in all copies (K, n_r) at the largest of them."""
    kept, there = norms.copy(), rows >= 0
    largest = np.max(np.where(there, norms[rows], 0.0), axis=0, initial=0.0)
    kept[rows[there]] = np.broadcast_to(largest, rows.shape)[there]
    return kept
