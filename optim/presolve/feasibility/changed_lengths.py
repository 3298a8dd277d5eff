"""Lengths of linkages that change from one phase to the next, and open loops that are closed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, gap, mismatches
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing

from ...errors import ProblemError
from ...problem.problem import Problem
from ..boundary import End

OPEN = 1e-7  # of the loops' size, or a radian: loops are closed within 1e-10


def check_lengths(dae: DAE, problem: Problem, p: Sequence[np.ndarray], ends: Sequence[tuple[End, End]]) -> None:
    """Refuse parameters of a phase with which loops, closed at the end of the phase before, are open.

    Raises
    ------
    ProblemError
        The message names the parameters, and how far the loops would be open.
    """
    if not dae.tree.loops.closures:
        return
    equations, n = closure_equations(dae), dae.tree.size
    for i, phase in enumerate(problem.phases[1:], start=1):
        q = ends[i][0].point.x[:n]
        before, after = (gap(equations, q, parameters) for parameters in (p[i - 1], p[i]))
        if min(before, after) <= OPEN < max(before, after):
            changed = [
                f"{name} from {old:g} to {new:g}"
                for name, old, new in zip(dae.p.names, p[i - 1], p[i], strict=True)
                if old != new
            ]
            opened = mismatches(dae, q, p[i] if after > before else p[i - 1])
            raise ProblemError(
                f"plan: phase '{phase.name}': p: {listing(changed)}, with which the loops of '{dae.name}', closed in "
                f"the phase '{problem.phases[i - 1].name}', are open: {opened}. A linkage keeps its lengths; change "
                "what moves no joint, or plan the phases by themselves."
            )
