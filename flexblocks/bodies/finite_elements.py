"""Finite-element model of an elastic solid: its matrices, nodes and interfaces, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.errors import ParameterError, listing
from flexblocks.libraries import scipy
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import BODY_UNITS

WHERE = "FlexibleBody"
# Rounding of assembled matrices, and of those written with seven digits.
ROUNDING = 1e-6
# Pivots of a stiffness matrix scaled to a unit diagonal, below which it holds nothing.
LOOSE = 1e-13
# Three nodes that fix a frame span a triangle at least this wide, in units of the interface's size.
COLLINEAR = 1e-6
# Beyond these a body looks as if its units were off by 1e3: its extent [m], its mass over its bounding box [kg/m3], and
# the speed of sound [m/s] by its stiffness, its mass and the distance of its nodes (rubber 50, diamond 18 000).
LONGEST, HEAVIEST, LIGHTEST, SLOWEST, FASTEST = 70.0, 25e3, 0.05, 20.0, 2e5


@dataclass(frozen=True, eq=False)
class FiniteElements:
    """Matrices of an elastic solid with three displacements a node, and the interfaces at which others hold it.

    Attributes
    ----------
    M, K : sparse matrix (3 N, 3 N)
        Mass [kg] and stiffness [N/m], x, y and z of each node in turn.
    nodes : ndarray (N, 3)
        Places [m].
    names : tuple of str
        Of the interfaces; the first is the inlet ``frame_a``.
    patches : tuple of ndarray of int
        The nodes of each interface, which move as one rigid body.
    points : ndarray (m, 3)
        The origin of each interface's frame [m].
    """

    M: Any
    K: Any
    nodes: np.ndarray
    names: tuple[str, ...]
    patches: tuple[np.ndarray, ...]
    points: np.ndarray

    @property
    def scalar_mass(self) -> Any:
        """The mass matrix (N, N) of one direction, which is the same for all three."""
        return self.M[0::3, 0::3]

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self.scalar_mass.sum())

    @property
    def inner(self) -> np.ndarray:
        """Which displacements (3 N,) belong to no interface."""
        free = np.ones(len(self.nodes), dtype=bool)
        for patch in self.patches:
            free[patch] = False
        return np.repeat(free, 3)


def finite_elements(
    M: Any,
    K: Any,
    nodes: Any,
    interfaces: Mapping[str, Any],
    points: Mapping[str, Any] | None = None,
) -> FiniteElements:
    """Return the finite-element model of what a user passes, checked.

    Raises
    ------
    ParameterError
        The first thing that is wrong.

    Warns
    -----
    FlexblocksWarning
        Sizes, masses or stiffnesses that look as if their units were off by 1e3.
    """
    places = np.asarray(nodes, dtype=float)
    if places.ndim != 2 or places.shape[1] != 3 or not np.isfinite(places).all():
        raise ParameterError(f"{WHERE}: nodes has shape {places.shape}; must be (N, 3), finite places in m.")
    mass, stiffness = _matrix("M", M, places), _matrix("K", K, places)
    patches = _patches(interfaces, places)
    given = dict(points or {})
    unknown = given.keys() - patches.keys()
    if unknown:
        raise ParameterError(f"{WHERE}: points: '{min(unknown)}' is no interface; they are {listing(patches)}.")
    origins = [np.asarray(given.get(name, places[patch].mean(axis=0)), float) for name, patch in patches.items()]
    if any(origin.shape != (3,) or not np.isfinite(origin).all() for origin in origins):
        raise ParameterError(f"{WHERE}: points = {given!r}; must be places (3,) in m, by interface.")
    model = FiniteElements(mass, stiffness, places, tuple(patches), tuple(patches.values()), np.array(origins))
    _check_mass(model)
    _check_held(model)
    for doubt in _doubts(model):
        warn(f"{WHERE}: {doubt}", BODY_UNITS)
    return model


def _matrix(name: str, matrix: Any, nodes: np.ndarray) -> Any:
    """Return a matrix as a sparse one, made exactly symmetric."""
    try:
        found = scipy.sparse.csr_matrix(matrix, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{WHERE}: {name} = {type(matrix).__name__}; must be a matrix of numbers.") from None
    size = 3 * len(nodes)
    if found.shape != (size, size):
        raise ParameterError(
            f"{WHERE}: {name} has shape {found.shape}; must be ({size}, {size}), three displacements for each of the "
            f"{len(nodes)} nodes: solids. Elements with rotations at their nodes are not taken."
        )
    if not np.isfinite(found.data).all():
        raise ParameterError(f"{WHERE}: {name} has entries that are not finite; check the export.")
    largest, skewed = abs(found).max(), abs(found - found.T).max()
    if skewed > ROUNDING * largest:
        raise ParameterError(
            f"{WHERE}: {name} is not symmetric (by {skewed / largest:.2g} of its largest entry); if it is one half, "
            "as some programs write it, add the other: A + A.T - diag(A)."
        )
    return ((found + found.T) / 2).tocsr()


def _patches(interfaces: Mapping[str, Any], nodes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the nodes of each interface, the inlet first."""
    if not isinstance(interfaces, Mapping) or not {"frame_a", "frame_b"} <= interfaces.keys():
        raise ParameterError(
            f"{WHERE}: interfaces = {interfaces!r}; must name the nodes of frame_a and frame_b, and of any more: "
            "{'frame_a': ids, 'frame_b': ids}."
        )
    patches: dict[str, np.ndarray] = {}
    for name in ("frame_a", *(name for name in interfaces if name != "frame_a")):
        if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
            raise ParameterError(f"{WHERE}: interfaces: {name!r}; must be a name of letters, digits and underscores.")
        ids = np.asarray(interfaces[name])
        if ids.ndim != 1 or ids.dtype.kind not in "iu" or len(ids) != len(np.unique(ids)):
            raise ParameterError(f"{WHERE}: interfaces: '{name}' must be a list of numbers of nodes, each once.")
        if len(ids) and (ids.min() < 0 or ids.max() >= len(nodes)):
            raise ParameterError(f"{WHERE}: interfaces: '{name}' has nodes beyond 0 to {len(nodes) - 1}.")
        spread = nodes[ids] - nodes[ids].mean(axis=0) if len(ids) >= 3 else np.zeros((1, 3))
        sizes = np.linalg.svd(spread, compute_uv=False)
        if len(ids) < 3 or sizes[1] < COLLINEAR * sizes[0]:
            raise ParameterError(
                f"{WHERE}: interfaces: '{name}' has {len(ids)} nodes; needs three and more that are not on one line."
            )
        for other, taken in patches.items():
            shared = np.intersect1d(ids, taken)
            if len(shared):
                raise ParameterError(
                    f"{WHERE}: interfaces '{other}' and '{name}' overlap in {len(shared)} nodes (the first is "
                    f"{shared[0]}); each node belongs to one rigid interface at the most."
                )
        patches[name] = ids
    return patches


