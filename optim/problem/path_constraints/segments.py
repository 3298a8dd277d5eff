"""Distances between points and line segments, smooth wherever the nearest points are unique."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

# Of the squared lengths: what keeps the direction of two parallel segments from dividing by zero. Lines that cross at
# less than 1e-4 rad count as parallel, which changes their distance by less than 1e-8 of their lengths, squared.
PARALLEL = 1e-8


def squared_distance(one: Sequence[ca.SX], other: Sequence[ca.SX]) -> ca.SX:
    """Return the squared distance (1, 1) [m2] of two points or segments, each the list of its one or two ends.

    Of its second derivatives some jump where a nearest point comes to an end of its segment, the first are continuous.
    """
    if len(one) > len(other):
        return squared_distance(other, one)
    if len(other) == 1:
        return ca.sumsqr(one[0] - other[0])
    if len(one) == 1:
        return _of_point(one[0], *other)
    return _of_segments(*one, *other)


def beyond(squared: ca.SX, radius: float) -> ca.SX:
    """Return by how much a squared distance is beyond a radius: near the surface the distance from it [m]."""
    return (squared - radius**2) / (2 * radius)


def _of_point(r: ca.SX, a: ca.SX, b: ca.SX) -> ca.SX:
    along = b - a
    share = _clamped(ca.dot(r - a, along) / ca.sumsqr(along))
    return ca.sumsqr(r - a - share * along)


def _of_segments(a: ca.SX, b: ca.SX, c: ca.SX, d: ca.SX) -> ca.SX:
    """Ericson, Real-Time Collision Detection, section 5.1.9, without its branches."""
    one, other, between = b - a, d - c, a - c
    A, E, B = ca.sumsqr(one), ca.sumsqr(other), ca.dot(one, other)
    C, F = ca.dot(one, between), ca.dot(other, between)
    # Of the lines, then each on its segment; the last leaves a share that is right already as it is.
    s = _clamped((B * F - C * E) / (A * E - B**2 + PARALLEL * A * E))
    t = _clamped((B * s + F) / E)
    s = _clamped((B * t - C) / A)
    return ca.sumsqr(between + s * one - t * other)


def _clamped(share: ca.SX) -> ca.SX:
    return ca.fmin(ca.fmax(share, 0.0), 1.0)
