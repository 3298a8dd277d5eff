"""Stress on the surface of flexible bodies during a motion, linear in the amplitudes of their modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.blocks.bodies.reduced_body import ReducedBody
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.plot.animation.shapes.looks import Look

AT_ONCE = 64  # frames


@dataclass(frozen=True, eq=False)
class ModalStress:
    """Stress of one mesh.

    Attributes
    ----------
    modal : ndarray (v, 6, n)
        xx, yy, zz, xy, yz, zx [Pa] at each vertex for the largest amplitude of each mode.
    amplitudes : ndarray (frames, n)
        In units of the largest.
    """

    modal: np.ndarray
    amplitudes: np.ndarray

    def mises(self, frames: slice) -> np.ndarray:
        """Return von Mises' stress (frames, v) [Pa]."""
        xx, yy, zz, xy, yz, zx = np.einsum("vcn,tn->ctv", self.modal, self.amplitudes[frames], optimize=True)
        squares = ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2
        return np.sqrt(squares + 3 * (xy**2 + yz**2 + zx**2))

    @property
    def largest(self) -> float:
        """The largest of all frames and vertices [Pa]."""
        starts = range(0, len(self.amplitudes), AT_ONCE)
        return max((float(self.mises(slice(i, i + AT_ONCE)).max(initial=0.0)) for i in starts), default=0.0)


def modal_stress(body: Body, look: Look, q: np.ndarray) -> ModalStress | None:
    """Return the stress on the surface of a body with coordinates q (frames, n); None where it is not known.

    `look` is what is drawn of it.
    """
    block = body.block
    if not isinstance(block, ReducedBody) or block.surface is None or block.surface.stress is None or not block.modes:
        return None
    (_, mesh) = look[0]
    if mesh.source is None:
        return None
    modal, largest = block.surface.stress[mesh.source] @ block.kept(body.carried).basis, np.abs(q).max(axis=0)
    return ModalStress(modal * largest, q / np.maximum(largest, np.finfo(float).tiny))
