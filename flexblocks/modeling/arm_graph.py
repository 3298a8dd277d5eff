"""The graph of an arm: the data of a `Model`, for the modules that the model itself calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from flexblocks.interfaces import Block, Composite, Port


class ArmGraph(Protocol):
    """Blocks and the connections between their ports.

    Attributes
    ----------
    name : str
    gravity : tuple of 3 floats
        Acceleration of free fall in world axes [m/s2].
    blocks : dict of Block or Composite
        By name, in the order in which they were added.
    connections : tuple of tuple of Port
        The ports that each joins.
    """

    @property
    def name(self) -> str: ...

    @property
    def gravity(self) -> tuple[float, float, float]: ...

    @property
    def blocks(self) -> Mapping[str, Block | Composite]: ...

    @property
    def connections(self) -> tuple[tuple[Port, ...], ...]: ...
