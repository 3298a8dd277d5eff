"""Deformation of bodies: the coordinates that describe it, and the energy that it stores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.constraints.dependent_variables import of_coordinates
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import stored_energies, total
from flexblocks.dynamics.evaluation.body import Body


@dataclass(frozen=True, eq=False)
class Deformation:
    """Strain energy of the bodies that deform.

    Attributes
    ----------
    bodies : tuple of str
    energies : casadi.Function
        Function (q, p) -> strain energy of each of them [J], and the stiffness (n, n) of all against deformation; rows
        and columns of other coordinates are zero.
    """

    bodies: tuple[str, ...]
    energies: ca.Function


@lru_cache(maxsize=32)
def deforming(dae: DAE) -> np.ndarray:
    """Return the mask (n,), read-only, of the coordinates that deform a body, such as those of beams."""
    mask = np.zeros(dae.tree.size, dtype=bool)
    for body in _elastic_bodies(dae):
        for row in _elastic(body):
            mask[list(body.share.row(row)[0])] = True
    mask.setflags(write=False)
    return mask


@lru_cache(maxsize=32)
def deformation(dae: DAE) -> Deformation:
    """Return the strain energy of the bodies that deform."""
    bodies = tuple(body.name for body in _elastic_bodies(dae))
    energies = {name: energy for name, energy in stored_energies(dae.tree, dae.q).items() if name in bodies}
    kept = ca.diag(ca.DM(deforming(dae).astype(float)))
    results = [ca.vertcat(*energies.values(), ca.SX(0, 1)), kept @ ca.hessian(total(energies), dae.q)[0] @ kept]
    return Deformation(tuple(energies), of_coordinates(dae, "energies", results))


def _elastic_bodies(dae: DAE) -> list[Body]:
    """Return the bodies with mass that carry others on coordinates of which they store energy."""
    return [body for body in dae.tree.bodies if body.terms.has_inertia and body.terms.outlets and _elastic(body)]


def _elastic(body: Body) -> list[int]:
    """Return the positions of a body's coordinates that store strain energy by themselves.

    A beam's slide does not, although it is stiffer the less of it is out.
    """
    q, reference = body.terms.symbols.q, ca.SX([c.reference for c in body.terms.coordinates])
    (stored,) = body.terms.local.intermediates.expanded([body.terms.physics.stored])
    depends = ca.which_depends(stored, q, 1, False) if q.numel() else []
    return [i for i, is_elastic in enumerate(depends) if is_elastic and _alone(stored, q, reference, i)]


def _alone(stored: ca.SX, q: ca.SX, reference: ca.SX, i: int) -> bool:
    """Whether coordinate `i` stores energy where the others have their `reference` values: undeformed, but extended."""
    others = ca.vertcat(*[q[j] if j == i else reference[j] for j in range(q.numel())])
    return ca.depends_on(ca.substitute(stored, q, others), q[i])
