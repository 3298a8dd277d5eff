"""From a planning problem to a Pyomo model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.dae import DAE
from flexblocks.operating_point import OperatingPoint

from .collocation import Collocation, radau
from .errors import ProblemError
from .input_shape import InputShape, input_shape
from .limits import Limits, check_within, resolved_limits
from .mesh import Mesh, uniform_mesh
from .objective import Effort, objective_named
from .problem import RestToRest
from .rest import rest


@dataclass(frozen=True, eq=False)
class Transcription:
    """What a Pyomo model was made from; it stands there as ``m.transcription``.

    Attributes
    ----------
    dae : DAE
    problem : RestToRest
    p : ndarray (np,)
        Values of the symbolic parameters.
    mesh : Mesh
    scheme : Collocation
    shape : InputShape
    limits : Limits
    start, goal : OperatingPoint
    """

    dae: DAE
    problem: RestToRest
    p: np.ndarray
    mesh: Mesh
    scheme: Collocation
    shape: InputShape
    limits: Limits
    start: OperatingPoint
    goal: OperatingPoint

    @property
    def objective(self) -> Effort:
        """What is minimised."""
        return objective_named(self.problem.objective)

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
    mesh, scheme, shape = uniform_mesh(problem.duration, intervals), radau(degree), input_shape(inputs)
    _check_rate_weight(problem, shape)
    limits = resolved_limits(dae, problem.ranges, shape)
    values = dae.p.values(p, "plan: ")
    ends = {where: rest(dae, getattr(problem, where), values, where) for where in ("start", "goal")}
    for where, end in ends.items():
        check_within(dae, limits, where, end.x, end.u)
    return Transcription(dae, problem, values, mesh, scheme, shape, limits, **ends)


def _check_rate_weight(problem: RestToRest, shape: InputShape) -> None:
    objective = objective_named(problem.objective)
    if objective.rate_weight and not shape.is_continuous:
        raise ProblemError(
            f"plan: inputs = '{shape.name}' jump, so their rate cannot be weighted (rate_weight = "
            f"{objective.rate_weight:g} s2); use continuous inputs, or objective=optim.Effort(rate_weight=0)."
        )
