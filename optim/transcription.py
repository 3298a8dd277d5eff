"""From a planning problem to a Pyomo model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.dae import DAE
from flexblocks.operating_point import OperatingPoint

from .collocation import Collocation, radau
from .duration import duration_range, estimated_duration
from .errors import ProblemError
from .input_shape import InputShape, input_shape
from .limits import Limits, check_within, other_limits, resolved_limits
from .mesh import Mesh, check_intervals, uniform_mesh
from .objective import Effort, Objective
from .path import Path, check_path, resolved_path
from .problem import RestToRest
from .rest import rest


@dataclass(frozen=True, eq=False)
class Transcription:
    """What a Pyomo model was made from; it stands there as ``m.transcription``, or on the block of its trajectory.

    Attributes
    ----------
    dae : DAE
    problem : RestToRest
    p : ndarray (np,)
        Values of the symbolic parameters.
    mesh : Mesh
        Where the duration is free, of the duration that the solver starts from.
    scheme : Collocation
    shape : InputShape
    limits : Limits
    path : Path
        What is limited on the way besides.
    start, goal : OperatingPoint
    duration_range : (float, float) or None
        Least and greatest duration [s], None where it is fixed.
    """

    dae: DAE
    problem: RestToRest
    p: np.ndarray
    mesh: Mesh
    scheme: Collocation
    shape: InputShape
    limits: Limits
    path: Path
    start: OperatingPoint
    goal: OperatingPoint
    duration_range: tuple[float, float] | None = None

    @property
    def objective(self) -> Objective:
        """What is minimised."""
        return self.problem.objective

    @property
    def is_free(self) -> bool:
        """Whether the duration is a variable."""
        return self.duration_range is not None

    @property
    def holds_ends(self) -> bool:
        """Whether the inputs begin and end at what holds the arm at rest."""
        return self.shape.is_continuous and self.problem.input_ends == "holding"

    def __deepcopy__(self, memo: dict) -> Transcription:
        return self  # frozen; a cloned Pyomo model is made from the same


def transcribe(
    dae: DAE,
    problem: RestToRest,
    *,
    intervals: int = 100,
    degree: int = 3,
    inputs: str = "cubic",
    p: Mapping[str, float] | np.ndarray | None = None,
) -> Transcription:
    """Check a problem against an arm and settle everything that is not to be optimised.

    Raises
    ------
    FlexblocksError
        The problem is malformed, names what is not there, or cannot be met at its ends.
    """
    if not isinstance(dae, DAE):
        raise ProblemError(f"plan: dae = {dae!r}; must be what fb.assemble(model) returns.")
    if not isinstance(problem, RestToRest):
        raise ProblemError(f"plan: problem = {problem!r}; must be an optim.RestToRest(...).")
    if not len(dae.u):
        raise ProblemError(f"plan: '{dae.name}' has no inputs; add a TorqueSource or ForceSource.")
    if dae.constraint.numel_out(0):
        raise ProblemError(f"plan: '{dae.name}' has closed kinematic loops; only trees can be planned for so far.")
    check_intervals(intervals)
    scheme, shape = radau(degree), input_shape(inputs)
    _check_rate_weight(problem, shape)
    limits = resolved_limits(dae, problem.ranges, shape)
    path = resolved_path(dae, other_limits(dae, problem.ranges), problem.path)
    values = dae.p.values(p, "plan: ")
    ends = {where: rest(dae, getattr(problem, where), values, where) for where in ("start", "goal")}
    for where, end in ends.items():
        check_within(dae, limits, where, end.x, end.u)
    _check_bounded(problem, limits)
    given = problem.duration
    duration = given if isinstance(given, float) else estimated_duration(dae, problem, limits, **ends)
    for where, end in ends.items():
        check_path(path, where, end, 0.0 if where == "start" else duration)
    mesh = uniform_mesh(duration, intervals)
    return Transcription(
        dae,
        problem,
        values,
        mesh,
        scheme,
        shape,
        limits,
        path,
        **ends,
        duration_range=duration_range(problem, duration),
    )


def _check_rate_weight(problem: RestToRest, shape: InputShape) -> None:
    weights = [term.rate_weight for _, term in problem.objective.terms if isinstance(term, Effort)]
    if any(weights) and not shape.is_continuous:
        raise ProblemError(
            f"plan: inputs = '{shape.name}' jump, so their rate cannot be weighted (rate_weight = "
            f"{max(weights):g} s2); use continuous inputs, or objective=optim.Effort(rate_weight=0)."
        )


def _check_bounded(problem: RestToRest, limits: Limits) -> None:
    """Refuse a shortest time that nothing limits."""
    limited = any(np.isfinite(group).any() for group in (limits.x, limits.u, limits.du))
    costly = any(isinstance(term, Effort) for _, term in problem.objective.terms)
    if problem.duration == "free" and not limited and not costly:
        raise ProblemError(
            f"plan: objective = {problem.objective}; nothing limits how fast the arm moves. Limit its inputs, as "
            'limits={"motor1.torque": 2.0}.'
        )
