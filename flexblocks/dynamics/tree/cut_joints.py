"""Closed kinematic loops: where the tree was cut, and what the cut demands of the coordinates.

A loop is cut where two outlets meet. What remains is a tree; at the cut the two frames coincide, which is three
equations of position and three of orientation. Some of them may follow from the others (in a planar loop three do)
and are left out. Joints stay whole, whichever the cut is next to.
"""

from __future__ import annotations

from dataclasses import dataclass

Place = tuple[int, str]
ROWS = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")


@dataclass(frozen=True)
class Closure:
    """Two outlets (body, outlet) that coincide; `rows` of the six equations (positions, then turns) are kept.

    The equations are in the axes of the first outlet, so that the multiplier of each is a component of the force or
    torque there which the first outlet exerts on the second.
    """

    name: str
    first: Place
    second: Place
    rows: tuple[int, ...] = tuple(range(6))

    @property
    def multipliers(self) -> tuple[str, ...]:
        """Names of the forces and torques that keep the loop closed."""
        return tuple(f"{self.name}.loop_{ROWS[row]}" for row in self.rows)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("N" if row < 3 else "N m" for row in self.rows)


@dataclass(frozen=True)
class Loops:
    """The closures of an arm; `weight` makes J'J, J their Jacobian, comparable to the mass matrix."""

    closures: tuple[Closure, ...] = ()
    weight: float = 1.0

    @property
    def multipliers(self) -> tuple[str, ...]:
        """Names (m) of all forces and torques that keep loops closed."""
        return tuple(name for closure in self.closures for name in closure.multipliers)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(unit for closure in self.closures for unit in closure.units)
