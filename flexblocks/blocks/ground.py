"""The ground: the root of every arm."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.block import Block, Local, Physics
from flexblocks.frame import Frame
from flexblocks.ports import outlet


@dataclass(frozen=True)
class Ground(Block):
    """The world: `frame_b` stands still at the origin, its axes are the world's.

    Parameters
    ----------
    name : str
    """

    ports = (outlet(),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        still = ca.SX(3, 1)
        return Physics(outlets={"frame_b": Frame(ca.SX.eye(3), still, still, still, local.rate)})
