"""Resolution of a function of time: how far apart it may be evaluated without passing over what its samples show.

An integrator with error control looks only where its steps lead, and its steps grow as long as nothing moves. A pulse
after a rest lies between two of them. So the run is halved until the samples of each part are those of a polynomial of
low degree; evaluations a quarter of such a part from one another see all that moves in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

# What a polynomial leaves of the samples, as a share of their range, where a part is resolved.
RESOLVED = 1e-8
# Rounding of the samples, as a share of the largest.
ROUNDING = 1e-13
# Largest degree of these polynomials; of few samples, such that two of them are left to judge by.
DEGREE = 8
# Evaluations in each part.
EVALUATIONS = 4
# Parts are joined, rather than that the integration begins anew at their ends (some hundred steps of a multistep
# method), unless their lengths differ by more than so much ...
JOINED = 8.0
# ... or they are single samples in a burst of so few that steps could miss the one that moves.
BURST = 8


@dataclass(frozen=True)
class Resolution:
    """Parts of a run, and how far apart evaluations in each of them may be.

    Attributes
    ----------
    ends : ndarray (k + 1,)
        [s]
    gaps : ndarray (k,)
        [s]
    """

    ends: np.ndarray
    gaps: np.ndarray


def resolution(
    function: Callable[[np.ndarray], np.ndarray], begin: float, end: float, breakpoints: np.ndarray, samples: int
) -> Resolution:
    """Return how fine a function of time must be evaluated, smooth as it is between its breakpoints.

    Parameters
    ----------
    function : callable
        Times (k,) [s] to values (k,).
    begin, end : float
        Of the run [s].
    breakpoints : ndarray
        [s], rising. Between two of them the function is sampled as densely as elsewhere, with five intervals at least.
    samples : int
        Intervals between samples of the whole run.
    """
    inner = breakpoints[(breakpoints > begin) & (breakpoints < end)]
    pieces = np.array([begin, *inner, end])
    grids = []
    for left, right in pairwise(pieces):
        hair = min(1e-13 * max(abs(left), abs(right)), (right - left) / 4)  # the limits on this side of a jump
        count = max(int(np.ceil(samples * (right - left) / (end - begin) * (1 - 1e-9))), 5)
        grid = np.linspace(left, right, count + 1)
        grid[[0, -1]] = left + hair, right - hair
        grids.append(grid)
    values = np.split(function(np.concatenate(grids)), np.cumsum([len(grid) for grid in grids])[:-1])
    every = np.concatenate(values)
    slack = RESOLVED * float(np.ptp(every)) + ROUNDING * float(np.max(np.abs(every)))
    ends, gaps = [float(begin)], []
    for left, right, grid, part in zip(pieces[:-1], pieces[1:], grids, values, strict=True):
        count = len(grid) - 1
        for _, last, finest in _joined(_parts(part, slack)):
            ends.append(float(right) if last == count else float(grid[last]))
            gaps.append(finest * (right - left) / count / EVALUATIONS)
    return Resolution(np.array(ends), np.array(gaps))


def _parts(values: np.ndarray, slack: float) -> list[tuple[int, int]]:
    """Return the first and the last sample of each part that is resolved, or lies between two samples."""
    parts, stack = [], [(0, len(values) - 1)]
    while stack:
        first, last = stack.pop()
        count = last - first
        part = values[first : last + 1]
        if count == 1:
            resolved = abs(part[1] - part[0]) <= slack
        else:
            basis = _polynomials(count)
            resolved = np.max(np.abs(part - basis @ (basis.T @ part))) <= slack
        if resolved or count == 1:
            parts.append((first, last))
        else:
            middle = (first + last) // 2
            stack += [(middle, last), (first, middle)]
    return parts


def _joined(parts: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Join neighbouring parts of similar length; return first and last sample, and length of the shortest part."""
    single = np.array([last - first == 1 for first, last in parts])
    bursts = np.cumsum(np.diff(single, prepend=False))
    sizes = np.bincount(bursts)
    joined: list[list[int]] = []
    for (first, last), is_single, burst in zip(parts, single, bursts, strict=True):
        length = last - first
        alone = is_single and sizes[burst] <= BURST
        if joined and not alone:
            shortest, longest = joined[-1][2], joined[-1][3]
            if max(longest, length) <= JOINED * min(shortest, length):
                joined[-1][1:] = [last, min(shortest, length), max(longest, length)]
                continue
        joined.append([first, last, length, np.inf if alone else length])  # type: ignore[list-item]
    return [(first, last, shortest) for first, last, shortest, _ in joined]


@lru_cache
def _polynomials(count: int) -> np.ndarray:
    """Orthonormal polynomials on evenly spaced samples, (count + 1, degree + 1)."""
    degree = min(DEGREE, max(count - 2, 1))
    return np.linalg.qr(np.polynomial.legendre.legvander(np.linspace(-1.0, 1.0, count + 1), degree))[0]
