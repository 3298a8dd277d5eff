"""Selection of quasi-static (residualised) modes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, nearest
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.linear.eigenmodes import Eigenmode, conservative
from flexblocks.statics.balance import motion, rest, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.quasi_static import StaticModes
from ..collocation.transcription_options import AUTO
from ..errors import ProblemError
from .equilibrium import loop_forces

PERIODS = 2  # in an interval, from which "auto" makes a mode quasi-static; by trial
MOST = 2 / 3  # of the modes, beyond which a mesh leaves most of them unresolved; by trial
STEERED = 1  # mode more than there are inputs; by trial
FAR, NEAR = 10.0, 0.5  # periods in an interval: a gap in between leaves no doubt which modes it resolves; by trial
STILL = 1e-6  # of the highest frequency: below it a mode does not vibrate but moves


def static_modes(dae: DAE, option: Any, at: OperatingPoint, step: float) -> StaticModes:
    """Return the modes to be treated quasi-statically.

    Parameters
    ----------
    dae : DAE
    option : "auto", float or sequence of str
        Undamped modes with two periods or more in an interval, but for the slowest of all, as on stiff servos; modes
        above this frequency [rad/s]; coordinates by name. Of modes that are overdamped, those whose slower eigenvalue
        is above that frequency.
    at : OperatingPoint
        The equilibrium whose modes are taken.
    step : float
        Length of the shortest interval [s].

    Raises
    ------
    ProblemError
        An unknown coordinate; all coordinates would be quasi-static; the arm has closed loops.
    """
    limit = _limit(option, step)
    if dae.tree.loops.closures:
        raise ProblemError(
            f"plan: quasi_static = {option!r}, but '{dae.name}' has closed loops, which modes of one posture would "
            "open in another; leave it out."
        )
    modes = _named(dae, option) if limit is None else _faster(dae, at, limit)
    if len(modes) < dae.tree.size - len(dae.tree.prescribed):
        return modes
    if option != AUTO:
        raise ProblemError(f"plan: quasi_static = {option!r}; leaves no dynamics in '{dae.name}'. Name fewer modes.")
    return StaticModes(modes.names[1:], modes.shapes[1:], modes.measures[1:])


def _limit(option: Any, step: float) -> float | None:
    """Return the frequency [rad/s] above which modes are quasi-static; None if coordinates are named."""
    if option == AUTO:
        return 2 * np.pi * PERIODS / step
    return float(option) if isinstance(option, (int, float)) else None


def _named(dae: DAE, names: Sequence[str]) -> StaticModes:
    for name in names:
        if name not in dae.q_names:
            raise ProblemError(
                f"plan: quasi_static: there is no coordinate '{name}' ({listing(dae.q_names)})."
                f"{nearest(name, dae.q_names)}"
            )
    chosen = [name for name in dae.q_names if name in names]
    rows = tuple(tuple(float(name == one) for one in dae.q_names) for name in chosen)
    return StaticModes(tuple(chosen), rows, rows)


def mostly_unresolved(dae: DAE, at: OperatingPoint, step: float) -> bool:
    """Whether the modes with two periods or more in a step [s] of the mesh are more than the inputs can steer.

    That is, more than two thirds of all modes that vibrate, and at least two more than inputs; or all that do not have
    less than half a period have ten or more.

    Never with closed loops, whose modes cannot be quasi-static.
    """
    periods = _periods(dae, at, step)
    fast = int(np.sum(periods > PERIODS))
    apart = fast and not np.any((periods > NEAR) & (periods < FAR))
    return bool(fast > max(MOST * len(periods), len(dae.u) + STEERED) or apart)


def more_than_inputs(dae: DAE, at: OperatingPoint, step: float) -> bool:
    """Whether the modes with two periods or more in a step [s] are more than the inputs, with closed loops, too.

    A damping scheme keeps such a mode where the forces of the last point put it. Where its deflection and its rate are
    prescribed at the end of a motion, an input has its value and its rate there to meet them.
    """
    return fast_modes(dae, at, step) > len(dae.u)


def fast_modes(dae: DAE, at: OperatingPoint, step: float) -> int:
    """Return how many modes have two periods or more in a step [s], with closed loops, too."""
    if not dae.tree.loops.closures:
        return int(np.sum(_periods(dae, at, step) > PERIODS))
    N = tangent(dae, at, np.zeros(dae.tree.size)).q
    mass, stiffness = _matrices(dae, at)
    frequencies = np.array([mode.eigenvalue.imag for mode in conservative(N.T @ mass @ N, N.T @ stiffness @ N)])
    return int(np.sum(frequencies * step > 2 * np.pi * PERIODS))


def _periods(dae: DAE, at: OperatingPoint, step: float) -> np.ndarray:
    """Return the periods in a step of all modes that vibrate; none with closed loops."""
    if dae.tree.loops.closures:
        return np.zeros(0)
    frequencies = np.array([mode.eigenvalue.imag for mode in _undamped(dae, at)[0]])
    return frequencies[frequencies > STILL * frequencies.max(initial=0.0)] * step / (2 * np.pi)


def _matrices(dae: DAE, at: OperatingPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return mass and stiffness at an equilibrium, (n, n) each."""
    s = unknown_vector(dae, at.x, at.z, loop_forces(dae, at), at.u)
    stiffness = rest(dae)(s, at.p)[1].full()[: dae.tree.size, : dae.tree.size]
    return regular_mass(dae, *dae.posture(at.x, at.z, at.p)), stiffness


