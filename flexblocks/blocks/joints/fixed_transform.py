"""Fixed transform between two frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.blocks.joints.orientation import orientation_parameter, rotation_matrix
from flexblocks.interfaces import Block, Frame, Local, Physics, inlet, outlet, parameter
from flexblocks.interfaces.rotation_matrix import has_rows


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

    translation: tuple[float, ...] = parameter("m", shape=(3,), default=(0.0, 0.0, 0.0), symbolic=True)
    rotation: Any = orientation_parameter(default=(0.0, 0.0, 0.0), symbolic=True)

    ports = (inlet(), outlet())

    def made_for_numbers(self) -> Mapping[str, str]:
        if not has_rows(self.nominal.rotation):
            return {}
        return {"rotation": "nine entries of a matrix are no parameters of a rotation; give a rotation vector"}

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del local
        assert frame is not None
        moved = frame.translate(self.translation) if _is_moved(self.translation) else frame
        return Physics(outlets={"frame_b": moved.reorient(rotation_matrix(self.rotation))})


def _is_moved(translation: Any) -> bool:
    return isinstance(translation, ca.SX) or any(translation)
