"""Singular mass matrices in a run: refused where the run meets one, and named where it fails beside one.

A motion through gimbal lock has infinite rates of the angles, and one beside it large ones. An integrator that controls
its error resolves those until rounding takes over, which is refused; one of fixed steps passes over them unawares.
States are checked where joints follow one another with no mass between them; of other arms a failure is explained.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.constraints.closed_posture import is_in_line
from flexblocks.constraints.loop_equations import closed_mass, closure_slopes, free_columns, regular_mass
from flexblocks.constraints.singularities.change_points import way_to_change_point
from flexblocks.constraints.singularities.singular_mass import generic_inertia
from flexblocks.constraints.singularities.singular_posture import LOST, is_singular_posture, singular_posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import smallest_eigenvalues
from flexblocks.errors import listing
from flexblocks.simulation.integrators.driven_equations import BUILDING
from flexblocks.simulation.integrators.stepper import StepFailure

# Inertia left of the weakest motion, as a fraction, at which a run that fails is taken to be beside a singular posture
# (about 0.03 rad), and at which no shorter steps are tried (1e-4 rad).
BESIDE, STUCK = 1e-3, 1e-8
# A fixed step is too long if it changes that inertia, below a tenth of a radian, by more than this factor.
NEAR, RESOLVED = 1e-2, 2.0
# The same of closed loops beside a dead centre of what drives them: singular values of the closures, as a share.
BESIDE_IN_LINE, STUCK_IN_LINE = 1e-2, 1e-3


class SingularityMet(StepFailure):
    """A run met a singular posture, or failed beside one."""


@dataclass(frozen=True, eq=False)
class Singularities:
    """Postures of an arm with a singular mass matrix; states with work (k, nx + 1), z (k, nz), parameters (np,)."""

    dae: DAE

    def keep(self, X: np.ndarray, z: np.ndarray, p: np.ndarray, fixed_steps: bool) -> None:
        """Check consecutive states of a run.

        Raises
        ------
        SingularityMet
            A posture is singular; or one step of a method with fixed steps passes one too fast.
        """
        left = self._inertia(X, z, p) / self._generic
        worst = int(np.argmin(left))
        if left[worst] < LOST:
            raise self._failure(X[worst], z[worst], p, "{}")
        pairs = np.sort(np.stack([left[1:], left[:-1]]), axis=0)
        if fixed_steps and np.any((pairs[0] < NEAR) & (pairs[1] > RESOLVED * pairs[0])):
            raise self._failure(X[worst], z[worst], p, "a step is too long for the motion beside a posture where {}")

    def is_stuck(self, X: np.ndarray, z: np.ndarray, p: np.ndarray) -> bool:
        """Return whether a state (nx + 1,) is so near to a singular posture that no shorter step helps."""
        return bool(self._inertia(X[None], z[None], p)[0] < STUCK * self._generic)

    def explained(self, failure: Exception, X: np.ndarray, z: np.ndarray, p: np.ndarray) -> Exception:
        """Return a failure beside the state (nx + 1,), with the singular posture there if there is one."""
        with BUILDING:
            if self.is_blocked(X, p, BESIDE_IN_LINE):
                told = SingularityMet(
                    f"{failure}, beside a dead centre where the loops stop {listing(self.dae.prescribed)}"
                )
                told.advice = "Prescribe a motion within reach of the loops, or the coordinate that drives them there."
                return told
            M = self._mass(X, z, p)
            if isinstance(failure, SingularityMet) or not is_singular_posture(self.dae, M, BESIDE):
                return failure
        return self._failure(X, z, p, f"{failure}, beside a posture where {{}}")

    def is_blocked(self, X: np.ndarray, p: np.ndarray, share: float = STUCK_IN_LINE) -> bool:
        """Whether closed loops nearly block prescribed coordinates from a state (nx + 1,)."""
        if not (self.dae.prescribed and self.dae.tree.loops.closures):
            return False
        J = closure_slopes(self.dae, X[: self.dae.tree.size], p)
        return is_in_line(J[:, free_columns(self.dae)], share)

    def is_at_change_point(self, X: np.ndarray, p: np.ndarray, within: float) -> bool:
        """Whether loops come to a change point from a state (nx + 1,) `within` some time [s], or were at one."""
        n = self.dae.tree.size
        if not self.dae.tree.loops.closures or not np.all(np.isfinite(X)):
            return False
        with BUILDING:
            return abs(way_to_change_point(self.dae, X[:n], X[n : 2 * n], p)) < within

    @cached_property
    def _generic(self) -> float:
        with BUILDING:
            return generic_inertia(self.dae)

    @cached_property
    def _mass_function(self) -> ca.Function:
        with BUILDING:
            return closed_mass(self.dae.interpreted) if self.dae.tree.loops.closures else self.dae.mass_matrix

    def _inertia(self, X: np.ndarray, z: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the inertia (k,) of the weakest motion at states (k, nx + 1)."""
        n, k = self.dae.tree.size, len(X)
        M = np.array(self._mass_function(*self.dae.posture(X[:, :-1].T, z.T, p)))
        return smallest_eigenvalues(np.moveaxis(M.reshape(n, k, n), 1, 0))

    def _mass(self, X: np.ndarray, z: np.ndarray, p: np.ndarray) -> np.ndarray:
        return regular_mass(self.dae, *self.dae.posture(X[:-1], z, p))

    def _failure(self, X: np.ndarray, z: np.ndarray, p: np.ndarray, where: str) -> SingularityMet:
        """Return a failure at a state (nx + 1,): `where` with what is singular, and the advice."""
        with BUILDING:
            what, advice = singular_posture(self.dae, X[: self.dae.tree.size], self._mass(X, z, p))
        failure = SingularityMet(where.format(what.rstrip(".")))
        failure.advice = advice
        return failure
