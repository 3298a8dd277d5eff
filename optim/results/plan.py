"""The plan: what planning gives."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyomo.environ as pyo
from scipy.interpolate import PPoly

from flexblocks.simulation.trajectory import Trajectory

from ..errors import PlanWarning, ProblemError
from ..model.boundary_conditions import moved_ends
from ..model.read_solution import active_objective, input_polynomials, joined_inputs, joined_trajectory, trajectory
from ..model.trajectories import PhaseTrajectory, all_arcs, arcs, transcribed_problem
from ..presolve.phase_transcription import Transcription
from ..presolve.transcribed_problem import TranscribedProblem
from ..solver_statistics import Statistics, statistics, status_of
from ..verification.audit import Audit, Finer, audit
from ..verification.replay import Replay, replay, side_by_side
from ..verification.replayed_scenario import scenario_run
from .attempt import Attempt
from .summary import summary

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned motion.

    Attributes
    ----------
    model : ConcreteModel
        The solved Pyomo model.
    trajectories : tuple of Trajectory
        The motion at mesh and collocation points in each scenario, its phases joined.
    inputs : dict of PPoly
        The inputs over time [s], exact, by name; ``fb.simulate`` takes them as they are.
    objective : float
    duration : float
        [s], of all phases.
    status : str
        ``"converged"``, the solver's word for an optimum of the transcription, or why it stopped. Where the mesh was to
        be refined until the plan replays, ``"optimal"`` if it does and ``"unresolved"`` if it does not.
    statistics : Statistics
    attempts : tuple of Attempt
        All solves on the way, the last of them this plan; empty for a model solved by hand.
    """

    model: pyo.ConcreteModel
    trajectories: tuple[Trajectory, ...]
    inputs: Mapping[str, PPoly]
    objective: float
    duration: float
    status: str
    statistics: Statistics
    attempts: tuple[Attempt, ...] = ()

    @classmethod
    def from_model(cls, model: Any, results: Any = None) -> Plan:
        """Return the plan that stands in a model of `optim.pyomo_model`, as it is now.

        Parameters
        ----------
        model : ConcreteModel
        results : optional
            What ``SolverFactory("casadi").solve(model)`` returned, for status and statistics.

        Raises
        ------
        ProblemError
            The model does not come from `optim.pyomo_model`, or was not solved.

        Warns
        -----
        PlanWarning
            Start or goal were fixed elsewhere by hand; `optim.repose` tells the problem, too.
        """
        runs = arcs(model)
        value = active_objective(model)(exception=False)
        if value is None:
            raise ProblemError(
                f"Plan: '{model.name}' has no values yet; solve it first, by optim.solve(model) or "
                'pyo.SolverFactory("casadi").solve(model).'
            )
        _warn_of_moved(runs)
        inputs = [input_polynomials(arc) for arc in runs[0]]
        motions = [[trajectory(arc, own) for arc, own in zip(run, inputs, strict=True)] for run in runs]
        return cls(
            model=model,
            trajectories=tuple(map(joined_trajectory, motions)),
            inputs=joined_inputs(inputs),
            objective=float(value),
            duration=sum(arc.mesh.duration for arc in runs[0]),
            status="not known" if results is None else status_of(results),
            statistics=statistics(model, results),
        )

    @property
    def transcribed(self) -> TranscribedProblem:
        """Problem, options, and the transcriptions of all phases and scenarios behind the model."""
        return transcribed_problem(self.model)

    @property
    def transcription(self) -> Transcription:
        """Mesh, limits and ends behind the model, where there is one phase and one scenario."""
        return self.transcribed.only

    @property
    def trajectory(self) -> Trajectory:
        """The motion, of the first scenario where there are several."""
        return self.trajectories[0]

    @property
    def phases(self) -> dict[str, tuple[float, float]]:
        """When each phase begins and ends [s], by name."""
        durations = {arc.transcription.phase.name: arc.mesh.duration for arc in arcs(self.model)[0]}
        ends = list(accumulate(durations.values()))
        return dict(zip(durations, zip([0.0, *ends[:-1]], ends, strict=True), strict=True))

    @property
    def p(self) -> dict[str, float]:
        """Symbolic parameters that have one value in all phases and scenarios, by name; those designed as found."""
        names, values = self.transcribed.dae.p.names, [arc.p.tolist() for arc in all_arcs(self.model)]
        return {name: own[0] for name, own in zip(names, zip(*values, strict=True), strict=True) if len(set(own)) == 1}

    def to_xarray(self) -> xr.Dataset:
        """Return the motion as an xarray Dataset over ``time``, and over ``scenario`` where there are several.

        The coordinate ``phase`` says to which phase a time belongs, ``p[name]`` what the scenarios differ in.
        """
        from .dataset import dataset

        p = np.array([run[0].p for run in arcs(self.model)])
        return dataset(self.transcribed.dae, self.trajectories, self.phases, p)

    def replay(
        self,
        scenario: Mapping[str, float] | None = None,
        *,
        rtol: float = 1e-9,
        atol: float = 1e-11,
        method: str = "auto",
    ) -> Replay:
        """Apply the planned inputs to the same arm in an independent simulation, phase by phase.

        Parameters
        ----------
        scenario : dict of float, optional
            Values of symbolic parameters, by name, under which the arm is to move; start and goal are its equilibria
            under them. By default every scenario of the problem is replayed.
        rtol, atol : float
        method : str
            See `flexblocks.simulate`.

        Raises
        ------
        ProblemError
            The scenario names what is not symbolic, or what phases have values for.
        """
        runs = arcs(self.model)
        chosen = [(run, None) for run in runs] if scenario is None else [(runs[0], scenario)]
        options: dict[str, Any] = {"rtol": rtol, "atol": atol, "method": method}
        return side_by_side([replay(self.transcribed.dae, *scenario_run(run, own), **options) for run, own in chosen])

    def audit(self, finer: Finer = None) -> Audit:
        """Apply the planned inputs to a finer model of the same arm, and watch it after the end.

        `optim.refine_model` plans again, on a richer model, until the audit passes.

        Parameters
        ----------
        finer : Discretization, dict of Discretization, Model or DAE, optional
            For every beam that bends, or by beam name; or the finer model itself, with the same inputs and names. By
            default 2 n + 2 assumed modes for n, twice the finite elements or rigid segments.

        Returns
        -------
        Audit
            ``str(audit)`` is a table, of several scenarios the worst; ``audit.subject`` is this plan.

        Raises
        ------
        ProblemError
            There is nothing finer, or the inputs are others.
        """
        return replace(audit(self.model, self.trajectories, finer), subject=self)

    def save(self, path: str | Path) -> None:
        """Write the plan to a netCDF (``.nc``) file, from which `optim.load_plan` reads it.

        The file is one of the trajectory, which `flexblocks.Trajectory.load` reads too, with the arm, the problem, the
        transcription and the values of all Vars beside it. What was added to the Pyomo model by hand is not in it.

        Raises
        ------
        FlexblocksError
            The name ends otherwise; the arm or the problem holds what a file cannot say, such as a function.
        """
        from .plan_file import write_plan

        figures = {
            "objective": self.objective,
            "status": self.status,
            "statistics": asdict(self.statistics),
            "attempts": [asdict(attempt) for attempt in self.attempts],
        }
        write_plan(path, self.model, self.trajectory, figures)

    def summary(self) -> str:
        """Return what was asked, how it was planned and what came out, in a few lines."""
        return summary(
            self.transcribed,
            self.trajectories,
            objective=self.objective,
            duration=self.duration,
            status=self.status,
            phases=self.phases,
            p=self.p,
            statistics=self.statistics,
            attempts=self.attempts,
        )

    def __repr__(self) -> str:
        return (
            f"Plan({self.transcribed.dae.name!r}: {self.duration:g} s, {self.status}, objective {self.objective:.6g})"
        )


def load_plan(path: str | Path, types: Iterable[type] = ()) -> Plan:
    """Return the plan that `Plan.save` has written, as good as new: it can be replayed, audited and solved again.

    Parameters
    ----------
    path : str or Path
        A ``.nc`` file.
    types : iterable of type
        Blocks (and discretizations) of your own in its model.

    Raises
    ------
    FileFormatError
        The file is not there, not one of a plan, or of another version.
    """
    from .plan_file import read_plan

    model, figures = read_plan(path, types)
    return replace(
        Plan.from_model(model),
        objective=figures["objective"],
        status=figures["status"],
        statistics=Statistics(**figures["statistics"]),
        attempts=tuple(Attempt(**attempt) for attempt in figures["attempts"]),
    )


def _warn_of_moved(runs: Iterable[Iterable[PhaseTrajectory]]) -> None:
    moved = [text for run in runs for arc in run for text in moved_ends(arc.block, arc.transcription)]
    if moved:
        more = f" (and {len(moved) - 1} more)" if moved[1:] else ""
        warnings.warn(
            f"Plan: {moved[0]}, as the problem has it{more}; replay and summary go by the problem. Move start and goal "
            "by optim.repose(model, problem).",
            PlanWarning,
            stacklevel=3,
        )
