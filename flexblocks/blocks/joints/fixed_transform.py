"""Fixed transform between two frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexblocks.blocks.joints.orientation import orientation_parameter, rotation_matrix
from flexblocks.interfaces import Block, Frame, Local, Physics, inlet, outlet, parameter


@dataclass(frozen=True)
class FixedTransform(Block):
    """A constant pose without mass: `frame_b` is `frame_a` moved by `translation`, then turned by `rotation`.

    Parameters
    ----------
    name : str
    translation : (3,)
        Origin of `frame_b` in the axes of `frame_a` [m].
    rotation : (3,) or (3, 3)
        A rotation vector, axis times angle [rad]; or the rotation matrix, whose columns are the axes of `frame_b` in
        those of `frame_a`.
    """

    translation: tuple[float, ...] = parameter("m", shape=(3,), default=(0.0, 0.0, 0.0))
    rotation: Any = orientation_parameter(default=(0.0, 0.0, 0.0))

    ports = (inlet(), outlet())

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del local
        assert frame is not None
        moved = frame.translate(self.translation) if any(self.translation) else frame
        return Physics(outlets={"frame_b": moved.reorient(rotation_matrix(self.rotation))})
