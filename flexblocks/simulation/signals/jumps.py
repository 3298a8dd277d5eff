"""Discontinuities of functions of time, located by bisection to the last digit."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.plausibility import LARGEST, computable, needed

SAMPLES = 2000  # samples of a run; a pulse between two of them is not detected
SMOOTH_AFTER = 8  # bisections, after which a smooth change has shrunk to 1/256 and a jump has not


def jumps(function: Callable[[np.ndarray], np.ndarray], begin: float, end: float) -> np.ndarray:
    """Return the times of the discontinuities of functions.

    Parameters
    ----------
    function : callable
        Times (k,) [s] to values (k, n).
    start, end : float
        Interval to search [s]. Of several jumps of one function within (end - start) / 2000, one is located.

    Returns
    -------
    ndarray
        Sorted, each the first floating-point number after the jump.

    Raises
    ------
    ParameterError
        A value is not finite.
    """
    times = np.linspace(begin, end, SAMPLES + 1)
    values = function(times)
    if not computable(values):
        bad = np.argwhere(~(np.abs(values) <= LARGEST))[0]
        raise ParameterError(
            f"the function gives {values[tuple(bad)]} at t = {times[bad[0]]:.6g} s; must be {needed(values)}."
        )
    located = []
    scale = np.ptp(values, axis=0)
    for column in np.flatnonzero(scale):
        left, right = times[:-1].copy(), times[1:].copy()
        before, after = values[:-1, column], values[1:, column]
        first = np.abs(after - before)
        for halvings in range(1100):  # more than it takes to reach neighbouring floating-point numbers
            change = np.abs(after - before)
            alive = change > 1e-9 * scale[column]
            if halvings >= SMOOTH_AFTER:
                alive &= change > 0.05 * first
            left, right, before, after, first = (a[alive] for a in (left, right, before, after, first))
            middle = (left + right) / 2
            if np.all((middle <= left) | (middle >= right)):
                break
            between = function(middle)[:, column]
            here = np.abs(between - before) >= np.abs(after - between)  # the jump is in the left half
            left, before = np.where(here, left, middle), np.where(here, before, between)
            right, after = np.where(here, middle, right), np.where(here, between, after)
        located.append(right)
    return np.unique(np.concatenate(located)) if located else np.zeros(0)


def steps_of(function: ca.Function) -> ca.Function:
    """Return t -> the piecewise constant subexpressions of an SX function of t: comparisons, signs, floors.

    For |a|, min(a, b), max(a, b) and fmod(a, b), which have kinks or jumps, these are the underlying comparisons and
    floors.
    """
    t = ca.SX.sym("t")
    steps, seen, stack = [], set(), [ca.SX(function(t))]
    while stack:
        node = stack.pop()
        if node.element_hash() in seen:
            continue
        seen.add(node.element_hash())
        parts = [node.dep(i) for i in range(node.n_dep())]
        stack += parts
        operation = node.op()
        if operation in (ca.OP_LT, ca.OP_LE, ca.OP_SIGN, ca.OP_FLOOR, ca.OP_CEIL):
            steps.append(node)
        elif operation == ca.OP_FABS:
            steps.append(parts[0] < 0)
        elif operation in (ca.OP_FMIN, ca.OP_FMAX):
            steps.append(parts[0] < parts[1])
        elif operation in (ca.OP_FMOD, ca.OP_REMAINDER):
            shift = 0.5 if operation == ca.OP_REMAINDER else 0.0
            steps.append(ca.floor(parts[0] / parts[1] + shift))
    return ca.Function("steps", [t], [ca.densify(ca.vertcat(*steps, ca.SX(0, 1)))])
