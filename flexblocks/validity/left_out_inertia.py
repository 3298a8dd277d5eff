"""Inertia that linear beam theory leaves out at a bent posture.

A beam with slopes v' is shorter by 1/2 int v'^2 dx, and its tip moves along it by -int v' dv' dx as it bends on. Linear
theory leaves that out, with the velocity of all that the tip carries. On a hinge it matters long before deflections are
large: a body that stays where it is as the beam bends beneath it is moved to and fro by the turning of the bent beam,
and linear theory misses that the beam's bending undoes this. The body's mass m then adds about 2 m (n pi v/l)^2 to the
inertia of the mode of n half waves, to be compared with the mass of the beam.
"""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.block_numbers import PostureNumbers
from flexblocks.interfaces import SmallDeflections
from flexblocks.validity.deflection_error import coordinates_of, linear_blocks

# Not looked for where deflections stay below this share of the length.
LOOKED_FOR = 1e-3


def bent_beams(dae: DAE, x: np.ndarray) -> dict[int, tuple[float, np.ndarray]]:
    """Return the beams that are bent at a state (nx,), by the index of their body.

    For each the deflection, in units of its length, and the motion of its tip along it per rate of its coordinates
    (k,).
    """
    found = {}
    for index, measure in linear_blocks(dae):
        q = coordinates_of(dae, index, x[None])
        constant = None if measure.tension is None else measure.tension.length
        length = constant if measure.length is None else float(q[0, measure.length])
        if length is None:
            continue
        relative = measure.relative(q)[0]
        deflection = float(np.linalg.norm(measure.deflections @ relative, axis=0).max())
        if deflection > LOOKED_FOR:
            found[index] = deflection, _along(measure, relative, length)
    return found


def _along(measure: SmallDeflections, relative: np.ndarray, length: float) -> np.ndarray:
    scale = 1.0 if measure.in_lengths is None else np.where(measure.in_lengths, 1 / length, 1.0)
    return -length * np.einsum("pki,k,pk->i", measure.slopes * scale, measure.weights, measure.slopes @ relative)


def left_out_inertia(
    dae: DAE, tips: dict[int, np.ndarray], q: np.ndarray, p: np.ndarray, *dependent: np.ndarray
) -> np.ndarray:
    """Return what the mass matrix (n, n) gains as tips move along their beams, by body Jacobians.

    Parameters
    ----------
    dae : DAE
    tips : dict
        The motion of the tip per rate of the coordinates (k,), by the index of the body.
    q, p, *dependent : ndarray
        The posture.
    """
    tree, n = dae.tree, dae.tree.size
    numbers, change = PostureNumbers(tree, q, p, *dependent), np.zeros((n, n))
    jacobians: list[tuple[np.ndarray, np.ndarray]] = []
    for index, body in enumerate(tree.bodies):
        inlets = [np.zeros((6, n)), np.zeros((6, n))]
        if body.parent is not None and body.outlet is not None:
            along = numbers.map(body.parent, body.outlet)
            inlets = [along @ jacobian for jacobian in jacobians[body.parent]]
            if body.parent in tips and body.outlet == "frame_b":
                # The direction of the beam's root in the axes of its tip.
                motion = tips[body.parent] @ tree.bodies[body.parent].share.full()
                inlets[1][3:] += np.outer(along[:3, 0], motion)
        rates = body.share.full()
        jacobians.append((np.vstack([inlets[0], rates]), np.vstack([inlets[1], rates])))
        if body.terms.has_inertia:
            inertia = numbers.inertia(index)
            straight, true = jacobians[-1]
            change += true.T @ inertia @ true - straight.T @ inertia @ straight
    return change
