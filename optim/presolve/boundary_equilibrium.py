"""Boundary equilibrium: static equilibrium at a start or goal, by coordinates, outputs or point positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from flexblocks.constraints.loop_equations import LoopError
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import frame_names
from flexblocks.errors import listing, meant, suggestion
from flexblocks.statics.equilibrium import NoEquilibriumError, equilibrium
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.large_deflections import without_warning

from ..errors import ProblemError
from ..problem.signals.instant import instant
from ..problem.signals.signals import Signals
from .bounds import Limits, held_inputs
from .feasibility.open_base import floating_base
from .infeasible_goal import no_equilibrium
from .moving_end import moving_state, split_motion, told_deflections
from .postures.admissible import Admissible
from .postures.inverse_statics import Posture, posture
from .postures.redundant_inputs import held_within


def boundary_equilibrium(
    dae: DAE,
    prescribed: Mapping[str, float],
    p: np.ndarray,
    where: str,
    *,
    near: OperatingPoint | None = None,
    limits: Limits | None = None,
    admissible: Admissible | None = None,
) -> Posture:
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
    limits : Limits, optional
        Limits of states and holding inputs, if the posture has to be solved for.
    admissible : Admissible, optional
        Limits and path constraints that the posture keeps, see `posture`.

    Raises
    ------
    ProblemError
        An unknown name; no equilibrium; out of reach; no motion with these rates.
    """
    if all(name in dae.q_names for name in prescribed):
        return _by_coordinates(dae, prescribed, p, where, limits, admissible)
    prescribed, motion = split_motion(dae, prescribed, where)
    if motion and not prescribed:
        raise ProblemError(
            f"{where}: {', '.join(motion)}: prescribes rates and no posture; name coordinates or positions, too."
        )
    if not any(motion.values()):
        return _resting(dae, prescribed, p, where, near, limits, admissible)
    told = told_deflections(dae, prescribed)
    resting = {name: value for name, value in prescribed.items() if name not in told}
    at = _resting(dae, resting, p, where, near, limits, admissible)
    floating = floating_base(dae, at.point) if dae.tree.has_undriven_base else ()
    if any(f"der({dae.q_names[i]})" in motion for i in floating):
        floating = ()
    return Posture(replace(at.point, x=moving_state(dae, at.point, motion, told, where, floating)), 0, moving=True)


def _resting(
    dae: DAE,
    prescribed: Mapping[str, float],
    p: np.ndarray,
    where: str,
    near: OperatingPoint | None,
    limits: Limits | None,
    admissible: Admissible | None,
) -> Posture:
    outputs = [name for name in prescribed if name not in dae.x]
    if not outputs:
        return _by_coordinates(dae, prescribed, p, where, limits, admissible)
    signals = Signals(instant(dae))
    for name in outputs:
        if name not in signals:
            known = [*dae.q_names, *dae.y.names]
            told = f"there are {listing(known, 8)}; and .x, .velocity_x, .yaw of frames."
            raise ProblemError(
                f"{where}: there is no coordinate, output or quantity of a frame '{name}'"
                f"{meant(name, [*known, *frame_names(dae.tree)], told)}"
            )
    for name in prescribed:
        if name in dae.x:
            _check_coordinate(dae, name, where)
    near = equilibrium_at(dae, {}, p, where, limits) if near is None else near
    x = np.tile([-np.inf, np.inf], (len(dae.x), 1)) if limits is None else limits.x
    u = np.tile([-np.inf, np.inf], (len(dae.u), 1)) if limits is None else limits.u
    floating = floating_base(dae, near) if dae.tree.has_undriven_base else ()
    still = {dae.q_names[i]: float(near.x[i]) for i in floating}
    return posture(dae, prescribed, replace(near, p=p), x, u, where, admissible, still)


def _by_coordinates(
    dae: DAE,
    prescribed: Mapping[str, float],
    p: np.ndarray,
    where: str,
    limits: Limits | None,
    admissible: Admissible | None,
) -> Posture:
    """Return the equilibrium with these coordinates, of several that redundant inputs hold one within the limits."""
    at = equilibrium_at(dae, prescribed, p, where, limits)
    within = None if limits is None else held_within(dae, at, prescribed, limits, where, admissible)
    return within or Posture(at, 0)


def equilibrium_at(
    dae: DAE, prescribed: Mapping[str, float], p: np.ndarray, where: str, limits: Limits | None = None
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
    limits : Limits, optional
        Inputs whose limits are one value have that; others are not looked at.

    Raises
    ------
    ProblemError
        A name that is not a coordinate; no equilibrium there.
    """
    for name in prescribed:
        _check_coordinate(dae, name, where)
    try:
        with without_warning():
            return equilibrium(dae, x=prescribed, u=held_inputs(dae, limits), p=p)
    except NoEquilibriumError as error:
        raise no_equilibrium(where, error) from None
    except LoopError as error:
        raise ProblemError(f"{where}: {str(error).removeprefix('equilibrium: x: ')}") from None


def split_prescribed(
    dae: DAE, prescribed: Mapping[str, float], where: str
) -> tuple[dict[str, float], dict[str, float]]:
    """Split prescribed values of the posture into those of coordinates and those of outputs and frames."""
    if not all(name in dae.q_names for name in prescribed):
        prescribed, _ = split_motion(dae, prescribed, where)
    states = {name: value for name, value in prescribed.items() if name in dae.x}
    return states, {name: value for name, value in prescribed.items() if name not in states}


def translated_equilibrium(dae: DAE, point: OperatingPoint) -> OperatingPoint:
    """Translate an equilibrium to another model of the same arm, by name; other variables keep their start values."""
    known = point.as_dict()

    def values(group: tuple[str, ...], start: np.ndarray) -> np.ndarray:
        return np.array([known.get(name, value) for name, value in zip(group, start.tolist(), strict=True)])

    return OperatingPoint(
        states=dae.x.names,
        algebraics=dae.z.names,
        inputs=dae.u.names,
        parameters=dae.p.names,
        x=values(dae.x.names, dae.x.start),
        z=values(dae.z.names, dae.z.start),
        u=values(dae.u.names, dae.u.start),
        p=values(dae.p.names, dae.p.start),
        residual=np.zeros(0),
        dae=dae,
    )


def _check_coordinate(dae: DAE, name: str, where: str) -> None:
    """Refuse a name that is not a coordinate."""
    if name in dae.q_names:
        return
    if name in dae.x:
        raise ProblemError(
            f"{where}: '{name}' is not a coordinate; at rest all rates are zero and first-order states are in "
            "equilibrium. Leave it out."
        )
    raise ProblemError(f"{where}: there is no coordinate '{name}'{suggestion(name, dae.q_names)}")
