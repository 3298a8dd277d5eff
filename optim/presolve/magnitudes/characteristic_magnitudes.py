"""Characteristic magnitudes: how large this arm and this task make each variable, by the rigid arm's motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, regular_mass
from flexblocks.constraints.ranges import state_bounds
from flexblocks.libraries import scipy
from flexblocks.statics.balance import unknown_slices

from ...tolerances import RESIDUE, ROUNDING
from ..equilibrium import accompanying_motion, balance_jacobian, loop_forces, turning
from ..phase_transcription import PhaseTranscription
from ..rigid_motion.driven_states import moving_forces
from .characteristic_motion import CharacteristicMotion, characteristic_motion

# Energies of the motion that energy left at a goal counts in: IPOPT widens a leeway by 1e-8 of that, which is a
# thousandth of a leeway of 1e-4 of the energy. 0.1 and 1 are as good; with 0.001 the pump boom on cylinders in
# benchmarks/real_plans does not end with two loads.
ENERGIES = 10.0
NOTHING_BENT = 1e-14  # share of the kinetic energy
LEAST = 0.1  # of what the motion's energy could make of a variable that barely takes part; by trial

# Magnitudes by the name of a phase's Vars, each in the order of their last index.
Magnitudes = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Characteristics:
    """What an arm and a task make of the variables of a phase.

    Attributes
    ----------
    magnitudes : Magnitudes
    bending : BSpline, optional
        By how much the forces of the rigid arm's motion bend it, the coordinates (n,) over time; None if it stays where
        it is.
    used : ndarray (nu,)
        The largest inputs of the rigid arm's motion, within limits; nothing but rounding where it has no use for one.
    asked : ndarray (nu,)
        The same, whatever the limits.
    kinetic : float
        The largest kinetic energy of that motion [J].
    """

    magnitudes: Magnitudes
    bending: scipy.interpolate.BSpline | None
    used: np.ndarray
    asked: np.ndarray
    kinetic: float


def magnitudes(t: PhaseTranscription) -> Magnitudes:
    """Return typical magnitudes of the variables of a phase; see `characteristics`."""
    return characteristics(t).magnitudes


@lru_cache(maxsize=8)
def characteristics(t: PhaseTranscription) -> Characteristics:
    """Return typical magnitudes of the variables of a phase, and how its motion bends the arm.

    Coordinates that the rigid arm moves: by how much it moves them; deflections: by the forces of that motion over
    their stiffness. What hardly takes part counts with a tenth of what all the kinetic or elastic energy of the motion
    would make of it, and an angle with no more than a tenth of the largest one. Rates and accelerations are at least
    those over the duration. All are homogeneous in the units of length, mass and time, so physically similar arms
    make one scaled program.
    """
    dae, n, T = t.dae, t.dae.tree.size, t.mesh.duration
    stiffness = balance_jacobian(dae, t.start)
    rigid = characteristic_motion(t, stiffness)
    still = _is_still(t, rigid)
    bent_rates = np.gradient(rigid.bent, rigid.times, axis=0)
    q = np.maximum(np.ptp(rigid.q, axis=0), _peak(rigid.bent))
    mass = np.diag(regular_mass(dae, *dae.posture(t.start.x, t.start.z, t.start.p)))
    kinetic = 0.0 if still else float(np.max(rigid.v**2 @ mass)) / 2  # but for couplings
    forces = stiffness[:n, unknown_slices(dae).u]
    q = np.max([q, _least(t, rigid, stiffness[:n, :n], q, mass, kinetic), _falling(t, forces, mass)], axis=0)
    kinetic = kinetic or float(np.max((q / T) ** 2 * mass)) / 2
    v = np.max([_peak(rigid.v), _peak(bent_rates), q / T], axis=0)
    a = np.max([_peak(rigid.a), _peak(np.gradient(bent_rates, rigid.times, axis=0)), q / T**2], axis=0)
    w = _state_magnitudes(t, rigid) if rigid.w.size else np.zeros(0)
    used = _peak(np.clip(rigid.u, *t.limits.u.T))
    u = _input_magnitudes(t, used, rigid.a, forces, mass, a if still else None)
    sizes = {
        "q": q,
        "v": v,
        "a": a,
        "w": w,
        "dw": np.maximum(_peak(rigid.dw), w / T),
        "z": _positive(_peak(rigid.z), 1.0),
        "f": _closing_magnitudes(t, rigid) if rigid.held.size else np.zeros(0),
        "e": np.abs(t.static.amounts(n)) @ q,
        "u": u,
        "goal_energy": np.array([ENERGIES * kinetic]),
        "du": np.maximum(_peak(np.gradient(rigid.u, rigid.times, axis=0)), u / T),
    }
    bending = None if still else scipy.interpolate.make_interp_spline(rigid.times, rigid.bent, k=5)
    return Characteristics(sizes, bending, used, _peak(rigid.u), kinetic)


def _is_still(t: PhaseTranscription, rigid: CharacteristicMotion) -> bool:
    """Return whether the rigid motion leads back to its start, but for the rounding of a goal by place."""
    size = np.maximum(_peak(rigid.q), np.where(turning(t.dae), 1.0, 0.0))
    return bool(np.all(np.ptp(rigid.q, axis=0) <= RESIDUE * size))


def _least(
    t: PhaseTranscription,
    rigid: CharacteristicMotion,
    stiffness: np.ndarray,
    q: np.ndarray,
    mass: np.ndarray,
    kinetic: float,
) -> np.ndarray:
    """Return the least magnitudes of the coordinates (n,), by the energies of the motion.

    `mass` (n,) is what each coordinate moves by itself, `kinetic` the largest energy [J] of the rates.
    """
    dae, n, T = t.dae, t.dae.tree.size, t.mesh.duration
    units = np.array(dae.x.units[:n])
    if not kinetic > 0:  # a motion back to its start
        return turn_of_the_heaviest(units, mass)
    elastic = np.max(np.einsum("ki,ij,kj->k", rigid.bent, stiffness, rigid.bent))
    moved = np.sqrt(2 * kinetic / mass) * T
    stiff = np.diag(stiffness) > 0
    bent = np.full(n, np.inf)
    if elastic > NOTHING_BENT * kinetic:
        bent[stiff] = np.sqrt(elastic / np.diag(stiffness)[stiff])
    # A light wrist turns no further than the others do, if any turns; lengths may be deflections as well as ways
    turned = np.max(q[units != "m"], initial=0.0)
    alike = np.where((units == "m") | (turned <= RESIDUE), np.inf, turned)
    # A joint on a cylinder is as stiff as that, and yet goes wherever the cylinder does, with all that follows it
    ways = np.abs(accompanying_motion(dae, t.start, t.problem.start))
    far = np.sqrt(2 * kinetic / (mass @ ways**2)) * T
    caps = np.divide(alike[:, None], ways, where=ways > RESIDUE * ways.max(axis=0), out=np.full_like(ways, np.inf))
    far = np.minimum(far, caps.min(axis=0, initial=np.inf))
    return LEAST * np.maximum(np.min([moved, bent, alike], axis=0), np.max(ways * far, axis=1, initial=0.0))


def turn_of_the_heaviest(units: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return by how much each coordinate (n,) moves with the kinetic energy of the heaviest joint turned by a radian.

    `mass` (n,) is what each coordinate moves by itself; without an angle, the heaviest one moves by a metre.
    """
    turning = mass[units != "m"] if (units != "m").any() else mass
    return np.sqrt(np.max(turning) / mass)


