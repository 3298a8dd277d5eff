"""Boundary condition: how a trajectory begins or ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from flexblocks.statics.operating_point import OperatingPoint

from ..problem.course import Course


@dataclass(frozen=True, eq=False)
class End:
    """The boundary condition at one end of a trajectory.

    Attributes
    ----------
    kind : str
        ``"fixed"``: all states are those of `point`, at rest in a known equilibrium, or `moving` through its posture.
        ``"rest"``: at rest in an equilibrium that depends on variables of the problem and is solved for with them.
        ``"near"``: in a known equilibrium up to some residual energy. ``"course"``: in motion through a
        static posture that meets moving targets, both solved for. ``"passing"``: in motion. ``"joined"``:
        continuous with the end of the previous phase.
    point : OperatingPoint
        The operating point, or its initial guess, with the parameters under which it is in equilibrium.
    prescribed : dict of float
        Prescribed states by name, if not all states are.
    prescribed_outputs : dict of float
        Outputs and point positions prescribed at ``"rest"``, by name.
    motion : dict of float
        Prescribed rates and velocities, by name, of which those of a ``"course"`` are among the above.
    courses : dict of Course
        At a ``"course"``, the targets that are met there, by frame.
    met : tuple of str
        The quantities of their frames that the arm can meet: not the height of one in the plane.
    turned : dict of ndarray (3, r)
        By frame whose orientation is met, orthogonal axes in the world about which the arm can turn it.
    open : tuple of int
        Coordinates of a floating base that end where momentum takes them; their rates are those of the momentum, too.
    loose : tuple of int
        First-order states that end where the motion takes them, by their numbers among all states.
    moving : bool
        Whether the rates of `point` are not zero.
    freedom : int
        Dimension of the self-motion manifold: in how many ways the coordinates can change with the prescribed values
        kept.
    """

    kind: Literal["fixed", "rest", "near", "course", "passing", "joined"]
    point: OperatingPoint
    prescribed: Mapping[str, float] = field(default_factory=dict)
    prescribed_outputs: Mapping[str, float] = field(default_factory=dict)
    motion: Mapping[str, float] = field(default_factory=dict)
    courses: Mapping[str, Course] = field(default_factory=dict)
    met: tuple[str, ...] = ()
    turned: Mapping[str, np.ndarray] = field(default_factory=dict)
    open: tuple[int, ...] = ()
    loose: tuple[int, ...] = ()
    moving: bool = False
    freedom: int = 0

    @property
    def is_known_rest(self) -> bool:
        """Whether the arm is at rest there in a known equilibrium."""
        return self.kind == "fixed" and not self.moving

    @property
    def is_rest(self) -> bool:
        """Whether the arm is at rest there, up to a leeway."""
        return self.kind in ("fixed", "rest", "near", "course") and not self.moving


Ends = list[list[tuple[End, End]]]  # at both ends of each phase, by scenario