def _undamped(dae: DAE, at: OperatingPoint) -> tuple[list[Eigenmode], np.ndarray]:
    """Return the undamped modes at an equilibrium, by frequency, and the mass matrix, (n, n) each.

    Prescribed coordinates move as they are told: in modes they stand still, and move no mass.
    """
    n = dae.tree.size
    free = np.array([j for j in range(n) if j not in dae.tree.prescribed_columns])
    whole, stiffness = _matrices(dae, at)
    mass = np.zeros((n, n))
    mass[np.ix_(free, free)] = moved = whole[np.ix_(free, free)]
    bound = stiffness[np.ix_(free, free)]
    modes = [replace(mode, shape=_of_all(mode.shape, free, n)) for mode in conservative(moved, bound)]
    return sorted(modes, key=lambda mode: abs(mode.eigenvalue)), mass


def _of_all(shape: np.ndarray, free: np.ndarray, n: int) -> np.ndarray:
    """Return the shape (2n,) in all coordinates and their rates of one in the free ones."""
    full = np.zeros(2 * n, dtype=shape.dtype)
    full[free], full[n + free] = np.split(shape, 2)
    return full


def _faster(dae: DAE, at: OperatingPoint, limit: float) -> StaticModes:
    """Return the undamped modes at an equilibrium that settle faster than `limit` [rad/s]; see `_settling`."""
    n = dae.tree.size
    modes, mass = _undamped(dae, at)
    damping = _damping(dae, at)
    fast = []
    for i, mode in enumerate(modes, 1):
        frequency, shape = mode.eigenvalue.imag, np.real(mode.shape[:n])
        if frequency <= limit:
            continue
        shape = shape / np.sqrt(shape @ mass @ shape)
        if _settling(frequency, float(shape @ damping @ shape)) > limit:
            fast.append((f"mode {i} ({frequency:.0f} rad/s)", shape))
    return StaticModes(
        names=tuple(name for name, _ in fast),
        shapes=tuple(tuple(shape.tolist()) for _, shape in fast),
        measures=tuple(tuple((mass @ shape).tolist()) for _, shape in fast),
    )


def _settling(frequency: float, damping: float) -> float:
    """Return the magnitude [1/s] of the slower eigenvalue of e'' + damping e' + frequency^2 e = 0.

    An overdamped mode creeps towards its balance of forces at about frequency^2 / damping, and lags behind it by the
    inverse: the mode of 6223 rad/s that stretches the tendons of the arm in benchmarks/real_plans, by 4 ms. As a
    quasi-static mode it would have no lag on any mesh.
    """
    half = damping / 2
    return frequency if half <= frequency else frequency**2 / (half + math.sqrt(half**2 - frequency**2))


def _damping(dae: DAE, at: OperatingPoint) -> np.ndarray:
    """Return the damping matrix at an equilibrium (n, n): what the rates of coordinates exert against them."""
    n = dae.tree.size
    slopes = motion(dae)(at.x, at.z, at.u, at.p, np.zeros(n), loop_forces(dae, at))[1]
    return slopes.full()[:n, n : 2 * n]
