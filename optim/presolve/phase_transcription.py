"""Phase transcription: the data of one phase of one scenario that are fixed before the optimisation."""

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
from .rigid_motion.rigid_arm import Waypoint


@dataclass(frozen=True, eq=False)
class PhaseTranscription:
    """The transcription of one phase of one scenario.

    It is the attribute ``b.transcription`` of the trajectory's Pyomo block, or of the model itself if there is only
    one.

    Attributes
    ----------
    dae : DAE
    problem : Problem
    phase : Phase
    p : ndarray (np,)
        Values of the symbolic parameters; start values of the design parameters.
    designed : tuple of int
        Indices of the design parameters, which are variables, in `p`.
    mesh : Mesh
        For a free duration, at the initial guess of it.
    scheme : Collocation
    shape : InputShape
    limits : Limits
    path : PathValues
        Further values bounded along the path.
    begin, end : End
    passed : tuple of (float, ndarray (nx,))
        Via points of the initial guess: times as fractions of the duration, and states.
    duration_range : (float, float) or None
        Bounds of the duration [s]; None if it is fixed.
    borrows_inputs : bool
        Whether the inputs are shared with, and owned by, another scenario.
    static : StaticModes
        The quasi-static modes.
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
        """The objective functional."""
        return self.problem.objective

    @property
    def start(self) -> OperatingPoint:
        """The initial operating point, or its initial guess."""
        return self.begin.point

    @property
    def goal(self) -> OperatingPoint:
        """The final operating point, or its initial guess."""
        return self.end.point

    @property
    def waypoints(self) -> tuple[Waypoint, ...]:
        """Start, via points and goal, as fractions of the duration and states."""
        return (0.0, self.start.x), *self.passed, (1.0, self.goal.x)

    @property
    def is_free(self) -> bool:
        """Whether the duration is a variable."""
        return self.duration_range is not None

    @property
    def form(self) -> IntervalForm:
        """The form of the collocation intervals."""
        return IntervalForm(self.scheme, self.shape, self.is_free, self.designed, self.static)

    @property
    def design_names(self) -> tuple[str, ...]:
        """Names of the design parameters."""
        return tuple(self.dae.p.names[i] for i in self.designed)

    @property
    def begins_with_impact(self) -> bool:
        """Whether the phase begins with an impact: a load at rest picked up in motion."""
        phases = self.problem.phases
        previous = phases[max(phases.index(self.phase) - 1, 0)]
        return self.phase.pick_up == "impact" and previous is not self.phase and previous.goal is None

    @property
    def holds_start(self) -> bool:
        """Whether the inputs begin at the values that hold the arm at rest."""
        return self._holding and self.phase is self.problem.phases[0] and self.begin.is_rest

    @property
    def holds_goal(self) -> bool:
        """Whether the inputs end at the values that hold the arm at rest."""
        return self._holding and self.phase is self.problem.phases[-1] and self.end.is_rest

    @property
    def _holding(self) -> bool:
        return self.shape.is_continuous and self.problem.input_ends == "holding"

    def __deepcopy__(self, memo: dict) -> PhaseTranscription:
        return self  # frozen, so clones of a Pyomo model share it
