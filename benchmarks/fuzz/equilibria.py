"""Equilibria of random arms: at rest the forces balance, coordinates keep their ranges and loops are closed."""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

import flexblocks as fb
from benchmarks.fuzz.outcome import OK, Outcome, wrong
from benchmarks.fuzz.random_arm import RandomArm, random_arm
from benchmarks.fuzz.state import closure_jacobian
from flexblocks.dynamics.algorithms.loop_closure import offsets
from flexblocks.statics.operating_point import OperatingPoint

# What may be left of the forces, as a fraction of the terms that balance.
BALANCED = 1e-6
# What a few operations with a lever or a direction lose of it.
ROUNDING = 4 * np.finfo(float).eps
# How far loops may be open, as a fraction of the links' lengths [m] and as angles [rad].
CLOSED = 1e-6


def case(seed: int) -> Outcome:
    """Find the equilibrium of a random arm, and check it."""
    arm = random_arm(seed)
    dae = fb.assemble(arm.model)
    point = fb.equilibrium(dae)
    checks = (_forces(arm, dae, point), _ranges(dae, point), _closures(arm, dae, point))
    broken = [what for what in checks if what]
    return wrong("; ".join(broken)) if broken else OK


def _forces(arm: RandomArm, dae: fb.DAE, point: OperatingPoint) -> str:
    n = dae.tree.size
    q, still = point.x[:n], np.zeros(n)
    _, _, *dependent = dae.posture(point.x, point.z, point.p)
    held = dae.inverse_dynamics(q, still, still, [], *dependent).full().ravel()
    z = [point.z] if len(point.z) else []
    force = dae.input_force(point.x, point.u, [], *z).full().ravel()
    J = closure_jacobian(dae, point.x, point.z)
    reaction = J.T @ point.forces if len(J) else still
    # Weight and springs, as if nothing of them cancelled.
    gravity = dae.tree.gravity_at(dae.p.start)
    M = dae.mass_matrix(q, [], *dependent).full()
    weight = np.linalg.norm(gravity) * np.sqrt(np.abs(np.diag(M)) * np.max(np.diag(M), initial=0.0))
    symbols = [dae.q, dae.v, *dae.posture_symbols[2:]]
    stiffness = ca.Function("stiffness", symbols, [ca.jacobian(dae.expressions.bias, dae.q)])
    springs = np.abs(stiffness(q, still, *dependent).full()) @ np.abs(q)
    summed = np.abs(held) + np.abs(force) + np.abs(J.T) @ np.abs(point.forces) if len(J) else np.abs(held)
    allowed = BALANCED * (summed + weight + springs) + _rounding(arm, J, point) + 1e-12
    left = np.abs(held - force - reaction)
    worst = int(np.argmax(left / allowed)) if n else 0
    if n and left[worst] > allowed[worst]:
        return f"{left[worst]:.1e} unbalanced at {dae.q_names[worst]}, of {allowed[worst] / BALANCED:.1e}"
    return ""


def _rounding(arm: RandomArm, J: np.ndarray, point: OperatingPoint) -> np.ndarray:
    """Return what rounding leaves of the forces of the loops (n,), which cancel in a coordinate that moves none.

    They act at levers that are differences of places as far away as the arm reaches: where an arm blocks itself,
    2e5 N leave 3e-11 N m at a hinge that they pass through.
    """
    is_force = np.array(["force" in name for name in point.multipliers], dtype=bool)
    turns = np.max(np.abs(J[~is_force]), axis=0, initial=0.0)
    moves = np.max(np.abs(J[is_force]), axis=0, initial=0.0) + sum(arm.lengths.values()) * turns
    sizes = np.abs(point.forces)
    return ROUNDING * (np.sum(sizes[is_force]) * moves + np.sum(sizes[~is_force]) * turns)


def _ranges(dae: fb.DAE, point: OperatingPoint) -> str:
    q = point.x[: dae.tree.size]
    beyond = [b for b in dae.tree.ranges if not b.low - 1e-9 <= float(b.value(q)) <= b.high * (1 + 1e-9)]
    return "; ".join(f"{b.name} = {float(b.value(q)):g} is out of {b.low:g} to {b.high:g}" for b in beyond)


def _closures(arm: RandomArm, dae: fb.DAE, point: OperatingPoint) -> str:
    length = max(arm.lengths.values())
    pairs = offsets(dae.tree, dae.q)
    values = dae.posture(point.x, point.z, point.p)
    for closure, (shift, turn) in zip(dae.tree.loops.closures, pairs, strict=True):
        place, R = ca.Function("pose", [*dae.posture_symbols], [ca.densify(shift), ca.densify(turn)])(*values)
        angle = Rotation.from_matrix(R.full()).magnitude()
        apart = float(np.linalg.norm(place.full()))
        if apart > CLOSED * length or angle > CLOSED:
            return f"the loop at {closure.name} is open by {apart:.1e} m and {angle:.1e} rad"
    return ""
