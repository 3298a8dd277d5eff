"""Impact: conservation of momentum where inertia changes from one phase to the next."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.prescribed_motion import free_rows

from ..collocation.interval import with_design


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
