"""Static problem on closed loops: unknowns that move along closed postures, and the motions that no input holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.constraints.loop_equations import ClosureEquations, closure_equations, gap
from flexblocks.constraints.loop_newton import CLOSED, polished
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_root
from flexblocks.libraries import scipy
from flexblocks.statics.problem import RANK, Statics

# A step is taken if the way back to closed loops is shorter than this share of it: so it stays in its assembly.
CURVED = 0.5
APART = 0.05  # steps of a way are divided into such ones [rad, lengths of the loops], to see what it passes
FORCES = 3  # Newton steps to forces at a posture: they enter linearly, and algebraic variables nearly so


@dataclass(frozen=True, eq=False)
class ClosedProblem:
    """Static problem of an arm with loops, of the equations `rows` (rows,); `deforming` (n,) are coordinates of beams.

    The loops are closed as poses, all along: from the start to the result the arm moves through closed postures, and
    so stays in the assembly of the start. `before` has the posture from which each that was reached was reached.
    """

    problem: Statics
    loops: ClosureEquations
    deforming: np.ndarray
    rows: np.ndarray
    before: dict[bytes, np.ndarray] = field(default_factory=dict)

    @cached_property
    def free(self) -> np.ndarray:
        """Mask (n,) of the free coordinates."""
        return self.problem.free[: self.problem.size]

    @cached_property
    def outer(self) -> np.ndarray:
        """Mask (ns,) of the free unknowns beside the coordinates."""
        mask = self.problem.free.copy()
        mask[: self.problem.size] = False
        return mask

    @cached_property
    def root_mass(self) -> np.ndarray:
        """Factor L of the mass matrix L L' of the free coordinates."""
        return mass_root(self.problem.mass[np.ix_(self.free, self.free)])

    def turn(self, step: np.ndarray) -> float:
        """Return the largest change of a coordinate in a step (ns,) [rad, lengths of the loops]."""
        return float(np.max(np.abs(step[: self.problem.size] / self.loops.unit), initial=0.0))

    def balanced(self, s: np.ndarray) -> bool:
        """Whether the chosen equations hold; the loops are closed in any case."""
        left = np.abs(self.problem.residual(s)) <= self.problem.tolerance(s)
        return bool(np.all(left[self.forces]))

    def is_closed(self, s: np.ndarray) -> bool:
        """Whether the loops are closed at `s`, in position and orientation."""
        return gap(self.loops, s[: self.problem.size], self.problem.p) <= CLOSED

    @cached_property
    def forces(self) -> np.ndarray:
        """Mask (rows,) of the chosen equations without the closures."""
        mask = self.rows.copy()
        mask[self.problem.rows - self.problem.closures :] = False
        return mask

    def moved(self, s: np.ndarray, step: np.ndarray) -> np.ndarray | None:
        """Return `s` after a step along closed postures, or None if none is next to its end."""
        ahead, n = s + step, self.problem.size
        # Joints before beams: rounding of the closures, taken up by a stiff beam, is a force that is out of balance.
        for free in (self.free & ~self.deforming, self.free):
            q = polished(self.loops, ahead[:n], self.problem.p, free)
            back = np.max(np.abs((q - ahead[:n]) / self.loops.unit), initial=0.0)
            if back <= CURVED * self.turn(step) + CLOSED and gap(self.loops, q, self.problem.p) <= CLOSED:
                ahead[:n] = q
                self.before.setdefault(q.tobytes(), s[:n].copy())
                return ahead
        return None

    def way_to(self, s: np.ndarray) -> np.ndarray:
        """Return the closed postures (k, n) from the start to `s`, by the steps that led there, and some between them.

        `s` may have moved by rounding since.
        """
        n, q = self.problem.size, s[: self.problem.size]
        reached = [np.frombuffer(key) for key in self.before]
        way = [q, *sorted(reached, key=lambda other: float(np.max(np.abs((other - q) / self.loops.unit))))[:1]]
        for _ in reached:
            if (back := self.before.get(way[-1].tobytes())) is None:
                break
            way.append(back)
        way = [self.problem.start[:n], *way[::-1]]
        free, postures = np.ones(n, dtype=bool), []
        for one, other in pairwise(way):
            parts = int(np.ceil(np.max(np.abs(other - one) / self.loops.unit, initial=0.0) / APART))
            postures += [
                polished(self.loops, one + i / parts * (other - one), self.problem.p, free) for i in range(parts)
            ]
        return np.array([*postures, q])

    def with_forces(self, s: np.ndarray) -> np.ndarray:
        """Return `s` with the least forces in the loops, inputs and states that leave the smallest residuals."""
        outer = self.outer[self.problem.free]
        for _ in range(FORCES if outer.any() else 0):
            r, J, _, column = self.problem.scaled(s)
            step = np.linalg.lstsq(J[self.forces][:, outer], -r[self.forces], rcond=RANK)[0]
            s = s.copy()
            s[self.outer] += step / column[outer]
        return s

    def newton_step(self, s: np.ndarray, at: np.ndarray | None = None) -> np.ndarray:
        """Return the Newton step (ns,) of least norm at `s`, or with the residuals of another point `at`."""
        r, J, row, column = self.problem.scaled(s)
        if at is not None:
            r = self.problem.residual(at) / row
        step = np.zeros(len(s))
        step[self.problem.free] = np.linalg.lstsq(J[self.rows], -r[self.rows], rcond=RANK)[0] / column
        return step

    def balancing_motions(self, s: np.ndarray) -> np.ndarray:
        """Return the motions of the free coordinates (nf, k) along equilibria, orthonormal in the mass matrix."""
        _, J, _, column = self.problem.scaled(s)
        motions = (scipy.linalg.null_space(J[self.rows], rcond=RANK) / column[:, None])[: self.free.sum()]
        left, sizes, _ = np.linalg.svd(self.root_mass.T @ motions, full_matrices=False)
        wide = sizes > 1e-8 * np.max(sizes, initial=0.0)
        return np.linalg.solve(self.root_mass.T, left[:, wide])

    def idle_motions(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return motions (nf, k) on which no free input acts, the forces (k,) on them and their stiffness (k, k).

        They keep the loops closed and are orthonormal in the mass matrix. First-order states and algebraic variables
        are in balance with the coordinates.
        """
        at, n = self.problem.at, self.problem.size
        r, J, _ = self.problem.evaluated(s)
        inner = np.zeros(len(s), dtype=bool)
        inner[at.w], inner[at.z] = True, True
        inner &= self.problem.free
        driving = self.outer & ~inner
        own = slice(n, self.problem.rows - self.problem.closures)
        # Static condensation of states and algebraic variables.
        through = J[:n, inner] @ np.linalg.pinv(J[own, inner]) if inner.any() else np.zeros((n, own.stop - own.start))
        r, J = r[:n] - through @ r[own], J[:n] - through @ J[own]
        held_up = np.linalg.solve(self.root_mass, J[self.free][:, driving])
        size = np.linalg.norm(held_up, axis=0)
        Z = scipy.linalg.null_space((held_up / np.where(size > 0, size, 1.0)).T, rcond=RANK)
        motions = np.linalg.solve(self.root_mass.T, Z)
        stiffness = motions.T @ J[self.free][:, np.flatnonzero(self.free)] @ motions
        return motions, motions.T @ r[self.free], (stiffness + stiffness.T) / 2


def closed_problem(dae: DAE, problem: Statics, rows: np.ndarray | None = None) -> ClosedProblem:
    """Return the static problem on closed loops, of all equations or those in the mask `rows` (rows,)."""
    rows = np.ones(problem.rows, dtype=bool) if rows is None else rows
    return ClosedProblem(problem, closure_equations(dae), deforming(dae), rows)
