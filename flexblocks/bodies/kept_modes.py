"""The few modes of a flexible body that a block keeps: those of the body clamped, with what it carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexblocks.bodies.flexible_body import FlexibleBody, QuadraticModes
from flexblocks.bodies.reduction import diagonalized

# Twists are (omega, v), motions of interfaces (shift, turn).
SWAPPED = [3, 4, 5, 0, 1, 2]


@dataclass(frozen=True, eq=False)
class KeptModes:
    """Integrals of a body in n of its modes, as of `FlexibleBody`, whose amplitudes are in m.

    Attributes
    ----------
    mass : float
    first, second, motion
        See `FlexibleBody`.
    stiffness, loaded_mass : ndarray (n,)
        Of each mode [N/m]; and its mass with what the body carries [kg].
    basis : ndarray (N, n)
        In the modes of the body.
    quadratic : QuadraticModes or None
    """

    mass: float
    first: np.ndarray
    second: np.ndarray
    motion: np.ndarray
    stiffness: np.ndarray
    loaded_mass: np.ndarray
    basis: np.ndarray
    quadratic: QuadraticModes | None

    @property
    def frequencies(self) -> np.ndarray:
        """Of the clamped body with what it carries (n,) [rad/s]."""
        return np.sqrt(self.stiffness / self.loaded_mass)

    @property
    def sizes(self) -> np.ndarray:
        """Amplitudes (n,) [m] at which what a mode moves to second order is as large as the body; inf without that."""
        if self.quadratic is None:
            return np.full(len(self.stiffness), np.inf)
        least = np.finfo(float).tiny
        shift = np.linalg.norm(self.quadratic.first, axis=-1).max(axis=1, initial=least)
        turn = np.linalg.norm(self.quadratic.second, axis=(-2, -1)).max(axis=1, initial=least)
        return np.minimum(self.mass / shift, np.sqrt(self.mass * np.trace(self.second[0, 0])) / turn)


def kept_modes(body: FlexibleBody, count: int, carried: np.ndarray) -> KeptModes:
    """Return the lowest modes of a body that carries inertias (m - 1, 6, 6), (omega, v), at its further interfaces."""
    return _kept(body, count, np.ascontiguousarray(carried, dtype=float).tobytes())


@lru_cache(maxsize=64)
def _kept(body: FlexibleBody, count: int, load: bytes) -> KeptModes:
    carried = np.frombuffer(load).reshape(-1, 6, 6)[:, SWAPPED][:, :, SWAPPED]
    tip, own = body.motion[body.names.index("frame_b")], body.modal_mass
    loaded = own + np.einsum("mci,mcd,mdj->ij", body.motion[1:], carried, body.motion[1:])
    every = diagonalized(body.stiffness, loaded)
    basis = every[:, :count]
    basis = basis / np.sqrt(np.sum(basis * (own @ basis), axis=0) / body.mass)
    ends = tip @ basis
    lead = np.abs(ends / np.abs(tip).max(axis=1, keepdims=True).clip(np.finfo(float).tiny)).argmax(axis=0)
    basis = basis * np.where(ends[lead, np.arange(basis.shape[1])] < 0, -1.0, 1.0)
    wide = np.zeros((len(own) + 1, basis.shape[1] + 1))
    wide[0, 0], wide[1:, 1:] = 1.0, basis
    return KeptModes(
        mass=body.mass,
        first=wide.T @ body.first,
        second=np.einsum("ka,klij,lb->abij", wide, body.second, wide, optimize=True),
        motion=body.motion @ basis,
        stiffness=np.sum(basis * (body.stiffness @ basis), axis=0),
        loaded_mass=np.sum(basis * (loaded @ basis), axis=0),
        basis=basis,
        quadratic=None if body.quadratic is None else _quadratic(body, body.quadratic, basis, every[:, count:]),
    )


def _quadratic(body: FlexibleBody, given: QuadraticModes, kept: np.ndarray, left: np.ndarray) -> QuadraticModes:
    """Return quadratic modes of those kept; those left out follow them statically."""
    against = left.T @ body.stiffness @ left
    following = np.einsum("kr,rij->kij", left @ np.linalg.solve(against, left.T), given.along)

    def turned(tensor: np.ndarray, axes: str) -> np.ndarray:
        return np.einsum(f"{axes},ia,jb->{axes.replace('i', 'a').replace('j', 'b')}", tensor, kept, kept, optimize=True)

    first = given.first + np.einsum("rij,rx->ijx", following, body.first[1:])
    second = given.second + np.einsum("rij,rxy->ijxy", following, body.second[0, 1:])
    motion = given.motion + np.einsum("mcr,rij->mcij", body.motion, following)
    return QuadraticModes(
        turned(first, "ijx"),
        turned(second, "ijxy"),
        turned(motion, "mcij"),
        np.zeros((0, 0, 0)),
    )
