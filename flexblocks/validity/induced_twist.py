"""How far a beam twists: by its own coordinates, and by the moments of bending, which linear beam theory leaves out.

With the moments a v'' and b w'' of linear theory in the planes of the root, a section that is twisted by phi has the
curvatures k1 = (a v'' cos phi + b w'' sin phi) / a and k2 = (b w'' cos phi - a v'' sin phi) / b. The energy of the
twist less the work of these moments, with d/dphi = (a - b) k1 k2 along the beam, is the least at the twist that they
induce: none in one plane alone, until at 4.013 (EI GJ)^1/2 / l^2 across the tip no twist is stable (Prandtl 1899).
"""

from __future__ import annotations

import numpy as np

from flexblocks.interfaces import Twist

# Share of the stiffness against the slowest twist that is left at least: beyond, the beam has tipped over.
LEFT = 1e-3


def twist_angles(twist: Twist, q: np.ndarray) -> np.ndarray:
    """Return the twist [rad] at the places of `twist` (k, samples), for relative coordinates (samples, n)."""
    a, b = twist.rigidities[:, :, None]
    own = twist.twists @ q.T
    k1, k2 = curvatures(twist, q, own)
    torque, softening = (a - b) * k1 * k2, (a - b) * (b / a * k2**2 - a / b * k1**2)
    weighted = twist.weights[:, None] * twist.induced
    stiffness = twist.against + np.einsum("ki,ks,kj->sij", weighted, softening, twist.induced)
    # Relative to the stiffness without moments
    root = np.linalg.inv(np.linalg.cholesky(twist.against))
    left, modes = np.linalg.eigh(root @ stiffness @ root.T)
    along = np.einsum("sji,jk,ls,lk->si", modes, root, torque, weighted)
    induced = np.einsum("kj,sji,si->sk", root.T, modes, -along / np.maximum(np.abs(left), LEFT))
    return own + twist.induced @ induced.T


def curvatures(twist: Twist, q: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return k1 and k2 (k, samples), over the length [rad], under the moments of linear theory."""
    a, b = twist.rigidities[:, :, None]
    v, w = twist.curvatures @ q.T
    cos, sin = np.cos(angles), np.sin(angles)
    return (a * v * cos + b * w * sin) / a, (b * w * cos - a * v * sin) / b


def shift_by_twist(twist: Twist, q: np.ndarray) -> np.ndarray:
    """Return by how much the twist moves the tip (samples,), in lengths, for relative coordinates (samples, n)."""
    angles = twist_angles(twist, q)
    k1, k2 = curvatures(twist, q, angles)
    cos, sin = np.cos(angles), np.sin(angles)
    bent = np.array([k1 * cos - k2 * sin, k1 * sin + k2 * cos]) - twist.curvatures @ q.T
    return np.linalg.norm(np.einsum("k,pks->ps", twist.weights * twist.to_tip, bent), axis=0)
