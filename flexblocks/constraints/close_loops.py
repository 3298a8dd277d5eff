"""Closing of kinematic loops at assembly: a closed start posture, and the independent closure constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from flexblocks.constraints.closed_posture import IN_LINE, SPREAD, is_in_line
from flexblocks.constraints.closed_start import Lead, closed_start
from flexblocks.constraints.dependent_variables import with_dependent_variables
from flexblocks.constraints.loop_equations import closure_equations, closure_slopes, free_columns, gap, weights
from flexblocks.constraints.loop_newton import CLOSED, RANK, polished
from flexblocks.constraints.singularities.shaky_loops import refuse_shaky_loops
from flexblocks.dae.dae import DAE
from flexblocks.dae.expressions import of_same_mass
from flexblocks.dynamics.tree.cut_joints import Loops
from flexblocks.errors import ModelError, listing
from flexblocks.libraries import scipy


def close_loops(dae: DAE, near: np.ndarray | None = None) -> tuple[DAE, list[Lead]]:
    """Return the DAE with start values that close all loops, and with independent closure constraints only.

    And the ways on which start values were led to it. The start is next to that of the blocks, or the closed posture
    `near` (n,).

    Raises
    ------
    LoopError
        The loops cannot be closed.
    ModelError
        The closed loops leave no degree of freedom, or one that opens them.

    Warns
    -----
    FlexblocksWarning
        See `flexblocks.constraints.closed_start.closed_start`.
    """
    n, loops = dae.tree.size, dae.tree.loops
    # A closed posture next to the blocks' start values.
    (record, leads), p = closed_start(dae, near), dae.p.start
    q = record.closed
    # Independent closure constraints, as many as the rank of their Jacobian.
    around = list(_closed_around(dae, q, p)) if n else []
    rows = _independent_rows(dae, around, p) if n else np.zeros(0)
    if len(rows) >= n:
        ends = "; ".join(dae.tree.ends_of(closure) for closure in loops.closures)
        raise ModelError(
            f"Model '{dae.name}': joining {ends} leaves no motion: {len(rows)} independent constraints on {n} "
            "coordinates; at least one degree of freedom must remain. Add a joint, lock one coordinate less, or "
            "connect one frame less."
        )
    refuse_shaky_loops(dae, q, p, rows)
    _refuse_overdriven(dae, around, p, rows)
    # Closure i had the rows 6 i to 6 i + 5 of all constraints.
    closures = tuple(
        replace(closure, rows=tuple(int(row) - 6 * i for row in rows if row // 6 == i))
        for i, closure in enumerate(loops.closures)
    )
    loops = Loops(closures, weights(dae, rows, around[:2], p))
    start, z = with_dependent_variables(dae, np.concatenate([q, dae.x.start[n:]]), dae.z.start, p, where="assemble: ")
    x, z = replace(dae.x, start=start), replace(dae.z, start=z)
    return of_same_mass(dae, tree=dae.tree.with_loops(loops), x=x, z=z, closed_start=record), leads


def _refuse_overdriven(dae: DAE, around: Sequence[np.ndarray], p: np.ndarray, rows: np.ndarray) -> None:
    """Refuse prescribed coordinates that the loops do not let move each by itself, at closed postures (n,)."""
    if not dae.prescribed:
        return
    free = free_columns(dae)
    for posture in around:
        if not is_in_line(closure_slopes(dae, posture, p)[np.ix_(rows, free)], RANK):
            return
    freedom = dae.tree.size - len(rows)
    raise ModelError(
        f"assemble: prescribed: {listing(dae.prescribed)} in '{dae.name}', whose closed loops leave {freedom} "
        f"degree{'s' * (freedom > 1)} of freedom and do not "
        "let these move each by itself; prescribe fewer coordinates, or others."
    )


def _closed_around(dae: DAE, q: np.ndarray, p: np.ndarray) -> Iterator[np.ndarray]:
    """Yield closed postures: `q` itself, and random neighbours, as `q` may be singular."""
    equations, rng = closure_equations(dae), np.random.default_rng(0)
    for attempt in range(4):
        spread = SPREAD * bool(attempt) * rng.uniform(-1, 1, len(q))
        near = equations.within(q, q + spread * equations.unit)
        posture = polished(equations, near, p, np.ones(len(q), dtype=bool))
        if gap(equations, posture, p) <= CLOSED:
            yield posture


def _independent_rows(dae: DAE, around: Sequence[np.ndarray], p: np.ndarray) -> np.ndarray:
    """Return the positions (k,) of independent closures in `dae.constraint`.

    The rank is the largest at closed postures `around` the start (n,), as that itself may be singular.
    """
    best: np.ndarray | None = None
    for posture in around:
        J = closure_equations(dae).closures(posture, p)[1].full()
        factors = scipy.linalg.qr(J.T, pivoting=True, mode="r")
        diagonal, pivots = np.abs(np.diag(np.asarray(factors[0]))), np.asarray(factors[-1])
        rank = int(np.sum(diagonal > RANK * diagonal[0]))
        if best is not None:
            # What has come back to a singular posture but for the error of its closures has no rank of its own.
            values = np.linalg.svd(closure_slopes(dae, posture, p), compute_uv=False)
            rank = min(rank, int(np.sum(values > IN_LINE * values[0])))
        if best is None or rank > len(best):
            best = np.sort(pivots[:rank])
    assert best is not None  # q itself is closed
    return best
