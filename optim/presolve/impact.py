"""Impact: conservation of momentum where inertia changes from one phase to the next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.dae.dae import DAE

from ..collocation.interval import with_design
from ..errors import ProblemError
from ..problem.problem import Problem
from .boundary import End
from .equilibrium import equilibration

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
    """Return the impact equations (w, p) -> (M_before v_before + J' L - M v, J v), zero if momentum is conserved.

    w = (q, v_before, v, L, design), p = (p_before, p). Loops stay closed: the impulses L (m,) in their cuts see to it.
    """
    n, count = dae.tree.size, len(dae.p)
    q, before, after = (ca.SX.sym(name, n) for name in ("q", "before", "after"))
    impulses = ca.SX.sym("impulses", len(dae.tree.loops.multipliers))
    design, p = ca.SX.sym("design", len(designed)), ca.SX.sym("p", 2 * count)
    slopes = ca.Function("slopes", [dae.q, dae.p.symbol], [dae.mass_expression, dae.constraint_rates[0]])
    M_before, _ = slopes.call([q, with_design(p[:count], designed, design)], True, False)
    M, J = slopes.call([q, with_design(p[count:], designed, design)], True, False)
    residual = ca.vertcat(M_before @ before + J.T @ impulses - M @ after, J @ after)
    w = ca.vertcat(q, before, after, impulses, design)
    return ca.Function("impact", [w, p], [ca.densify(residual)], ["w", "p"], ["residual"])


def rates_after(dae: DAE, q: np.ndarray, v: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the rates (n,) after an impact at `q` with rates `v`, in which the parameters change; see `impact`."""
    M_before, M = (dae.interpreted.mass_matrix(q, p).full() for p in (before, after))
    n, m = dae.tree.size, len(dae.tree.loops.multipliers)
    system, momentum = np.zeros((n + m, n + m)), np.concatenate([M_before @ v, np.zeros(m)])
    system[:n, :n] = M
    if m:
        J = closure_equations(dae).closures(q, after)[1].full()
        system[n:, :n], system[:n, n:] = J, J.T
    row, column = equilibration(system)  # masses beside lengths
    return (column * np.linalg.solve(row[:, None] * system * column, row * momentum))[:n]


def _inertia_change(dae: DAE, q: np.ndarray, before: np.ndarray, after: np.ndarray) -> tuple[bool, bool]:
    """Return whether inertia grows in some direction of motion, and whether it shrinks in some."""
    M, other = dae.mass_matrix(q, before).full(), dae.mass_matrix(q, after).full()
    # Pins of linkages and the like move no mass by themselves.
    size = np.sqrt(np.maximum(np.diag(M), np.diag(other)))
    unit = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    change = np.linalg.eigvalsh(unit[:, None] * (other - M) * unit)
    return bool(change.max() > ROUNDING), bool(change.min() < -ROUNDING)
