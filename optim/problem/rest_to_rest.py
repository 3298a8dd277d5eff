"""Rest-to-rest problem: one phase between two equilibria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .course import Course
from .moving_goals import checked_goal
from .objectives import checked_objective
from .path_constraints import checked_path
from .phase import Phase
from .problem import Problem, check_time
from .validation import Duration, Limit, boundary_values, checked_duration, is_empty, limit_ranges, mapping, word
from .via import checked_vias

WHERE = "RestToRest"


@dataclass(frozen=True)
class RestToRest:
    """A rest-to-rest motion of an arm.

    Parameters
    ----------
    start, goal : dict of float or Pose, goal also of Course
        Coordinates by name, as ``{"joint1.angle": 0.0}``, outputs and positions of frames, as ``{"payload.x": 0.5}``,
        or the pose of a frame, ``{"payload": optim.Pose(position=(1, 0, 2), orientation=(0, 0, 0.3))}``. Everything
        else follows from static equilibrium under holding inputs. If positions admit several postures, the start is the
        one nearest to the start values and the goal the one nearest to the start; of a continuum of postures the goal
        is optimised with the motion. All rates are zero, unless some are prescribed: ``{"joint1.angle": 0.0,
        "der(joint1.angle)": 0.1}``, or the velocities of a pose. Deflections are then the static ones, and move with
        the arm, unless they are prescribed. A `Course` is a target that moves; with a free duration the time and
        place to meet it are optimised.
    duration : float, (float, float) or "free"
        [s]; or its bounds if it is free; or ``"free"``, within a factor of ten of an estimate for the equivalent rigid
        arm.
    objective : "effort", "time", "vibration" or Objective
        ``"effort"`` is ``Effort()``; weighted sums as ``Time() + 0.1 * Effort()``. Time requires a free
        duration, and ``"free"`` requires time in the objective, as effort keeps falling with the duration.
    limits : dict
        By name of an input (``"motor1.torque"``), of an input's rate (``"der(motor1.torque)"``), of a state
        (``"joint1.angle"``, ``"der(joint1.angle)"``), of an output (``"link1.tip_deflection_y"``, ``"payload.y"``), of
        an acceleration (``"der(der(joint1.angle))"``) or of a point position (``"link1.station(0.25).y"``): a number
        for both signs, or (low, high) with None for no limit. The `limit` of sources in the model applies as well.
        A disturbance (see `Variable`) is zero unless it has a limit, or is `prescribed`; (0, 0) turns an input off.
    path : sequence of KeepOut, KeepIn or Within
        Regions that points of the arm keep out of or stay in, and limits on expressions.
    via : sequence of Via
        Via points that the motion passes at prescribed times.
    input_ends : "free" or "holding"
        Whether continuous inputs begin and end anywhere within their limits, or at the values that hold the arm at
        rest.
    prescribed : dict of float, text, callable or spline
        By name of a coordinate that `assemble` has prescribed, its motion where that is known beforehand, as
        ``{"table.displacement": "0.02*sin(30*time)"}``: a number, a text in ``time``, a function of the time by the
        operators and functions of CasADi, or a SciPy spline. The time [s] counts from the beginning of the motion.
        Without it the plan chooses the acceleration. Likewise by name of an input, such as a disturbance, its value:
        ``{"wind.force_y": "3*sin(2*time)"}``. The rates of a known reference are its derivatives.
    courses : dict of Course
        By frame, the courses that `goal` prescribes; put there if they are in `goal`.

    Attributes
    ----------
    ranges : dict
        The limits as (low, high), infinite where there is none.
    problem : Problem
        The equivalent `Problem` of one phase, the form that is transcribed.

    Notes
    -----
    Before the start and after the end the arm rests under its holding inputs (zero without gravity and springs to
    ground). By default only the states are prescribed there, and the inputs jump from and to the holding values. A jump
    excites every mode that it acts on, including those that the mesh does not resolve. With a rotor mounted on a
    flexible link (its `frame_a` connected) such plans do not converge under refinement: use ``input_ends="holding"``,
    which makes the inputs continuous at the ends too and costs more effort. Piecewise constant inputs always jump.
    """

    start: Mapping[str, float]
    goal: Mapping[str, float]
    duration: Duration
    objective: Any = "effort"  # an Objective once checked
    limits: Mapping[str, Limit] = field(default_factory=dict)
    path: Any = ()  # a tuple of PathConstraint once checked
    via: Any = ()  # a tuple of Via once checked
    input_ends: Literal["free", "holding"] = "free"
    prescribed: Mapping[str, Any] = field(default_factory=dict)
    courses: Mapping[str, Course] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(init=False, repr=False, compare=False)
    problem: Problem = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        duration = checked_duration(WHERE, self.duration)
        goal, courses = checked_goal(f"{WHERE}: goal", self.goal, self.courses, duration)
        put = {
            "start": boundary_values(f"{WHERE}: start", self.start),
            "goal": goal,
            "courses": courses,
            "duration": duration,
            "objective": checked_objective(self.objective),
            "limits": mapping(f"{WHERE}: limits", self.limits),
            "path": checked_path(f"{WHERE}: path", self.path) if not is_empty(self.path) else (),
            "via": checked_vias(f"{WHERE}: via", self.via, duration) if not is_empty(self.via) else (),
            "ranges": limit_ranges(WHERE, self.limits),
        }
        for name, value in put.items():
            object.__setattr__(self, name, value)
        word(f"{WHERE}: input_ends", self.input_ends, "free", "holding")
        check_time(WHERE, [put["duration"]], put["objective"])
        phase = Phase("motion", self.goal, self.duration, via=self.via, courses=self.courses)
        told = {"limits": self.limits, "path": self.path, "prescribed": self.prescribed}
        whole = Problem(self.start, (phase,), self.objective, input_ends=self.input_ends, **told)
        object.__setattr__(self, "problem", whole)
        object.__setattr__(self, "prescribed", whole.prescribed)
