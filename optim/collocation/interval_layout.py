"""Interval layout: the only definition of the order of an interval's local variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from flexblocks.dae.dae import DAE

from ..problem.signals.instant import part_sizes

T = TypeVar("T")


def state_names(dae: DAE) -> dict[str, Sequence[str]]:
    """Return the parts of the states in the order of ``dae.x``, with the names that index them.

    Coordinates ``q``, their rates ``v`` (by the coordinate) and first-order states ``w``.
    """
    return {"q": dae.q_names, "v": dae.q_names, "w": dae.x.names[2 * dae.tree.size :]}


def state_sizes(dae: DAE) -> dict[str, int]:
    """Return the parts of the states with their sizes, in their order."""
    return {part: len(names) for part, names in state_names(dae).items()}


def state_slices(dae: DAE) -> dict[str, slice]:
    """Return the slices of the parts of the states."""
    slices, start = {}, 0
    for name, size in state_sizes(dae).items():
        slices[name] = slice(start, start + size)
        start += size
    return slices


def point_sizes(dae: DAE, static_modes: int) -> dict[str, int]:
    """Return the unknowns of a collocation point with their sizes, in order.

    Accelerations ``a``, rates of first-order states ``dw``, algebraic variables ``z``, loop-closure forces ``f``, and
    displacements of quasi-static modes ``e``.
    """
    sizes = part_sizes(dae)
    return {name: sizes[name] for name in ("a", "dw", "z", "f")} | {"e": static_modes}


@dataclass(frozen=True)
class LocalVariables(Generic[T]):
    """The local variables of one interval, or anything arranged like them, such as their indices.

    Attributes
    ----------
    begin, end : dict
        States at both ends, by part, see `state_sizes`.
    points : sequence of dict
        By collocation point, see `point_sizes`.
    knots : sequence
        Knots of the inputs, all inputs of one knot together.
    duration
        Duration of the motion if it is free, otherwise empty.
    design
        Design parameters.
    """

    begin: Mapping[str, T]
    points: Sequence[Mapping[str, T]]
    end: Mapping[str, T]
    knots: Sequence[T]
    duration: T
    design: T

    @property
    def shaping(self) -> list[T]:
        """The variables that define the inputs over time, in order."""
        return [*self.knots, self.duration]

    @property
    def ordered(self) -> list[T]:
        """All variables in order."""
        inner = [part for point in self.points for part in point.values()]
        return [*self.begin.values(), *inner, *self.end.values(), *self.shaping, self.design]
