"""Passages of a line: places that every motion along it comes through."""

from __future__ import annotations

import numpy as np

SAMPLES = 1000  # of a line, at most, by which its ends are found to be apart
STRAIGHT = 0.8  # of the way along the line, from which on the distance of two places rules out a way back; by trial
APART = 2.0  # tolerances: two parts of a line that are nearer leave room to change from one to the other


def passages(points: np.ndarray, tolerance: float, first: np.ndarray, last: np.ndarray, count: int) -> np.ndarray:
    """Return places on a line that no motion from `first` to `last` within the tolerance passes at a greater distance.

    A place across which the tube about the line is a disc. Left out are corners, which are cut, and places beside which
    the line comes back so near that the motion need not go there.

    Parameters
    ----------
    points : ndarray (m, k)
        Corners of the line [m].
    tolerance : float
        The radius of the tube [m].
    first, last : ndarray (k,)
        Where the motion begins and ends.
    count : int
        Places looked at, evenly along the line.

    Returns
    -------
    ndarray (count or less, 1 + k)
        How far along the line from `first` to `last`, 0 to 1, and the place.
    """
    steps = np.diff(points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    corners = np.concatenate([[0.0], np.cumsum(lengths)])
    cut = tolerance * _cuts(steps / lengths[:, None])
    begin, end = (_along(points, corners, place) for place in (first, last))
    spacing = max(tolerance / 2, corners[-1] / SAMPLES)
    low, high = sorted((begin, end))
    samples = np.append(np.arange(0.0, corners[-1], spacing), corners[-1])
    sampled = _places(points, corners, samples)
    found = []
    for at in np.linspace(begin, end, count + 2)[1:-1]:
        piece = int(np.clip(np.searchsorted(corners, at, side="right") - 1, 0, len(steps) - 1))
        least, most = corners[piece] + cut[piece], corners[piece + 1] - cut[piece + 1]
        if least > most:
            continue
        at = float(np.clip(at, least, most))
        if low < at < high and _is_bottleneck(sampled, samples - at, APART * tolerance + spacing):
            found.append(np.append((at - begin) / (end - begin), _places(points, corners, np.array([at]))[0]))
    return np.array(found).reshape(-1, 1 + points.shape[1])


def _cuts(directions: np.ndarray) -> np.ndarray:
    """Return what is cut off on either side of each corner, in tolerances: the tangent of half its turn."""
    cosines = np.sum(directions[:-1] * directions[1:], axis=1)
    inner = np.sqrt(np.maximum(1.0 - cosines, 0.0) / np.maximum(1.0 + cosines, 1e-12))
    return np.concatenate([[0.0], inner, [0.0]])


def _along(points: np.ndarray, corners: np.ndarray, place: np.ndarray) -> float:
    """Return how far along the line [m] its point nearest to a place is."""
    steps, beside = np.diff(points, axis=0), place - points[:-1]
    squared = np.sum(steps**2, axis=1)
    shares = np.clip(np.sum(beside * steps, axis=1) / squared, 0.0, 1.0)
    nearest = int(np.argmin(np.linalg.norm(beside - shares[:, None] * steps, axis=1)))
    return float(corners[nearest] + shares[nearest] * np.sqrt(squared[nearest]))


def _places(points: np.ndarray, corners: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return the places (n, k) so far along the line [m]."""
    return np.stack([np.interp(along, corners, column) for column in points.T], axis=1)


def _is_bottleneck(sampled: np.ndarray, beyond: np.ndarray, apart: float) -> bool:
    """Whether what of the line is before a place is away from all that is behind it, but where it goes straight on."""
    before, behind = beyond < 0, beyond > 0
    gaps = np.linalg.norm(sampled[before][:, None] - sampled[behind][None], axis=2)
    along = beyond[behind][None] - beyond[before][:, None]
    return bool(np.all((gaps > apart) | (gaps > STRAIGHT * along)))
