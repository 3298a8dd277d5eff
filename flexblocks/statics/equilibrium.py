"""Static equilibrium of an arm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.constraints.closed_posture import warn_of_change_points
from flexblocks.constraints.singularities.singular_posture import refuse_singular_posture
from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.errors import ComputationError, ParameterError, listing
from flexblocks.plausibility import warn_of_degrees
from flexblocks.statics.choice import nearest_balance, smallest_inputs
from flexblocks.statics.closed_problem import closed_problem
from flexblocks.statics.closed_solvers import closed_root, nearest_closed_balance
from flexblocks.statics.operating_point import OperatingPoint, point_at_rest
from flexblocks.statics.problem import Statics, pose
from flexblocks.statics.solvers import led, polished, root
from flexblocks.validity.large_deflections import is_quiet, warn_of_large_deflections
from flexblocks.validity.output_ranges import beyond_ranges, warn_beyond_ranges
from flexblocks.validity.state_ranges import beyond_state_ranges, warn_of_states


class NoEquilibriumError(ComputationError):
    """No static equilibrium was found. `residual` holds the unbalanced forces by name [N m or N]."""

    def __init__(self, message: str, residual: Mapping[str, float]) -> None:
        super().__init__(message)
        self.residual = dict(residual)


def equilibrium(
    dae: DAE,
    x: Mapping[str, float] | None = None,
    u: Mapping[str, float] | None = None,
    p: Mapping[str, float] | np.ndarray | None = None,
) -> OperatingPoint:
    """Find a static equilibrium: h(q, 0) = Q, with first-order states and algebraic equations at rest too.

    Parameters
    ----------
    dae : DAE
    x : dict, optional
        Values by name at which coordinates (or first-order states) are held; the others are solved for.
    u : dict, optional
        Values by name at which inputs are held. Disturbances (see `flexblocks.interfaces.Variable`) and rates of
        references are zero unless they are given here; the other inputs are solved for.
    p : dict or array, optional
        Values of symbolic parameters.

    Returns
    -------
    OperatingPoint
        Its residual is at the level of rounding.

    Raises
    ------
    NameUnknownError
        An unknown name.
    ParameterError
        A velocity in `x`, a value that is not a finite number, or a sampled controller in the loop.
    NoEquilibriumError
        The held values allow no equilibrium; the message says which coordinates are unbalanced, and by how much, and
        within which ranges it was sought.
    SingularMassError
        The start values, or all equilibria that the search finds, are in a singular posture, such as gimbal lock: a
        moment that no coordinate feels there is in no balance of forces.

    Warns
    -----
    FlexblocksWarning
        There are many equilibria, and the search for the one nearest to the start values did not converge. Or a beam
        deflects beyond the small deflections that it is modelled for, or an output is beyond the range of its block,
        such as the length of a cylinder, see `flexblocks.validity`.

    Notes
    -----
    Of many equilibria the nearest to the start values is taken, in the metric of the mass matrix,
    (q - q0)' M (q - q0), with the smallest inputs that hold it. So a driven arm is held near its start values, an arm
    without gravity stays there, and a pendulum without a motor that starts horizontal hangs down. The equilibrium may
    be unstable: see ``linearize(dae, op).modes()``. Coordinates stay in the ranges of their blocks (a sliding beam
    between pushed in and all the way out). Limits of inputs are ignored.

    With kinematic loops the held coordinates are led from the start values to where they are held, and the arm moves
    from there to its equilibrium, along closed postures all the way: it stays in the assembly that the start shows.
    "Nearest" is then the nearest along equilibria.
    """
    require_differentiable(dae, "equilibrium")
    held = _held_states(dae, x)
    problem = pose(dae, held, _held("u", u, dae.u.names), p)
    if not is_quiet():
        warn_of_degrees("equilibrium: x: ", dae, held)
    closed = closed_problem(dae, problem) if problem.closures else None
    s: np.ndarray | None = problem.start
    # Some equilibrium ...
    if not problem.balanced(s):
        best = None
        if closed:
            s = closed_root(closed)
        else:
            best, balanced = root(problem)
            s = best if balanced else led(problem)
        if s is None:
            raise _refusal(dae, problem, best)
        # ... of many the nearest to the start values ...
        if problem.freedom(s):
            s = nearest_closed_balance(closed, s) if closed else nearest_balance(problem, s)
    # ... with the smallest inputs that hold it, ...
    if problem.freedom(s):
        s = smallest_inputs(problem, s)
    # ... in coordinates that are not near the end of their charts, to the last digit.
    s = problem.in_charts(s)
    if problem.residual(s).any():
        s = polished(problem, s)
    if closed and not (closed.balanced(s) and closed.is_closed(s)):
        raise _refusal(dae, problem)
    if closed and problem.singular(s):
        refuse_singular_posture(dae, s[problem.at.q], problem.mass_at(s), "equilibrium: at the balance found ")
    if closed:
        joints = closed.free & ~closed.deforming
        warn_of_change_points(dae, closed.way_to(s), problem.p, joints, "equilibrium")
    point = point_at_rest(dae, s, problem.p, problem.residual(s)[: problem.at.z.stop])
    warn_of_large_deflections(dae, "equilibrium", point.x[None], point.z[None], point.u[None], point.p)
    warn_beyond_ranges(dae, "equilibrium", point.p, point.__getitem__)
    warn_of_states("equilibrium", {"": beyond_state_ranges(dae, point.x[None])})
    return point


def _held(group: str, held: Mapping[str, float] | None, names: tuple[str, ...]) -> Mapping[str, float]:
    if held is None or isinstance(held, Mapping):
        return held or {}
    example = f", such as {{'{names[0]}': 0.0}}" if names else ""
    raise ParameterError(f"equilibrium: {group} = {held!r}; must be a dict of the values to hold{example}.")


def _held_states(dae: DAE, x: Mapping[str, float] | None) -> Mapping[str, float]:
    """Return the states to hold; refuse velocities, which are zero at rest."""
    held = _held("x", x, dae.x.names)
    n = dae.tree.size
    velocities = [name for name in held if name in dae.x.names[n : 2 * n]]
    if velocities:
        raise ParameterError(
            f"equilibrium: x holds the velocities {listing(velocities)}; at rest they are zero. "
            f"Hold coordinates ({listing(dae.q_names)}) instead."
        )
    return held


def _refusal(dae: DAE, problem: Statics, best: np.ndarray | None = None) -> NoEquilibriumError:
    """Return the error that names the unbalanced forces, with the free coordinates in equilibrium if possible.

    `best` (ns,) is where the search for all equations of a tree came nearest.
    """
    n = dae.tree.size
    held = ~problem.free[:n]
    rows = np.ones(problem.rows, dtype=bool)
    rows[:n] = ~held
    closed = problem.closures > 0
    s = None
    if held.any() and closed:
        s = closed_root(closed_problem(dae, problem, rows))
    elif held.any():
        nearest, balanced = root(problem, rows)
        s = nearest if balanced else None
    if s is None:
        s = closed_root(closed_problem(dae, problem), best=True) if closed else best
        assert s is not None
        if problem.balanced(s):
            refuse_singular_posture(dae, s[problem.at.q], problem.mass_at(s), "equilibrium: at the only balance found ")
    missing = problem.residual(s)
    size = np.abs(missing) / np.where(problem.tolerance(s) > 0, problem.tolerance(s), 1.0)
    names = (*dae.q_names, *dae.x.names[2 * n :], *(f"algebraic equation of {name}" for name in dae.z.names))
    names += tuple(f"closure of {name}" for name in dae.tree.loops.multipliers)
    units = [*("N m" if unit == "rad" else "N" for unit in dae.x.units[:n]), *[""] * (len(names) - n)]
    worst = [i for i in sorted(range(len(names)), key=lambda i: -abs(missing[i])) if size[i] > 1]
    where = listing((f"{missing[i]:.4g} {units[i]} at '{names[i]}'".replace("  ", " ") for i in worst), 4)
    fixed = [f"{name} = {s[i]:g}" for i, name in enumerate(problem.names) if not problem.free[i]]
    free = [name for name, is_free in zip(problem.names, problem.free, strict=True) if is_free and name in dae.u]
    message = (
        f"equilibrium: no balance found with {listing(fixed) if fixed else 'nothing held'}; missing: {where}."
        f"{_ranges(dae, problem)}{_beyond(dae, problem, s)} "
        f"Free a coordinate, leave an input free that acts there (free inputs: {listing(free)}), or move the start "
        "values."
    )
    return NoEquilibriumError(message, {names[i]: float(missing[i]) for i in worst})


def _ranges(dae: DAE, problem: Statics) -> str:
    """Return a sentence about the ranges of the free coordinates, or nothing."""
    kept = [
        f"'{name}' between {problem.low[i]:g} and {problem.high[i]:g} {dae.x.units[i]}"
        for i, name in enumerate(dae.q_names)
        if problem.free[i] and np.isfinite([problem.low[i], problem.high[i]]).any()
    ]
    return f" It was sought with {listing(kept)}." if kept else ""


def _beyond(dae: DAE, problem: Statics, s: np.ndarray) -> str:
    """Return a sentence about outputs that are out of the ranges of their blocks, or nothing."""
    text = beyond_ranges(dae, problem.p, point_at_rest(dae, s, problem.p).__getitem__)
    return f" There, {text}." if text else ""
