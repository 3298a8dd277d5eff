"""Static equilibrium at the boundaries of a motion, by coordinates or by where points of the arm are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, nearest
from flexblocks.statics.equilibrium import NoEquilibriumError, equilibrium
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..problem.signals.instant import instant
from ..problem.signals.signals import Signals
from .bounds import Limits
from .infeasible_goal import no_equilibrium
from .inverse_statics import Posture, posture


def boundary_rest(
    dae: DAE,
    given: Mapping[str, float],
    p: np.ndarray,
    where: str,
    *,
    near: OperatingPoint | None = None,
    limits: Limits | None = None,
) -> Posture:
    """Return static equilibrium with the `given` coordinates, outputs and positions of points.

    Parameters
    ----------
    dae : DAE
    given : dict of float
        By name of a coordinate, an output or a place such as ``"payload.x"``.
    p : ndarray (np,)
    where : str
        For messages, as ``"plan: goal"``.
    near : OperatingPoint, optional
        Of several postures the nearest to it is taken; by default to the start values.
    limits : Limits, optional
        Of states and holding inputs, where a posture is searched for.

    Raises
    ------
    ProblemError
        A name that is not there; no equilibrium; out of reach.
    """
    places = [name for name in given if name not in dae.x]
    if not places:
        return Posture(rest(dae, given, p, where), 0)
    signals = Signals(instant(dae))
    for name in places:
        if name not in signals:
            known = [*dae.q_names, *dae.y.names]
            raise ProblemError(
                f"{where}: there is no coordinate, output or place '{name}' (as {', '.join(known[:8])}, ...; and .x, "
                f".y, .z of places).{nearest(name, known)}"
            )
    for name in given:
        if name in dae.x:
            _check_coordinate(dae, name, where)
    near = rest(dae, {}, p, where) if near is None else near
    x = np.tile([-np.inf, np.inf], (len(dae.x), 1)) if limits is None else limits.x
    u = np.tile([-np.inf, np.inf], (len(dae.u), 1)) if limits is None else limits.u
    return posture(dae, given, replace(near, p=p), x, u, where)


def rest(dae: DAE, given: Mapping[str, float], p: np.ndarray, where: str) -> OperatingPoint:
    """Return static equilibrium with the `given` coordinates.

    Parameters
    ----------
    dae : DAE
    given : dict of float
        By coordinate name. Of several equilibria the one nearest to the start values of the others is taken.
    p : ndarray (np,)
    where : str
        For messages, as ``"plan: start"``.

    Raises
    ------
    ProblemError
        A name that is no coordinate; no equilibrium there.
    """
    for name in given:
        _check_coordinate(dae, name, where)
    try:
        return equilibrium(dae, x=given, p=p)
    except NoEquilibriumError as error:
        raise no_equilibrium(where, error) from error


def split_given(dae: DAE, given: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Return what is given of the coordinates, and what of outputs and places."""
    held = {name: value for name, value in given.items() if name in dae.x}
    return held, {name: value for name, value in given.items() if name not in held}


def translated_rest(dae: DAE, point: OperatingPoint) -> OperatingPoint:
    """Return a rest in another model of the same arm, by name; what is not there has its start value."""
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
    )


def _check_coordinate(dae: DAE, name: str, where: str) -> None:
    """Refuse a name that says nothing of a posture."""
    if name in dae.q_names:
        return
    if name in dae.x:
        raise ProblemError(
            f"{where}: '{name}' is not a coordinate; at rest all rates are zero and first-order states are in "
            "equilibrium. Leave it out."
        )
    raise ProblemError(
        f"{where}: there is no coordinate '{name}' ({listing(dae.q_names)}).{nearest(name, dae.q_names)}"
    )
