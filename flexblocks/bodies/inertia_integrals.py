"""Inertia integrals of a body that deforms in modes, exact up to second order, and how its interfaces move."""

from __future__ import annotations

import numpy as np

from flexblocks.bodies.finite_elements import FiniteElements, rigid_motions


def scaled(model: FiniteElements, modes: np.ndarray) -> np.ndarray:
    """Return modes (3 N, n) with a mean square displacement of 1 over the mass: their amplitudes are in m."""
    square = np.einsum("ij,ij->j", modes, model.M @ modes) / model.mass
    return modes / np.sqrt(square)


def moments(model: FiniteElements, fields: list[np.ndarray], others: list[np.ndarray]) -> np.ndarray:
    """Return the integrals (n, m, 3, 3) of f g' dm over fields (N, 3) of displacements or places."""
    weighted = [model.scalar_mass @ other for other in others]
    return np.array([[field.T @ other for other in weighted] for field in fields])


def first_moments(model: FiniteElements, fields: list[np.ndarray]) -> np.ndarray:
    """Return the integrals (n, 3) of fields (N, 3) over the mass."""
    return np.array([np.asarray(model.scalar_mass @ field).sum(axis=0) for field in fields])


def fields_of(columns: np.ndarray) -> list[np.ndarray]:
    """Return displacements (3 N, n) as fields (N, 3)."""
    return [column.reshape(-1, 3) for column in columns.T]


def interface_motion(model: FiniteElements, modes: np.ndarray) -> np.ndarray:
    """Return shift [m] and small turn [rad] (m, 6, n) of each interface for a unit of each mode."""
    shapes = modes.reshape(len(model.nodes), 3, -1)
    motions = []
    for patch, point in zip(model.patches, model.points, strict=True):
        rigid = rigid_motions(model.nodes[patch], point)
        motions.append(np.linalg.lstsq(rigid, shapes[patch].reshape(len(rigid), -1), rcond=None)[0])
    return np.array(motions)
