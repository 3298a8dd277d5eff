"""Base of shapes: where they are on a body, their colour; and the parameter of a block that holds them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.interfaces import ANY, NOT_NEGATIVE, Quantity, parameter
from flexblocks.interfaces.parameters import checked_fields
from flexblocks.interfaces.rotation_matrix import checked_rotation, has_rows

HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Attitude(Quantity):
    """Roll, pitch and yaw (3,) [rad], or a rotation matrix (3, 3)."""

    def checked(self, where: str, name: str, value: Any) -> Any:
        if not has_rows(value):
            return super().checked(where, name, value)
        return checked_rotation(where, name, value, "roll, pitch and yaw in rad")


@dataclass(frozen=True)
class Color(Quantity):
    """Red, green, blue and perhaps opacity, each from 0 to 1; or ``"#rrggbb"``."""

    def checked(self, where: str, name: str, value: Any) -> Any:
        if value is None or (isinstance(value, str) and HEX.fullmatch(value)):
            return value
        words = "(red, green, blue) or (red, green, blue, opacity), each from 0 to 1, or '#rrggbb'"
        try:
            size = 4 if np.shape(value) == (4,) else 3
            checked = Quantity("1", NOT_NEGATIVE, (size,)).checked(where, name, value)
        except (ParameterError, ValueError):
            raise ParameterError(f"{where}: {name} = {value!r}; must be {words}.") from None
        if max(checked) > 1:
            raise ParameterError(f"{where}: {name} = {value!r}; must be {words}.")
        return checked


@dataclass(frozen=True)
class Shape:
    """Base of all shapes: frozen data, placed in the axes of `frame_a` of a body."""

    _: KW_ONLY
    position: tuple[float, ...] = parameter("m", shape=(3,), default=(0.0, 0.0, 0.0))
    orientation: Any = dataclasses.field(default=(0.0, 0.0, 0.0), metadata={"quantity": Attitude("rad", ANY, (3,))})
    color: Any = dataclasses.field(default=None, metadata={"quantity": Color("1", NOT_NEGATIVE, (3,), optional=True)})

    def __post_init__(self) -> None:
        for name, value in checked_fields(type(self).__name__, self).items():
            object.__setattr__(self, name, value)

    def with_files(self, move: Callable[[str], str]) -> Shape:
        """Return the shape with the paths of its files replaced, as by a model file in another folder."""
        del move
        return self


def attitude_matrix(orientation: Any) -> np.ndarray:
    """Return the rotation matrix (3, 3) of roll, pitch and yaw about the fixed axes x, y and z, or of itself."""
    values = np.array(orientation, dtype=float)
    if values.ndim == 2:
        return values
    (cr, cp, cy), (sr, sp, sy) = np.cos(values), np.sin(values)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def shapes_parameter() -> Any:
    """Declare a field of a block that holds a shape, several of them or None."""
    return dataclasses.field(default=None, metadata={"check": _checked})


def shapes_of(block: Any) -> tuple[Shape, ...]:
    """Return the shapes of a block, none of one that has none."""
    shape = getattr(block.nominal, "shape", None) if "shape" in _names(block) else None
    return (shape,) if isinstance(shape, Shape) else tuple(shape or ())


def _names(block: Any) -> set[str]:
    return {field.name for field in dataclasses.fields(block)}


def _checked(where: str, name: str, value: Any) -> Any:
    """Return a shape, a tuple of shapes or None."""
    if value is None or isinstance(value, Shape):
        return value
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, Shape) for one in value):
        return tuple(value)
    raise ParameterError(
        f"{where}: {name} = {value!r}; must be a shape, such as fb.Mesh('link.stl') or "
        "fb.Cuboid(size=(0.1, 0.1, 0.1)), or a tuple of shapes."
    )
