"""Trial of one random arm: the arm, its DAE and a state of it, with what several laws need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

import flexblocks as fb
from benchmarks.fuzz.laws.force_terms import magnitude_of_terms
from benchmarks.fuzz.random_arm import RandomArm, random_arm
from benchmarks.fuzz.state import State, closure_jacobian, random_state

ROUNDING = 2.0**-52


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
        """M + J'W J, which is regular where the arm has equations of motion."""
        return self.M + ((self.J.T * np.array(self.dae.tree.loops.weights)) @ self.J if len(self.J) else 0.0)

    @cached_property
    def size(self) -> np.ndarray:
        """Square roots of the diagonal of M + J'W J: rates times these are square roots of energies."""
        return np.sqrt(np.diag(self.regular))

    @cached_property
    def condition(self) -> float:
        """Condition number of M + J'W J scaled to a unit diagonal."""
        return float(np.linalg.cond(self.regular / np.outer(self.size, self.size))) if len(self.M) else 1.0

    @cached_property
    def bias(self) -> np.ndarray:
        return flat(self.dae.inverse_dynamics(self.q, self.v, 0 * self.v, [], *self.dependent))

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
        vars(other.expressions).update(mass=dae.expressions.mass, bias=bias)
        return other

    @cached_property
    def applied(self) -> np.ndarray:
        return flat(self.dae.input_force(*self.arguments()))

    def arguments(self) -> list[np.ndarray]:
        """Return the arguments (x, u, p, z if any) of functions of the whole state."""
        return [self.state.x, self.state.u, np.zeros(0), *([self.state.z] if len(self.dae.z) else [])]

    def accelerations(self, dae: fb.DAE) -> np.ndarray:
        n = self.dae.tree.size
        return flat(dae.forward_dynamics(*self.arguments()))[n : 2 * n]

    def scaled(self, force: np.ndarray) -> np.ndarray:
        """Return forces (n) as square roots of energies per time."""
        return force / np.where(self.size > 0, self.size, 1.0)


def flat(value: ca.DM) -> np.ndarray:
    return value.full().ravel()
