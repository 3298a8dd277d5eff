"""A robot from a file: its model, and where in it the file's links, joints and actuators are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.errors import listing
from flexblocks.interfaces import Port
from flexblocks.modeling.model import Model


@dataclass(frozen=True, repr=False)
class Robot:
    """A robot read from a file, as `flexblocks.from_urdf` and `flexblocks.from_mjcf` return it.

    Attributes
    ----------
    model : Model
        Of ordinary blocks, to be assembled, or to be extended first.
    frames : dict of Port
        The frame of each link by its name in the file, to mount what is not in the file:
        ``robot.model.connect(robot.frames["tool0"], payload.frame_a)``. Of a flexible link that at its root.
    coordinates : dict of str
        The coordinate of each joint that moves by its name in the file.
    inputs : dict of str
        The input of each actuator by its name in the file; in URDF the name of its joint.
    left_out : tuple of str
        What of the file the model does not have, a line for each kind: collision geometry, transmissions, safety
        limits, sensors, meshes that were not found.
    repaired : tuple of str
        Inertias that were changed, with ``inertia="repair"``.
    """

    model: Model
    frames: Mapping[str, Port]
    coordinates: Mapping[str, str]
    inputs: Mapping[str, str]
    left_out: tuple[str, ...]
    repaired: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Robot({self.model.name!r}: {len(self.frames)} links, {len(self.coordinates)} joints)"

    def __str__(self) -> str:
        lines = [
            f"{self.model.name}: {len(self.frames)} links, {len(self.coordinates)} joints that move, "
            f"{len(self.inputs)} inputs",
            f"coordinates: {listing(self.coordinates.values(), 40)}",
            f"inputs: {listing(self.inputs.values(), 40)}",
        ]
        lines += [f"left out: {line}" for line in self.left_out]
        lines += [f"repaired: {line}" for line in self.repaired]
        return "\n".join(lines)
