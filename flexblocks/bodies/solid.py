"""Elastic solids from a mesh: tetrahedra of second degree, assembled by scikit-fem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.bodies.finite_elements import WHERE
from flexblocks.errors import FileFormatError, ParameterError, listing
from flexblocks.files import readable_file
from flexblocks.libraries import optional

PURPOSE = "FlexibleBody.from_mesh"
# Exact for what is quadratic in strains of first degree, and for the mass of second degree.
ORDER = 4


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid of one material on a mesh of tetrahedra.

    Attributes
    ----------
    mesh : skfem.MeshTet
    density, lame : float, (float, float)
        [kg/m3]; Lame's lambda and mu [Pa].
    """

    mesh: Any
    density: float
    lame: tuple[float, float]

    @cached_property
    def basis(self) -> Any:
        """The basis of displacements."""
        skfem = optional("skfem", PURPOSE)
        return skfem.Basis(self.mesh, skfem.ElementVector(skfem.ElementTetP2()), intorder=ORDER)

    @cached_property
    def order(self) -> np.ndarray:
        """Displacements of the basis in the order x, y, z of each node: corners, then the middles of edges."""
        corners, edges = self.basis.nodal_dofs, self.basis.edge_dofs
        return np.hstack([corners, edges]).T.ravel()

    @cached_property
    def nodes(self) -> np.ndarray:
        """Places (N, 3) of the nodes [m]."""
        return self.basis.doflocs[:, self.order[0::3]].T

    @cached_property
    def matrices(self) -> tuple[Any, Any]:
        """Mass and stiffness (3 N, 3 N)."""
        skfem, helpers = optional("skfem", PURPOSE), optional("skfem.helpers", PURPOSE)
        elasticity = optional("skfem.models.elasticity", PURPOSE)

        @skfem.BilinearForm
        def inertia(u: Any, v: Any, _: Any) -> Any:
            return self.density * helpers.dot(u, v)

        K = elasticity.linear_elasticity(*self.lame).assemble(self.basis)
        M = inertia.assemble(self.basis)
        return tuple(matrix.tocsr()[self.order][:, self.order] for matrix in (M, K))

    @cached_property
    def triangles(self) -> np.ndarray:
        """Nodes (t, 3) of the triangles of the surface, counter-clockwise seen from outside."""
        facets = self.mesh.boundary_facets()
        corners = self.mesh.facets[:, facets].T
        element = self.mesh.t[:, self.mesh.f2t[0, facets]].T
        p = self.mesh.p.T
        normal = np.cross(p[corners[:, 1]] - p[corners[:, 0]], p[corners[:, 2]] - p[corners[:, 0]])
        inward = np.sum(normal * (p[element].mean(axis=1) - p[corners[:, 0]]), axis=1) > 0
        return np.where(inward[:, None], corners[:, ::-1], corners)

    def gradients(self, displacements: np.ndarray) -> np.ndarray:
        """Return du_i/dx_j (3, 3, elements, points) of displacements (3 N,) at the points of the quadrature."""
        by_basis = np.empty(len(self.order))
        by_basis[self.order] = displacements
        return np.asarray(self.basis.interpolate(by_basis).grad)

    def forces(self, stress: np.ndarray) -> np.ndarray:
        """Return the forces (3 N,) that a stress (3, 3, elements, points) does work with on gradients."""
        skfem = optional("skfem", PURPOSE)

        @skfem.LinearForm
        def power(w: Any, _: Any) -> Any:
            return np.einsum("ij...,ij...->...", stress, np.asarray(w.grad))

        return power.assemble(self.basis)[self.order]

    def stress(self, strain: np.ndarray) -> np.ndarray:
        """Return Hooke's stress (3, 3, ...) of a strain (3, 3, ...), symmetric or not."""
        first, second = self.lame
        identity = np.eye(3).reshape((3, 3) + (1,) * (strain.ndim - 2))
        return first * np.einsum("ii...->...", strain) * identity + 2 * second * strain

    def patch(self, name: str, where: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes, and the centre (3,), of a named boundary, or of where a function of places (3, k) holds.

        Raises
        ------
        ParameterError
            No such boundary, or neither of both.
        """
        if isinstance(where, str):
            known = self.mesh.boundaries or {}
            if where not in known:
                raise ParameterError(
                    f"{WHERE}: interfaces: '{name}': the mesh has no boundary '{where}'; it has {listing(known)}."
                )
            facets = known[where]
        elif callable(where):
            facets = self._facets(name, where)
        else:
            raise ParameterError(
                f"{WHERE}: interfaces: '{name}' = {where!r}; must be the name of a boundary of the mesh, or a function "
                "of places x (3, k), as lambda x: x[0] < 1e-6."
            )
        found = self.basis.get_dofs(facets).all()
        place = np.empty(len(self.order), dtype=int)
        place[self.order] = np.arange(len(self.order)) // 3
        corners = self.mesh.p[:, self.mesh.facets[:, facets]]
        sides = corners[:, 1:] - corners[:, :1]
        area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1], axis=0), axis=0)
        return np.unique(place[found]), corners.mean(axis=1) @ area / area.sum()

    def _facets(self, name: str, where: Callable[..., Any]) -> np.ndarray:
        boundary = self.mesh.boundary_facets()
        corners = self.mesh.p[:, self.mesh.facets[:, boundary]]
        held = np.asarray(where(corners.reshape(3, -1)))
        if held.dtype != bool or held.shape != (corners[0].size,):
            raise ParameterError(
                f"{WHERE}: interfaces: '{name}': its function returned {held.dtype} of shape {held.shape}; must return "
                f"True or False for each of {corners[0].size} places."
            )
        chosen = boundary[held.reshape(corners.shape[1:]).all(axis=0)]
        if not len(chosen):
            raise ParameterError(f"{WHERE}: interfaces: '{name}': its function holds for no triangle of the surface.")
        return chosen


def solid(mesh: Any, material: Any) -> Solid:
    """Return the solid of a mesh of scikit-fem, or of a file that meshio reads.

    Raises
    ------
    ParameterError
        No mesh of tetrahedra, or no material.
    FileFormatError
        The file cannot be read.
    """
    skfem = optional("skfem", PURPOSE)
    needed = ("density", "youngs_modulus", "poissons_ratio")
    if not all(hasattr(material, name) for name in needed):
        raise ParameterError(f"{WHERE}: material = {material!r}; must be a fb.Material.")
    if isinstance(mesh, (str, Path)):
        mesh = _of_file(mesh)
    if isinstance(mesh, skfem.MeshHex):
        mesh = mesh.to_meshtet()
    if not isinstance(mesh, skfem.MeshTet):
        raise ParameterError(
            f"{WHERE}: mesh = {type(mesh).__name__}; must be a mesh of tetrahedra (skfem.MeshTet), of bricks "
            "(skfem.MeshHex), which are cut into these, or the path of a file of such elements."
        )
    E, nu = material.youngs_modulus, material.poissons_ratio
    return Solid(mesh, material.density, (E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))))


def _of_file(path: str | Path) -> Any:
    skfem, meshio = optional("skfem", PURPOSE), optional("meshio", PURPOSE)
    file = readable_file(path)
    try:
        return skfem.Mesh.load(str(file))
    except (meshio.ReadError, ValueError, KeyError, NotImplementedError, SystemExit) as error:
        raise FileFormatError(f"{path}: is no mesh that meshio reads: {error}.") from None


def patches(of: Solid, interfaces: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the nodes of each interface, and its centre (3,) [m]."""
    found = {name: of.patch(name, where) for name, where in interfaces.items()}
    return {name: nodes for name, (nodes, _) in found.items()}, {name: center for name, (_, center) in found.items()}
