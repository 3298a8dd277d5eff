"""Flexible body: an elastic body of any shape, reduced to modes, as a value."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

from flexblocks.bodies.finite_elements import WHERE
from flexblocks.bodies.inertia_tensor import inertia_matrix, moment_of_inertia
from flexblocks.bodies.reduction import diagonalized
from flexblocks.errors import ParameterError

# Integrals below this share of the largest that they could be are rounding, of meshes that are symmetric.
ROUNDING = 1e-9
Units = Literal["m-kg-s", "mm-t-s", "mm-kg-ms"]


@dataclass(frozen=True, eq=False)
class Surface:
    """What viewers draw: triangles whose vertices ride on stations, which move with the modes.

    Attributes
    ----------
    vertices : ndarray (v, 3)
        [m] in the axes of ``frame_a``.
    triangles : ndarray (t, 3) of int
        Counter-clockwise, seen from outside.
    rides : ndarray (v,) of int
        The station of each vertex.
    stations : ndarray (k, 3)
        [m]
    motion : ndarray (k, 6, n)
        Shift [m] and small turn [rad] of each for a unit of each mode.
    stress : ndarray (v, 6, n) or None
        xx, yy, zz, xy, yz, zx [Pa] at each vertex for a unit of each mode; None where only matrices are known.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    rides: np.ndarray
    stations: np.ndarray
    motion: np.ndarray
    stress: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class QuadraticModes:
    """Displacements of second order: u = sum phi_i q_i + 1/2 sum psi_ij q_i q_j.

    Attributes
    ----------
    first : ndarray (n, n, 3)
        Integrals of psi_ij over the mass.
    second : ndarray (n, n, 3, 3)
        Integrals of r psi_ij' over the mass.
    motion : ndarray (m, 6, n, n)
        Of each interface.
    along : ndarray (n, n, n)
        phi_k' K psi_ij of the modes before they were made orthogonal to all phi, for those who keep fewer.
    """

    first: np.ndarray
    second: np.ndarray
    motion: np.ndarray
    along: np.ndarray


