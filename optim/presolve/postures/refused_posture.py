"""Refusals of a start or goal for which no posture is found: out of reach, too heavy for the inputs, out of time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing

from ...errors import OutOfReachError, ProblemError
from ...problem.pose import TURN, shown
from ...tolerances import MET

TILT = 0.02  # [rad], by which beams may tilt a frame; more than that is another orientation


def out_of_reach(
    where: str, asked: Mapping[str, float], reached: Mapping[str, float] | None, short: float
) -> OutOfReachError:
    """Return the error for a boundary out of reach.

    Parameters
    ----------
    where : str
        ``"plan: goal"`` or the like.
    asked : dict of float
    reached : dict of float or None
        The nearest reachable values of outputs and point positions; None if not even the coordinates can be kept.
    short : float
        Remaining distance [m, or the unit of the outputs].
    """
    wanted = ", ".join(f"{shown(name)} = {value:g}" for name, value in asked.items())
    text = f"{where}: the arm cannot be at rest with {wanted}"
    if reached is None:
        message = f"{text} within its limits. Move the {where.split()[-1]} or widen the limits."
        return OutOfReachError(message, asked, short)
    near = ", ".join(f"{shown(name)} = {value:.4g}" for name, value in reached.items())
    message = (
        f"{text} within its limits: the nearest posture found has {near}, {short:.3g} short. {_advice(asked, reached)}"
    )
    return OutOfReachError(message, asked, short)


def _advice(asked: Mapping[str, float], reached: Mapping[str, float]) -> str:
    """Return what to do: where nothing but an orientation is missed, and by little, beams have tilted the frame."""
    missed = {name: abs(asked[name] - value) for name, value in reached.items() if abs(asked[name] - value) > MET}
    if not all(TURN.fullmatch(name) for name in missed) or max(missed.values(), default=1.0) > TILT:
        return "Move it within reach."
    if len(missed) == 3:  # the nearest posture leaves a little of what a joint could set, too
        del missed[min(missed, key=missed.__getitem__)]
    rest = ", ".join(f'"{shown(name)}": {value:g}' for name, value in asked.items() if name not in missed)
    return (
        f"By so little the arm's own bending tilts it, and there are no joints to set {listing(map(shown, missed))}: "
        f"leave these out, as {{{rest}}}."
    )


def too_weak_to_hold(
    dae: DAE, where: str, asked: Mapping[str, float], holding: np.ndarray, bounds: np.ndarray
) -> ProblemError:
    """Return the error for a boundary that inputs in `bounds` (nu, 2) are too weak to hold: it takes `holding`."""
    beyond = [
        f"{name} = {value:.4g} {unit}, with limits of {low:g} to {high:g}"
        for name, unit, value, (low, high) in zip(dae.u.names, dae.u.units, holding, bounds.tolist(), strict=True)
        if not low <= value <= high
    ]
    wanted = ", ".join(f"{shown(name)} = {value:g}" for name, value in asked.items())
    return ProblemError(
        f"{where}: to hold the arm at rest with {wanted} takes {listing(beyond)}. Move the {where.split()[-1]} or "
        "widen the limits."
    )


def search_ended(where: str, asked: Mapping[str, float]) -> ProblemError:
    """Return the error for a time limit that is over before a boundary is found."""
    wanted = ", ".join(f"{shown(name)} = {value:g}" for name, value in asked.items())
    return ProblemError(
        f"{where}: the time limit was over before a posture with {wanted} was found; nothing was planned. Raise "
        f"time_limit, or give the {where.split()[-1]} by coordinates."
    )
