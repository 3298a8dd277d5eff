"""Static equilibrium of an arm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import refuse_clocks
from flexblocks.errors import ComputationError, ParameterError, listing
from flexblocks.statics.closed_problem import closed_problem
from flexblocks.statics.closed_solvers import closed_root, nearest_closed_balance
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.statics.problem import Statics, pose
from flexblocks.statics.solvers import nearest_balance, polished, root, smallest_inputs


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
        Values by name at which inputs are held; the others are solved for.
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
        The held values allow no equilibrium; the message says which coordinates are unbalanced, and by how much.

    Warns
    -----
    FlexblocksWarning
        There are many equilibria, and the search for the one nearest to the start values did not converge.

    Notes
    -----
    Of many equilibria the nearest to the start values is taken, in the metric of the mass matrix,
    (q - q0)' M (q - q0), with the smallest inputs that hold it. So a driven arm is held near its start values, an arm
    without gravity stays there, and a pendulum without a motor that starts horizontal hangs down. The equilibrium may
    be unstable: see ``linearize(dae, op).modes()``. Limits of inputs are ignored.

    With kinematic loops the held coordinates are led from the start values to where they are held, and the arm moves
    from there to its equilibrium, along closed postures all the way: it stays in the assembly that the start shows.
    "Nearest" is then the nearest along equilibria.
    """
    if dae.clocks:
        refuse_clocks(dae.clocks, "equilibrium")
    problem = pose(dae, _held_states(dae, x), _held("u", u, dae.u.names), p)
    closed = closed_problem(dae, problem) if problem.closures else None
    s = problem.start
    # Some equilibrium ...
    if not problem.balanced(s):
        s = closed_root(closed) if closed else root(problem)
        if s is None:
            raise _refusal(dae, problem)
        # ... of many the nearest to the start values ...
        if problem.freedom(s):
            s = nearest_closed_balance(closed, s) if closed else nearest_balance(problem, s)
    # ... with the smallest inputs that hold it, ...
    if problem.freedom(s):
        s = smallest_inputs(problem, s)
    # ... to the last digit.
    s = polished(problem, s)
    if closed and not (closed.balanced(s) and closed.is_closed(s)):
        raise _refusal(dae, problem)
    at, residual = problem.at, problem.residual(s)
    q = s[at.q]
    return OperatingPoint(
        states=dae.x.names,
        algebraics=dae.z.names,
        inputs=dae.u.names,
        parameters=dae.p.names,
        x=np.concatenate([q, np.zeros_like(q), s[at.w]]),
        z=s[at.z],
        u=s[at.u],
        p=problem.p,
        residual=residual[: at.z.stop],
        multipliers=dae.tree.loops.multipliers,
        forces=s[at.multipliers],
        dae=dae,
    )


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


def _refusal(dae: DAE, problem: Statics) -> NoEquilibriumError:
    """Return the error that names the unbalanced forces, with the free coordinates in equilibrium if possible."""
    n = dae.tree.size
    held = ~problem.free[:n]
    rows = np.ones(problem.rows, dtype=bool)
    rows[:n] = ~held
    closed = problem.closures > 0
    s = (closed_root(closed_problem(dae, problem, rows)) if closed else root(problem, rows)) if held.any() else None
    if s is None:
        s = closed_root(closed_problem(dae, problem), best=True) if closed else root(problem, best=True)
        assert s is not None
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
        f"equilibrium: no balance found with {listing(fixed) if fixed else 'nothing held'}; missing: {where}. "
        f"Free a coordinate, leave an input free that acts there (free inputs: {listing(free)}), or move the start "
        "values."
    )
    return NoEquilibriumError(message, {names[i]: float(missing[i]) for i in worst})
