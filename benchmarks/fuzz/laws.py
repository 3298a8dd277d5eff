"""Laws of mechanics that hold for every arm: each returns what is wrong in one line, or an empty string."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

import flexblocks as fb
from benchmarks.fuzz.force_terms import magnitude_of_terms
from benchmarks.fuzz.random_arm import RandomArm, random_arm
from benchmarks.fuzz.state import State, closure_jacobian, random_state
from flexblocks.dynamics.algorithms.energy import stored_energies, total
from flexblocks.dynamics.algorithms.newton_euler import inner_force
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture

ROUNDING = 2.0**-52
# What a law may be off, as a fraction of the sum of the terms that cancel in it: a few thousand roundings.
SUM = 1e-12
# How far two ways to compute accelerations may be apart, in units of rounding times the condition number of M.
UNITS = 100.0


@dataclass(frozen=True)
class Trial:
    """A random arm, its DAE and a state of it, with what several laws need."""

    seed: int
    arm: RandomArm
    dae: fb.DAE
    state: State

    @staticmethod
    def of(seed: int) -> Trial:
        arm = random_arm(seed)
        dae = fb.assemble(arm.model)
        return Trial(seed, arm, dae, random_state(arm, dae, seed))

    @property
    def q(self) -> np.ndarray:
        return self.state.x[: self.dae.tree.size]

    @property
    def v(self) -> np.ndarray:
        n = self.dae.tree.size
        return self.state.x[n : 2 * n]

    @cached_property
    def dependent(self) -> list[np.ndarray]:
        """The last arguments of functions of the posture: the dependent variables, if there are any."""
        _, _, *dependent = self.dae.posture(self.state.x, self.state.z, self.dae.p.start)
        return dependent

    @cached_property
    def M(self) -> np.ndarray:
        return self.dae.mass_matrix(self.q, [], *self.dependent).full()

    @cached_property
    def J(self) -> np.ndarray:
        """Jacobian (m, n) of the loop closures; m is 0 for a tree."""
        return closure_jacobian(self.dae, self.state.x, self.state.z)

    @cached_property
    def regular(self) -> np.ndarray:
        """M + w J'J, which is regular where the arm has equations of motion."""
        return self.M + (self.dae.tree.loops.weight * self.J.T @ self.J if len(self.J) else 0.0)

    @cached_property
    def size(self) -> np.ndarray:
        """Square roots of the diagonal of M + w J'J: rates times these are square roots of energies."""
        return np.sqrt(np.diag(self.regular))

    @cached_property
    def condition(self) -> float:
        """Condition number of M + w J'J scaled to a unit diagonal."""
        return float(np.linalg.cond(self.regular / np.outer(self.size, self.size))) if len(self.M) else 1.0

    @cached_property
    def bias(self) -> np.ndarray:
        return _flat(self.dae.inverse_dynamics(self.q, self.v, 0 * self.v, [], *self.dependent))

    @cached_property
    def terms(self) -> np.ndarray:
        """The terms (n) that make up the bias forces, as if none of them cancelled."""
        return magnitude_of_terms(self.dae, self.q, self.v, *self.dependent)

    @cached_property
    def closed_form(self) -> fb.DAE:
        """The same arm, with accelerations from M and h instead of by recursion; these are not derived again."""
        dae, other = self.dae, replace(self.dae, dynamics="closed-form")
        q, *others = dae.posture_symbols
        bias = dae.inverse_dynamics(q, dae.v, ca.SX(dae.tree.size, 1), *others)
        vars(other).update(mass_expression=dae.mass_expression, bias_expression=bias)
        return other

    @cached_property
    def applied(self) -> np.ndarray:
        return _flat(self.dae.input_force(*self.arguments()))

    def arguments(self) -> list[np.ndarray]:
        """Return the arguments (x, u, p, z if any) of functions of the whole state."""
        return [self.state.x, self.state.u, np.zeros(0), *([self.state.z] if len(self.dae.z) else [])]

    def accelerations(self, dae: fb.DAE) -> np.ndarray:
        n = self.dae.tree.size
        return _flat(dae.forward_dynamics(*self.arguments()))[n : 2 * n]


def kinetic_energy_is_that_of_the_mass_matrix(trial: Trial) -> str:
    """T = 1/2 v'M v, M is symmetric and positive definite, and the same from the bodies' Jacobians."""
    kinetic = float(trial.dae.energy(*_energy_arguments(trial))[0])
    summed = np.abs(trial.v) @ np.abs(trial.M) @ np.abs(trial.v)
    if abs(kinetic - trial.v @ trial.M @ trial.v / 2) > SUM * summed:
        return f"T = {kinetic:g} J, v'Mv/2 = {trial.v @ trial.M @ trial.v / 2:g} J"
    scale = np.outer(trial.size, trial.size)
    other = mass_at_posture(trial.dae.tree, trial.q, np.zeros(0), *trial.dependent)
    # Two sums of the same bodies: where parts cancel, as slope and chord of a pinned mode, M is ill-conditioned, too.
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
    terms = _flat(energy.jacobian()(trial.state.x, 0)) * np.concatenate([v, a])
    stored = total(stored_energies(dae.tree, dae.q))
    forces = [inner_force(dae.tree, dae.q, dae.v), ca.gradient(stored, dae.q)]
    inner, elastic = map(_flat, ca.Function("forces", [dae.q, dae.v], forces)(q, v))
    power = np.concatenate([v * _flat(dae.inverse_dynamics(q, v, a, [])), -v * inner, v * elastic])
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
    force = _flat(trial.dae.inverse_dynamics(trial.q, trial.v, a, [], *trial.dependent)) - trial.applied
    summed = np.abs(trial.M) @ np.abs(a) + trial.terms + np.abs(trial.applied)
    if len(trial.J):
        forces = _flat(trial.dae.multipliers(*trial.arguments()))
        force, summed = force - trial.J.T @ forces, summed + np.abs(trial.J.T) @ np.abs(forces)
    left, summed = (np.linalg.norm(_scaled(trial, f)) for f in (force, summed))
    # Rounding of terms that cancel, and of the elimination: rounding times the condition number at the most.
    allowed = max(1e-11, 10 * ROUNDING * min(trial.condition, 1e8))
    return "" if left <= allowed * summed else f"M a + h - Q = {left:.1e}, of terms {summed:.1e}"


