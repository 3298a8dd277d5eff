"""Cuts of kinematic loops: the outlets that coincide, and the loop-closure constraints that are kept.

A loop is cut where two outlets meet. What remains is a tree; at the cut the two frames coincide, which gives three
equations of position and three of orientation. Redundant ones (three in a planar loop) are left out. Joints beside the
cut stay whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Place = tuple[int, str]
ROWS = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")


@dataclass(frozen=True)
class Closure:
    """Loop closure: two outlets (body, outlet) that coincide; `rows` of the six equations (position, orientation) kept.

    The equations are in the axes of the first outlet, so that each multiplier is a component of the force or torque
    that the first outlet exerts on the second. Of several that end in the block `name`, each has its `number`.
    """

    name: str
    first: Place
    second: Place
    rows: tuple[int, ...] = tuple(range(6))
    number: int = 1

    @property
    def multipliers(self) -> tuple[str, ...]:
        """Names of the forces and torques that keep the loop closed."""
        which = f"[{self.number}]" if self.number > 1 else ""
        return tuple(f"{self.name}.loop_{ROWS[row]}{which}" for row in self.rows)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("N" if row < 3 else "N m" for row in self.rows)


@dataclass(frozen=True)
class Loops:
    """Kinematic loops of an arm.

    Attributes
    ----------
    closures : tuple of Closure
    weights : tuple of float
        Scale (m) of each closure in J'W J, J their Jacobian, that makes it comparable with the mass that it moves.
    multipliers, units : tuple of str
        Names (m) of all forces and torques that keep loops closed, and their units.
    """

    closures: tuple[Closure, ...] = ()
    weights: tuple[float, ...] = ()
    multipliers: tuple[str, ...] = field(init=False, compare=False)
    units: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        names = tuple(name for closure in self.closures for name in closure.multipliers)
        object.__setattr__(self, "multipliers", names)
        object.__setattr__(self, "units", tuple(unit for closure in self.closures for unit in closure.units))
        object.__setattr__(self, "weights", self.weights or (1.0,) * len(names))
