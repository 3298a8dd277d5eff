"""Lengths of linkages that change from one phase to the next, and open loops that are closed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, closure_slopes, gap, mismatches
from flexblocks.constraints.loop_newton import RANK
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.libraries import scipy

from ...errors import ProblemError
from ...problem.problem import Problem
from ..boundary import End

OPEN = 1e-7  # of the loops' size, or a radian: loops are closed within 1e-10


def check_lengths(dae: DAE, problem: Problem, p: Sequence[np.ndarray], ends: Sequence[tuple[End, End]]) -> None:
    """Refuse parameters of a phase with which loops, closed at the end of the phase before, are open or open in motion.

    Raises
    ------
    ProblemError
        The message names the parameters, and how far the loops would be open.
    """
    if not dae.tree.loops.closures:
        return
    for i, phase in enumerate(problem.phases[1:], start=1):
        q, old, new = ends[i][0].point.x[: dae.tree.size], p[i - 1], p[i]
        if not _opens(dae, q, old, new, moves=not ends[i - 1][1].is_rest):
            continue
        changed = []
        for k in np.flatnonzero(old != new):
            alone = old.copy()
            alone[k] = new[k]
            if _opens(dae, q, old, alone, moves=True):
                changed.append(f"{dae.p.names[k]} from {old[k]:g} to {new[k]:g}")
        opened = "open as the arm moves on"
        if _opens(dae, q, old, new, moves=False):
            gaps = [gap(closure_equations(dae), q, values) for values in (old, new)]
            opened = f"are open: {mismatches(dae, q, new if gaps[1] > gaps[0] else old)}"
        raise ProblemError(
            f"plan: phase '{phase.name}': p: {listing(changed)}, with which the loops of '{dae.name}', closed in "
            f"the phase '{problem.phases[i - 1].name}', {opened}. A linkage keeps its lengths; change "
            "what moves no joint, or plan the phases by themselves."
        )


def _opens(dae: DAE, q: np.ndarray, old: np.ndarray, new: np.ndarray, moves: bool) -> bool:
    """Whether the change of parameters opens loops in the posture q, or if the arm `moves`, through it."""
    gaps = [gap(closure_equations(dae), q, values) for values in (old, new)]
    if min(gaps) <= OPEN < max(gaps):
        return True
    if not moves or max(gaps) > OPEN:
        return False
    before, after = (closure_slopes(dae, q, values) for values in (old, new))
    rates = scipy.linalg.null_space(before, rcond=RANK)
    return bool(np.abs((after - before) @ rates).max(initial=0.0) > OPEN * np.abs(before).max())
