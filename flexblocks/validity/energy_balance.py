"""The warning where the work done on an arm is not what its energy gains and loses: a motion that is not accurate.

Work is integrated with the motion, energies are functions of its states, so that they agree only as far as the motion
solves its equations. What is lost is not integrated: its power follows from the equations at the samples, as that of
the applied forces less the rate of the energy, and is only looked at where work and energy differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import is_quiet
from flexblocks.warning_kinds import DISSIPATED_VIBRATION, ENERGY_BALANCE

# What is out of balance: this share of the energy that passed, of the potential energy, which is known but for a
# constant and rounding, and of a joule.
SHARE, OF_POTENTIAL, LEAST = 1e-3, 1e-6, 1e-12
# Samples that are looked at with other speeds.
OTHERS = 100
# Share of the energy that passed which an implicit method may take out without a word.
DISSIPATED = 0.01
# Samples below which what passed between them is not known, and states of them whose poles say whether they resolve it.
FEWEST, LOOKS = 20, 5
# An integral over the samples counts as known to so many times its difference from that over every second one.
CAUTION = 4.0
# A power that is the rest of others is none if it is not above this share of them.
ROUNDING = 1e-9


def out_of_balance(
    dae: DAE, times: np.ndarray, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray, energy: np.ndarray
) -> str:
    """Return when and by how much the energies of a motion are out of balance; empty where that is not known.

    Parameters
    ----------
    dae : DAE
    times : ndarray (k,)
        [s]
    x, z, u : ndarray (k, nx), (k, nz), (k, nu)
    p : ndarray (np,)
    energy : ndarray (k, 3)
        Kinetic and potential energy, work [J].
    """
    if len(times) < FEWEST or is_quiet():
        return ""
    kinetic, potential, work = energy.T
    gained = kinetic + potential - kinetic[0] - potential[0]
    passed = np.max(kinetic) + np.ptp(potential) + np.ptp(work)
    allowed = max(SHARE * passed, OF_POTENTIAL * np.max(np.abs(potential)), LEAST)
    lost, doubt, off = np.zeros(len(times)), np.zeros(len(times)), gained - work
    if np.max(np.abs(off)) <= allowed:
        return ""
    power, least = _power_lost(dae, x, z, u, p)
    if not np.all(np.isfinite(power)):
        return ""
    told = "losses {:.3g} J"
    if np.max(np.abs(power)) > 0.0 and not _is_resolved(dae, times, x, z, u, p):
        if least < 0.0:
            return ""
        # How much is lost between the samples is not known, but that nothing is won.
        off, told = off - np.minimum.accumulate(off), "losses of which the samples say too little"
    elif np.max(np.abs(power)) > 0.0:
        lost = scipy.interpolate.CubicSpline(times, power).antiderivative()(times)
        doubt = CAUTION * np.abs(lost - scipy.interpolate.CubicSpline(times[::2], power[::2]).antiderivative()(times))
        off = off + lost
    excess = np.abs(off) - np.maximum.accumulate(doubt)
    worst = int(np.argmax(excess))
    if excess[worst] <= allowed:
        return ""
    parts = f"work {work[worst]:.3g} J, change of energy {gained[worst]:.3g} J, {told.format(lost[worst])}"
    return f"at t = {times[worst]:.4g} s by {abs(off[worst]):.3g} J ({parts}), of {passed:.3g} J that passed"


def warn_of_balances(where: str, balances: Mapping[str, str]) -> None:
    """Warn, once, of motions whose energies are out of balance.

    Parameters
    ----------
    where : str
        The call, for the message.
    balances : dict of str
        `out_of_balance` of each, by what it is called, as ``"in run 3, "``.
    """
    texts = [f"{name}{text}" for name, text in balances.items() if text]
    if texts and not is_quiet():
        more = f" And likewise in {len(texts) - 1} more." if len(texts) > 1 else ""
        warn(
            f"{where}: energies are out of balance, {texts[0]}: the motion is not accurate. Lower rtol and atol, or "
            f"the step of a method that has one; state short pulses of inputs as breakpoints.{more}",
            ENERGY_BALANCE,
        )


def warn_of_dissipation(where: str, lost: Mapping[str, tuple[float, np.ndarray]]) -> None:
    """Warn, once, where an integration method took a share of the energy that passed out of vibrations, or put it in.

    Parameters
    ----------
    where : str
        The call, for the message.
    lost : dict
        What it took out [J], and energies (k, 3): kinetic and potential energy, work [J]; by what a run is called.
    """
    texts = []
    for run, (dissipated, energy) in lost.items():
        kinetic, potential, work = energy.T
        passed = np.max(kinetic, initial=0.0) + np.ptp(potential) + np.ptp(work) if len(energy) else 0.0
        allowed = max(DISSIPATED * passed, OF_POTENTIAL * np.max(np.abs(potential), initial=0.0), LEAST)
        if abs(dissipated) > allowed:
            vibrations = "vibrations that its steps do not resolve"
            texts.append(
                (dissipated, f"{run}the method took {dissipated:.3g} J out of {vibrations}, of {passed:.3g} J")
            )
    if texts and not is_quiet():
        _, worst = max(texts, key=lambda each: abs(each[0]))
        more = f", and in {len(texts) - 1} others less" if len(texts) > 1 else ""
        warn(
            f"{where}: {worst} that passed{more}. Where these matter, take a shorter step, or highest= above their "
            "frequency.",
            DISSIPATED_VIBRATION,
        )


def _power_lost(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the power that is lost (k,) [W], exactly 0 if none ever is, nan where it cannot be computed.

    And the least that is lost, as a share of the powers that it is the rest of; 0 but for rounding.
    """
    function = _losses(dae.interpreted)
    if function is None:
        return np.full(len(x), np.nan), 0.0
    n = dae.tree.size

    def losses(at: np.ndarray, which: Any = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        at = at[which]
        rates = dae.motion(at.T, z[which].T, u[which].T, p)[0]
        lost, scale = (np.array(part).ravel() for part in function(at.T, rates, p))
        return lost, scale

    lost, scale = losses(x)
    # At rest nothing is lost, nor at samples that meet the same phase of an oscillation: at other speeds it shows.
    other = x.copy()
    other[:, n : 2 * n] += np.random.default_rng(0).uniform(0.5, 1.0, (len(x), n)) * np.max(np.abs(x[:, n : 2 * n]))
    there, size = losses(other, np.linspace(0, len(x) - 1, min(len(x), OTHERS)).astype(int))
    shares = np.concatenate([lost, there]) / np.maximum(np.concatenate([scale, size]), 1e-300)
    if np.all(np.abs(shares) <= ROUNDING):
        return np.zeros(len(x)), 0.0
    return lost, min(float(np.min(shares)) + ROUNDING, 0.0)


@lru_cache(maxsize=32)
def _losses(dae: DAE) -> ca.Function | None:
    """Return the function (x, its rates and the power, p) -> power that is lost [W], sum of all powers."""
    if dae.energy.n_in() > 2:  # energies of algebraic variables, whose rates no equation gives
        return None
    x, p, rates = dae.motion.sx_in(0), dae.motion.sx_in(3), dae.motion.sx_out(0)
    gained = [ca.gradient(ca.SX(each), x) * rates[:-1] for each in dae.energy(x, p)]
    terms = ca.vertcat(*gained)
    lost = rates[-1] - ca.sum1(terms)
    return ca.Function("losses", [x, rates, p], [lost, ca.sum1(ca.fabs(terms)) + ca.fabs(rates[-1])])


def _is_resolved(dae: DAE, times: np.ndarray, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> bool:
    """Return whether nothing of the arm oscillates or decays faster than its motion is sampled."""
    motion, longest = dae.motion, float(np.max(np.diff(times)))
    for i in np.linspace(0, len(times) - 1, LOOKS).astype(int):
        step = 1e-7 * np.maximum(np.abs(x[i]), 1e-3)
        points = x[i][:, None] + np.column_stack([np.zeros(len(step)), np.diag(step)])
        values = np.array(motion(points, z[i], u[i], p)[0])[:-1]
        jacobian = (values[:, 1:] - values[:, :1]) / step
        if not np.all(np.isfinite(jacobian)) or np.max(np.abs(np.linalg.eigvals(jacobian))) * longest > 1.0:
            return False
    return True
