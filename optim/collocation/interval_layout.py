"""The order of an interval's local variables: written here, and asked for by name everywhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from flexblocks.dae.dae import DAE

from ..problem.signals.instant import part_sizes

T = TypeVar("T")


def state_names(dae: DAE) -> dict[str, Sequence[str]]:
    """Return the parts of the states in the order of ``dae.x``, with the names that they are indexed by.

    Coordinates ``q``, their rates ``v`` (by the coordinate) and first-order states ``w``.
    """
    return {"q": dae.q_names, "v": dae.q_names, "w": dae.x.names[2 * dae.tree.size :]}


def state_sizes(dae: DAE) -> dict[str, int]:
    """Return the parts of the states with their sizes, in their order."""
    return {part: len(names) for part, names in state_names(dae).items()}


def state_slices(dae: DAE) -> dict[str, slice]:
    """Return where the parts of the states are among them."""
    slices, start = {}, 0
    for name, size in state_sizes(dae).items():
        slices[name] = slice(start, start + size)
        start += size
    return slices


def point_sizes(dae: DAE, static_modes: int) -> dict[str, int]:
    """Return what is unknown at a collocation point, with sizes, in its order.

    Accelerations ``a``, rates of first-order states ``dw``, algebraic variables ``z``, forces that keep loops closed
    ``f``, and displacements along modes that are carried quasi-statically ``e``.
    """
    sizes = part_sizes(dae)
    return {name: sizes[name] for name in ("a", "dw", "z", "f")} | {"e": static_modes}


@dataclass(frozen=True)
class LocalVariables(Generic[T]):
    """The local variables of one interval, or what stands in their places, as numbers of variables.

    Attributes
    ----------
    begin, end : dict
        States at both ends, by part, see `state_sizes`.
    points : sequence of dict
        By collocation point, see `point_sizes`.
    knots : sequence
        What shapes the inputs, one knot of all inputs after the other.
    duration
        That of the motion where it is free, else empty.
    design
        Parameters that are variables.
    """

    begin: Mapping[str, T]
    points: Sequence[Mapping[str, T]]
    end: Mapping[str, T]
    knots: Sequence[T]
    duration: T
    design: T

    @property
    def shaping(self) -> list[T]:
        """Those that shape the inputs over time, in their order."""
        return [*self.knots, self.duration]

    @property
    def ordered(self) -> list[T]:
        """All of them in their order."""
        inner = [part for point in self.points for part in point.values()]
        return [*self.begin.values(), *inner, *self.end.values(), *self.shaping, self.design]
