"""Stations: outlets anywhere along a link."""

from __future__ import annotations

import math
import re

from flexblocks.errors import ParameterError
from flexblocks.interfaces import Block, Port, outlet

STATION = re.compile(r"station\((?P<x>.+)\)")


class HasStations(Block):
    """A link of some `length` along x that can carry others at any point."""

    length: float

    def station(self, x: float) -> Port:
        """Return the outlet at the distance `x` [m] from `frame_a`, 0 <= x <= length.

        Where the length stays symbolic, the station keeps its fraction of it.

        Raises
        ------
        ParameterError
            `x` is not on the link.
        """
        if isinstance(x, bool) or not isinstance(x, (int, float)) or not math.isfinite(x) or not 0 <= x <= self.length:
            raise ParameterError(
                f"{self.where}: station({x!r}); must be a number from 0 to the length, {self.length:g} m."
            )
        return Port(self.name, outlet(f"station({float(x)!r})"), self)

    def centerline(self, count: int) -> tuple[str, ...]:
        inner = (self.nominal.length * i / count for i in range(1, count))
        return (*(f"station({x!r})" for x in inner), "frame_b")

    def port(self, name: str) -> Port:
        match = STATION.fullmatch(name)
        if not match:
            return super().port(name)
        try:
            return self.station(float(match["x"]))
        except ValueError:
            raise ParameterError(f"{self.where}: {name}; a station needs a number, as in station(0.25).") from None

    def fraction(self, outlet_name: str) -> float:
        """Return the position x/length of an outlet: 0 at `frame_a`, 1 at `frame_b`."""
        match = STATION.fullmatch(outlet_name)
        return float(match["x"]) / self.nominal.length if match else 1.0
