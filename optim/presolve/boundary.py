"""How a trajectory begins and ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False)
class End:
    """One end of a trajectory.

    Attributes
    ----------
    kind : str
        ``"fixed"``: at rest in a known equilibrium, all states are those of `point`. ``"rest"``: at rest in an
        equilibrium that depends on variables of the problem and is found with them. ``"near"``: in a known equilibrium
        but for some energy. ``"passing"``: in motion.
        ``"joined"``: where the phase before ends.
    point : OperatingPoint
        Where it is, or what the search starts from; with the parameters that balance it.
    given : dict of float
        States that are held where not all of them are, by name.
    places : dict of float
        Outputs and positions of points that are held at ``"rest"``, by name.
    """

    kind: Literal["fixed", "rest", "near", "passing", "joined"]
    point: OperatingPoint
    given: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_rest(self) -> bool:
        """Whether the arm is at rest there, or as good as."""
        return self.kind in ("fixed", "rest", "near")
