"""Stiffness that linear beam theory leaves out where a beam is pulled or compressed, straight as it may be.

A pull N along the beam adds int N v'^2 dx / 2 to the energy of bending: a rotating or hanging beam is stiffer than it
is by itself, a standing one softer, up to buckling. Where a soft beam hangs, linear theory misses what keeps it
straight, and makes it unstable.
"""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.block_numbers import PostureNumbers
from flexblocks.validity.deflection_error import coordinates_of, linear_blocks
from flexblocks.validity.pulls import pulls

# Not looked for where weights add or take less than this share of the stiffness of bending.
LOOKED_FOR = 0.05


def left_out_tension(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> dict[int, np.ndarray]:
    """Return what the stiffness (k, k) of beams gains by pulls at a state, by the index of their body.

    Parameters
    ----------
    dae : DAE
    x, z, u, p : ndarray (nx,), (nz,), (nu,), (np,)
    """
    n = dae.tree.size
    at_rest = not np.any(x[n : 2 * n])
    tensions = {index: measure.tension for index, measure in linear_blocks(dae) if measure.tension is not None}
    if tensions and at_rest and not (dae.tree.elements or dae.tree.loops.closures):
        # Nothing but weight pulls: at most that of the beam and of all that it carries.
        weights = _weights(dae, *dae.posture(x, z, p))
        tensions = {
            index: tension
            for index, tension in tensions.items()
            if weights[index] * softness(tension.stiffness, tension.uniform) > LOOKED_FOR
        }
    if not tensions:
        return {}
    found = zip(tensions.items(), pulls(dae, tensions, x[None], z[None], u[None], p, at_rest), strict=True)
    return {
        index: np.einsum(
            "k,kij->ij", pull.along_root(tension, coordinates_of(dae, index, x[None]))[:, 0], tension.forms
        )
        for (index, tension), pull in found
    }


def softness(stiffness: np.ndarray, spread: np.ndarray) -> float:
    """Return the largest ratio, in magnitude, of what a pull changes to a stiffness (k, k) of bending.

    Of a pull of 1 N that is 1/P for the least force P that buckles the clamped beam.
    """
    free = np.diag(stiffness) > 0  # extension and torsion do not bend
    size = 1 / np.sqrt(np.diag(stiffness)[free])
    stiffness, spread = (matrix[np.ix_(free, free)] * np.outer(size, size) for matrix in (stiffness, spread))
    return float(np.abs(np.linalg.eigvals(np.linalg.solve(stiffness, spread))).max(initial=0.0))


def _weights(dae: DAE, q: np.ndarray, p: np.ndarray, *dependent: np.ndarray) -> np.ndarray:
    """Return for each body the weight [N] of it and of all that it carries."""
    numbers = PostureNumbers(dae.tree, q, p, *dependent)
    bodies = dae.tree.bodies
    masses = np.array([numbers.inertia(i)[3, 3] if body.terms.has_inertia else 0.0 for i, body in enumerate(bodies)])
    for index, body in reversed(list(enumerate(bodies))):
        if body.parent is not None:
            masses[body.parent] += masses[index]
    return masses * float(np.linalg.norm(dae.tree.gravity_at(p)))