def recursion_agrees_with_the_closed_form(trial: Trial) -> str:
    """Both accelerations agree within 100 units of rounding times the condition number of M."""
    if trial.dae.tree.loops.closures:
        return ""
    one, other = trial.accelerations(trial.dae), trial.accelerations(trial.closed_form)
    terms = trial.terms + np.abs(trial.applied)
    size = np.linalg.norm(trial.size * other) + np.linalg.norm(_scaled(trial, terms))
    apart = np.linalg.norm(trial.size * (one - other)) / (ROUNDING * trial.condition * (size or 1.0))
    return "" if apart <= UNITS else f"recursion and closed form are {apart:.1e} units apart ({trial.condition:.1e})"


def planar_arm_is_the_same_in_every_plane(trial: Trial) -> str:
    """A planar arm that is turned in space, gravity with it, has the same M, h and accelerations."""
    if not trial.arm.flat:
        return ""
    turn = Rotation.from_rotvec(2 * np.random.default_rng([trial.seed, 2]).normal(size=3))
    turned = fb.assemble(random_arm(trial.seed, turn).model)
    if turned.q_names != trial.dae.q_names:
        return f"turned arm has the coordinates {turned.q_names}"
    M = turned.mass_matrix(trial.q, [], *trial.dependent).full()
    if (apart := np.max(np.abs(M - trial.M) / np.outer(trial.size, trial.size), initial=0.0)) > 1e-11:
        return f"turned arm: M differs by {apart:.1e}"
    force = _flat(turned.inverse_dynamics(trial.q, trial.v, trial.state.a, [], *trial.dependent))
    here = _flat(trial.dae.inverse_dynamics(trial.q, trial.v, trial.state.a, [], *trial.dependent))
    inertia = np.abs(trial.M) @ np.abs(trial.state.a) + np.abs(trial.bias)
    apart, size = (np.linalg.norm(_scaled(trial, f)) for f in (force - here, inertia))
    return "" if apart <= 1e-10 * size else f"turned arm: M a + h differs by {apart:.1e} of {size:.1e}"


def symbolic_parameters_change_nothing(trial: Trial) -> str:
    """With all parameters symbolic M and h are the same (every fifth arm)."""
    if trial.seed % 5:
        return ""
    symbolic = fb.assemble(trial.arm.model, symbolic="all")
    p = symbolic.p.start
    M = symbolic.mass_matrix(trial.q, p, *trial.dependent).full()
    if (apart := np.max(np.abs(M - trial.M) / np.outer(trial.size, trial.size), initial=0.0)) > 1e-11:
        return f"symbolic parameters: M differs by {apart:.1e}"
    force = _flat(symbolic.inverse_dynamics(trial.q, trial.v, 0 * trial.v, p, *trial.dependent))
    apart, size = (np.linalg.norm(_scaled(trial, f)) for f in (force - trial.bias, np.abs(trial.bias)))
    # Where velocity forces cancel, as those of one hinge alone, roundings of them are left: of the energy and its rate.
    rate = np.max(np.abs(trial.v) / trial.state.size, initial=0.0)
    rounding = SUM * rate * np.linalg.norm(trial.size * trial.v)
    return "" if apart <= 1e-9 * size + rounding else f"symbolic parameters: h differs by {apart:.1e} of {size:.1e}"


def file_holds_the_model(trial: Trial) -> str:
    """A saved model that is loaded again has the same blocks, connections and gravity."""
    model = trial.arm.model
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"arm.{('yaml', 'json')[trial.seed % 2]}"
        model.save(path)
        loaded = fb.load(path)
        again = path.with_stem("again")
        loaded.save(again)
        if path.read_bytes() != again.read_bytes():
            return "a loaded model is saved otherwise than the model itself"
    for name, block in model.blocks.items():
        if loaded.blocks[name] != block:
            return f"loaded: {loaded.blocks[name]}, saved: {block}"
    return "" if np.array_equal(loaded.gravity, model.gravity) else "gravity differs after loading"


LAWS: tuple[Callable[[Trial], str], ...] = (
    kinetic_energy_is_that_of_the_mass_matrix,
    energy_changes_by_the_power_of_all_forces,
    inverse_dynamics_inverts_forward_dynamics,
    recursion_agrees_with_the_closed_form,
    planar_arm_is_the_same_in_every_plane,
    symbolic_parameters_change_nothing,
    file_holds_the_model,
)


def _flat(value: ca.DM) -> np.ndarray:
    return value.full().ravel()


def _scaled(trial: Trial, force: np.ndarray) -> np.ndarray:
    """Return forces (n) as square roots of energies per time."""
    return force / np.where(trial.size > 0, trial.size, 1.0)


def _energy_arguments(trial: Trial) -> list[np.ndarray]:
    algebraic = [trial.state.z] if len(trial.dae.z) and trial.dae.dependent_names else []
    return [trial.state.x, np.zeros(0), *algebraic]
