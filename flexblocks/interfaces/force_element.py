"""The contract of a force element: massless forces between any number of frames."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flexblocks.errors import ModelError
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.local import Local
from flexblocks.interfaces.physics import Physics


@dataclass(frozen=True)
class ForceElement(Block):
    """Base of blocks that exert forces between frames: springs, cylinders, ropes, contacts.

    A subclass is a frozen dataclass like any block's. Its ports are attachments, which may join any frame of the arm
    or the ground. It has no mass and no coordinates: it opens no branch and closes no loop.

    Raises
    ------
    ModelError
        A subclass with ports that are no attachments, or with coordinates.
    """

    attaches = True

    def __post_init__(self) -> None:
        super().__post_init__()
        others = [spec.name for spec in self.ports if not spec.attachment]
        if others or not self.ports:
            raise ModelError(
                f"{self.where}: ports = {', '.join(spec.name for spec in self.ports) or 'none'}; a ForceElement has "
                "attachments alone, such as attachment('frame_a')."
            )
        if names := [coordinate.name for coordinate in self.coordinates()]:
            raise ModelError(
                f"{self.where}: has the coordinates {', '.join(names)}; a ForceElement moves nothing of its own. Give "
                "it states, or make it a Block."
            )

    def axes(self) -> Mapping[str, Any]:
        """Return by port the constant axes (3, 3) in which `physics` sees a frame: the columns, in the frame's own.

        By default the frame's own. An element with one direction of its own, such as the normal of a plane, makes it
        an axis: what turns is then followed along that direction alone.
        """
        return {}

    def sketch(self) -> tuple[str, ...]:
        """Return the ports whose frames are places of the element in space, in the order in which pictures join them.

        By default all.
        """
        return tuple(spec.name for spec in self.ports)

    @abstractmethod
    def physics(self, frames: Mapping[str, Any], local: Local, /) -> Physics:
        """Return the forces of the element, as potential, loads on lengths, power or dissipation; and its equations.

        Parameters
        ----------
        frames : dict of AttachedFrame
            The frames it acts on, by port.
        local : Local
            Its symbols; ``local.gravity`` is in world axes here and may be used anywhere.

        Returns
        -------
        Physics
            Of `potential` (a function of poses), `loads` (efforts on lengths or other functions of poses), `power`
            (sums of ``frame.power(...)``) and `dissipation` (a function of poses and twists, whose gradient in the
            twists is the damping force), all are added up; `derivatives`, `residuals` and `outputs` as in any block.
        """
