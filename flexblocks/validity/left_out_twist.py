"""What a twist does to bending, which linear beam theory leaves out: it turns the planes, of which one is stiffer.

With the curvatures v'' and w'' in the planes of the root, the twist phi and the rigidities a and b, the section bends
by k1 = v'' cos phi + w'' sin phi and k2 = w'' cos phi - v'' sin phi, and stores (a k1^2 + b k2^2) / 2 per length.
Linear theory takes phi = 0 there: a flat link that is twisted bends sideways under its load by many times what it
gives, and that a load on its edge tips it over, at 4.013 (EI GJ)^1/2 / l^2 on a wall (Prandtl 1899), it does not know.
A beam that is not free to twist is as soft as its twist without inertia makes it.
"""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.interfaces import SmallDeflections, Twist
from flexblocks.validity.deflection_error import coordinates_of, linear_blocks
from flexblocks.validity.induced_twist import twist_angles


def left_out_twist(dae: DAE, x: np.ndarray) -> dict[int, np.ndarray]:
    """Return what the stiffness (n, n) of beams gains by moments and twists at states (nx,), by index of their body."""
    return {
        index: _stiffness(measure, measure.twist, coordinates_of(dae, index, x[None]))
        for index, measure in linear_blocks(dae)
        if measure.twist is not None
    }


def _stiffness(measure: SmallDeflections, twist: Twist, q: np.ndarray) -> np.ndarray:
    """Return the second derivatives of the energy at coordinates (1, n) without those of linear theory."""
    a, b = twist.rigidities
    relative = measure.relative(q)
    (v, w), phi = twist.curvatures @ relative[0], twist_angles(twist, relative)[:, 0]
    cos, sin = np.cos(phi), np.sin(phi)
    k1, k2 = v * cos + w * sin, w * cos - v * sin
    first, second = np.array([cos, sin, k2]), np.array([-sin, cos, -k1])  # slopes of k1 and k2 by v'', w'' and phi
    form = a * first[:, None] * first + b * second[:, None] * second
    mixed = np.array([-a * k1 * sin - b * k2 * cos, a * k1 * cos - b * k2 * sin])
    form[:2, 2] += mixed
    form[2, :2] += mixed
    form[2, 2] -= a * k1**2 + b * k2**2
    form[0, 0] -= a
    form[1, 1] -= b
    unit, length = np.array([*twist.curvatures, twist.twists]), twist.length
    if measure.length is not None and measure.in_lengths is not None:
        length = q[0, measure.length]
        unit = np.where(measure.in_lengths, unit / length, unit)
    if not twist.is_free:
        induced = np.zeros((*unit.shape[:2], len(twist.against)))
        induced[2] = twist.induced
        unit = np.concatenate([unit, induced], axis=2)
    whole = np.einsum("rki,rsk,k,skj->ij", unit, form, twist.weights / length, unit)
    if twist.is_free:
        return whole
    n = q.shape[1]
    against, modes = np.linalg.eigh(whole[n:, n:] + twist.against / length)
    across = whole[:n, n:] @ modes
    # A twist that bending makes unstable by itself softens it all the more
    return whole[:n, :n] - across / np.abs(against) @ across.T
