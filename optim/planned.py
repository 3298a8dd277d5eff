"""The plan: what planning gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo
from scipy.interpolate import PPoly

from flexblocks.simulation.trajectory import Trajectory

from .attempt import Attempt
from .audit import Audit, Finer, audit
from .replay import Replay, replay
from .solution import active_objective, input_polynomials, planned_mesh, trajectory, transcription_of
from .statistics import Statistics, statistics, status_of
from .transcription import Transcription


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned motion.

    Attributes
    ----------
    model : ConcreteModel
        The solved Pyomo model.
    trajectory : Trajectory
        The motion at mesh and collocation points.
    inputs : dict of PPoly
        The inputs over time [s], exact, by name; ``fb.simulate`` takes them as they are.
    objective : float
    duration : float
        [s]
    status : str
        ``"optimal"``, or why the solver stopped; ``"unresolved"`` where the mesh was to be refined until the plan
        replays, and it does not.
    statistics : Statistics
    attempts : tuple of Attempt
        All solves on the way, the last of them this plan; empty for a model solved by hand.
    """

    model: pyo.ConcreteModel
    trajectory: Trajectory
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
            The model does not come from `optim.pyomo_model`.
        """
        t = transcription_of(model)
        inputs = input_polynomials(model, t)
        return cls(
            model=model,
            trajectory=trajectory(model, t, inputs),
            inputs=inputs,
            objective=float(active_objective(model)()),
            duration=planned_mesh(model, t).duration,
            status="not known" if results is None else status_of(results),
            statistics=statistics(model, results),
        )

    @property
    def transcription(self) -> Transcription:
        """Problem, mesh and limits behind the model."""
        return transcription_of(self.model)

    def replay(self, *, rtol: float = 1e-9, atol: float = 1e-11, method: str = "auto") -> Replay:
        """Apply the planned inputs to the same arm in an independent simulation.

        Parameters
        ----------
        rtol, atol : float
        method : str
            See `flexblocks.simulate`.
        """
        t = self.transcription
        return replay(t.dae, self.inputs, self.duration, t.start, t.goal, rtol=rtol, atol=atol, method=method)

    def audit(self, finer: Finer = None, refine: bool = False) -> Audit:
        """Apply the planned inputs to a finer model of the same arm, and watch it after the end.

        Parameters
        ----------
        finer : Discretization, dict of Discretization, Model or DAE, optional
            For every beam that bends, or by beam name; or the finer model itself, with the same inputs and names. By
            default 2 n + 2 assumed modes for n, twice the finite elements or rigid segments.
        refine : bool
            Whether to plan again with more modes (elements, segments), or more intervals where the plan does not even
            replay, until the audit passes; the finer model stays the same. Each plan starts from the one before.

        Returns
        -------
        Audit
            ``str(audit)`` is a table. With `refine`, ``audit.subject`` is the new plan and ``audit.before`` the audit
            of this one; a plan that does not get there has the status ``"unresolved"``.

        Raises
        ------
        ProblemError
            There is nothing finer, or the inputs are others; with `refine`, the model was changed by hand.
        """
        from .enrich import audited

        return audited(self, finer) if refine else audit(self, finer)

    def summary(self) -> str:
        """Return what was asked, how it was planned and what came out, in a few lines."""
        t, s = self.transcription, self.statistics
        moves = [f"{name} from {t.start[name]:.4g} to {t.goal[name]:.4g}" for name in t.problem.goal]
        ends = "from and to holding values" if t.holds_ends else "with free ends"
        counts = f"{t.mesh.intervals} intervals, Radau collocation of degree {t.scheme.degree}"
        steps = "" if s.iterations is None else f", {s.iterations} iterations"
        times = [
            f"{verb} in {spent:.2f} s" for verb, spent in (("built", s.build_time), ("solved", s.solve_time)) if spent
        ]
        lasting = f"{self.duration:.6g} s (free)" if t.is_free else f"{self.duration:g} s"
        way = [f"  {attempt}" for attempt in self.attempts] if len(self.attempts) > 1 else []
        return "\n".join(
            [
                f"{t.dae.name}: rest to rest in {lasting}, {self.status}, objective {self.objective:.6g}",
                f"  moves {', '.join(moves)}",
                f"  minimises {t.objective}",
                f"  inputs {t.shape.words}, {ends}, within their limits at every time",
                "  states within their limits at mesh and collocation points",
                f"  {counts}{steps}{''.join(f', {text}' for text in times)}",
                *way,
            ]
        )

    def __repr__(self) -> str:
        return (
            f"Plan({self.transcription.dae.name!r}: {self.duration:g} s, {self.status}, objective {self.objective:.6g})"
        )
