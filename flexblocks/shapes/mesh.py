"""Shapes read from a file: STL, OBJ, Collada, glTF."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.interfaces import NONZERO, Quantity
from flexblocks.shapes.shape import Shape


@dataclass(frozen=True)
class Scale(Quantity):
    """One factor, or one for each axis (3,)."""

    def checked(self, where: str, name: str, value: Any) -> Any:
        shape = (3,) if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) else ()
        return Quantity(self.unit, self.range, shape).checked(where, name, value)


def scale_parameter() -> Any:
    """Declare factors on the sizes in a file."""
    return dataclasses.field(default=1.0, metadata={"quantity": Scale("1", NONZERO, ())})


@dataclass(frozen=True)
class Mesh(Shape):
    """A surface from a file, which is read when it is drawn.

    Parameters
    ----------
    path : str or Path
        A ``.stl``, ``.obj``, ``.dae``, ``.gltf`` or ``.glb`` file; ``~`` stands for the home directory. In a model file
        a relative path is relative to that file.
    scale : float or (3,)
        Factor on the sizes in the file, or one for each axis; 0.001 of a file in mm.
    position : (3,)
        Its origin in `frame_a` of the body [m].
    orientation : (3,) or (3, 3)
        Roll, pitch and yaw about the axes of `frame_a`, in this order [rad]; or the rotation matrix.
    color : (3,), (4,) or str, optional
        Red, green, blue and opacity from 0 to 1, or ``"#rrggbb"``; by default that in the file.
    """

    path: str
    scale: Any = scale_parameter()

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, os.PathLike)) or not os.fspath(self.path):
            raise ParameterError(f"Mesh: path = {self.path!r}; must be the path of a file, such as 'link4.stl'.")
        object.__setattr__(self, "path", str(os.fspath(self.path)))
        super().__post_init__()

    def with_files(self, move: Callable[[str], str]) -> Mesh:
        return dataclasses.replace(self, path=move(self.path))
