"""Base class of joints with one degree of freedom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flexblocks.interfaces import Block, parameter, unit_vector

ALONG_Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True, init=False)
class Joint(Block):
    """Base of `Revolute` and `Prismatic`.

    The argument `axis` is kept in the field `direction`, because ``joint.axis`` is the port of the drive side.
    Each joint declares `damping` and `start` in its units. `direction` is an argument as well, for
    `dataclasses.replace`, which passes on the fields; `axis` goes before it.
    """

    direction: tuple[float, ...] = parameter("1", shape=(3,), default=ALONG_Z, argument="axis")

    def __init__(
        self,
        name: str,
        axis: Sequence[float] = ALONG_Z,
        damping: float = 0.0,
        start: float = 0.0,
        *,
        direction: Sequence[float] | None = None,
    ) -> None:
        # Identity, not equality: an axis along z that the user gave replaces another direction.
        if direction is not None and axis is ALONG_Z:
            axis = direction
        for field, value in (("name", name), ("direction", axis), ("damping", damping), ("start", start)):
            object.__setattr__(self, field, value)
        self.__post_init__()
        object.__setattr__(self, "direction", unit_vector(self.where, "axis", self.direction))

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"axis": (self.coordinates()[0].name, 1.0)}
