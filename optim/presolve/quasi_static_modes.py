"""Selection of modes by their periods in an interval: quasi-static (residualised) ones, and what goals leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.errors import suggestion
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.linear.eigenmodes import Eigenmode, conservative
from flexblocks.statics.balance import motion
from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.quasi_static import ALL_MOVE, StaticModes
from ..collocation.transcription_options import AUTO
from ..errors import ProblemError
from .equilibrium import balance_jacobian, loop_forces

PERIODS = 2.0  # in an interval, from which "auto" makes a mode quasi-static; by trial
FAR = 10.0  # from which a mesh has nothing of a mode but its balance; by trial


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
    if dae.tree.loops.closures:
        raise ProblemError(
            f"plan: quasi_static = {option!r}, but '{dae.name}' has closed loops, which modes of one posture would "
            "open in another; leave it out."
        )
    if option == AUTO:
        return unresolved_modes(dae, at, step)
    is_limit = isinstance(option, (int, float))
    modes = _faster(dae, at, float(option), all_of_them=True) if is_limit else _named(dae, option)
    if len(modes) == dae.tree.size - len(dae.tree.prescribed):
        raise ProblemError(f"plan: quasi_static = {option!r}; leaves no dynamics in '{dae.name}'. Name fewer modes.")
    return modes


def unresolved_modes(dae: DAE, at: OperatingPoint, step: float, periods: float = PERIODS) -> StaticModes:
    """Return the modes of an equilibrium with so many periods or more in a step [s], but for the slowest of all.

    With closed loops they are modes of the independent coordinates, in which the others have no part.
    """
    return _faster(dae, at, 2 * np.pi * periods / step)


def _named(dae: DAE, names: Sequence[str]) -> StaticModes:
    for name in names:
        if name not in dae.q_names:
            raise ProblemError(f"plan: quasi_static: there is no coordinate '{name}'{suggestion(name, dae.q_names)}")
    chosen = [name for name in dae.q_names if name in names]
    rows = tuple(tuple(float(name == one) for one in dae.q_names) for name in chosen)
    return StaticModes(tuple(chosen), rows, rows)


def more_than_inputs(dae: DAE, at: OperatingPoint, step: float) -> bool:
    """Whether the modes with two periods or more in a step [s] are more than the inputs, with closed loops, too.

    A damping scheme keeps such a mode where the forces of the last point put it. Where its deflection and its rate are
    prescribed at the end of a motion, an input has its value and its rate there to meet them.
    """
    return fast_modes(dae, at, step) > len(dae.u)


def fast_modes(dae: DAE, at: OperatingPoint, step: float) -> int:
    """Return how many modes have two periods or more in a step [s], with closed loops, too."""
    frequencies = np.array([mode.eigenvalue.imag for mode in _vibrations(dae, at).modes])
    return int(np.sum(frequencies * step > 2 * np.pi * PERIODS))


@dataclass(frozen=True, eq=False)
class _Vibrations:
    """Undamped vibrations about an equilibrium, in d independent coordinates.

    Prescribed coordinates move as prescribed: they stand still.

    Attributes
    ----------
    coordinates : ndarray of int (d,)
    motions : ndarray (n, d)
        Of all coordinates with these, which keeps loops closed.
    mass : ndarray (d, d)
    modes : list of Eigenmode
        By frequency.
    """

    coordinates: np.ndarray
    motions: np.ndarray
    mass: np.ndarray
    modes: list[Eigenmode]


def _vibrations(dae: DAE, at: OperatingPoint) -> _Vibrations:
    n, coordinates = dae.tree.size, np.arange(dae.tree.size)
    motions = np.eye(n)
    if dae.tree.loops.closures:
        along = tangent(dae, at, np.zeros(n))
        coordinates, motions = along.coordinates, along.q
    free = ~np.isin(coordinates, list(dae.tree.prescribed_columns))
    coordinates, motions = coordinates[free], motions[:, free]
    stiffness = motions.T @ balance_jacobian(dae, at)[:n, :n] @ motions
    mass = motions.T @ regular_mass(dae, *dae.posture(at.x, at.z, at.p)) @ motions
    modes = sorted(conservative(mass, stiffness), key=lambda mode: abs(mode.eigenvalue))
    return _Vibrations(coordinates, motions, mass, modes)


def _faster(dae: DAE, at: OperatingPoint, limit: float, all_of_them: bool = False) -> StaticModes:
    """Return the undamped modes at an equilibrium that settle faster than `limit` [rad/s]; see `_settling`.

    But for the slowest of all, unless it is to be `all_of_them`.
    """
    found = _vibrations(dae, at)
    n, d = found.motions.shape
    first = 0 if all_of_them else 1
    modes = [(i, mode) for i, mode in enumerate(found.modes) if i >= first and mode.eigenvalue.imag > limit]
    if not modes:
        return ALL_MOVE  # without the derivatives that damping takes
    damping, fast = found.motions.T @ _damping(dae, at) @ found.motions, []
    for i, mode in modes:
        frequency, shape = mode.eigenvalue.imag, np.real(mode.shape[:d])
        shape = shape / np.sqrt(shape @ found.mass @ shape)
        if _settling(frequency, float(shape @ damping @ shape)) > limit:
            fast.append((f"mode {i + 1} ({frequency:.0f} rad/s)", shape))

    def of_all(values: np.ndarray) -> tuple[float, ...]:
        full = np.zeros(n)
        full[found.coordinates] = values
        return tuple(full.tolist())

    return StaticModes(
        names=tuple(name for name, _ in fast),
        shapes=tuple(of_all(shape) for _, shape in fast),
        measures=tuple(of_all(found.mass @ shape) for _, shape in fast),
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