@dataclass(frozen=True, eq=False)
class StressPlaces:
    """Stresses at named places.

    Attributes
    ----------
    names : tuple of str
    modal : ndarray (places, 6, n)
        xx, yy, zz, xy, yz, zx [Pa] for a unit of each mode.
    """

    names: tuple[str, ...]
    modal: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleBody:
    """An elastic body of any shape, reduced from finite elements to modes: a value that blocks and files share.

    Made by `from_matrices`, `from_mesh`, `from_calculix`, `from_sid` or `load`. Two are equal if all their numbers are.

    Attributes
    ----------
    mass : float
        [kg]
    first : ndarray (n + 1, 3)
        Integrals over the mass of the place, then of each of the n modes [kg m, kg].
    second : ndarray (n + 1, n + 1, 3, 3)
        Integrals of phi_k phi_l' over the mass, phi_0 the place: of second order in the amplitudes, exactly.
    stiffness : ndarray (n, n)
        [N/m]
    names : tuple of str
        Of the interfaces, ``frame_a`` first.
    points : ndarray (m, 3)
        Their origins in the axes of ``frame_a`` [m], which are those of the mesh.
    motion : ndarray (m, 6, n)
        Shift and small turn [rad] of each interface for a unit of each mode, zero at ``frame_a``.
    frequencies : ndarray (k,)
        The lowest of the full model, clamped at ``frame_a`` and else free [rad/s].
    negligible : float
        Integrals below this share of what they could be count as zero.
    surface : Surface or None
    quadratic : QuadraticModes or None
        None where only matrices are known.
    stresses : StressPlaces or None

    Notes
    -----
    The body is clamped at ``frame_a``, whose axes are those of the mesh. Modes are those of Herting (Finite Elements in
    Analysis and Design 1, 1985): the answers to forces and moments at each further interface, six static ones each, and
    the lowest natural ones, all of the body clamped at ``frame_a`` alone. They are combined to the natural modes of
    what they span. Each has a mean square displacement of 1 over the mass, so that its amplitude is in m.
    """

    mass: float
    first: np.ndarray
    second: np.ndarray
    stiffness: np.ndarray
    names: tuple[str, ...]
    points: np.ndarray
    motion: np.ndarray
    frequencies: np.ndarray
    negligible: float = ROUNDING
    surface: Surface | None = None
    quadratic: QuadraticModes | None = None
    stresses: StressPlaces | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.negligible < 1:
            raise ParameterError(f"{WHERE}: negligible = {self.negligible!r}; must be >= 0 and < 1.")
        if not self.mass > 0:
            raise ParameterError(f"{WHERE}: mass = {self.mass:g} kg; must be > 0.")
        parts = dict(_arrays(self))
        if not all(np.isfinite(part).all() for part in parts.values()):
            raise ParameterError(f"{WHERE}: some of its numbers are not finite.")
        if np.linalg.eigvalsh(self.stiffness).min() <= 0:
            raise ParameterError(f"{WHERE}: its stiffness must be positive definite; a mode moves at no cost.")
        least = np.linalg.eigvalsh(_balanced(inertia_matrix(self.mass, self.first, self.second)))[0]
        if least <= 0:
            raise ParameterError(
                f"{WHERE}: the mass matrix of its rigid motions and modes is not positive definite (least eigenvalue "
                f"{least:.2g} of a unit diagonal); no body has these integrals."
            )

    @classmethod
    def from_matrices(
        cls,
        M: Any,
        K: Any,
        nodes: Any,
        interfaces: Mapping[str, Any],
        modes: int = 12,
        *,
        points: Mapping[str, Sequence[float]] | None = None,
        triangles: Any = None,
        negligible: float = ROUNDING,
    ) -> FlexibleBody:
        """Return the body of the matrices of any finite-element program.

        Parameters
        ----------
        M, K : scipy.sparse matrix or ndarray (3 N, 3 N)
            Mass [kg] and stiffness [N/m] of the free body; x, y and z of each node in turn. Solids: with three
            displacements a node and no rotations.
        nodes : (N, 3)
            Places of the nodes [m].
        interfaces : dict
            Numbers of the nodes, from 0, of each interface: ``frame_a``, at which the body is clamped, ``frame_b``, and
            any number of others. The nodes of each move as a rigid body.
        modes : int
            Modes that are kept in the value, six static ones for each interface besides ``frame_a`` and the rest
            vibrations. Blocks take fewer.
        points : dict, optional
            The origin (3,) [m] of an interface's frame; by default the mean of its nodes.
        triangles : (t, 3), optional
            Nodes of the triangles of the surface, counter-clockwise from outside, for animations.
        negligible : float
            Integrals below this share of what they could be are taken as zero: a larger one, as 1e-3, makes equations
            of almost symmetric bodies shorter.

        Returns
        -------
        FlexibleBody

        Raises
        ------
        ParameterError
            Matrices of wrong shape, not symmetric, of negative mass; interfaces that overlap; a body with fewer or more
            than six zero modes.

        Warns
        -----
        FlexblocksWarning
            Numbers that look as if units were off by 1e3.
        """
        make = import_module("flexblocks.bodies.from_matrices").body_of_matrices
        return make(M, K, nodes, interfaces, modes, points, triangles, negligible)

    @classmethod
    def from_mesh(
        cls,
        mesh: Any,
        material: Any,
        interfaces: Mapping[str, Any],
        modes: int = 12,
        *,
        points: Mapping[str, Sequence[float]] | None = None,
        stress_at: Mapping[str, Sequence[float]] | None = None,
        quadratic: bool = True,
        negligible: float = ROUNDING,
    ) -> FlexibleBody:
        """Return the body of a solid of one material, by tetrahedra of second degree (scikit-fem, extra ``fe``).

        Parameters
        ----------
        mesh : skfem.MeshTet, skfem.MeshHex, str or Path
            In m. Bricks are cut into tetrahedra. A file is read by meshio (``.msh``, ``.vtk``, ``.inp`` ...).
        material : Material
        interfaces : dict
            For ``frame_a``, ``frame_b`` and any others the part of the surface: the name of a boundary of the mesh, or
            a function of places x (3, k) that selects the corners that belong to it, as ``lambda x: x[0] < 1e-6``.
        modes, negligible
            As of `from_matrices`.
        points : dict, optional
            The origin (3,) [m] of an interface's frame; by default the centre of its area.
        stress_at : dict, optional
            Places (3,) [m] by name, at which stress is an output ``<name>.stress``.
        quadratic : bool
            Whether to compute quadratic modes, which ``ReducedBody(..., stiffening=True)`` needs.

        Returns
        -------
        FlexibleBody

        Raises
        ------
        ParameterError
            No mesh of solids, an interface that is nowhere, or as of `from_matrices`.
        FileFormatError
            The file cannot be read.
        MissingExtraError
            scikit-fem is not installed.
        """
        make = import_module("flexblocks.bodies.from_mesh").body_of_mesh
        return make(mesh, material, interfaces, modes, points, stress_at, quadratic, negligible)

    @classmethod
    def from_calculix(
        cls,
        path: str | Path,
        interfaces: Mapping[str, Any],
        modes: int = 12,
        *,
        points: Mapping[str, Sequence[float]] | None = None,
        units: Units = "m-kg-s",
        negligible: float = ROUNDING,
    ) -> FlexibleBody:
        """Return the body of a run of CalculiX.

        Parameters
        ----------
        path : str or Path
            The input file. Beside it are the ``.sti``, ``.mas`` and ``.dof`` that CalculiX writes in a step with
            ``*FREQUENCY, SOLVER=MATRIXSTORAGE``.
        interfaces : dict
            For ``frame_a``, ``frame_b`` and any others the name of a ``*NSET``, or numbers of nodes as in the file.
        modes, points, negligible
            As of `from_matrices`; `points` in m.
        units : "m-kg-s", "mm-t-s" or "mm-kg-ms"
            Those of the file.

        Returns
        -------
        FlexibleBody

        Raises
        ------
        FileFormatError
            A file is missing or cannot be read.
        ParameterError
            A set that is not there, supports, elements with rotations, or as of `from_matrices`.
        """
        make = import_module("flexblocks.bodies.calculix").body_of_calculix
        return make(path, interfaces, modes, points, units, negligible)

    @classmethod
    def from_sid(
        cls, path: str | Path, interfaces: Mapping[str, str | int], *, negligible: float = ROUNDING
    ) -> FlexibleBody:
        """Return the body of a file of standard input data (SID), as SIMPACK and others exchange them.

        Parameters
        ----------
        path : str or Path
        interfaces : dict
            The numbers of the nodes that are ``frame_a``, at which the modes are clamped, ``frame_b`` and any others.
        negligible : float
            As of `from_matrices`.

        Returns
        -------
        FlexibleBody
            In the modes of the file; `frequencies` are those that it names.

        Raises
        ------
        FileFormatError
            The file cannot be read, or is no SID file.
        ParameterError
            A node is not there or moves, or terms are missing or contradict each other.

        Warns
        -----
        FlexblocksWarning
            Frequencies differ from those that the file names.
        """
        return import_module("flexblocks.bodies.sid").body_of_sid(path, interfaces, negligible)

    def save_sid(self, path: str | Path) -> None:
        """Write the body as standard input data (SID) in text, its interfaces as nodes 1, 2, ... in their order.

        Raises
        ------
        FileFormatError
            The file cannot be written.
        """
        import_module("flexblocks.bodies.sid").save_sid(self, path)

    @classmethod
    def load(cls, path: str | Path) -> FlexibleBody:
        """Return the body that `save` has written.

        Raises
        ------
        FileFormatError
            The file cannot be read, or is no such body.
        """
        return import_module("flexblocks.bodies.body_file").load_body(path)

    def save(self, path: str | Path) -> None:
        """Write the body to a ``.npz`` file; model files then name it by its path and its digest.

        Raises
        ------
        FileFormatError
            The file cannot be written.
        """
        import_module("flexblocks.bodies.body_file").save_body(self, path)

    @property
    def size(self) -> int:
        """The number of its modes."""
        return len(self.stiffness)

    @property
    def center(self) -> np.ndarray:
        """Centre of mass (3,) in ``frame_a``, undeformed [m]."""
        return self.first[0] / self.mass

    @property
    def inertia(self) -> np.ndarray:
        """Moment of inertia (3, 3) about the centre of mass, undeformed [kg m2]."""
        center = self.center
        return moment_of_inertia(self.second[0, 0] - self.mass * np.outer(center, center))

    @property
    def modal_mass(self) -> np.ndarray:
        """Mass matrix (n, n) of the modes [kg]."""
        return np.trace(self.second[1:, 1:], axis1=2, axis2=3)

    @cached_property
    def natural_frequencies(self) -> np.ndarray:
        """Frequencies (n,) of its modes, clamped at ``frame_a`` and else free [rad/s]."""
        vectors = diagonalized(self.stiffness, self.modal_mass)
        return np.sqrt(np.sum(vectors * (self.stiffness @ vectors), axis=0))

    @cached_property
    def digest(self) -> str:
        """Digest of all its numbers, by which files and studies know it."""
        content = hashlib.sha256(repr((self.names, self.mass, self.negligible)).encode())
        content.update(repr(self.stresses.names if self.stresses else ()).encode())
        for name, array in _arrays(self):
            content.update(f"{name} {array.shape} {array.dtype.kind}".encode())
            content.update(np.ascontiguousarray(array, dtype=float).tobytes())
        return content.hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FlexibleBody) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"FlexibleBody({self.mass:.4g} kg, {self.size} modes, {', '.join(self.names)}, {self.digest})"

    def __str__(self) -> str:
        rows = [f"{self!r}", *properties(self)]
        rows.append("frequency [Hz] clamped at frame_a: " + _frequencies(self.natural_frequencies[: self._told]))
        if len(self.frequencies):
            rows.append("                finite elements: " + _frequencies(self.frequencies))
        return "\n".join(rows)

    @property
    def _told(self) -> int:
        return min(len(self.frequencies) or 5, self.size)