def _check_mass(model: FiniteElements) -> None:
    M, scalar = model.M, model.scalar_mass
    if M.diagonal().min() < 0 or model.mass <= 0:
        raise ParameterError(
            f"{WHERE}: M has a negative mass (its least diagonal entry is {M.diagonal().min():.3g} kg, its total "
            f"{model.mass:.3g} kg); check signs and the density."
        )
    largest = abs(scalar).max()
    apart = max(abs(scalar - M[i::3, i::3]).max() for i in (1, 2))
    coupled = max(abs(M[i::3, j::3]).max() for i in range(3) for j in range(3) if i != j)
    if max(apart, coupled) > ROUNDING * largest:
        raise ParameterError(
            f"{WHERE}: M is not that of a solid: masses along x, y and z differ, or are coupled. Rows must be x, y and "
            "z of each node in turn, none condensed."
        )


def _check_held(model: FiniteElements) -> None:
    """Refuse a stiffness with fewer than six zero modes: something holds the body that should be free."""
    motions = rigid_motions(model.nodes, model.nodes.mean(axis=0))
    motions /= np.linalg.norm(motions, axis=0)
    forces = np.linalg.norm(model.K @ motions, axis=0) / abs(model.K).max()
    if forces.max() > 10 * ROUNDING:
        count = int((forces <= 10 * ROUNDING).sum())
        raise ParameterError(
            f"{WHERE}: K has fewer than six zero modes ({count} of six rigid motions cost no energy); export the body "
            "free, without supports, springs to the ground or stress stiffness."
        )


