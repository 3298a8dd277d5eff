"""Laws of mechanics that hold for every arm: energies, powers, and accelerations by two algorithms."""

from __future__ import annotations

import casadi as ca
import numpy as np

from benchmarks.fuzz.laws.trial import ROUNDING, Trial, flat
from flexblocks.dynamics.algorithms.energy import stored_energies, total
from flexblocks.dynamics.algorithms.newton_euler import inner_force
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture

# What a law may be off, as a fraction of the sum of the terms that cancel in it: a few thousand roundings.
SUM = 1e-12
# How far two ways to compute accelerations may be apart, in units of rounding times the condition number of M.
UNITS = 100.0


def kinetic_energy_is_that_of_the_mass_matrix(trial: Trial) -> str:
    """T = 1/2 v'M v, M is symmetric and positive definite, and the same from the bodies' Jacobians."""
    kinetic = float(trial.dae.energy(*_energy_arguments(trial))[0])
    summed = np.abs(trial.v) @ np.abs(trial.M) @ np.abs(trial.v)
    if abs(kinetic - trial.v @ trial.M @ trial.v / 2) > SUM * summed:
        return f"T = {kinetic:g} J, v'Mv/2 = {trial.v @ trial.M @ trial.v / 2:g} J"
    scale = np.outer(trial.size, trial.size)
    other = mass_at_posture(trial.dae.tree, trial.q, np.zeros(0), *trial.dependent)
    # Two sums of the same bodies: where parts cancel, M is ill-conditioned, too.
    allowed = SUM + ROUNDING * trial.condition
    if (apart := np.max(np.abs(other - trial.M) / scale, initial=0.0)) > allowed:
        return f"M differs from that by the bodies' Jacobians by {apart:.1e}"
    lowest = np.linalg.eigvalsh(trial.regular / scale)[0] if len(scale) else 1.0
    return "" if lowest > -100 * ROUNDING else f"M has the eigenvalue {lowest:.1e}"


def energy_changes_by_the_power_of_all_forces(trial: Trial) -> str:
    """dE/dt = v'(M a + h) - dissipation and power of what springs do not store, at any acceleration a."""
    dae, (q, v, a) = trial.dae, (trial.q, trial.v, trial.state.a)
    if trial.dependent or len(dae.x) != 2 * len(q):
        return ""
    energy = ca.Function("energy", [dae.x.symbol], [sum(dae.energy(dae.x.symbol, []))])
    terms = flat(energy.jacobian()(trial.state.x, 0)) * np.concatenate([v, a])
    stored = total(stored_energies(dae.tree, dae.q))
    forces = [inner_force(dae.tree, dae.q, dae.v), ca.gradient(stored, dae.q)]
    inner, elastic = map(flat, ca.Function("forces", [dae.q, dae.v], forces)(q, v))
    power = np.concatenate([v * flat(dae.inverse_dynamics(q, v, a, [])), -v * inner, v * elastic])
    left = abs(terms.sum() - power.sum())
    summed = np.abs(terms).sum() + np.abs(power).sum()
    if left > 10 * SUM * summed:
        return f"energy changes by {terms.sum():g} W, forces have {power.sum():g} W (terms of {summed:.1e} W)"
    if not trial.arm.damped and abs((v * (elastic - inner)).sum()) > 10 * SUM * summed:
        return f"springs without dampers take {(v * inner).sum():g} W and store {(v * elastic).sum():g} W"
    return ""


def inverse_dynamics_inverts_forward_dynamics(trial: Trial) -> str:
    """M a + h = Q + J' lambda for the accelerations that forward dynamics returns."""
    a = trial.accelerations(trial.dae)
    if not np.all(np.isfinite(a)):
        return f"accelerations are not finite (condition of M {trial.condition:.1e})"
    force = flat(trial.dae.inverse_dynamics(trial.q, trial.v, a, [], *trial.dependent)) - trial.applied
    summed = np.abs(trial.M) @ np.abs(a) + trial.terms + np.abs(trial.applied)
    if len(trial.J):
        forces = flat(trial.dae.multipliers(*trial.arguments()))
        force, summed = force - trial.J.T @ forces, summed + np.abs(trial.J.T) @ np.abs(forces)
    left, summed = (np.linalg.norm(trial.scaled(f)) for f in (force, summed))
    # Rounding of terms that cancel, and of the elimination: rounding times the condition number at the most.
    allowed = max(1e-11, 10 * ROUNDING * min(trial.condition, 1e8))
    return "" if left <= allowed * summed else f"M a + h - Q = {left:.1e}, of terms {summed:.1e}"


def recursion_agrees_with_the_closed_form(trial: Trial) -> str:
    """Both accelerations agree within 100 units of rounding times the condition number of M."""
    if trial.dae.tree.loops.closures:
        return ""
    one, other = trial.accelerations(trial.dae), trial.accelerations(trial.closed_form)
    terms = trial.terms + np.abs(trial.applied)
    size = np.linalg.norm(trial.size * other) + np.linalg.norm(trial.scaled(terms))
    apart = np.linalg.norm(trial.size * (one - other)) / (ROUNDING * trial.condition * (size or 1.0))
    return "" if apart <= UNITS else f"recursion and closed form are {apart:.1e} units apart ({trial.condition:.1e})"


def _energy_arguments(trial: Trial) -> list[np.ndarray]:
    algebraic = [trial.state.z] if len(trial.dae.z) and trial.dae.tree.dependent_names else []
    return [trial.state.x, np.zeros(0), *algebraic]
