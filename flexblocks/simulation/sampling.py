"""Output times of a run, and its trajectory sampled at them."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.implicit_functions import outputs_along
from flexblocks.errors import ParameterError
from flexblocks.plausibility import LARGEST, computable, needed
from flexblocks.simulation.run import Record
from flexblocks.simulation.signals.parameters import Parameters
from flexblocks.simulation.system import System
from flexblocks.simulation.trajectory import ENERGIES, Trajectory
from flexblocks.validity.energy_balance import out_of_balance
from flexblocks.validity.input_limits import Excess, beyond_limits

AGREE = 1e-6  # share of the energy that passed, to which work and energies agree, so that there is nothing to look at
SAMPLES = 1001  # over (start, end): smooth plots, and a sampling interval that is a round number


def output_times(t: Any, where: str) -> tuple[np.ndarray, bool]:
    """Return the output times (k,) [s], and whether the user passed them one by one.

    Raises
    ------
    ParameterError
        The times are not finite, increasing numbers.
    """
    try:
        times = np.asarray(t, dtype=float)
    except OverflowError:
        times = np.full(2, np.inf)
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or len(times) < 2:
        raise ParameterError(f"{where}: t = {t!r}; must be (start, end) [s] or an array of output times.")
    if not computable(times):
        bad = times[np.argmin(np.abs(times) <= LARGEST)]
        raise ParameterError(f"{where}: t has the time {bad:g} s; must be {needed(times)}.")
    if not np.all(np.diff(times) > 0):
        at = int(np.argmax(np.diff(times) <= 0))
        raise ParameterError(f"{where}: t must rise; {times[at]:g} s is followed by {times[at + 1]:g} s.")
    if len(times) == 2 and not isinstance(t, np.ndarray):
        return np.linspace(times[0], times[1], SAMPLES), False
    return times, True


def sampled_trajectory(system: System, times: np.ndarray, record: Record, parameters: Parameters) -> Trajectory:
    """Return the trajectory at the output times that were reached.

    At a discontinuity of an input or parameter, all that depends on it are the limits from the right.
    """
    dae = system.dae
    X = np.array(record.X)
    t = times[: len(X)]
    columns = system.inputs.parameters[:, system.inputs.segment_of(t)]
    p = parameters.along(t) if len(parameters.changes) else system.p
    P = np.vstack([np.broadcast_to(p if p.ndim > 1 else p[:, None], (len(p), len(t))), columns])
    u = system.equations.input(t[None, :], columns)
    z = [system.consistent(*point) for point in zip(t, X, record.z, P.T, strict=True)]
    x = X[:, :-1]
    algebraics = [np.array(z).T] if len(dae.z) else []
    functions = dae.interpreted
    known = None if record.rates is None else known_rates(dae, record)
    if known is None:
        y = functions.output(x.T, u, p, *algebraics)
    else:
        y = outputs_along(dae)(x.T, *known, np.array(z).T.reshape(len(dae.z), len(t)), u, p)
    kinetic, potential = functions.energy(x.T, p, *(algebraics if functions.energy.n_in() == 3 else []))
    energy = np.column_stack([np.array(kinetic).ravel(), np.array(potential).ravel(), X[:, -1]])
    groups = {"x": dae.x, "z": dae.z, "u": dae.u, "y": dae.y}
    units = {name: unit for group in groups.values() for name, unit in zip(group.names, group.units, strict=True)}
    return Trajectory(
        name=dae.name,
        t=t,
        x=x,
        z=np.array(z).reshape(len(t), len(dae.z)),
        u=np.array(u).reshape(len(dae.u), len(t)).T,
        y=np.array(y).reshape(len(dae.y), len(t)).T,
        energy=energy,
        names={key: group.names for key, group in groups.items()} | {"energy": ENERGIES},
        units=units | dict.fromkeys(ENERGIES, "J"),
        p=dict(zip(dae.p.names, system.p.tolist(), strict=True)),
        complete=len(t) == len(times),
        dissipated=None if record.damped is None else _dissipated(energy, record),
        damped_modes=record.damped_modes,
        changes=tuple(change for change in record.changes if len(t) and change.time <= t[-1]),
        dae=dae,
    )


def known_rates(dae: DAE, record: Record) -> tuple[np.ndarray, np.ndarray] | None:
    """Return rates (n + nw, k) and loop forces (m, k) that a method has found; None if it leaves them to dynamics."""
    if record.rates is None or record.multipliers is None:
        return None
    return np.array(record.rates).T, kept_multipliers(dae, np.array(record.multipliers).T)


def known_forces(dae: DAE, record: Record) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the accelerations (n, k) of these rates, and the loop forces (m, k)."""
    known = known_rates(dae, record)
    return None if known is None else (known[0][: dae.tree.size], known[1])


