"""Numerical loop-closure equations: mismatch of open loops, and the mass matrix augmented by the closures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.constraints.closure_weights import closure_weights
from flexblocks.constraints.dependent_variables import of_coordinates
from flexblocks.constraints.loop_length import loop_length
from flexblocks.constraints.ranges import coordinate_bounds
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.constrained_accelerations import augmented
from flexblocks.dynamics.algorithms.loop_closure import offsets, total_jacobian
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture
from flexblocks.errors import ComputationError

# Share of the way to the end of a range that a step goes which would leave it: the end itself may have no physics, as a
# beam pushed all the way in has none.
INSIDE = 0.9
# Share of a closure's largest slope below which another is a rounding error.
NEGLIGIBLE = 1e-9


class LoopError(ComputationError):
    """Loops cannot be closed, or a posture in which their motion is not determined."""


@dataclass(frozen=True, eq=False)
class ClosureEquations:
    """Functions of (q, p) behind the closures of an arm, and the units in which its postures are compared.

    Attributes
    ----------
    mismatch : casadi.Function
        Mismatch (12 for each cut) of the poses of the two outlets, with Jacobian: three positions by `length`, nine
        entries of the relative rotation matrix less the unit matrix. Unlike sines of angles they do not vanish at half
        a turn.
    closures : casadi.Function
        The kept closures, with Jacobian.
    length : float
        Characteristic length of the loops [m].
    unit : ndarray (n,)
        The change of each coordinate that counts as 1: 1 rad, or the length [m].
    low, high : ndarray (n,)
        Bounds of the coordinates, outside which a block has no physics.
    """

    mismatch: ca.Function
    closures: ca.Function
    length: float
    unit: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def within(self, q: np.ndarray, ahead: np.ndarray) -> np.ndarray:
        """Return `ahead` (n,), where coordinates that leave their bounds go from `q` most of the way to them only."""
        end = np.clip(ahead, self.low, self.high)
        return np.where(end == ahead, ahead, q + INSIDE * (end - q))


@lru_cache(maxsize=32)
def closure_equations(dae: DAE) -> ClosureEquations:
    """Return the functions behind the closures of an arm."""
    relative = offsets(dae.tree, dae.q)
    length = loop_length(dae, ca.vertcat(*[d for d, _ in relative], ca.SX(0, 1)))
    low, high = coordinate_bounds(dae)
    parts: list[Any] = [part for d, E in relative for part in (d / length, ca.vec(E - ca.SX.eye(3)))]
    mismatch = ca.densify(ca.vertcat(*parts, ca.SX(0, 1)))
    of_mismatch, closure = total_jacobian(mismatch, dae.tree, dae.q), dae.expressions.constraint
    return ClosureEquations(
        mismatch=of_coordinates(dae, "mismatch", ca.cse([mismatch, of_mismatch])),
        closures=of_coordinates(dae, "closures", ca.cse([closure, dae.expressions.constraint_jacobian])),
        length=length,
        unit=np.array([length if unit == "m" else 1.0 for unit in dae.x.units[: dae.tree.size]]),
        low=low,
        high=high,
    )


@lru_cache(maxsize=32)
def closed_mass(dae: DAE) -> ca.Function:
    """Return the function of the posture (`DAE.posture_symbols`) -> mass matrix (n, n), augmented by the closures."""
    M = augmented(dae.expressions.mass, dae.expressions.constraint_jacobian, dae.tree.loops.weights)
    return ca.Function("mass", [*dae.posture_symbols], [ca.cse(M)])


def gap(equations: ClosureEquations, q: np.ndarray, p: np.ndarray) -> float:
    """Return the largest mismatch of the loops: a position in units of their length, or an angle [rad].

    It is infinite where the posture has none, as numbers too large have.
    """
    size = float(np.max(np.abs(equations.mismatch(q, p)[0].full()), initial=0.0))
    return size if np.isfinite(size) else np.inf


def mismatches(dae: DAE, q: np.ndarray, p: np.ndarray) -> str:
    """Return the mismatch of the outlets at each cut, for messages."""
    equations = closure_equations(dae)
    missing = equations.mismatch(q, p)[0].full().reshape(-1, 12)
    words = []
    for closure, row in zip(dae.tree.loops.closures, missing, strict=True):
        angle = 2 * np.arcsin(min(np.linalg.norm(row[3:]) / np.sqrt(8), 1.0))
        shift = equations.length * np.linalg.norm(row[:3])
        words.append(f"{shift:.3g} m and {angle:.3g} rad between {dae.tree.ends_of(closure)}")
    return "; ".join(words)


def regular_mass(dae: DAE, *posture: np.ndarray) -> np.ndarray:
    """Return the mass matrix (n, n), plus J'W J of the closures: regular if every closed motion moves mass.

    `posture` is that of `DAE.posture`. The added term does not affect motions that keep the loops closed.
    """
    if dae.tree.loops.closures:
        return closed_mass(dae)(*posture).full()
    return mass_at_posture(dae.tree, *posture)


def weights(dae: DAE, rows: np.ndarray, postures: Iterable[np.ndarray], p: np.ndarray) -> tuple[float, ...]:
    """Return the weights of these rows of the closures in `regular_mass`, from closed postures (n,)."""
    free = free_columns(dae)
    of_mass = of_coordinates(dae, "mass", [dae.expressions.mass])
    pairs = []
    for q in postures:
        J = closure_equations(dae).closures(q, p)[1].full()[np.ix_(rows, free)]
        slopes = np.abs(closure_slopes(dae, q, p)[np.ix_(rows, free)])
        J[slopes < NEGLIGIBLE * np.max(slopes, axis=1, keepdims=True)] = 0.0
        pairs.append((of_mass(q, p).full()[np.ix_(free, free)], J))
    return tuple(closure_weights(pairs, rows // 3).tolist())


def closure_slopes(dae: DAE, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the Jacobian (m, n) of the closures, lengths in those of the loops: the same for loops of any size."""
    equations = closure_equations(dae)
    J = equations.closures(q, p)[1].full() * equations.unit
    J[np.array([unit == "N" for unit in dae.tree.loops.units], dtype=bool)] /= equations.length
    return J


def free_columns(dae: DAE) -> np.ndarray:
    """Return the positions of the coordinates that forces move: those that are not prescribed."""
    return np.setdiff1d(np.arange(dae.tree.size), dae.tree.prescribed_columns)
