"""Optimal motion planning: transcription by direct collocation, solved by IPOPT through Pyomo and CasADi."""

from typing import TYPE_CHECKING

from flexblocks.lazy_package import LazyPackage

if TYPE_CHECKING:
    from .errors import PlanError, PlanWarning, ProblemError
    from .infeasibility.conflict import Conflict
    from .infeasibility.diagnose import diagnose
    from .model.build import pyomo_model
    from .next_experiment import next_experiment
    from .planner import plan
    from .problem import objectives, path_constraints
    from .problem.course import Course
    from .problem.objectives import *  # noqa: F403 - what its register, __all__, names
    from .problem.objectives.objective import Objective
    from .problem.path_constraints import *  # noqa: F403 - what its register, __all__, names
    from .problem.path_constraints.capsule import Capsule
    from .problem.path_constraints.region import Cuboid, HalfSpace, Sphere
    from .problem.phase import Phase
    from .problem.pose import Pose
    from .problem.problem import Problem
    from .problem.rest_to_rest import RestToRest
    from .problem.via import Via
    from .receding.moving_horizon import Estimates, MovingHorizon
    from .receding.mpc import MPC
    from .receding.report import Report
    from .results.attempt import Attempt
    from .results.plan import Plan
    from .solve import solve
    from .strategy.guesses.given_guess import rigid_motion
    from .strategy.refinement.model_refinement import refine_model
    from .verification.audit import Audit
    from .verification.criteria import Criteria
    from .verification.replay import Replay

    __all__ = [
        "MPC",
        "Attempt",
        "Audit",
        "Capsule",
        "Conflict",
        "Course",
        "Criteria",
        "Cuboid",
        "Estimates",
        "HalfSpace",
        "MovingHorizon",
        "Objective",
        "Phase",
        "Plan",
        "PlanError",
        "PlanWarning",
        "Pose",
        "Problem",
        "ProblemError",
        "Replay",
        "Report",
        "RestToRest",
        "Sphere",
        "Via",
        "diagnose",
        "next_experiment",
        "plan",
        "pyomo_model",
        "refine_model",
        "rigid_motion",
        "solve",
    ]
    __all__ += objectives.__all__
    __all__ += path_constraints.__all__
else:
    LazyPackage.make(
        __name__,
        [
            {
                "flexblocks.optim.errors": ["PlanError", "PlanWarning", "ProblemError"],
                "flexblocks.optim.problem.course": ["Course"],
                "flexblocks.optim.problem.objectives.objective": ["Objective"],
                "flexblocks.optim.problem.path_constraints.capsule": ["Capsule"],
                "flexblocks.optim.problem.path_constraints.region": ["Cuboid", "HalfSpace", "Sphere"],
                "flexblocks.optim.problem.phase": ["Phase"],
                "flexblocks.optim.problem.pose": ["Pose"],
                "flexblocks.optim.problem.problem": ["Problem"],
                "flexblocks.optim.problem.rest_to_rest": ["RestToRest"],
                "flexblocks.optim.problem.via": ["Via"],
            },
            {
                "flexblocks.optim.infeasibility.conflict": ["Conflict"],
                "flexblocks.optim.infeasibility.diagnose": ["diagnose"],
                "flexblocks.optim.model.build": ["pyomo_model"],
                "flexblocks.optim.next_experiment": ["next_experiment"],
                "flexblocks.optim.planner": ["plan"],
                "flexblocks.optim.results.attempt": ["Attempt"],
                "flexblocks.optim.results.plan": ["Plan"],
                "flexblocks.optim.results.saved_plan": [],
                "flexblocks.optim.solve": ["solve"],
                "flexblocks.optim.strategy.guesses.given_guess": ["rigid_motion"],
                "flexblocks.optim.strategy.refinement.model_refinement": ["refine_model"],
                "flexblocks.optim.verification.audit": ["Audit"],
                "flexblocks.optim.verification.criteria": ["Criteria"],
                "flexblocks.optim.verification.replay": ["Replay"],
            },
            {
                "flexblocks.optim.receding.moving_horizon": ["Estimates", "MovingHorizon"],
                "flexblocks.optim.receding.mpc": ["MPC"],
                "flexblocks.optim.receding.report": ["Report"],
            },
        ],
        ["flexblocks.optim.problem.objectives", "flexblocks.optim.problem.path_constraints"],
    )
