"""Reduction of a finite-element body with rigid interfaces to static and natural modes, clamped at its inlet.

Herting, A General Purpose, Multi-Stage, Component Modal Synthesis Method, Finite Elements in Analysis and Design 1
(1985). The natural modes of Craig and Bampton hold all interfaces, which leaves frequencies of the clamped body ten
times as far off.
"""

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
    def reduced(self) -> tuple[Any, Any]:
        """Stiffness and mass (n, n) of `spread`."""
        K, M = ((self.spread.T @ each @ self.spread).tocsc() for each in (self.model.K, self.model.M))
        return K, M

    @cached_property
    def clamped(self) -> Any:
        """Factors of the stiffness of `spread`, held at the inlet alone."""
        return factorized(self.reduced[0], "frame_a")

    def full_frequencies(self, count: int = COMPARED, carried: np.ndarray | None = None) -> np.ndarray:
        """Return the lowest frequencies [rad/s] of the full model, clamped at ``frame_a``.

        `carried` are the inertias (m - 1, 6, 6) of rigid bodies at the further interfaces, in the order (omega, v).
        """
        K, M = self.reduced
        if carried is not None:
            order = [3, 4, 5, 0, 1, 2]
            loads = [load[np.ix_(order, order)] for load in np.asarray(carried)]
            free = M.shape[0] - 6 * len(loads)
            M = (M + scipy.sparse.block_diag([scipy.sparse.csc_matrix((free, free)), *loads])).tocsc()
        return np.sqrt(np.abs(_lowest(K, M, min(count, M.shape[0] - 2), self.clamped)[0]))

    def modes(self, count: int) -> np.ndarray:
        """Return the modes (3 N, count): static ones of each interface and the lowest of the clamped body.

        Both are of the body clamped at the inlet alone. The static ones answer forces and moments at the interfaces,
        which makes a body that carries a load as exact as one that carries none.

        Raises
        ------
        ParameterError
            Fewer than the static ones, or more than the body has.
        """
        static, size = self.interface_motions.shape[1], self.spread.shape[1]
        if isinstance(count, bool) or not isinstance(count, int) or count < static:
            raise ParameterError(
                f"{WHERE}: modes = {count!r}; must be a whole number, at least {static}: six for each interface "
                "besides frame_a."
            )
        if count > size - 2:
            raise ParameterError(f"{WHERE}: modes = {count}; the mesh has but {size} displacements.")
        at_interfaces = np.eye(size, static, static - size)
        columns = [self.clamped.solve(at_interfaces)]
        K, M = self.reduced
        if count > static:
            columns.append(_lowest(K, M, count - static, self.clamped)[1])
        # Those of a high order are almost a combination of the static ones.
        basis, _ = np.linalg.qr(np.hstack([column / np.linalg.norm(column, axis=0) for column in columns]))
        return self.spread @ (basis @ diagonalized(basis.T @ (K @ basis), basis.T @ (M @ basis)))


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