def kept_multipliers(dae: DAE, multipliers: np.ndarray) -> np.ndarray:
    """Return the multipliers (kept, k) of the closures that an arm has kept, of those of all closures (m, k)."""
    every = dae.expressions.closing_tree.loops.multipliers
    return multipliers[[every.index(name) for name in dae.tree.loops.multipliers], :]


def _dissipated(energy: np.ndarray, record: Record) -> float:
    """Return what is missing at the end [J] of a record with energies (k, 3)."""
    if not len(energy) or not record.damped:
        return 0.0
    kinetic, potential, work = energy[-1] - energy[0]
    jumps = sum(change.energy_jump for change in record.changes)
    return float(work - record.damped[-1] + jumps - kinetic - potential)


def agree(energy: np.ndarray) -> bool:
    """Return whether work is the change of energies (k, 3) but for rounding: nothing was lost."""
    kinetic, potential, work = energy.T
    off = np.max(np.abs(kinetic + potential - work - (kinetic[0] + potential[0] - work[0])))
    return bool(off <= AGREE * (np.max(kinetic) + np.ptp(potential) + np.ptp(work)))


def balances(dae: DAE, motion: Trajectory, p: Parameters, run: str = "") -> dict[str, str]:
    """Return where energies of a motion are out of balance between changes of parameters, for `warn_of_balances`.

    Those that agree with the work but for rounding are not looked at.
    """
    found = {}
    for k, (part, values) in enumerate(p.parts(motion.t)):
        if not agree(motion.energy[part]):
            t, x, z, u = (each[part] for each in (motion.t, motion.x, motion.z, motion.u))
            named = f"{run}after its change {k} of parameters, " if k else run
            found[named] = out_of_balance(dae, t, x, z, u, values, motion.energy[part])
    return found


def excesses(system: System, motion: Trajectory) -> list[Excess]:
    """Return the inputs that exceed their limits up to the end of a motion, and the commands that nothing clips."""
    dae, found, last = system.dae, [], len(motion.t)
    if not last:
        return found
    if np.isfinite(dae.u.limits).any():
        # At the samples, and on both sides of what jumps between them; of expressions at more times, as they are cheap.
        inputs = system.inputs
        begun = np.flatnonzero(inputs.ends[:-1] < motion.t[-1])
        ends = np.concatenate([inputs.ends[begun], np.minimum(inputs.ends[begun + 1], motion.t[-1])])
        more = np.linspace(motion.t[0], motion.t[-1], SAMPLES if inputs.symbol_type is ca.SX and last < SAMPLES else 0)
        times = np.concatenate([ends, more])
        segments = np.concatenate([begun, begun, inputs.segment_of(more)])
        between = np.array(system.equations.input(times[None, :], inputs.parameters[:, segments])).T
        inputs.raise_failure()
        times, values = np.append(times, motion.t), np.vstack([between, motion.u])
        if np.any(np.abs(values) > dae.u.limits):
            found += beyond_limits(dae.u, times, values)
    if np.any(np.abs(motion.y) > dae.y.limits):
        found += beyond_limits(dae.y, motion.t, motion.y)
    return found
