"""Plan: the solution of a planning problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyomo.environ as pyo

from flexblocks.lazy_package import upper
from flexblocks.libraries import scipy
from flexblocks.rich_display import Animated, RichDisplay
from flexblocks.simulation.method import MethodName
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn

from ..errors import ProblemError
from ..model.ends.boundary_conditions import moved_boundaries
from ..model.read_solution import (
    active_objective,
    arm_inputs,
    input_polynomials,
    joined_inputs,
    joined_trajectory,
    regrouped,
    trajectory,
)
from ..model.trajectories import PhaseTrajectory, all_phase_trajectories, phase_trajectories, transcribed_problem
from ..model.violations import Violation, violations
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.transcribed_problem import TranscribedProblem
from ..solver_statistics import CONVERGED, INACCURATE, Statistics, statistics, status_of
from ..verification.audit import Audit, Finer, audit
from ..verification.between_points import violations_between_points
from ..verification.criteria import Criteria, allowed
from ..verification.mesh_errors.mesh_errors import MeshErrors, mesh_errors
from ..verification.replay import Replay
from ..verification.tracked_replay import AUTO
from ..warning_kinds import MOVED_BY_HAND
from .attempt import Attempt
from .replays import chosen_law, replay_of
from .summary import summary

if TYPE_CHECKING:
    import xarray as xr

    from flexblocks.modeling.model import Model


Multipliers = tuple[np.ndarray, np.ndarray]  # of the solver's bounds (n,) and constraints (m,)


@dataclass(frozen=True, eq=False)
class Plan(RichDisplay, Animated):
    """A planned motion with its inputs.

    Attributes
    ----------
    pyomo_model : ConcreteModel
        The solved Pyomo model.
    trajectories : tuple of Trajectory
        The motion at mesh and collocation points in each scenario, its phases joined.
    inputs : dict of PPoly
        The inputs over time [s] by name, as exact polynomials; ``fb.simulate`` accepts them as they are.
    objective : float
    duration : float
        [s], of all phases.
    status : str
        One of `optim.solver_statistics.Status`:

        * ``"converged"``: an optimum of the transcription, whose equations hold;
        * ``"converged, rounded off"``: one for friction or play that is rounded off;
        * ``"optimal"``: after refinement, the plan replays;
        * ``"unresolved"``: an optimum that does not replay, or whose `mesh_errors` exceed a hundredth of the reach;
        * ``"unresolved, rounded off"``: the same for friction or play that is rounded off, as such an arm moves;
        * ``"inaccurate"``: the solver took it for an optimum, but it breaks its own equations, see `violations`;
        * ``"feasible, not optimal"``: a motion that keeps all limits;
        * otherwise why the solver stopped, in Pyomo's words such as ``"iterationLimit"``; or, where planning was ended
          by its time limit without such a motion, by how much the best iterate ``"misses the goal"``.
    statistics : Statistics
    attempts : tuple of Attempt
        All solves that led to this plan, which is the last; empty for a model solved by hand.
    multipliers : tuple of ndarray, optional
        Those of the solver's bounds and constraints, from which another solve of the same program starts.
    """

    pyomo_model: pyo.ConcreteModel
    trajectories: tuple[Trajectory, ...]
    inputs: Mapping[str, scipy.interpolate.PPoly]
    objective: float
    duration: float
    status: str
    statistics: Statistics
    attempts: tuple[Attempt, ...] = ()
    multipliers: Multipliers | None = field(default=None, repr=False, compare=False)

    @classmethod
    def from_model(cls, model: Any, results: Any = None) -> Plan:
        """Return the plan from the present values of a model of `optim.pyomo_model`.

        Parameters
        ----------
        model : ConcreteModel
        results : optional
            The result of ``SolverFactory("casadi").solve(model)``, for status and statistics.

        Raises
        ------
        ProblemError
            The model was not made by `optim.pyomo_model`, or not solved.

        Warns
        -----
        PlanWarning
            Start or goal were fixed to other values by hand, which the problem does not know.
        """
        runs = phase_trajectories(model)
        value = active_objective(model)(exception=False)
        if value is None:
            raise ProblemError(
                f"Plan: '{model.name}' has no values yet; solve it first, by optim.solve(model) or "
                'pyo.SolverFactory("casadi").solve(model).'
            )
        _warn_of_moved(runs)
        by_phase = [input_polynomials(traj) for traj in runs[0]]
        motions = [
            joined_trajectory([trajectory(traj, known) for traj, known in zip(run, by_phase, strict=True)])
            for run in runs
        ]
        inputs, arm = joined_inputs(by_phase), transcribed_problem(model).arm
        if any(arm.u.derivative_of):
            inputs = arm_inputs(arm, runs[0], inputs)
        motions = [regrouped(arm, motion, inputs) for motion in motions]
        plan = cls(
            pyomo_model=model,
            trajectories=tuple(motions),
            inputs=inputs,
            objective=float(value),
            duration=sum(traj.mesh.duration for traj in runs[0]),
            status="not known" if results is None else status_of(results),
            statistics=statistics(model, results),
            multipliers=getattr(getattr(results, "extra_info", None), "multipliers", None),
        )
        return replace(plan, status=INACCURATE) if plan.status == CONVERGED and plan.violations else plan

    @property
    def transcribed(self) -> TranscribedProblem:
        """Problem, options, and phase transcriptions that the model was built from."""
        return transcribed_problem(self.pyomo_model)

    @property
    def transcription(self) -> PhaseTranscription:
        """The phase transcription, if there is one phase and one scenario."""
        return self.transcribed.only

    @property
    def model(self) -> Model | None:
        """The model of the arm; None for changed coordinates."""
        return self.transcribed.arm.model

    @property
    def trajectory(self) -> Trajectory:
        """The motion; of the first scenario if there are several."""
        return self.trajectories[0]

    @property
    def phases(self) -> dict[str, tuple[float, float]]:
        """Begin and end of each phase [s], by name."""
        durations = {
            traj.transcription.phase.name: traj.mesh.duration for traj in phase_trajectories(self.pyomo_model)[0]
        }
        ends = list(accumulate(durations.values()))
        return dict(zip(durations, zip([0.0, *ends[:-1]], ends, strict=True), strict=True))

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """Equations, ends and limits that the planned motion breaks at its own points, worst first.

        In their own units, relative to the sum of the magnitudes of their terms, with each variable counted by the most
        that the motion makes of it: by more than 1e-6, a hundred times what the solver leaves of equations that are
        scaled as they should be. A converged plan has none.
        """
        return violations(self.pyomo_model, of_plan=True)

    @property
    def excesses(self) -> tuple[Violation, ...]:
        """Path constraints and limits of states that the planned motion violates between collocation points.

        Each once with its largest violation and time, worst first; only those by more than 1 % of the size of what is
        violated, such as an obstacle's radius. ``plan.replay().excesses`` has those of the simulated motion.
        """
        return violations_between_points(self.pyomo_model)

    @property
    def p(self) -> dict[str, float]:
        """Symbolic parameters with one value in all phases and scenarios, by name; design parameters optimal."""
        names, values = (
            self.transcribed.dae.p.names,
            [traj.p.tolist() for traj in all_phase_trajectories(self.pyomo_model)],
        )
        return {
            name: phase_values[0]
            for name, phase_values in zip(names, zip(*values, strict=True), strict=True)
            if len(set(phase_values)) == 1
        }

    def to_xarray(self) -> xr.Dataset:
        """Return the motion as an xarray Dataset over ``time``, and over ``scenario`` if there are several.

        The coordinate ``phase`` names the phase of each time, ``p[name]`` the parameters in which scenarios differ.
        """
        from .dataset import dataset

        p = np.array([run[0].p for run in phase_trajectories(self.pyomo_model)])
        return dataset(self.transcribed.arm, self.trajectories, self.phases, p)

    @cached_property
    def mesh_errors(self) -> MeshErrors | None:
        """Errors of the mesh: by how much each interval ends beside the plan, and how such errors grow along the way.

        By linearisation about the plan, a small part of the time of a solve; by default criteria. Errors that grow
        beyond all numbers are infinite, see `MeshErrors.is_judged`. None where the equations of motion cannot be
        linearised along the motion, as with coordinates that depend on others, samplers, or at singular postures.
        """
        limits = allowed(Criteria(), self.transcribed.arm, self.trajectories)
        return mesh_errors(phase_trajectories(self.pyomo_model), limits)

    def replay(
        self,
        scenario: Mapping[str, float] | None = None,
        *,
        law: Any = "auto",
        rtol: float = 1e-9,
        atol: float = 1e-11,
        method: MethodName = "auto",
        time_limit: float | None = None,
    ) -> Replay:
        """Replay the plan: apply its inputs to the same arm in an independent simulation.

        Parameters
        ----------
        scenario : dict of float, optional
            Values of symbolic parameters, by name, for the simulation; start and goal are its equilibria under them. By
            default every scenario of the problem is replayed.
        law : "auto", "tracking", Law or None
            Feedback that follows the plan. ``"tracking"``: a time-varying linear-quadratic regulator of the plan; or
            any law of `flexblocks.control`, whose references follow the plan; None: the planned inputs alone. By
            default ``"tracking"`` where errors grow along the plan more than a hundredfold, as on a raised crane, which
            is unstable without feedback. The replay with feedback has the one without it, too, in
            ``.without_feedback``, and prints both; where it cannot be simulated, a warning says so.
        rtol, atol : float
        method : str
        time_limit : float, optional
            See `flexblocks.simulate`.

        Raises
        ------
        ProblemError
            The scenario contains a name that is not symbolic, or one that phases set; the law is another word, or the
            arm cannot be linearised along the plan.
        """
        errors = self.mesh_errors if isinstance(law, str) else None
        options: dict[str, Any] = {"rtol": rtol, "atol": atol, "method": method, "time_limit": time_limit}
        return replay_of(self.pyomo_model, law, errors, scenario, **options)

    def audit(self, finer: Finer = None, criteria: Criteria | None = None, *, law: Any = "auto") -> Audit:
        """Audit the plan: apply its inputs to a finer model of the same arm, and simulate beyond the end.

        `optim.refine_model` plans again, on finer models, until the audit passes.

        Parameters
        ----------
        finer : Discretization, dict of Discretization, Model or DAE, optional
            For every flexible beam, or by beam name; or the finer model itself, with the same inputs and names. By
            default 2 n + 2 assumed modes instead of n, twice the finite elements or rigid segments, n + 2 strain
            functions.
        criteria : Criteria, optional
            What counts as no miss and no energy left; by default 1e-4 of the arm's reach and of the largest kinetic
            energy.
        law : "auto", "tracking", Law or None
            Feedback during the motion, as for `replay`; on the finer model the regulator of the plan measures the
            states that both have. It may swing up modes that it does not know: with ``"auto"`` a finer model that does
            not pass with it is tried without.

        Returns
        -------
        Audit
            ``str(audit)`` is a table, of the worst values over scenarios; ``audit.subject`` is this plan.

        Raises
        ------
        ProblemError
            No finer model, or different inputs.
        """
        chosen, alone = chosen_law(law, self.mesh_errors), isinstance(law, str) and law == AUTO
        return replace(audit(self.pyomo_model, self.trajectories, finer, criteria, chosen, alone), subject=self)

    @upper
    def plot(
        self, replay: Replay | None = None, *, count: int = 10, plane: Literal["xy", "xz", "yz", "xyz"] | None = None
    ) -> Any:
        """Draw the arm along its path, and its variables with their limits; see `flexblocks.plot.plan`.

        Returns
        -------
        tuple of Axes
            The postures, then the time series from top to bottom.
        """

    def save(self, path: str | Path) -> None:
        """Write the plan to a netCDF (``.nc``) file, which `flexblocks.load` opens.

        The file contains the trajectory, the arm, the problem, the
        transcription and the values of all Vars, but no components added to the Pyomo model by hand.

        Raises
        ------
        FlexblocksError
            Another file suffix; the arm or the problem contains a value that cannot be serialised, such as a function.
        """
        from .plan_file import write_plan

        figures = {
            "objective": self.objective,
            "status": self.status,
            "statistics": asdict(self.statistics),
            "attempts": [asdict(attempt) for attempt in self.attempts],
        }
        write_plan(path, self.pyomo_model, self.trajectory, figures, self.multipliers)

    def summary(self) -> str:
        """Return a summary of the problem, the transcription and the result in a few lines."""
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
            violated=self.violations,
            excesses=self.excesses,
            mesh=self.mesh_errors,
        )

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"Plan({self.transcribed.dae.name!r}: {self.duration:g} s, {self.status}, objective {self.objective:.6g})"
        )


def _warn_of_moved(runs: Iterable[Iterable[PhaseTrajectory]]) -> None:
    moved = [text for run in runs for traj in run for text in moved_boundaries(traj.block, traj.transcription)]
    if moved:
        more = f" (and {len(moved) - 1} more)" if moved[1:] else ""
        warn(
            f"Plan: {moved[0]}, as in the problem{more}; replay and summary refer to the problem. Build the "
            "model of another start or goal by optim.pyomo_model(dae, problem).",
            MOVED_BY_HAND,
        )
