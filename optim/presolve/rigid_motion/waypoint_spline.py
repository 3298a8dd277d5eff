"""Splines through waypoints, along which what follows the posture, as ropes on winches do, keeps its ratio to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.constraints.states_at_posture import followed_outputs
from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy

from ..first_order_states import integrated_states

SAMPLES = 128  # intervals of the spline of what follows the posture

# A time as a fraction of the duration, and the states (nx,) then.
Waypoint = tuple[float, np.ndarray]
# States along a path, and their first two derivatives in the share of the way.
Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


def spline_through(waypoints: Sequence[Waypoint], n: int, duration: float) -> scipy.interpolate.BSpline:
    """Return the quintic spline through waypoints, over the fraction of the `duration` [s] from 0 to 1.

    At both ends the n coordinates have the rates there, and no acceleration; the first four derivatives are continuous
    between. With two waypoints at rest it is the quintic from rest to rest.
    """
    shares, states = zip(*waypoints, strict=True)
    ends = []
    for state in (states[0], states[-1]):
        rates = np.zeros_like(state)
        rates[:n] = duration * state[n : 2 * n]
        ends.append([(1, rates), (2, np.zeros_like(state))])
    return scipy.interpolate.make_interp_spline(np.array(shares), np.array(states), k=5, bc_type=tuple(ends))


def waypoint_spline(
    dae: DAE, p: np.ndarray, waypoints: Sequence[Waypoint], duration: float
) -> scipy.interpolate.BSpline:
    """Return the states (nx,) over the share of a `duration` [s]: `spline_through`, but for what follows the posture.

    Ropes of splined lengths would be slack or torn between two postures in which they are taut.
    """
    n, following = dae.tree.size, list(dae.tree.states_following)
    if not following:
        return spline_through(waypoints, n, duration)

    def spanned(x: np.ndarray) -> np.ndarray:
        return followed_outputs(dae, x.T, p).T

    shares, states = (np.array(part) for part in zip(*waypoints, strict=True))
    states[:, following] /= spanned(states)
    smooth = spline_through(list(zip(shares.tolist(), states, strict=True)), n, duration)
    samples = np.linspace(0.0, 1.0, SAMPLES + 1)
    x = smooth(samples)
    x[:, following] *= spanned(x)
    return scipy.interpolate.make_interp_spline(samples, x, k=5)


def with_reference_rates(dae: DAE, motion: Motion, duration: float) -> Motion:
    """Return the states (..., nx) of a motion in a `duration` [s], where references that are integrated have rates.

    At rest these are zero, so a path through postures leaves them there. What a reference is the integral of moves as
    the path moves the reference.
    """
    if motion[0].shape[-1] == 2 * dae.tree.size or not (pairs := integrated_states(dae)):
        return motion
    x, rates, accelerations = (part.copy() for part in motion)
    for state, rate in pairs:
        x[..., rate], rates[..., rate] = rates[..., state] / duration, accelerations[..., state] / duration
        accelerations[..., rate] = 0.0
    return x, rates, accelerations
