"""Boundary equilibrium: the start or goal with prescribed coordinates, outputs, poses and their rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from flexblocks.constraints.loop_equations import LoopError
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import frame_names
from flexblocks.errors import listing, meant, suggestion
from flexblocks.statics.equilibrium import NoEquilibriumError, equilibrium
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.large_deflections import without_warning

from ...errors import ProblemError
from ...problem.signals.instant import instant
from ...problem.signals.signals import Signals
from ..boundary import End
from ..bounds import Limits, held_inputs, no_limits
from ..floating_base import floating_base
from ..postures.admissible import Admissible
from ..postures.inverse_statics import Posture, posture
from ..postures.redundant_inputs import held_within
from .moving_end import moving_state, split_motion, told_deflections


def boundary_equilibrium(
    dae: DAE,
    prescribed: Mapping[str, float],
    p: np.ndarray,
    where: str,
    *,
    near: OperatingPoint | None = None,
    admissible: Admissible | None = None,
) -> End:
    """Return the static equilibrium with the `prescribed` coordinates, outputs, positions and orientations.

    With rates or velocities other than zero it is in motion through that posture, see `moving_state`.

    Parameters
    ----------
    dae : DAE
    prescribed : dict of float
        By name of a coordinate, an output or a quantity of a frame such as ``"payload.x"``.
    p : ndarray (np,)
    where : str
        For messages, as ``"plan: goal"``.
    near : OperatingPoint, optional
        Of several postures the nearest to this one is taken; by default to the start values.
    admissible : Admissible, optional
        Limits and path constraints that the posture keeps, if it has to be solved for, see `posture`.

    Raises
    ------
    ProblemError
        An unknown name; no equilibrium; out of reach; no motion with these rates.
    """
    admissible = admissible or Admissible(no_limits(dae))
    if all(name in dae.q_names for name in prescribed):
        at = _by_coordinates(dae, prescribed, p, where, admissible)
        return End("fixed", at.point, prescribed, freedom=at.freedom)
    named, motion = split_motion(dae, prescribed, where)
    if motion and not named:
        raise ProblemError(
            f"{where}: {', '.join(motion)}: prescribes rates and no posture; name coordinates or positions, too."
        )
    moves = any(motion.values())
    told = told_deflections(dae, named) if moves else {}
    resting = {name: value for name, value in named.items() if name not in told}
    if all(name in dae.x for name in resting):
        at = _by_coordinates(dae, resting, p, where, admissible)
    else:
        at = _by_outputs(dae, resting, p, where, near, admissible)
    states = {name: value for name, value in named.items() if name in dae.x}
    outputs = {name: value for name, value in named.items() if name not in states}
    if not moves:
        return End("fixed", at.point, states, outputs, motion, freedom=at.freedom)
    floating = floating_base(dae, at.point)
    if any(f"der({dae.q_names[i]})" in motion for i in floating):
        floating = ()
    x = moving_state(dae, at.point, motion, told, where, floating)
    return End("fixed", replace(at.point, x=x), states, outputs, motion, moving=True)


def _by_coordinates(
    dae: DAE, prescribed: Mapping[str, float], p: np.ndarray, where: str, admissible: Admissible
) -> Posture:
    """Return the equilibrium with these coordinates, of several that redundant inputs hold one within the limits."""
    at = equilibrium_at(dae, prescribed, p, where, admissible.limits)
    return held_within(dae, at, prescribed, admissible, where) or Posture(at, 0)


def _by_outputs(
    dae: DAE,
    prescribed: Mapping[str, float],
    p: np.ndarray,
    where: str,
    near: OperatingPoint | None,
    admissible: Admissible,
) -> Posture:
    signals = Signals(instant(dae))
    for name in prescribed:
        if name not in signals and name not in dae.x:
            known = [*dae.q_names, *dae.y.names]
            told = f"there are {listing(known, 8)}; and .x, .velocity_x, .yaw of frames."
            raise ProblemError(
                f"{where}: there is no coordinate, output or quantity of a frame '{name}'"
                f"{meant(name, [*known, *frame_names(dae.tree)], told)}"
            )
    _check_coordinates(dae, [name for name in prescribed if name in dae.x], where)
    near = equilibrium_at(dae, {}, p, where, admissible.limits) if near is None else near
    still = {dae.q_names[i]: float(near.x[i]) for i in floating_base(dae, near)}
    return posture(dae, prescribed, replace(near, p=p), admissible, where, still)


def equilibrium_at(
    dae: DAE, prescribed: Mapping[str, float], p: np.ndarray, where: str, limits: Limits
) -> OperatingPoint:
    """Return the static equilibrium with the `prescribed` coordinates.

    Parameters
    ----------
    dae : DAE
    prescribed : dict of float
        By coordinate name. Of several equilibria the one nearest to the start values of the others is taken.
    p : ndarray (np,)
    where : str
        For messages, as ``"plan: start"``.
    limits : Limits
        Inputs whose limits are one value have that; others are not looked at.

    Raises
    ------
    ProblemError
        A name that is not a coordinate; no equilibrium there.
    """
    if not all(name in dae.q_names for name in prescribed):
        _check_coordinates(dae, prescribed, where)
    try:
        with without_warning():
            return equilibrium(dae, x=prescribed, u=held_inputs(dae, limits), p=p)
    except NoEquilibriumError as error:
        raise ProblemError(f"{where}: the arm cannot stay at rest there. {error}") from None
    except LoopError as error:
        raise ProblemError(f"{where}: {str(error).removeprefix('equilibrium: x: ')}") from None


def _check_coordinates(dae: DAE, names: Iterable[str], where: str) -> None:
    """Refuse names that are not of coordinates."""
    for name in names:
        if name in dae.q_names:
            continue
        if name in dae.x:
            raise ProblemError(
                f"{where}: '{name}' is not a coordinate; at rest all rates are zero and first-order states are in "
                "equilibrium. Leave it out."
            )
        raise ProblemError(f"{where}: there is no coordinate '{name}'{suggestion(name, dae.q_names)}")
