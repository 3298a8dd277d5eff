"""Impact: conservation of momentum where inertia changes from one phase to the next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.prescribed_motion import free_rows

from ..collocation.interval import with_design
from ..errors import ProblemError
from ..problem.problem import Problem
from .boundary import End

ROUNDING = 1e-9  # relative change of inertia that counts as rounding


def check_pick_ups(dae: DAE, problem: Problem, p: Sequence[np.ndarray], ends: Sequence[tuple[End, End]]) -> None:
    """Refuse a load picked up in motion unless `pick_up` says how, and an impact without a load.

    Raises
    ------
    ProblemError
        The message lists the alternatives.
    """
    for i, phase in enumerate(problem.phases[1:], start=1):
        more, less = _inertia_change(dae, ends[i][0].point.x[: dae.tree.size], p[i - 1], p[i])
        where = f"plan: phase '{phase.name}'"
        if more and phase.pick_up is None and not ends[i - 1][1].is_rest:
            raise ProblemError(
                f"{where} begins in motion with more inertia than the phase '{problem.phases[i - 1].name}' before it: "
                "continuous rates would create momentum out of nothing. Come to rest with a goal there, or say "
                'what happens: pick_up="matched" if the load already moves with the gripper, pick_up="impact" if the '
                "load is at rest."
            )
        if phase.pick_up == "impact" and less:
            raise ProblemError(
                f'{where}: pick_up = "impact", but some of its inertia is less than before; a release leaves the rates '
                'unchanged. Leave pick_up out, or take "matched".'
            )


@lru_cache(maxsize=8)
def impact(dae: DAE, designed: tuple[int, ...] = ()) -> ca.Function:
    """Return the impact equations (w, p) -> [M_before v_before + J' impulse - M v, J v], zero for a plastic impact.

    w = (q, v_before, v, impulse, design), p = (p_before, p). Momentum is conserved but for the impulses of closed
    loops, which keep them closed. Prescribed coordinates keep their rates, whatever their drives need for that.
    """
    n, count = dae.tree.size, len(dae.p)
    q, before, after = (ca.SX.sym(name, n) for name in ("q", "before", "after"))
    impulse = ca.SX.sym("impulse", len(dae.tree.loops.multipliers))
    design, p = ca.SX.sym("design", len(designed)), ca.SX.sym("p", 2 * count)
    at = ca.Function("at", [dae.q, dae.p.symbol], [dae.expressions.whole_mass, dae.expressions.constraint_jacobian])
    (M_before, _), (M, J) = (
        at.call([q, with_design(values, designed, design)], True, False) for values in (p[:count], p[count:])
    )
    momentum = free_rows(dae.tree, M_before @ before + J.T @ impulse - M @ after)
    for column in dae.tree.prescribed_columns:
        momentum[column] = before[column] - after[column]
    w, residual = ca.vertcat(q, before, after, impulse, design), ca.densify(ca.vertcat(momentum, J @ after))
    return ca.Function("impact", [w, p], [residual], ["w", "p"], ["residual"])


def _inertia_change(dae: DAE, q: np.ndarray, before: np.ndarray, after: np.ndarray) -> tuple[bool, bool]:
    """Return whether inertia grows in some direction of motion, and whether it shrinks in some."""
    M, other = dae.mass_matrix(q, before).full(), dae.mass_matrix(q, after).full()
    # Pins of linkages and the like move no mass by themselves.
    size = np.sqrt(np.maximum(np.diag(M), np.diag(other)))
    unit = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    change = np.linalg.eigvalsh(unit[:, None] * (other - M) * unit)
    return bool(change.max() > ROUNDING), bool(change.min() < -ROUNDING)
