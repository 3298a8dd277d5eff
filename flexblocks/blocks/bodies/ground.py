"""Ground: the inertial frame, root of every arm."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.interfaces import Block, Frame, Local, Physics, outlet


@dataclass(frozen=True)
class Ground(Block):
    """The ground: `frame_b` is the inertial frame, at rest at the origin of the world.

    Parameters
    ----------
    name : str
    """

    ports = (outlet(),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del local
        assert frame is not None
        return Physics(outlets={"frame_b": frame})
