"""Point mass fixed to a frame."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.interfaces import NOT_NEGATIVE, Block, Frame, Local, Physics, inlet, parameter


@dataclass(frozen=True)
class LumpedMass(Block):
    """A point mass at the origin of `frame_a`, such as a motor at the end of a link.

    Parameters
    ----------
    name : str
    mass : float
        [kg]
    """

    mass: float = parameter("kg", NOT_NEGATIVE)

    ports = (inlet(),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del local
        assert frame is not None
        return Physics(kinetic=(self.mass / 2) * ca.dot(frame.v, frame.v))
