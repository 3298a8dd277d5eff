"""What stands behind the Pyomo variables of one trajectory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.input_parametrization import InputShape
from ..collocation.interval import IntervalForm
from ..collocation.mesh import Mesh
from ..collocation.quasi_static import ALL_MOVE, StaticModes
from ..collocation.schemes import Collocation
from ..problem.objectives.objective import Objective
from ..problem.phase import Phase
from ..problem.problem import Problem
from .boundary import End
from .bounds import Limits
from .path_values import PathValues
from .rigid_arm import Waypoint


@dataclass(frozen=True, eq=False)
class Transcription:
    """One phase of one scenario: everything about it that is not to be optimised.

    It stands on the Pyomo block of its trajectory, ``b.transcription``; on the model itself where that is the only one.

    Attributes
    ----------
    dae : DAE
    problem : Problem
    phase : Phase
    p : ndarray (np,)
        Values of the symbolic parameters; of those that are designed, the start values.
    designed : tuple of int
        Places among them of the parameters that are variables.
    mesh : Mesh
        Where the duration is free, of the duration that the solver starts from.
    scheme : Collocation
    shape : InputShape
    limits : Limits
    path : PathValues
        What is limited on the way besides.
    begin, end : End
    passed : tuple of (float, ndarray (nx,))
        Via points: when, as shares of the duration, and with which states a first guess passes them.
    duration_range : (float, float) or None
        Least and greatest duration [s], None where it is fixed.
    borrows_inputs : bool
        Whether the inputs are those of another scenario.
    static : StaticModes
        What is carried quasi-statically.
    """

    dae: DAE
    problem: Problem
    phase: Phase
    p: np.ndarray
    designed: tuple[int, ...]
    mesh: Mesh
    scheme: Collocation
    shape: InputShape
    limits: Limits
    path: PathValues
    begin: End
    end: End
    passed: tuple[Waypoint, ...] = ()
    duration_range: tuple[float, float] | None = None
    borrows_inputs: bool = False
    static: StaticModes = ALL_MOVE

    @property
    def objective(self) -> Objective:
        """What is minimised."""
        return self.problem.objective

    @property
    def start(self) -> OperatingPoint:
        """Where the trajectory begins, or what the search starts from."""
        return self.begin.point

    @property
    def goal(self) -> OperatingPoint:
        """Where the trajectory ends, or what the search starts from."""
        return self.end.point

    @property
    def waypoints(self) -> tuple[Waypoint, ...]:
        """Start, via points and goal, as shares of the duration and states."""
        return (0.0, self.start.x), *self.passed, (1.0, self.goal.x)

    @property
    def is_free(self) -> bool:
        """Whether the duration is a variable."""
        return self.duration_range is not None

    @property
    def form(self) -> IntervalForm:
        """The form of its intervals."""
        return IntervalForm(self.scheme, self.shape, self.is_free, self.designed, self.static)

    @property
    def design_names(self) -> tuple[str, ...]:
        """Names of the parameters that are variables."""
        return tuple(self.dae.p.names[place] for place in self.designed)

    @property
    def begins_with_impact(self) -> bool:
        """Whether a load at rest is jerked along when the phase begins."""
        phases = self.problem.phases
        before = phases[max(phases.index(self.phase) - 1, 0)]
        return self.phase.pick_up == "impact" and before is not self.phase and before.goal is None

    @property
    def holds_start(self) -> bool:
        """Whether the inputs begin at what holds the arm at rest."""
        return self._holding and self.phase is self.problem.phases[0]

    @property
    def holds_goal(self) -> bool:
        """Whether the inputs end at what holds the arm at rest."""
        return self._holding and self.phase is self.problem.phases[-1] and self.end.is_rest

    @property
    def _holding(self) -> bool:
        return self.shape.is_continuous and self.problem.input_ends == "holding"

    def __deepcopy__(self, memo: dict) -> Transcription:
        return self  # frozen; a cloned Pyomo model is made from the same