def properties(body: FlexibleBody) -> tuple[str, ...]:
    """Return mass, centre and inertia of a body, a line each."""
    numbers = ", ".join(f"{x:.5g}" for x in body.center)
    inertia = body.inertia
    moments = ", ".join(f"{inertia[i, j]:.5g}" for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return (
        f"mass {body.mass:.5g} kg, centre ({numbers}) m",
        f"inertia about the centre (xx, yy, zz, xy, xz, yz) ({moments}) kg m2",
    )


def _frequencies(values: np.ndarray) -> str:
    return ", ".join(f"{value / (2 * np.pi):.6g}" for value in values)


def _balanced(matrix: np.ndarray) -> np.ndarray:
    size = 1 / np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
    return matrix * np.outer(size, size)


def _arrays(value: Any, prefix: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield all arrays of a value and of those inside, by name."""
    for field in fields(value):
        inner = getattr(value, field.name)
        if isinstance(inner, np.ndarray):
            yield prefix + field.name, inner
        elif is_dataclass(inner):
            yield from _arrays(inner, f"{prefix}{field.name}.")


def arrays(body: FlexibleBody) -> dict[str, np.ndarray]:
    """Return all arrays of a body by name, those of its parts as ``surface.vertices``."""
    return dict(_arrays(body))