def factorized(matrix: Any, what: str) -> Any:
    """Return the factors of a stiffness matrix that holds a body.

    Raises
    ------
    ParameterError
        It does not: the free body has more than six zero modes.
    """
    size = 1 / np.sqrt(np.maximum(matrix.diagonal(), np.finfo(float).tiny))
    scale = scipy.sparse.diags(size)
    try:
        factors = scipy.sparse.linalg.splu((scale @ matrix @ scale).tocsc())
        held = np.abs(factors.U.diagonal()).min() > LOOSE
    except RuntimeError:
        held = False
    if not held:
        raise ParameterError(
            f"{WHERE}: K has more than six zero modes: with {what} held, parts of the body still move at no "
            "cost; look for parts that are not connected, loose nodes and hinges."
        )
    return _Scaled(factors, size)


@dataclass(frozen=True, eq=False)
class _Scaled:
    factors: Any
    size: np.ndarray

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Return the solution for right-hand sides (n,) or (n, k)."""
        size = self.size if right.ndim == 1 else self.size[:, None]
        return size * self.factors.solve(size * right)


def rigid_motions(nodes: np.ndarray, about: np.ndarray) -> np.ndarray:
    """Return the displacements (3 N, 6) of nodes by translations and small rotations of a frame at a place."""
    motions = np.zeros((len(nodes), 3, 6))
    motions[:, :, :3] = np.eye(3)
    arms = nodes - about
    for axis in range(3):
        motions[:, :, 3 + axis] = np.cross(np.eye(3)[axis], arms)
    return motions.reshape(-1, 6)


def _doubts(model: FiniteElements) -> list[str]:
    doubts = []
    extent = np.ptp(model.nodes, axis=0)
    if extent.max() > LONGEST:
        doubts.append(
            f"it is {extent.max():.4g} m long; if its nodes are in mm, all is: nodes in m, M in kg, K in N/m (from t, "
            "mm, s: nodes * 1e-3, M * 1e3, K * 1e3)."
        )
    density = model.mass / float(np.prod(np.maximum(extent, 1e-3 * extent.max())))
    if density > HEAVIEST or density < LIGHTEST:
        doubts.append(
            f"its mass of {model.mass:.4g} kg in a box of {' x '.join(f'{side:.3g}' for side in extent)} m is "
            f"{density:.3g} kg/m3; M must be in kg, not in t or g."
        )
    speed = _speed_of_sound(model)
    if not SLOWEST < speed < FASTEST:
        doubts.append(
            f"by its matrices sound travels in it at about {speed:.2g} m/s, as in no solid; M must be in kg and K in "
            "N/m, of the nodes in m."
        )
    return doubts


def _speed_of_sound(model: FiniteElements) -> float:
    """Return the speed [m/s] by the stiffness and mass of single nodes and the distance to their nearest neighbour."""
    tree = scipy.spatial.KDTree(model.nodes)
    near = tree.query(model.nodes, 2)[0][:, 1]
    m, k = model.M.diagonal().reshape(-1, 3).sum(axis=1), model.K.diagonal().reshape(-1, 3).sum(axis=1)
    heavy = m > 0
    return float(np.median(near[heavy] * np.sqrt(k[heavy] / m[heavy]))) if heavy.any() else np.inf
