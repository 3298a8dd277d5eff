"""Audit of a plan: its inputs applied to a finer model of the same arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.assemble import assemble
from flexblocks.beam.discretization import Discretization
from flexblocks.dae.dae import DAE
from flexblocks.dae.with_inputs import with_inputs
from flexblocks.libraries import pd
from flexblocks.linear.linearize import linearize
from flexblocks.modeling.model import Model
from flexblocks.modeling.rediscretize import rediscretize
from flexblocks.rich_display import RichDisplay
from flexblocks.simulation.simulate import SimulationError, simulate, whole
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.user_warning import Withheld, collected_warnings, warn
from flexblocks.validity.large_deflections import without_warning

from ..errors import ProblemError
from ..model.read_solution import regrouped
from ..model.trajectories import PhaseTrajectory, phase_trajectories, transcribed_problem
from ..presolve.inputs.references import with_planned_references
from .arrivals import Leg
from .criteria import Allowed, Criteria, allowed
from .motion_figures import MotionFigures, motion_figures, worst
from .replay import by_inputs, replay
from .replayed_scenario import scenario_run
from .shared_coordinates import shared_states
from .tracked_replay import by_law, held

Finer = Discretization | Mapping[str, Discretization] | Model | DAE | None
PERIODS = 3.0  # of the slowest elastic mode, simulated after the motion: enough for its peaks; by trial
COAST = 1.0  # s, for an arm without elastic modes; by trial


@dataclass(frozen=True, eq=False)
class Audit(RichDisplay):
    """The audit of a plan on a finer model of its arm.

    Attributes
    ----------
    motion : Trajectory
        The planned motion, of the first scenario.
    dae : DAE
        The finer model.
    plan, replay, finer : MotionFigures
        Figures of the planned motion, of its replay on the model of the plan, and of its replay on the finer model.
    coast : float
        Time simulated after the motion under constant holding inputs [s]; 0 if the motion does not end at rest.
    passed : bool
        Whether on the finer model the tip misses by less, and less residual energy is left, than what is `allowed`.
    allowed : Allowed
        Largest miss [m] and residual energy [J], see `Criteria`.
    is_alone : bool
        Whether the finer model moved by the planned inputs alone.
    subject : Plan
        The audited plan; from `optim.refine_model` the last refined plan.
    before : Audit or None
        The audit of the plan before refinement.
    """

    motion: Trajectory
    dae: DAE
    plan: MotionFigures
    replay: MotionFigures
    finer: MotionFigures
    coast: float
    allowed: Allowed
    is_alone: bool = True
    subject: Any = None
    before: Audit | None = None

    @property
    def model(self) -> Model | None:
        """The finer model of the arm; None if `dae` has none."""
        return self.dae.model

    @property
    def passed(self) -> bool:
        return _passes(self.finer, self.allowed)

    @property
    def replays(self) -> bool:
        """Whether the model of the plan itself meets the criteria of `passed`."""
        return _passes(self.replay, self.allowed)

    def to_pandas(self) -> pd.DataFrame:
        """Return the audit as a table: a row for each figure, with its unit, and columns plan, replay and finer."""
        columns = ["figure", "unit", "plan", "replay", "finer"]
        return pd.DataFrame(list(self._rows()), columns=columns).set_index("figure")

    def _rows(self) -> Iterator[tuple[str, str, float, float, float]]:
        all_three = self.plan, self.replay, self.finer

        def row(name: str, unit: str, values: Any) -> tuple[str, str, float, float, float]:
            plan, replayed, finer = (float("nan") if value is None else float(value) for value in values)
            return name, unit, plan, replayed, finer

        yield row("tip misses the goal by", "m", (one.tip_miss for one in all_three))
        yield row("energy left", "J", (one.energy_left for one in all_three))
        yield row(f"tip deviation within {self.coast:.3g} s after", "m", (one.tip_deviation for one in all_three))
        for name in self.finer.residual_deflection:
            values = (one.residual_deflection.get(name) for one in all_three)
            yield row(f"{name}, residual", "m", values)
        for name in self.finer.peak_deflection:
            yield row(f"{name}, peak", "m", (one.peak_deflection.get(name) for one in all_three))
        for name in self.plan.beyond_limits:
            unit = self.motion.unit(name) if name in self.motion else ""
            yield row(f"{name} beyond its limit", unit, (one.beyond_limits.get(name) for one in all_three))

    @property
    def verdict(self) -> str:
        """What was audited, whether it passed, and what was allowed, in a line."""
        word = "passed" if self.passed else "FAILED"
        return (
            f"audit of '{self.motion.name}', {len(self.motion.names['x'])} states, on "
            f"{len(self.dae.x)} states{'' if self.is_alone else ' with feedback'}: {word} (allowed on the finer model: "
            f"{self.allowed})"
        )

    def __repr__(self) -> str:
        return f"Audit({self.motion.name!r}: {'passed' if self.passed else 'not passed'}, allowed {self.allowed})"

    def __str__(self) -> str:
        table = self.to_pandas()
        units = table["unit"].tolist()
        table.index = [f"{name} [{unit}]" if unit else name for name, unit in zip(table.index, units, strict=True)]
        text = table.drop(columns="unit").to_string(float_format=lambda value: f"{value:.3g}", na_rep="-")
        text = f"{self.verdict}\n{text}"
        return text if self.before is None else f"{self.before}\nrefined:\n{text}"


def audit(
    model: Any,
    motions: Sequence[Trajectory],
    finer: Finer = None,
    criteria: Criteria | None = None,
    law: Any = None,
    alone: bool = False,
) -> Audit:
    """Audit planned motions on a finer model of the arm; see `Plan.audit`.

    Parameters
    ----------
    model : ConcreteModel
        Of `pyomo_model`, solved.
    motions : sequence of Trajectory
        The planned motions, by scenario.
    law : str, Law or None
        Feedback during the motion; ``"tracking"`` for the regulator of the plan.
    alone : bool
        Whether the finer model may move without feedback, too, where it does not pass with it: a regulator of the plan
        may swing up the modes that it does not know.
    """
    transcribed, runs = transcribed_problem(model), phase_trajectories(model)
    coarse, arm = transcribed.dae, transcribed.arm
    finer_arm = dae = finer_dae(arm, finer)
    if any(dae.u.derivative_of):
        dae = with_planned_references(dae, transcribed.problem)
    dae = with_inputs(dae, coarse.u.names, dict(zip(coarse.u.names, coarse.u.roles, strict=True)))
    shared = None if law is None else shared_states(coarse, dae)
    planned_runs, finer_runs = [scenario_run(run) for run in runs], [scenario_run(run, dae=dae) for run in runs]
    last = finer_runs[0][1][-1]
    coast = coast_time(dae, last.goal) if last.rests and last.goal is not None else 0.0
    planned = [
        motion_figures(coarse, regrouped(coarse, motion), legs)
        for motion, (_, legs) in zip(motions, planned_runs, strict=True)
    ]
    most = allowed(criteria or Criteria(), transcribed.arm, motions)

    def on_finer(by: Any) -> tuple[MotionFigures | None, SimulationError | None, list[Withheld]]:
        driver = _Driver(dae, finer_arm, coast, by, shared)
        with collected_warnings() as withheld:
            try:
                figures = worst([driver.figures(run, *one) for run, one in zip(runs, finer_runs, strict=True)])
            except SimulationError as error:
                return None, error, withheld
        return figures, None, withheld

    is_alone = law is None
    finer_figures, failure, withheld = on_finer(law)
    if alone and not is_alone and (finer_figures is None or not _passes(finer_figures, most)):
        figures, _, of_inputs = on_finer(None)
        if figures is not None and (finer_figures is None or _passes(figures, most)):
            finer_figures, is_alone, withheld = figures, True, of_inputs
    # Of a motion that is not the finer model's in the audit there is nothing to warn of
    for message, kind in withheld:
        warn(message, kind)
    if finer_figures is None:
        assert failure is not None
        raise failure
    ours = _Driver(coarse, arm, coast, law)
    return Audit(
        motion=motions[0],
        dae=finer_arm,
        plan=worst(planned),
        replay=worst([ours.figures(run, *one) for run, one in zip(runs, planned_runs, strict=True)]),
        finer=finer_figures,
        coast=coast,
        allowed=most,
        is_alone=is_alone,
    )


def finer_dae(dae: DAE, finer: Finer) -> DAE:
    """Return the finer model to audit on.

    Raises
    ------
    ProblemError
        No finer model, or its inputs are not those of the plan.
    FlexblocksError
        Not a discretisation, or no such beam.
    """
    if isinstance(finer, DAE):
        audited = finer
    elif isinstance(finer, Model):
        symbolic = [name for name in dae.p.names if name.partition(".")[0] in finer.blocks]
        audited = assemble(finer, symbolic, locked=dae.locked, prescribed=dae.prescribed)
    elif dae.model is None:
        raise ProblemError(
            f"audit: '{dae.name}' has changed coordinates and so no model; give finer=fb.assemble(finer model)."
        )
    else:
        model = rediscretize(dae.model, finer)
        audited = assemble(model, dae.p.names, dae.dynamics, dae.locked, dae.prescribed)
        if finer is None and audited.tree.size == dae.tree.size:
            raise ProblemError(
                f"audit: '{dae.name}' has no beam to discretise more finely; give finer= a discretisation, such as "
                "fb.AssumedModes(4), a dict by beam name, or a model."
            )
    if audited.u.names != dae.u.names:
        raise ProblemError(
            f"audit: the finer model has the inputs {', '.join(audited.u.names)}; must be those of the plan, "
            f"{', '.join(dae.u.names)}."
        )
    return audited


def coast_time(dae: DAE, goal: OperatingPoint) -> float:
    """Return the coast time [s]: three periods of the slowest elastic mode at the goal."""
    with without_warning():
        modes = linearize(dae, goal, outputs=()).modes()
    slowest = min((mode.frequency for mode in modes if mode.energy == "strain" and mode.frequency > 0), default=None)
    return COAST if slowest is None else PERIODS * 2 * np.pi / slowest


@dataclass(frozen=True, eq=False)
class _Driver:
    """How one model of the arm, with its inputs as they are `whole`, is driven and then held for a `coast` [s]."""

    dae: DAE
    whole: DAE
    coast: float
    law: Any
    shared: frozenset[str] | None = None

    @without_warning()
    def figures(self, run: Sequence[PhaseTrajectory], start: OperatingPoint, legs: Sequence[Leg]) -> MotionFigures:
        """Return the figures of the driven motion of one scenario."""
        options = {"rtol": 1e-9, "atol": 1e-11, "method": "auto"}
        if self.law is None:
            drive = by_inputs(self.dae, **options)
        else:
            drive = by_law(self.dae, run, self.law, self.shared, self.whole, **options)
        driven = replay(self.dae, start, legs, drive).trajectory
        goal = legs[-1].goal
        if goal is None or not legs[-1].rests:
            return motion_figures(self.dae, driven, legs)
        if self.law is None:
            holding = dict(zip(self.dae.u.names, goal.u.tolist(), strict=True))
            after = whole(simulate(self.dae, (0.0, self.coast), holding, driven.x[-1], goal.p))
        else:
            after = held(self.dae, run[-1], legs[-1], driven.x[-1], self.coast, self.law, self.shared, self.whole)
        return motion_figures(self.dae, driven, legs, after)


def _passes(one: MotionFigures, most: Allowed) -> bool:
    return not one.tip_miss >= most.miss and not abs(one.energy_left) >= most.energy
