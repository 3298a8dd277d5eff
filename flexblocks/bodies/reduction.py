"""Craig-Bampton reduction: modes of a finite-element body whose interfaces are rigid (Craig & Bampton 1968)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexblocks.bodies.finite_elements import WHERE, FiniteElements, factorized, rigid_motions
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy

# Frequencies of the full model that are kept beside the reduced ones.
COMPARED = 5


@dataclass(frozen=True, eq=False)
class Reduction:
    """A finite-element body clamped at its inlet, its other interfaces rigid.

    Attributes
    ----------
    model : FiniteElements
    """

    model: FiniteElements

    @cached_property
    def spread(self) -> Any:
        """Displacements (3 N, n) by those of inner nodes, then the six of each further interface."""
        inner = self.model.inner
        rows = np.flatnonzero(inner)
        size = len(inner)
        own = scipy.sparse.csr_matrix((np.ones(len(rows)), (rows, np.arange(len(rows)))), (size, len(rows)))
        return scipy.sparse.hstack([own, scipy.sparse.csr_matrix(self.interface_motions)]).tocsc()

    @cached_property
    def interface_motions(self) -> np.ndarray:
        """Displacements (3 N, 6 (m - 1)) of the nodes of the further interfaces by the six motions of each."""
        model = self.model
        motions = []
        for patch, point in zip(model.patches[1:], model.points[1:], strict=True):
            of_patch = np.zeros((len(model.nodes), 3, 6))
            of_patch[patch] = rigid_motions(model.nodes[patch], point).reshape(-1, 3, 6)
            motions.append(of_patch.reshape(-1, 6))
        return np.hstack(motions)

    @cached_property
    def clamped(self) -> Any:
        """Factors of the stiffness of `spread`, held at the inlet alone."""
        return factorized((self.spread.T @ self.model.K @ self.spread).tocsc(), "frame_a")

    def full_frequencies(self, count: int = COMPARED, carried: np.ndarray | None = None) -> np.ndarray:
        """Return the lowest frequencies [rad/s] of the full model, clamped at ``frame_a``.

        `carried` is the inertia (6, 6) of a rigid body at ``frame_b``, in the order (omega, v).
        """
        M = (self.spread.T @ self.model.M @ self.spread).tocsc()
        K = (self.spread.T @ self.model.K @ self.spread).tocsc()
        if carried is not None:
            first = M.shape[0] - self.interface_motions.shape[1]
            first += 6 * (self.model.names.index("frame_b") - 1)
            order = [3, 4, 5, 0, 1, 2]
            more = scipy.sparse.lil_matrix(M.shape)
            more[first : first + 6, first : first + 6] = np.asarray(carried)[np.ix_(order, order)]
            M = (M + more).tocsc()
        return np.sqrt(np.abs(_lowest(K, M, min(count, M.shape[0] - 2), self.clamped)[0]))

    def modes(self, count: int) -> np.ndarray:
        """Return the modes (3 N, count): static ones of each interface and the lowest with all interfaces held.

        They span the same space as those returned: the modes of the clamped, otherwise free body by frequency.

        Raises
        ------
        ParameterError
            Fewer than the static ones, or more than the body has.
        """
        model, inner = self.model, self.model.inner
        static = self.interface_motions.shape[1]
        if isinstance(count, bool) or not isinstance(count, int) or count < static:
            raise ParameterError(
                f"{WHERE}: modes = {count!r}; must be a whole number, at least {static}: six for each interface "
                "besides frame_a."
            )
        rows = np.flatnonzero(inner)
        if count - static > len(rows) - 2:
            raise ParameterError(f"{WHERE}: modes = {count}; the mesh has but {len(rows)} displacements inside.")
        own = self.spread[:, : len(rows)]
        K, M = (own.T @ model.K @ own).tocsc(), (own.T @ model.M @ own).tocsc()
        held = factorized(K, "all interfaces")
        constraint = self.interface_motions - own @ held.solve(own.T @ (model.K @ self.interface_motions))
        columns = [constraint]
        if count > static:
            columns.append(own @ _lowest(K, M, count - static, held)[1])
        basis = np.hstack(columns)
        return basis @ diagonalized(basis.T @ (model.K @ basis), basis.T @ (model.M @ basis))


def _lowest(K: Any, M: Any, count: int, factors: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the `count` lowest eigenvalues of (K, M), ascending, and their vectors, by inverse iteration."""
    linalg: Any = scipy.sparse.linalg  # its stubs know no functions
    inverse = linalg.LinearOperator(K.shape, matvec=factors.solve)
    start = np.ones(K.shape[0])  # the same basis in each run
    values, vectors = linalg.eigsh(K, count, M, sigma=0, OPinv=inverse, v0=start, tol=1e-12)
    order = np.argsort(values)
    return values[order], vectors[:, order]


def diagonalized(K: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return the modes (n, n) of a small pair of matrices by frequency; K is positive definite."""
    size = 1 / np.sqrt(np.diag(K))
    scale = np.outer(size, size)
    _, vectors = scipy.linalg.eigh((K + K.T) / 2 * scale, (M + M.T) / 2 * scale)
    return size[:, None] * vectors
