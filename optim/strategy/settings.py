"""Settings of refinement, each with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Limits and criteria of the refinement of meshes and models.

    "By trial" means chosen on the arms of the tests and of benchmarks/real_plans, without systematic comparison.

    Attributes
    ----------
    refinement_iterations : int
        Of a solve on a finer mesh, from the motion on the coarser one: those that converge take 3 to 30.
    refinement_time : float
        CPU time [s] for the solves of a refinement without a time limit, and wall time of each replay. A choice.
    progress : float
        Share of the last error that a refinement must not leave if only some intervals are to be halved again: halving
        all leaves at most a quarter where a mesh resolves the motion. By trial.
    near : float
        Largest excess of a replay, relative to what is allowed, up to which shorter intervals of the same scheme are
        tried first: halving leaves a thirtieth of Radau's errors of degree 3.
    hopeless : float
        Largest local error relative to what is allowed, from which on the plan of an arm that needs feedback is not
        replayed: feedback keeps the local errors, it does not undo them. By trial.
    most_intervals : int
        Intervals of a phase beyond which a mesh is not refined: plans that converge do so by 160. By trial.
    raised_degree : int
        Degree up to which a symmetric scheme is raised before intervals are doubled: more points resolve the motion
        without refining the inputs.
    small_error : float
        Local error of an interval relative to what is allowed, up to which refinement leaves the interval as it is:
        some ten of them still amount to what is allowed. By trial.
    large_error : float
        Share of the largest local error from which on an interval is halved, if all are small: halving only the worst
        would take many solves. By trial.
    most_intrusion : float
        Distance by which a replay may violate a region, as a multiple of 1e-4 of the reach: 1 mm for an arm of 1 m.
        A choice.
    most_excess : float
        Relative violation of any other limit by a replay. A choice.
    most_margin : float
        Violation relative to what is allowed, up to which refinement keeps the plan off the limits by as much: a tenth
        of a limit. Limits that are exceeded by more lead to a finer mesh. A choice.
    most_model_steps : int
        Model refinements before the audit is given up: one mode is added at a time, and the default reference for n
        modes has n + 2 more.
    """

    refinement_iterations: int = 100
    refinement_time: float = 120.0
    progress: float = 0.5
    near: float = 10.0
    hopeless: float = 100.0
    most_intervals: int = 800
    raised_degree: int = 6
    small_error: float = 0.1
    large_error: float = 0.3
    most_intrusion: float = 10.0
    most_excess: float = 0.01
    most_margin: float = 10.0
    most_model_steps: int = 8


SETTINGS = Settings()
