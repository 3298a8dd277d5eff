"""Static equilibrium: the balance of all forces for given coordinates and inputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import refuse_clocks
from flexblocks.errors import ComputationError, ParameterError, listing
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.statics.problem import Statics, pose
from flexblocks.statics.solvers import nearest_balance, polished, root, smallest_inputs


class NoEquilibriumError(ComputationError):
    """No balance was found. `residual` holds what is missing, by name [N m or N]."""

    def __init__(self, message: str, residual: Mapping[str, float]) -> None:
        super().__init__(message)
        self.residual = dict(residual)


def equilibrium(
    dae: DAE,
    x: Mapping[str, float] | None = None,
    u: Mapping[str, float] | None = None,
    p: Mapping[str, float] | np.ndarray | None = None,
) -> OperatingPoint:
    """Find where the arm rests: h(q, 0) = Q, first-order states and algebraic equations at rest too.

    Parameters
    ----------
    dae : DAE
    x : dict, optional
        Coordinates (or first-order states) held at given values, by name; the others are solved for.
    u : dict, optional
        Inputs held at given values, by name; the others are solved for.
    p : dict or array, optional
        Values of symbolic parameters.

    Returns
    -------
    OperatingPoint
        Its residual is at the level of rounding.

    Raises
    ------
    NameUnknownError
        A name that is not there.
    ParameterError
        A velocity in `x`, a value that is not a finite number, or a sampled controller in the loop.
    NoEquilibriumError
        The held values allow no balance; says which coordinates cannot be held and by how much.

    Warns
    -----
    FlexblocksWarning
        A balance was found among many, but not which of them is nearest to the start values.

    Notes
    -----
    Where many points balance, the nearest to the start values is taken, measured by the kinetic energy that the step
    to it would have as a velocity, (q - q0)' M (q - q0); then the smallest inputs that hold it. So a driven arm is held
    near its start values, an arm without gravity stays there, and a pendulum without a motor that starts level hangs.
    The point may be unstable: ``linearize(dae, op).modes()`` tells. Limits of inputs are not looked at.
    """
    if dae.clocks:
        refuse_clocks(dae.clocks, "equilibrium")
    problem = pose(dae, _held_states(dae, x), _held("u", u, dae.u.names), p)
    s = problem.start
    # Some point in balance ...
    if not problem.balanced(s):
        s = root(problem)
        if s is None:
            raise _refusal(dae, problem)
        # ... of many the nearest to the start values ...
        if problem.freedom(s):
            s = nearest_balance(problem, s)
    # ... with the smallest inputs that hold it, to the last digit.
    if problem.freedom(s):
        s = smallest_inputs(problem, s)
    s = polished(problem, s)
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
    )


def _held(group: str, given: Mapping[str, float] | None, names: tuple[str, ...]) -> Mapping[str, float]:
    if given is None or isinstance(given, Mapping):
        return given or {}
    example = f", such as {{'{names[0]}': 0.0}}" if names else ""
    raise ParameterError(f"equilibrium: {group} = {given!r}; must be a dict of the values to hold{example}.")


def _held_states(dae: DAE, x: Mapping[str, float] | None) -> Mapping[str, float]:
    """Refuse velocities: at rest they are zero."""
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
    """Say what cannot be held: with all that is free in balance, the forces that are still missing."""
    n = dae.tree.size
    held = ~problem.free[:n]
    rows = np.ones(problem.rows, dtype=bool)
    rows[:n] = ~held
    s = root(problem, rows) if held.any() else None
    if s is None:
        s = root(problem, best=True)
        assert s is not None
    missing = problem.residual(s)
    size = np.abs(missing) / np.where(problem.tolerance(s) > 0, problem.tolerance(s), 1.0)
    names = (*dae.q_names, *dae.x.names[2 * n :], *(f"algebraic equation of {name}" for name in dae.z.names))
    names += tuple(f"closure of {name}" for name in dae.tree.loops.multipliers)
    units = [*("N m" if unit == "rad" else "N" for unit in dae.x.units[:n]), *[""] * (len(names) - n)]
    worst = [i for i in sorted(range(len(names)), key=lambda i: -abs(missing[i])) if size[i] > 1]
    where = listing((f"{missing[i]:.4g} {units[i]} at '{names[i]}'".replace("  ", " ") for i in worst), 4)
    given = [f"{name} = {s[i]:g}" for i, name in enumerate(problem.names) if not problem.free[i]]
    free = [name for name, is_free in zip(problem.names, problem.free, strict=True) if is_free and name in dae.u]
    message = (
        f"equilibrium: no balance found with {listing(given) if given else 'nothing held'}; missing: {where}. "
        f"Free a coordinate, leave an input free that acts there (free inputs: {listing(free)}), or move the start "
        "values."
    )
    return NoEquilibriumError(message, {names[i]: float(missing[i]) for i in worst})
