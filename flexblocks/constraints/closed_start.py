"""Closed start: start values that close all loops, where those of the blocks are guesses."""

from __future__ import annotations

import logging

import numpy as np

from flexblocks.constraints.closed_posture import SPREAD, TRIES, not_closed, searched
from flexblocks.constraints.continuation import led
from flexblocks.constraints.deformation import deformation, deforming
from flexblocks.constraints.loop_equations import ClosureEquations, closure_equations, gap
from flexblocks.constraints.loop_newton import CLOSED, nearest, polished
from flexblocks.dae.closed_start import ClosedStart
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import CLOSED_START

LOG = logging.getLogger("flexblocks.assemble")

# A guess that is missed by more gives a warning [rad, lengths of the loops]: 57 degrees, more than a sketch is off.
FAR = 1.0


# Closed postures (k, n) on a way, and which coordinates (n,) are led along it.
Lead = tuple[np.ndarray, np.ndarray]


def closed_start(dae: DAE, near: np.ndarray | None = None) -> tuple[ClosedStart, list[Lead]]:
    """Return start values that close the loops, next to those of the blocks, and the ways on which guesses were led.

    Where coordinates are locked, it is the closed posture `near` (n,) to which the arm without locks was led.

    Zero is the default of a start value: such joints move first. Then joints move whose start value was set; each of
    these is led back to its value where the others allow it, in the order in which the blocks were added. Beams bend
    only if no motion of joints closes the loops, and then store the least energy.

    Raises
    ------
    LoopError
        The loops cannot be closed.

    Warns
    -----
    FlexblocksWarning
        Beams are bent at the start, or a start value that was set is missed by far.
    """
    n, p, equations = dae.tree.size, dae.p.start, closure_equations(dae)
    declared = dae.x.start[:n]
    joints = ~deforming(dae)
    guessed = joints & (declared != 0)
    q, energies = _by_joints(equations, declared, p, joints, guessed) if near is None else None, {}
    leads: list[Lead] = []
    kept = np.zeros(n, dtype=bool)
    if q is not None:
        q, kept, leads = _with_guesses(equations, q, declared, p, joints, guessed)
    else:
        q = searched(dae, declared, p, np.ones(n, dtype=bool)) if near is None else near
        if q is None:
            raise not_closed(dae, declared, p, np.zeros(n, dtype=bool), "assemble")
        bent = deformation(dae)
        stored = bent.energies(q, p)[0].full().ravel()
        energies = {name: float(energy) for name, energy in zip(bent.bodies, stored, strict=True) if energy > 0}
        kept = guessed & (np.abs(q - declared) <= CLOSED * equations.unit)
    names = tuple(name for name, is_kept in zip(dae.q_names, kept, strict=True) if is_kept)
    record = ClosedStart(dae.q_names, dae.x.units[:n], declared, q, equations.unit, names, energies)
    _warn(dae, record, guessed & (np.abs(q - declared) > FAR * equations.unit) & (near is None))
    return record, leads


def _by_joints(
    equations: ClosureEquations, declared: np.ndarray, p: np.ndarray, joints: np.ndarray, guessed: np.ndarray
) -> np.ndarray | None:
    """Return a posture closed by joints alone: those without a guess go where the others want them, then all move."""
    rng = np.random.default_rng(0)
    for attempt in range(TRIES):
        spread = SPREAD * bool(attempt) * rng.uniform(-1, 1, joints.sum()) * equations.unit[joints]
        q = declared.copy()
        q[joints] += spread
        q = equations.within(declared, q)
        for free in (joints & ~guessed, joints):
            if gap(equations, q, p) > CLOSED:
                q = polished(equations, nearest(equations, q, p, free), p, free)
        if gap(equations, q, p) <= CLOSED:
            return q
    return None


def _with_guesses(
    equations: ClosureEquations,
    q: np.ndarray,
    declared: np.ndarray,
    p: np.ndarray,
    joints: np.ndarray,
    guessed: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, list[Lead]]:
    """Return the closed posture with as many guesses as can be kept, which these are, and the ways to them."""
    kept, leads = np.zeros(len(q), dtype=bool), []
    for i in np.flatnonzero(guessed):
        held = kept.copy()
        held[i] = True
        if q[i] == declared[i]:  # it is there already
            kept = held
            continue
        back = led(equations, (q, p), np.where(held, declared, q), p, held, joints & ~held)
        if back is not None:
            q, kept = back[-1], held
            leads.append((back, held))
    return q, kept, leads


def _warn(dae: DAE, record: ClosedStart, far: np.ndarray) -> None:
    if record.moved:
        LOG.info("the loops of '%s' are closed: %s", dae.name, "; ".join(str(record).splitlines()))
    told = []
    if record.strain_energy:
        energies = listing(f"{name} stores {energy:.3g} J" for name, energy in record.strain_energy.items())
        told.append(f"joints alone cannot close its loops, and beams are bent at the start ({energies})")
    missed = {name: record.moved[name] for name, is_far in zip(dae.q_names, far, strict=True) if is_far}
    if missed:
        values = listing(f"{name} from {old:g} to {new:.4g}" for name, (old, new) in missed.items())
        told.append(f"start values moved far to close its loops: {values}")
    if told:
        warn(
            f"assemble: '{dae.name}': {'; '.join(told)}. Check lengths and start values; `dae.closed_start` lists "
            "all that moved.",
            CLOSED_START,
        )
