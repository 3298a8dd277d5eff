"""Meeting end: what of a target that moves an arm can meet, at a time that is optimised."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import frame_motion

from ...errors import ProblemError
from ...problem.course import Course
from ...problem.phase import Phase
from ...tolerances import RESIDUE, ROUNDING
from ..boundary import End

SAMPLES = 16  # times at which the axis of a target is compared with that of the arm


def meeting_end(dae: DAE, phase: Phase, end: End, time: float, where: str) -> End:
    """Return the end of a phase that meets moving targets at a time that is optimised.

    Parameters
    ----------
    dae : DAE
    phase : Phase
    end : End
        Where the targets are at the time.
    time : float
        When they are met [s], as a first guess.
    where : str
        For messages, as ``"plan: goal"``.

    Raises
    ------
    ProblemError
        Other rates are prescribed as well; the arm can turn a frame about one axis only, and the target turns about
        another one.
    """
    of_courses = phase.courses_at(time)
    if more := [name for name in end.motion if name not in of_courses]:
        raise ProblemError(
            f"{where}: {more[0]}, and a course at a free time; leave one of them out, or give a duration."
        )
    asked = {*end.prescribed_outputs, *end.motion}
    turned = {frame: _axes(dae, frame) for frame, course in phase.courses.items() if course.orientation is not None}
    for frame, axes in turned.items():
        _check_axes(dae, frame, phase.courses[frame], axes, end, _times(phase, time), where)
    return replace(
        end,
        kind="course",
        prescribed_outputs={name: value for name, value in end.prescribed_outputs.items() if name not in of_courses},
        courses=phase.courses,
        met=tuple(name for name in of_courses if name in asked and not _turns(name, phase)),
        turned=turned,
        open=(),
        loose=(),
        moving=any(course.matched for course in phase.courses.values()),
    )


def _turns(name: str, phase: Phase) -> bool:
    """Whether a name belongs to the orientation of a course, or to the angular velocity that follows from it."""
    for frame, course in phase.courses.items():
        with_turn = course.orientation is not None and name.startswith(f"{frame}.turn(")
        if with_turn or (course.turns_along and name.startswith(f"{frame}.angular_velocity_")):
            return True
    return False


def _axes(dae: DAE, frame: str) -> np.ndarray:
    """Return orthogonal axes (3, r) in the world about which some motion of the arm turns a frame: one in the plane."""
    motion = frame_motion(dae.tree, frame, dae.q, dae.v)
    turning = ca.Function("turning", [dae.q, dae.p.symbol], [ca.densify(motion.R @ ca.jacobian(motion.omega, dae.v))])
    # Two generic postures, as axes may be parallel in one.
    start = dae.x.start[: dae.tree.size]
    postures = [start + 0.3 * np.sin(phase + np.arange(dae.tree.size)) for phase in (1.0, 2.5)]
    turns = np.hstack([turning(q, dae.p.start).full() for q in postures])
    axes, sizes, _ = np.linalg.svd(turns, full_matrices=False)
    return axes[:, sizes > ROUNDING * sizes.max(initial=0.0)]


def _check_axes(
    dae: DAE, frame: str, course: Course, axes: np.ndarray, end: End, times: np.ndarray, where: str
) -> None:
    """Refuse a target that turns about another axis than an arm that has one, or turns where the arm does not."""
    if axes.shape[1] == 3:
        return
    motion = frame_motion(dae.tree, frame, dae.q, dae.v)
    n = dae.tree.size
    here = ca.Function("attitude", [dae.q, dae.p.symbol], [ca.densify(motion.R)])(end.point.x[:n], end.point.p).full()
    for time in times:
        # What turns about an axis leaves that as it is, and what does not turn all three.
        kept = axes if axes.shape[1] else np.eye(3)
        away = here @ course.function(time)[2].full().T @ kept - kept
        if np.abs(away).max() > RESIDUE:
            how = f"only about {np.round(axes[:, 0], 6).tolist()}" if axes.shape[1] else "nowhere"
            raise ProblemError(
                f"{where}: the arm turns {frame} {how}, and the target has another attitude at {time:.4g} s. Leave its "
                "orientation out, or give one that the arm can have at all times."
            )


def _times(phase: Phase, time: float) -> np.ndarray:
    """Return times [s] within the duration of a phase, for a free one about its estimate."""
    low, high = (0.0, 2 * time) if isinstance(phase.duration, str) else phase.duration
    return np.linspace(low, high, SAMPLES)
