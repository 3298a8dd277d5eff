"""Numerical loop-closure equations: mismatch of open loops, and the mass matrix augmented by the closures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.loop_closure import offsets
from flexblocks.dynamics.algorithms.mass_at_posture import mass_at_posture
from flexblocks.errors import ComputationError


class LoopError(ComputationError):
    """Loops cannot be closed, or a posture in which their motion is not determined."""


@dataclass(frozen=True, eq=False)
class ClosureEquations:
    """Functions of (q, p): mismatch of all loops (with redundant entries), kept closures, both with Jacobian; mass."""

    mismatch: ca.Function
    closures: ca.Function
    mass: ca.Function


@lru_cache(maxsize=32)
def closure_equations(dae: DAE) -> ClosureEquations:
    """Return the functions behind the closures of an arm."""
    # Compare rotation matrices, which agree in one orientation only; sines of angles vanish at half a turn too.
    parts: list[Any] = [part for d, E in offsets(dae.tree, dae.q) for part in (d, ca.vec(E - ca.SX.eye(3)))]
    mismatch = ca.densify(ca.vertcat(*parts))
    J, _ = dae.constraint_rates
    M = dae.mass_expression + dae.tree.loops.weight * (J.T @ J)
    symbols = [dae.q, dae.p.symbol]
    return ClosureEquations(
        mismatch=ca.Function("mismatch", symbols, ca.cse([mismatch, ca.jacobian(mismatch, dae.q)])),
        closures=ca.Function("closures", symbols, ca.cse([dae.constraint_expression, J])),
        mass=ca.Function("mass", symbols, [ca.cse(M)]),
    )


def gap(equations: ClosureEquations, q: np.ndarray, p: np.ndarray) -> float:
    """Return the largest mismatch of the loops [m, rad]."""
    return float(np.max(np.abs(equations.mismatch(q, p)[0].full()), initial=0.0))


def mismatches(dae: DAE, q: np.ndarray, p: np.ndarray) -> str:
    """Return the mismatch of the outlets at each cut, for messages."""
    missing = closure_equations(dae).mismatch(q, p)[0].full().reshape(-1, 12)
    words = []
    for closure, row in zip(dae.tree.loops.closures, missing, strict=True):
        angle = 2 * np.arcsin(min(np.linalg.norm(row[3:]) / np.sqrt(8), 1.0))
        words.append(f"{np.linalg.norm(row[:3]):.3g} m and {angle:.3g} rad between {dae.tree.ends_of(closure)}")
    return "; ".join(words)


def regular_mass(dae: DAE, *posture: np.ndarray) -> np.ndarray:
    """Return the mass matrix (n, n), plus w J'J of the closures: regular if every closed motion moves mass.

    `posture` is that of `DAE.posture`. The added term does not affect motions that keep the loops closed.
    """
    if dae.tree.loops.closures:
        return closure_equations(dae).mass(*posture).full()
    return mass_at_posture(dae.tree, *posture)


def weight(dae: DAE, q: np.ndarray, p: np.ndarray) -> float:
    """Return the weight that makes J'J, J the Jacobian of the closures, as large as the mass matrix."""
    J = closure_equations(dae).closures(q, p)[1].full()
    size = np.sum(J**2)
    return float(np.trace(dae.mass_matrix(q, p).full()) / size) if size else 1.0
