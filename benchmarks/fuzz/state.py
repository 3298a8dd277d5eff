"""Random states of an arm: postures, rates, accelerations and inputs of sizes as they may occur."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

import flexblocks as fb
from benchmarks.fuzz.random_arm import RandomArm
from flexblocks.constraints.closed_posture import refuse_singular
from flexblocks.constraints.dependent_variables import with_dependent_variables
from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.posture import posture
from flexblocks.constraints.singularities.singular_posture import refuse_singular_posture
from flexblocks.dynamics.algorithms.loop_closure import total_jacobian


@dataclass(frozen=True)
class State:
    """States (nx), algebraic variables (nz), inputs (nu), and accelerations (n) that they need not cause.

    `size` (n) is how far each coordinate goes [rad or m].
    """

    x: np.ndarray
    z: np.ndarray
    u: np.ndarray
    a: np.ndarray
    size: np.ndarray


def random_state(arm: RandomArm, dae: fb.DAE, seed: int) -> State:
    """Return a state with loops closed: with loops the start posture, otherwise one anywhere.

    Raises
    ------
    LoopError
        Loops do not determine how they move on from the start posture.
    SingularMassError
        With loops, a motion at the start posture moves no mass.
    """
    rng = np.random.default_rng([seed, 1])
    n = dae.tree.size
    size = np.array([_size(arm, name, unit) for name, unit in zip(dae.q_names, dae.x.units, strict=False)])
    x = dae.x.start.copy()
    q, v, a = (rng.uniform(-1, 1, n) * size * factor for factor in (1.0, 2.0, 10.0))
    if dae.tree.loops.closures:
        # As any use of the arm begins.
        refuse_singular(dae, x[:n], dae.p.start, "random_state: ")
        refuse_singular_posture(dae, x[:n], regular_mass(dae, *posture(dae, x, dae.p.start)), "random_state: ")
        J = closure_jacobian(dae, x, dae.z.start)
        # In the metric of the sizes, so that what is small stays small.
        scaled = J * size
        v -= size * (np.linalg.pinv(scaled, rcond=1e-9) @ (scaled @ (v / size)))
    else:
        x[:n] += q
    x[n : 2 * n] = v
    x, z = with_dependent_variables(dae, x, dae.z.start, dae.p.start)
    return State(x, z, rng.uniform(-1, 1, len(dae.u)), a, size)


def closure_jacobian(dae: fb.DAE, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the Jacobian (m, n) of the loop closures at a state (nx) and (nz); m is 0 for a tree."""
    if not dae.tree.loops.closures:
        return np.zeros((0, dae.tree.size))
    residual = dae.constraint(*dae.posture_symbols)
    # Dependent variables move with the coordinates.
    J = ca.densify(total_jacobian(residual, dae.tree, dae.q))
    return ca.Function("J", [*dae.posture_symbols], [J])(*dae.posture(x, z, dae.p.start)).full()


def _size(arm: RandomArm, name: str, unit: str) -> float:
    """Return how far a coordinate goes [rad or m]: beams bend by 3 % of their lengths."""
    block, _, variable = name.partition(".")
    if block in arm.lengths:
        share = {"displacement": 0.1, "torsion": 0.1, "bend_y": 0.1, "bend_z": 0.1, "extension": 0.01}
        kind = variable.partition("[")[0]
        return share.get(kind, 0.03) * (1.0 if unit == "rad" else arm.lengths[block])
    return 1.0 if unit == "rad" else 0.5 * max(arm.lengths.values())