def _falling(t: PhaseTranscription, forces: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return the least magnitudes of the coordinates (n,) of an arm that inputs hold: a tenth of a radian at most.

    The least effort of holding a weight is to let it go and to catch it: an arm that goes no farther than a millimetre
    swings out and back, as far as it falls in half of the time. `forces` (n, nu) are those of each input, `mass` (n,)
    what each coordinate moves by itself.
    """
    fallen = np.abs(forces) @ np.abs(t.start.u) / mass * (t.mesh.duration / 2) ** 2 / 2
    return LEAST * np.where(turning(t.dae), np.minimum(fallen, 1.0), 0.0)


def _state_magnitudes(t: PhaseTranscription, rigid: CharacteristicMotion) -> np.ndarray:
    """Return the magnitudes of the first-order states (nw,): at rest, or of the forces that move the rigid arm.

    Without a weight to hold, currents are nothing but rounding at rest. A state with a range, as the deflection of
    bristles, counts with a share of it at least.
    """
    states = (rigid.q, rigid.v, rigid.w, rigid.a)
    moving = moving_forces(t.dae, t.start, t.problem.start, states, rigid.z, rigid.u)
    _, high = state_bounds(t.dae)
    ranged = np.where(np.isfinite(high), LEAST * np.abs(high), 0.0)
    return _positive(np.max([_peak(rigid.w), _peak(moving), ranged], axis=0), 1.0)


def _input_magnitudes(
    t: PhaseTranscription,
    used: np.ndarray,
    accelerations: np.ndarray,
    forces: np.ndarray,
    mass: np.ndarray,
    still: np.ndarray | None,
) -> np.ndarray:
    """Return the magnitudes of the inputs (nu,): those `used` by the rigid arm; what is not used, by the others'.

    Where none of a unit is used but for rounding, as the slewing torque of a crane that luffs: by what accelerates the
    arm as the motion does, with its `accelerations` (points, n), `forces` (n, nu) of each input and `mass` (n,), what
    each coordinate moves by itself; by the accelerations `still` (n,) of an arm that stays where it is, whose winches
    have nothing but rounding, too.
    """
    units = np.array(t.dae.u.units)
    limit = np.min(np.where(np.isfinite(t.limits.u), np.abs(t.limits.u), np.inf), axis=1)
    alike = np.array([np.max(used[units == unit]) for unit in units])
    mobility = np.sqrt(np.sum(forces**2 / mass[:, None], axis=0))
    accelerated = np.sqrt(np.max((accelerations if still is None else still) ** 2 @ mass))
    alike = np.maximum(alike, LEAST * np.divide(accelerated, mobility, where=mobility > 0, out=np.zeros(len(units))))
    if still is not None:
        used = np.where((mobility > 0) & (used > ROUNDING * alike), used, 0.0)
        alike = np.where(mobility > 0, alike, 0.0)
    idle = np.where(np.isfinite(limit) & (limit > 0), limit, 1.0)
    return _positive(np.maximum(used, np.minimum(LEAST * alike, np.where(limit > 0, limit, np.inf))), idle)


def _closing_magnitudes(t: PhaseTranscription, rigid: CharacteristicMotion) -> np.ndarray:
    """Return the magnitudes of loop-closure forces (m,), none far below what another one does.

    A pin that turns freely bears no torque but rounding. What a force does is how much it accelerates the arm, in the
    metric of the mass matrix, so forces and torques compare, in any units: each counts with a tenth of the most.
    """
    dae, at = t.dae, t.start
    forces = np.maximum(np.abs(loop_forces(dae, at)), _peak(rigid.held))
    M = regular_mass(dae, *dae.posture(at.x, at.z, at.p))
    J = closure_equations(dae).closures(at.x[: dae.tree.size], at.p)[1].full()
    mobility = np.sqrt(np.maximum(np.sum(J * np.linalg.solve(M, J.T).T, axis=1), 0.0))
    moves = mobility > 0
    least = LEAST * np.max(forces * mobility)
    return _positive(np.where(moves, np.maximum(forces, least / np.where(moves, mobility, 1.0)), forces), 1.0)


def _peak(values: np.ndarray) -> np.ndarray:
    return np.max(np.abs(values), axis=0, initial=0.0)


def _positive(values: np.ndarray, otherwise: np.ndarray | float) -> np.ndarray:
    return np.where(values > 0, values, otherwise)
