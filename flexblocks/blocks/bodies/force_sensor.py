"""Force-torque sensor between two frames."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.interfaces import Block, Coordinate, Frame, Local, Output, Physics, inlet, outlet

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class ForceSensor(Block):
    """An ideal six-axis force-torque sensor: two frames held together, without mass, and the wrench between them.

    Parameters
    ----------
    name : str

    Notes
    -----
    Outputs ``force_x``, ``force_y``, ``force_z`` [N] and ``torque_x``, ``torque_y``, ``torque_z`` [N m] about its
    origin, in its axes: what the side of `frame_b` exerts on that of `frame_a`. Between a base and its arm that is the
    reaction on the base; under a weight at rest, force_z = -m g. It follows from the balance of all that is outboard,
    inertia, weight and loads; rotors whose mount is not connected have no place in space, and do not count.
    """

    ports = (inlet(), outlet())

    def coordinates(self) -> tuple[Coordinate, ...]:
        slides = (Coordinate(f"force_{axis}", "m", held=True) for axis in AXES)
        return (*slides, *(Coordinate(f"torque_{axis}", "rad", held=True) for axis in AXES))

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        moved = frame
        # Held at zero, they are there in the balance alone.
        if any(local[c.name].nnz() for c in self.coordinates()):
            moved = frame.translate([local[f"force_{axis}"] for axis in AXES])
            for axis, direction in AXES.items():
                moved = moved.rotate(direction, local[f"torque_{axis}"])
        units = {"force": "N", "torque": "N m"}
        outputs = {
            f"{kind}_{axis}": Output(-local.effort(f"{kind}_{axis}"), unit)
            for kind, unit in units.items()
            for axis in AXES
        }
        return Physics(outlets={"frame_b": moved}, outputs=outputs)
