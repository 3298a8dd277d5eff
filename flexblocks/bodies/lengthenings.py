"""Displacements that lengthen a body as it deforms in linear modes: what pulls along it would do work on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexblocks.bodies.flexible_body import FlexibleBody
from flexblocks.bodies.inertia_tensor import cross_matrix
from flexblocks.bodies.kept_modes import KeptModes

# Of a cantilever under a force at its tip the shortening is 8/30 of the square of the slope there, in lengths: half of
# the square at so much of its length.
SLOPED = 8 / 15


@dataclass(frozen=True, eq=False)
class Lengthenings:
    """Displacements that lengthen a body, k of them.

    Attributes
    ----------
    first : ndarray (k, 3)
        Integrals over the mass for a unit of each [kg].
    second : ndarray (k, 3, 3)
        Integrals of r u' over the mass [kg m].
    motion : ndarray (m, 6, k)
        Of each interface.
    forms : ndarray (k, n, n)
        Stiffness against the n modes [N/m] by a pull of 1 N against each.
    """

    first: np.ndarray
    second: np.ndarray
    motion: np.ndarray
    forms: np.ndarray

    def __len__(self) -> int:
        return len(self.forms)

    def beside(self, modes: KeptModes) -> KeptModes:
        """Return the modes followed by these displacements, as modes without stiffness."""
        n, k = len(modes.stiffness), len(self)
        second = np.zeros((1 + n + k, 1 + n + k, 3, 3))
        second[: n + 1, : n + 1] = modes.second
        second[0, n + 1 :], second[n + 1 :, 0] = self.second, self.second.transpose(0, 2, 1)
        return replace(
            modes,
            first=np.vstack([modes.first, self.first]),
            second=second,
            motion=np.concatenate([modes.motion, self.motion], axis=2),
            stiffness=np.append(modes.stiffness, np.zeros(k)),
            loaded_mass=np.append(modes.loaded_mass, np.zeros(k)),
            basis=np.hstack([modes.basis, np.zeros((len(modes.basis), k))]),
        )


def lengthenings(body: FlexibleBody, modes: KeptModes) -> Lengthenings:
    """Return the opposites of the quadratic modes, so that pulls count exactly to second order, each a unit shift.

    Of a body that has none, stretches `along_lines`.
    """
    given = modes.quadratic
    if given is None:
        return along_lines(body, modes)
    n = len(modes.stiffness)
    i, j = np.triu_indices(n)
    shifts = np.linalg.norm(given.motion[:, :3, i, j], axis=1).max(axis=0)
    size = np.maximum(shifts, np.linalg.norm(given.first[i, j], axis=1) / modes.mass)
    size = np.maximum(size, np.finfo(float).tiny)
    forms = np.zeros((len(i), n, n))
    forms[np.arange(len(i)), i, j] = forms[np.arange(len(i)), j, i] = size
    return Lengthenings(
        -given.first[i, j] / size[:, None],
        -given.second[i, j] / size[:, None, None],
        -given.motion[:, :, i, j] / size,
        forms,
    )


def along_lines(body: FlexibleBody, modes: KeptModes) -> Lengthenings:
    """Return uniform stretches along the lines from `frame_a` to the other interfaces, none to one at the same place.

    Each line is taken to bend as a cantilever under a force at its tip.
    """
    lengths = np.linalg.norm(body.points, axis=1)
    far = np.flatnonzero(lengths > 0)
    n = len(modes.stiffness)
    first, second = np.zeros((len(far), 3)), np.zeros((len(far), 3, 3))
    motion, forms = np.zeros((len(body.names), 6, len(far))), np.zeros((len(far), n, n))
    for k, m in enumerate(far):
        line, length = body.points[m] / lengths[m], float(lengths[m])
        first[k] = line * (modes.first[0] @ line) / length
        second[k] = np.outer(modes.second[0, 0] @ line, line) / length
        motion[:, :3, k] = np.outer(body.points @ line, line) / length
        slopes = cross_matrix(line) @ modes.motion[m, 3:]
        forms[k] = SLOPED * length / len(far) * slopes.T @ slopes
    return Lengthenings(first, second, motion, forms)
