"""Error of an arm's slowest frequencies by what linear beam theory leaves out: inertia of bent beams, pulls, twists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture
from flexblocks.interfaces import Block, SmallDeflections
from flexblocks.user_warning import warn
from flexblocks.validity.deflection_error import linear_blocks
from flexblocks.validity.large_deflections import is_quiet
from flexblocks.validity.left_out_inertia import bent_beams, left_out_inertia
from flexblocks.validity.left_out_tension import left_out_tension, softness
from flexblocks.validity.left_out_twist import left_out_twist
from flexblocks.warning_kinds import FREQUENCY_ERRORS

# Frequencies that are looked at: those above are rarely of interest.
MODES = 3
# An error of a frequency that is reported.
OFF = 0.1
# What moves slower than this share of the fastest mode of the arm does not oscillate but for rounding.
SLOWEST = 1e-8
# What grows at less than this share of the slowest frequency, or of the fastest decay, is next to standing still.
COMPARABLE, SEEN = 0.1, 1e-6


@dataclass(frozen=True)
class FrequencyError:
    """Error of the frequencies of an arm.

    Attributes
    ----------
    block : Block
        The beam that is bent, pulled or twisted the most.
    measure : SmallDeflections
    cause : str
        What is left out, for messages.
    frequency : float
        Of the linear model [rad/s], that which is off by the most.
    error : float
        Relative to the true one.
    stability : str
        What the linear model says of the arm's stability that is not so; empty if it is.
    stiffening_counts : bool
        Whether ``stiffening=True`` has what is left out.
    """

    block: Block
    measure: SmallDeflections
    cause: str
    frequency: float
    error: float
    stability: str = ""
    stiffening_counts: bool = True

    @property
    def text(self) -> str:
        """A sentence on the error, and on what holds there."""
        remedy = self.measure.remedy if self.stiffening_counts else self.measure.remedy_of_twist
        wrong = (
            self.stability or f"the frequency of {self.frequency:.4g} rad/s is off by about {100 * self.error:.0f} %"
        )
        return f"{self.block.where} {self.cause}: {wrong}. " + (
            f"{self.measure.tension.remedy}; {remedy}"
            if self.measure.tension and self.stiffening_counts
            else f"{remedy[0].upper()}{remedy[1:]}"
        )


def frequency_error(
    dae: DAE, A: np.ndarray, coordinates: Sequence[str], x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray
) -> FrequencyError | None:
    """Return the error of the slowest frequencies at a state, if it is worth reporting.

    Parameters
    ----------
    dae : DAE
    A : ndarray (k, k)
        Of the linear model in its minimal form: coordinates, their rates, first-order states.
    coordinates : sequence of str
        The independent ones (d).
    x, z, u, p : ndarray (nx,), (nz,), (nu,), (np,)
    """
    bent, pulled, twisted = bent_beams(dae, x), left_out_tension(dae, x, z, u, p), left_out_twist(dae, x)
    if not (bent or pulled or twisted):
        return None
    posture, places = dae.posture(x, z, p), [dae.x.index(name) for name in coordinates]
    motions = _motions(dae, places, posture[0], p)
    M, inertia, of_pulls, of_twists = (
        motions.T @ matrix @ motions
        for matrix in (
            mass_at_posture(dae.tree, *posture),
            left_out_inertia(dae, {index: along for index, (_, along) in bent.items()}, *posture),
            _of_arm(dae, pulled),
            _of_arm(dae, twisted),
        )
    )
    moved = {f"{each.block}.{each.coordinate}" for each in dae.tree.prescribed}
    free = np.array([i for i, name in enumerate(coordinates) if name not in moved], dtype=int)

    linear = _Linear(A, M, free)
    frequency, error, stability = linear.difference(inertia, of_pulls + of_twists)
    if not (error > OFF or stability):
        return None
    measures, none = dict(linear_blocks(dae)), np.zeros_like(M)
    alone = [linear.difference(none, of_cause)[1:] for of_cause in (of_pulls, of_twists)]
    by_pulls, by_twists = (bool(unstable) or (share > error / 2 and not stability) for share, unstable in alone)
    if not (by_pulls or by_twists or bent):  # neither alone, but both together
        by_twists = alone[1][0] > alone[0][0]
        by_pulls = not by_twists
    if by_twists:
        worst = max(twisted, key=lambda index: float(np.abs(twisted[index]).max()))
        state = measures[worst].twist_words
        left_out = "that a twist turns its planes of bending, of which one is stiffer"
    elif by_pulls:
        worst = max(pulled, key=lambda index: _share(measures[index], pulled[index]))
        share = f"{100 * _share(measures[worst], pulled[worst]):.2g} %"
        state, left_out = f"is pulled or compressed by {share} of what buckles it", "what that does to bending"
    else:
        worst = max(bent, key=lambda index: bent[index][0])
        state = f"deflects by {100 * bent[worst][0]:.2g} % of its length"
        left_out = "how its tip moves along it as it bends, with all that it carries"
    cause = f"{state}, where {measures[worst].name} leaves out {left_out}"
    block = dae.tree.bodies[worst].block
    return FrequencyError(block, measures[worst], cause, frequency, error, stability, stiffening_counts=not by_twists)


def warn_of_frequencies(where: str, errors: Mapping[str, FrequencyError | None]) -> None:
    """Warn, once, of frequencies that are off: of the worst of many points, by what each is called."""
    if is_quiet():
        return
    told = {name: error for name, error in errors.items() if error is not None}
    if told:
        name, worst = max(told.items(), key=lambda item: (item[1].stability != "", item[1].error))
        which = name if len(told) == 1 else f"at {len(told)} points, the most {name}"
        warn(f"{where}: {f'{which}: ' if which else ''}{worst.text}", FREQUENCY_ERRORS)


@dataclass(frozen=True, eq=False)
class _Linear:
    """A linear model of d coordinates, of which some are free to move.

    Attributes
    ----------
    A : ndarray (k, k)
    M : ndarray (d, d)
    free : ndarray of int
    """

    A: np.ndarray
    M: np.ndarray
    free: np.ndarray

    def difference(self, inertia: np.ndarray, stiffness: np.ndarray) -> tuple[float, float, str]:
        """Return what more inertia and stiffness (d, d) change.

        The frequency [rad/s] that is off by the most, by what share, and a sentence on stability if that is another.
        """
        true = self._with(inertia, stiffness)
        frequencies, others = _frequencies(self.A), _frequencies(true)
        count = min(len(frequencies), len(others), MODES)
        errors = np.abs(frequencies[:count] / others[:count] - 1.0)
        worst = int(np.argmax(errors)) if count else None
        found = (0.0, 0.0) if worst is None else (float(frequencies[worst]), float(errors[worst]))
        return *found, _stability(self.A, true)

    def _with(self, inertia: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
        d, free = len(self.M), self.free
        true, rows = self.A.copy(), d + free
        force = self.M[np.ix_(free, free)] @ self.A[rows]
        force[:, :d] -= stiffness[free]
        true[rows] = np.linalg.solve((self.M + inertia)[np.ix_(free, free)], force)
        return true


def _stability(A: np.ndarray, true: np.ndarray) -> str:
    """Return a sentence on motions that grow by one model and not by the other; empty if there are none."""
    slowest = np.hstack([_frequencies(A)[:1], _frequencies(true)[:1]]).min(initial=np.inf)
    comparable = COMPARABLE * slowest if np.isfinite(slowest) else 0.0
    (few, least), (others, most) = _growth(A, comparable), _growth(true, comparable)
    if few > others:
        return f"that makes unstable, growing by e in {1 / least:.3g} s, what is stable"
    return f"that makes stable what grows by e in {1 / most:.3g} s" if others > few else ""


def _growth(A: np.ndarray, comparable: float) -> tuple[int, float]:
    """Return how many poles grow at a rate that is comparable with vibrations, and the largest rate [1/s]."""
    rates = np.linalg.eigvals(A).real
    growing = rates[rates > max(comparable, SEEN * np.abs(rates).max(initial=0.0))]
    return len(growing), float(growing.max(initial=0.0))


def _of_arm(dae: DAE, stiffnesses: Mapping[int, np.ndarray]) -> np.ndarray:
    """Return the sum (n, n) of stiffnesses of bodies, by index."""
    total = np.zeros((dae.tree.size, dae.tree.size))
    for index, stiffness in stiffnesses.items():
        share = dae.tree.bodies[index].share.full()
        total += share.T @ stiffness @ share
    return total


def _share(measure: SmallDeflections, stiffness: np.ndarray) -> float:
    """Return the largest change of a stiffness by a pull, relative to that of bending."""
    assert measure.tension is not None
    return softness(measure.tension.stiffness, stiffness)


def _motions(dae: DAE, places: list[int], q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the motion of all coordinates (n, d) with the independent ones, which keeps loops closed."""
    motions = np.zeros((len(q), len(places)))
    motions[places] = np.eye(len(places))
    if dae.tree.loops.closures:
        dependent = np.setdiff1d(np.arange(len(q)), places)
        J = closure_equations(dae).closures(q, p)[1].full()
        motions[dependent] = -np.linalg.lstsq(J[:, dependent], J[:, places], rcond=None)[0]
    return motions


def _frequencies(A: np.ndarray) -> np.ndarray:
    """Return those of the oscillating poles [rad/s], the slowest first."""
    poles = np.linalg.eigvals(A)
    fastest = np.abs(poles).max(initial=0.0)
    return np.sort(np.abs(poles[poles.imag > SLOWEST * fastest]))
