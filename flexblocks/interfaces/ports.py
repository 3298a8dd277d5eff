"""Ports: where a block can be connected."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """The kind of a port; only ports of one kind can be connected."""

    FRAME = "frame"
    ROTATIONAL = "rotational flange"
    TRANSLATIONAL = "translational flange"


@dataclass(frozen=True)
class PortSpec:
    """A port as its block declares it.

    A frame port is the inlet of its block (motion comes in from the inboard side), an outlet, or an `attachment` of a
    force element, which may join any frame. All but outlets must be connected unless `optional`.
    """

    name: str
    kind: Kind
    outlet: bool = False
    optional: bool = False
    attachment: bool = False

    @property
    def inlet(self) -> bool:
        """Whether motion comes in here."""
        return self.kind is Kind.FRAME and not self.outlet and not self.attachment


def inlet(name: str = "frame_a", *, optional: bool = False) -> PortSpec:
    """Return the inboard frame of a block."""
    return PortSpec(name, Kind.FRAME, optional=optional)


def outlet(name: str = "frame_b") -> PortSpec:
    """Return an outboard frame of a block; it may stay open."""
    return PortSpec(name, Kind.FRAME, outlet=True, optional=True)


def attachment(name: str = "frame_a") -> PortSpec:
    """Return a frame on which a force element acts: any frame of the arm, or the ground."""
    return PortSpec(name, Kind.FRAME, attachment=True)


def flange(name: str, *, kind: Kind = Kind.ROTATIONAL, optional: bool = False) -> PortSpec:
    """Return a one-dimensional port: an angle and a torque, or a displacement and a force."""
    return PortSpec(name, kind, optional=optional)


@dataclass(frozen=True)
class Port:
    """A port of one block, as `Model.connect` takes it.

    `owner` is the block itself; two ports are the same if they have the same names.
    """

    block: str
    spec: PortSpec
    owner: object = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def kind(self) -> Kind:
        return self.spec.kind

    def __str__(self) -> str:
        return f"{self.block}.{self.spec.name}"
