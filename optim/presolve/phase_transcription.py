"""Phase transcription: the data of one phase of one scenario that are fixed before the optimisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
from .margins import narrowed
from .path_values import PathValues
from .rigid_motion.waypoint_spline import Waypoint


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
    unresolved : StaticModes
        The modes that the mesh does not resolve at the goal, in a given time, which it leaves free; none if modes
        are quasi-static.
    margins : dict of float
        By how much the plan stays within the bounds of `path`, by name; those of `limits` are narrowed already.
    input_sizes : dict of float
        Of inputs of several units, by name, where the objective has none of its own; empty if they compare as they are.
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
    unresolved: StaticModes = ALL_MOVE
    margins: Mapping[str, float] = field(default_factory=dict)
    input_sizes: Mapping[str, float] = field(default_factory=dict)

    @property
    def path_bounds(self) -> dict[str, tuple[float, float]]:
        """Lower and upper bounds of the path values in the plan, by name: those of the problem, less the margins."""
        ends = zip(self.path.low.tolist(), self.path.high.tolist(), strict=True)
        return narrowed(dict(zip(self.path.names, ends, strict=True)), self.margins)

    @property
    def objective(self) -> Objective:
        """The objective functional, in which inputs of several units compare."""
        asked = self.problem.objective
        return asked.sized(self.input_sizes) if self.input_sizes else asked

    @property
    def start(self) -> OperatingPoint:
        """The initial operating point, or its initial guess."""
        return self.begin.point

    @property
    def goal(self) -> OperatingPoint:
        """The final operating point, or its initial guess."""
        return self.end.point

    @property
    def ends(self) -> tuple[tuple[str, End, float], ...]:
        """Both ends, by name, and the times at which they are reached [s]."""
        return ("start", self.begin, 0.0), ("goal", self.end, self.mesh.duration)

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
        """Whether the inputs begin at the values that hold the arm at rest.

        Also where they jump there: a jump to anywhere else would excite modes that the mesh does not resolve.
        """
        if not self.is_holding or not self.begin.is_rest:
            return False
        return self.index == 0 or (self.phase.input_jump and self.begin.is_known_rest and self._is_balanced)

    @property
    def holds_goal(self) -> bool:
        """Whether the inputs end at the values that hold the arm at rest."""
        phases, i = self.problem.phases, self.index
        if not self.is_holding or not self.end.is_rest:
            return False
        return i == len(phases) - 1 or (phases[i + 1].input_jump and self.phase.balance == "own")

    @property
    def index(self) -> int:
        """The number of the phase."""
        return next(i for i, phase in enumerate(self.problem.phases) if phase is self.phase)

    @property
    def _is_balanced(self) -> bool:
        """Whether the arm, at rest at the end of the phase before, is in balance under the parameters of this one."""
        before = self.problem.phases[self.index - 1]
        return before.balance == "next" or before.p == self.phase.p

    @property
    def is_holding(self) -> bool:
        """Whether inputs begin and end at what holds the arm."""
        return self.shape.is_continuous and self.problem.input_ends == "holding"

    def __deepcopy__(self, memo: dict) -> PhaseTranscription:
        return self  # frozen, so clones of a Pyomo model share it
