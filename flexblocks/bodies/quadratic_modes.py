"""Quadratic modes: what a solid displaces besides, to second order, as it deforms in its modes.

Of a St. Venant-Kirchhoff solid the strain is e(u) + 1/2 (grad u)'(grad u). Displacements u = sum phi_i q_i + 1/2 sum
psi_ij q_i q_j with psi_ij the static answer to the forces of third order keep the elastic energy quadratic to that
order; they hold the foreshortening of slender parts, and with it geometric stiffening (Segalman & Dohrmann, J. Vib.
Acoust. 118, 1996).
"""

from __future__ import annotations

import numpy as np

from flexblocks.bodies.finite_elements import FiniteElements
from flexblocks.bodies.flexible_body import QuadraticModes
from flexblocks.bodies.inertia_integrals import interface_motion
from flexblocks.bodies.reduction import Reduction
from flexblocks.bodies.solid import Solid
from flexblocks.progress import ProgressDisplay


def quadratic_modes(of: Solid, model: FiniteElements, reduction: Reduction, modes: np.ndarray) -> QuadraticModes:
    """Return the quadratic modes of a solid that deforms in modes (3 N, n)."""
    n, m = modes.shape[1], len(model.names)
    gradients = [of.gradients(mode) for mode in modes.T]
    stiffness = modes.T @ (model.K @ modes)
    turns = interface_motion(model, modes)[:, 3:]
    places = model.nodes - model.points[0]
    weighted_places, weights = model.scalar_mass @ places, np.asarray(model.scalar_mass.sum(axis=0)).ravel()
    first, second = np.zeros((n, n, 3)), np.zeros((n, n, 3, 3))
    motion, along = np.zeros((m, 6, n, n)), np.zeros((n, n, n))
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    with ProgressDisplay("Quadratic modes", len(pairs), None) as bar:
        for done, (i, j) in enumerate(pairs):
            bar.update(f"pair {done + 1} of {len(pairs)}", done)
            turned = _turned_interfaces(model, turns[:, :, i], turns[:, :, j])
            forces = -2 * _forces(of, gradients[i], gradients[j]) - model.K @ turned
            answer = reduction.spread @ reduction.clamped.solve(reduction.spread.T @ forces) + turned
            share = modes.T @ (model.K @ answer)
            answer = answer - modes @ np.linalg.solve(stiffness, share)
            field = answer.reshape(-1, 3)
            first[i, j] = first[j, i] = weights @ field
            second[i, j] = second[j, i] = weighted_places.T @ field
            # The turn by a rotation vector is what is left of the motion of an interface.
            rest = (answer - turned).reshape(-1, 1)
            motion[..., i, j] = motion[..., j, i] = interface_motion(model, rest)[..., 0]
            along[:, i, j] = along[:, j, i] = share
    return QuadraticModes(first, second, motion, along)


def _forces(of: Solid, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return half of the forces (3 N,) of second order of two displacement gradients (3, 3, ...)."""

    def symmetric(gradient: np.ndarray) -> np.ndarray:
        return (gradient + np.swapaxes(gradient, 0, 1)) / 2

    squared = of.stress(symmetric(np.einsum("ka...,kb...->ab...", one, other))) / 2
    first, second = of.stress(symmetric(one)), of.stress(symmetric(other))
    crossed = np.einsum("ka...,ab...->kb...", one, second) + np.einsum("ka...,ab...->kb...", other, first)
    return of.forces(squared + crossed / 2)


def _turned_interfaces(model: FiniteElements, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return displacements (3 N,) of the interfaces by turns (m, 3), of second order, which keep them rigid."""
    field = np.zeros_like(model.nodes)
    for patch, point, first, second in zip(model.patches, model.points, one, other, strict=True):
        arms = model.nodes[patch] - point
        field[patch] = (np.cross(first, np.cross(second, arms)) + np.cross(second, np.cross(first, arms))) / 2
    return field.ravel()
