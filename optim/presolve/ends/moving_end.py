"""Moving ends: rates of all coordinates at a start or goal in motion, from those that are prescribed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.geometry import bending
from flexblocks.libraries import scipy
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ...problem.signals.instant import instant, instant_rows
from ...problem.signals.signals import Signals
from ...tolerances import MET, ROUNDING
from ..equilibrium import balance_jacobian, loop_forces, slow_motions


def split_motion(dae: DAE, prescribed: Mapping[str, float], where: str) -> tuple[dict[str, float], dict[str, float]]:
    """Split prescribed values into those of the posture and those of the motion: rates, velocities.

    What no posture changes, as the height of an arm in the plane, is left out.

    Raises
    ------
    ProblemError
        It has another value than the prescribed one.
    """
    signals, posture, motion = Signals(instant(dae)), {}, {}
    for name, value in prescribed.items():
        moving = name in dae.x.names[dae.tree.size : 2 * dae.tree.size]
        if not moving and name not in dae.x and name in signals:
            moving = _is_velocity(dae, signals[name])
        (motion if moving else posture)[name] = value
    seen = [name for name in posture if name not in dae.x and name in signals]
    for name, value in _constants(dae, seen).items():
        if abs(posture.pop(name) - value) > ROUNDING:
            raise ProblemError(
                f"{where}: {name} = {prescribed[name]:g}, but it is {value:.6g} in every posture of the arm, which "
                "does not move that way. Leave it out."
            )
    return posture, motion


def _is_velocity(dae: DAE, signal: ca.SX) -> bool:
    """Return whether a signal is zero at rest, in motion not: the tension of a damped rope is a force, no velocity."""
    if not ca.depends_on(signal, dae.v):
        return False
    at = instant(dae)
    function = ca.Function("values", [at.vector, dae.p.symbol], [ca.substitute(signal, dae.v, 0 * dae.v), signal])
    q, n = 0.3 * np.sin(1.0 + np.arange(dae.tree.size)), dae.tree.size
    x = dae.x.start + np.concatenate([q, q, np.zeros(len(dae.x) - 2 * n)])
    y = instant_rows(dae, x=x, z=dae.z.start, u=dae.u.start, time=np.zeros(1))
    still, moving = (abs(float(value)) for value in function(y, dae.p.start))
    return still <= ROUNDING * moving


def _constants(dae: DAE, names: Sequence[str]) -> dict[str, float]:
    """Return the values of those signals that depend on the posture alone and do not change with it."""
    signals, at = Signals(instant(dae)), instant(dae)
    others = ca.vertcat(*[part for key, part in at.parts.items() if key != "x"], at.parts["x"][dae.tree.size :])
    names = [name for name in names if not ca.depends_on(signals[name], others)]
    if not names:
        return {}
    values = ca.vertcat(*[signals[name] for name in names])
    parts = [ca.densify(values), ca.densify(ca.jacobian(values, dae.q))]
    function = ca.Function("values", [dae.q, dae.p.symbol], parts)
    # Two generic postures, as one may be a turning point.
    postures = [dae.x.start[: dae.tree.size] + 0.3 * np.sin(phase + np.arange(dae.tree.size)) for phase in (1.0, 2.5)]
    first, second = ([part.full() for part in function(q, dae.p.start)] for q in postures)
    slope = np.maximum(np.abs(first[1]).max(axis=1), np.abs(second[1]).max(axis=1))
    still = slope <= ROUNDING * slope.max(initial=0.0)
    return {name: float(value) for name, value, rests in zip(names, first[0].ravel(), still, strict=True) if rests}


def told_deflections(dae: DAE, posture: Mapping[str, float]) -> dict[str, float]:
    """Return the values of those coordinates that are deflections of beams."""
    bends = bending(dae)
    return {name: value for name, value in posture.items() if name in dae.q_names and bends[dae.x.index(name)]}


def moving_state(
    dae: DAE,
    point: OperatingPoint,
    motion: Mapping[str, float],
    told: Mapping[str, float],
    where: str,
    floating: Sequence[int] = (),
) -> np.ndarray:
    """Return the states (nx,) of a moving end.

    Joints move so that the prescribed rates are met, with the least kinetic energy; if only rates of coordinates are
    prescribed, joints without one stand still. All else moves along quasi-statically: rotors with their joints, and
    deflections with their static values, unless their rates are prescribed, too.

    Parameters
    ----------
    dae : DAE
    point : OperatingPoint
        The equilibrium in the posture there.
    motion : dict of float
        Prescribed rates and velocities by name.
    told : dict of float
        Prescribed deflections by name, instead of the static ones.
    where : str
        For messages, as ``"plan: goal"``.
    floating : sequence of int
        Coordinates of a floating base of which no rate is prescribed: if velocities are, joints move it so that it has
        no momentum.

    Raises
    ------
    ProblemError
        No motion has these rates.
    """
    n, names = dae.tree.size, tuple(motion)
    x = point.x.copy()
    for name, value in told.items():
        x[dae.x.index(name)] = value
    # Motions that the arm can make: the quasi-static ones, and rates of deflections that are prescribed by themselves.
    ways = slow_motions(balance_jacobian(dae, point), n)
    bends = bending(dae)[:n]
    own = [i for i in range(n) if bends[i] and f"der({dae.q_names[i]})" in motion]
    ways[own] = 0.0
    ways = np.hstack([ways, np.eye(n)[:, own]])
    # The prescribed rates are linear in those of the coordinates.
    rows, rates = _rates(dae, replace(point, x=x), names), np.array(list(motion.values()))
    M = dae.mass_matrix(*dae.posture(point.x, point.z, point.p)).full()
    if all(name in dae.x for name in names):
        rows, rates = _with_others_still(rows, rates, ways, bends)
    elif floating:
        ways = ways @ scipy.linalg.null_space(M[list(floating)] @ ways, rcond=ROUNDING)
    M = ways.T @ M @ ways
    L = np.linalg.cholesky(M + 1e-14 * np.trace(M) * np.eye(len(M)))
    # Rows of one size, as velocities in m/s and rad/s differ with the arm.
    effect = scipy.linalg.solve_triangular(L, (rows @ ways).T, lower=True).T
    size = np.linalg.norm(effect, axis=1)
    size = np.where(size > ROUNDING * size.max(initial=0.0), size, 1.0)
    least = np.linalg.lstsq(effect / size[:, None], rates / size, rcond=ROUNDING)[0]
    v = ways @ scipy.linalg.solve_triangular(L.T, least)
    reached = rows[: len(names)] @ v
    wanted = rates[: len(names)]
    if np.any(np.abs(reached - wanted) > MET * (np.abs(rows[: len(names)]) @ np.abs(v) + np.max(np.abs(wanted)))):
        asked = ", ".join(f"{name} = {value:g}" for name, value in motion.items())
        near = ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, reached.tolist(), strict=True))
        raise ProblemError(
            f"{where}: no motion of the arm has {asked} in this posture; the nearest has {near}. Prescribe fewer "
            "rates, or another posture."
        )
    x[n : 2 * n] = v
    return x


def _rates(dae: DAE, point: OperatingPoint, names: tuple[str, ...]) -> np.ndarray:
    """Return the derivatives (m, n) of signals in the rates of the coordinates."""
    at = instant(dae)
    signals = Signals(at)
    values = ca.vertcat(*[signals[name] for name in names])
    slopes = ca.Function("slopes", [at.vector, dae.p.symbol], [ca.densify(ca.jacobian(values, dae.v))])
    y = instant_rows(dae, x=point.x, z=point.z, f=loop_forces(dae, point), u=point.u, time=np.zeros(1))
    return slopes(y, point.p).full()


def _with_others_still(
    rows: np.ndarray, rates: np.ndarray, ways: np.ndarray, bends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the conditions with more of them: joints that stand still, as many as the motion still depends on."""
    _, sizes, right = np.linalg.svd(rows @ ways)
    left = right[int(np.sum(sizes > ROUNDING * sizes.max(initial=0.0))) :].T
    if not left.shape[1]:
        return rows, rates
    free = ways @ left
    free[bends] = 0.0
    order = scipy.linalg.qr(free.T, pivoting=True)[-1]
    still = np.eye(len(free))[order[: left.shape[1]]]
    return np.vstack([rows, still]), np.concatenate([rates, np.zeros(len(still))])
