"""Optimal control problem: phases, scenarios that share the inputs, and design parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..errors import ProblemError
from .known_motion import checked_motions
from .objectives import checked_objective
from .objectives.objective import Objective
from .path_constraints import checked_path
from .path_constraints.path_constraint import PathConstraint
from .phase import Phase
from .validation import Duration, Limit, boundary_values, is_empty, limit_ranges, mapping, number, numbers, word

WHERE = "Problem"


@dataclass(frozen=True)
class Problem:
    """An optimal control problem of one or several phases.

    Parameters
    ----------
    start : dict of float or Pose
        As for `RestToRest`.
    phases : sequence of Phase
    objective : "effort", "time", "vibration" or Objective
        Summed over all phases; see `RestToRest`.
    limits, path
        In all phases; see `RestToRest`.
    input_ends : "free" or "holding"
        At the start of the first phase and the end of the last; see `RestToRest`.
    periodic : bool
        Whether the motion ends in the state in which it began, with the same inputs where these are continuous, so that
        it can be repeated. `start` then names the coordinates, and rates if any, that it passes at the beginning; all
        other states are free there. The last phase has neither a goal nor passed states.
    prescribed : dict of float, text, callable or spline
        Known motions of prescribed coordinates, and known inputs, over the time of all phases; see `RestToRest`.
    scenarios : sequence of dict of float
        Values of symbolic parameters, as ``({"payload.mass": 0.0}, {"payload.mass": 0.3})``. Each scenario is a
        separate motion under the same inputs and durations.
    aggregate : "mean" or "worst"
        Which cost over the scenarios is minimised if the objective differs between them.
    design : dict of (float, float)
        Symbolic parameters optimised together with the motion, with their bounds, as
        ``{"spring1.stiffness": (50.0, 200.0)}``.

    Attributes
    ----------
    ranges : dict
        The limits as (low, high), infinite where there is none.
    """

    start: Mapping[str, float]
    phases: Sequence[Phase]
    objective: Any = "effort"  # an Objective once checked
    limits: Mapping[str, Limit] = field(default_factory=dict)
    path: Any = ()  # a tuple of PathConstraint once checked
    input_ends: Literal["free", "holding"] = "free"
    scenarios: Sequence[Mapping[str, float]] = ()
    aggregate: Literal["mean", "worst"] = "mean"
    design: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    prescribed: Mapping[str, Any] = field(default_factory=dict)
    periodic: bool = False
    ranges: Mapping[str, tuple[float, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = {
            "start": boundary_values(f"{WHERE}: start", self.start),
            "phases": _phases(self.phases),
            "objective": checked_objective(self.objective),
            "limits": mapping(f"{WHERE}: limits", self.limits),
            "path": checked_path(f"{WHERE}: path", self.path) if not is_empty(self.path) else (),
            "ranges": limit_ranges(WHERE, self.limits),
            "scenarios": _scenarios(self.scenarios),
            "design": _design(self.design),
        }
        for name, value in put.items():
            object.__setattr__(self, name, value)
        self._check_period()
        durations = [phase.duration for phase in self.phases]
        if not isinstance(self.prescribed, Mapping) or self.prescribed:
            motions = checked_motions(f"{WHERE}: prescribed", self.prescribed, durations)
            object.__setattr__(self, "prescribed", motions)
        word(f"{WHERE}: input_ends", self.input_ends, "free", "holding")
        word(f"{WHERE}: aggregate", self.aggregate, "mean", "worst")
        check_time(WHERE, durations, put["objective"])
        self._check_parameters()

    @property
    def is_timed(self) -> bool:
        """Whether the durations of all phases are fixed."""
        return all(phase.is_timed for phase in self.phases)

    def ranges_in(self, phase: Phase) -> dict[str, tuple[float, float]]:
        """Return the limits in a phase: its own, and those of the problem that it does not override."""
        return {**self.ranges, **phase.ranges}

    def path_in(self, phase: Phase) -> tuple[PathConstraint, ...]:
        """Return the path constraints in a phase."""
        return (*self.path, *phase.path)

    def lasting(self, durations: Sequence[Duration], objective: Objective) -> Problem:
        """Return this problem with other durations and another objective."""
        phases = [phase.lasting(duration) for phase, duration in zip(self.phases, durations, strict=True)]
        return replace(self, phases=phases, objective=objective)

    def _check_period(self) -> None:
        """Refuse a periodic motion with an end of its own."""
        if not isinstance(self.periodic, bool):
            raise ProblemError(f"{WHERE}: periodic = {self.periodic!r}; must be True or False.")
        last = self.phases[-1]
        if not self.periodic:
            if last.goal is None and last.passing is None:
                raise ProblemError(
                    f"{WHERE}: phase '{last.name}' is the last and has no goal; give it a goal or passing."
                )
            return
        if last.goal is not None or last.passing:
            raise ProblemError(
                f"{WHERE}: periodic, and phase '{last.name}' has a goal or passes states at its end, where the motion "
                "began; leave these out."
            )
        if self.input_ends == "holding":
            raise ProblemError(
                f'{WHERE}: periodic, and input_ends = "holding"; inputs end as they begin: take input_ends="free".'
            )

    def _check_parameters(self) -> None:
        """Refuse a parameter with two conflicting values."""
        for phase in self.phases:
            for name in phase.p:
                _check_single(name, f"p of phase '{phase.name}'", self.design, self.scenarios)
        for name in self.design:
            _check_single(name, "design", {}, self.scenarios)


def check_time(where: str, durations: Sequence[Duration], objective: Objective) -> None:
    """Refuse to minimise a fixed time, and an unbounded duration without a cost on time.

    Raises
    ------
    ProblemError
        The message says what to change.
    """
    timed = objective.time_weight > 0
    if timed and all(isinstance(duration, float) for duration in durations):
        times = " + ".join(f"{duration:g}" for duration in durations)
        raise ProblemError(
            f"{where}: objective = {objective} with duration = {times} s; a fixed time cannot be minimised. "
            'Give a range (low, high), or "free".'
        )
    if not timed and "free" in durations:
        raise ProblemError(
            f'{where}: duration = "free" with objective = {objective}; a slower motion always costs less. Add '
            "optim.Time() with a weight, or give a range (low, high)."
        )


def _phases(phases: Any) -> tuple[Phase, ...]:
    if isinstance(phases, Phase):
        phases = (phases,)
    if not isinstance(phases, Sequence) or not phases or not all(isinstance(phase, Phase) for phase in phases):
        raise ProblemError(f"{WHERE}: phases = {phases!r}; must be a sequence of optim.Phase(...), at least one.")
    names = [phase.name for phase in phases]
    for name in names:
        if names.count(name) > 1:
            raise ProblemError(f"{WHERE}: phases: {names.count(name)} are called '{name}'; give each a unique name.")
    last = phases[-1]
    if last.balance == "next":
        raise ProblemError(f"{WHERE}: phase '{last.name}': balance = \"next\", but no phase comes next; leave it out.")
    return tuple(phases)


def _scenarios(value: Any) -> tuple[dict[str, float], ...]:
    where = f"{WHERE}: scenarios"
    if isinstance(value, (str, Mapping)) or not isinstance(value, Sequence):
        raise ProblemError(f'{where} = {value!r}; must be a sequence of dicts, as ({{"payload.mass": 0.0}}, ...).')
    scenarios = tuple(numbers(f"{where}[{i}]", scenario) for i, scenario in enumerate(value))
    for i, scenario in enumerate(scenarios):
        if scenario in scenarios[:i]:
            raise ProblemError(f"{where}[{i}] = {scenario}; is a duplicate. Leave one out.")
    return scenarios


def _design(value: Any) -> dict[str, tuple[float, float]]:
    where = f"{WHERE}: design"
    design = {}
    for name, bounds in mapping(where, value).items():
        if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
            raise ProblemError(f"{where}: {name} = {bounds!r}; must be its bounds (low, high).")
        low, high = (number(f"{where}: {name}", bound, "finite bounds (low, high)") for bound in bounds)
        if not low < high:
            raise ProblemError(f"{where}: {name} = ({low:g}, {high:g}); must be bounds with low < high.")
        design[name] = (low, high)
    return design


def _check_single(name: str, where: str, design: Mapping, scenarios: Sequence[Mapping]) -> None:
    others = ["design"] if name in design else []
    others += [f"scenarios[{i}]" for i, scenario in enumerate(scenarios) if name in scenario]
    if others:
        raise ProblemError(
            f"{WHERE}: '{name}' has a value in {where} and another in {others[0]}; give it in one of them."
        )
