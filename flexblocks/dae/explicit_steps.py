"""Embedded explicit Runge-Kutta pairs, and chains of their steps as CasADi functions of the inputs at their stages.

One call takes many steps: Python, and CasADi's virtual machine where the chain is compiled, are entered once for all of
these. Inputs are values at the stages, so that a chain serves all signals.

An arm whose fastest modes are lightly damped is limited by stability on the imaginary axis, so that what counts is the
radians of the fastest mode that an evaluation of the equations covers: 0.71 for the classical method of order 4, 0.50
for Dormand and Prince's of order 8, 0.17 or less for pairs of order 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.dynamics.tree.clock import Clock

# Steps in one call, fewest first: the last of a run that are left over take calls of the smaller sizes.
SIZES = (1, 2, 16, 128, 512)
# Equations of fewer instructions are expanded into the step, which saves calls; larger ones take long to expand.
EXPANDED = 2000
# The estimate of the method of order 8 is of lower order. At equal tolerances motions of six arms were 15 to 10 000
# times as accurate as those by Adams' method, so that an estimate of so many tolerances is let pass.
TOO_LARGE = 50.0
# Larger motions have the tolerance of those of so many metres or radians, and so on: it is relative from there on.
LARGE = 1.0
# Share of a motion's size that a local error may have: some hundred steps later, 1e-5 of it. A posture beside which the
# motion is small needs no more than its own digits, rtol of it, where that is less.
SHARE = 1e-7


@dataclass(frozen=True, eq=False)
class Pair:
    """Coefficients of an embedded explicit Runge-Kutta pair.

    Attributes
    ----------
    name : str
    A, b, c : ndarray (s, s), (s,), (s,)
    error : callable
        Slopes of the s stages (n,), scales (n,) and the step -> the estimate of the local error in units of these
        scales, root mean square.
    order : int
        The estimate goes with h^order.
    reach : float
        End of the stability interval on the imaginary axis [rad]: the step times the frequency of an undamped mode.
    reuses_last : bool
        Whether the last stage is at the end of the step, so that it is the first of the next one.
    """

    name: Literal["rk43", "rk8"]
    A: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: Callable
    order: int
    reach: float
    reuses_last: bool = False

    @property
    def gap(self) -> float:
        """The largest distance between two stages, as a share of the step."""
        return float(np.max(np.diff(np.unique([0.0, *self.c, 1.0]))))

    @property
    def nodes(self) -> np.ndarray:
        """The places of the stages that a step evaluates, as fractions of it."""
        return self.c[1:] if self.reuses_last else self.c


@cache
def rk43() -> Pair:
    """Return the classical method; the slope at the end of the step makes a method of order 3 to compare with."""
    b = [1 / 6, 1 / 3, 1 / 3, 1 / 6, 0]
    A = np.array([[0, 0, 0, 0, 0], [1 / 2, 0, 0, 0, 0], [0, 1 / 2, 0, 0, 0], [0, 0, 1, 0, 0], b])

    def error(slopes: list, scale: ca.SX, h: ca.SX) -> ca.SX:
        return h / 10 * ca.norm_2((slopes[3] - slopes[4]) / scale) / np.sqrt(scale.numel())

    return Pair("rk43", A, A[4], np.array([0, 1 / 2, 1 / 2, 1, 1]), error, order=4, reach=2.82, reuses_last=True)


@cache
def rk8() -> Pair:
    """Return Dormand and Prince's method, with the error estimates of Hairer, Norsett and Wanner."""
    from scipy.integrate import DOP853

    stages = DOP853.n_stages
    weights = [[float(e) for e in estimate[:stages]] for estimate in (DOP853.E5, DOP853.E3)]

    def error(slopes: list, scale: ca.SX, h: ca.SX) -> ca.SX:
        fifth, third = (
            ca.sumsqr(sum(e * k for e, k in zip(estimate, slopes, strict=True) if e) / scale) for estimate in weights
        )
        # A motion at rest has neither.
        return h / TOO_LARGE * fifth / ca.sqrt((fifth + 0.01 * third + 1e-300) * scale.numel())

    return Pair("rk8", DOP853.A[:stages, :stages], DOP853.B, DOP853.C[:stages], error, order=8, reach=5.96)


@cache
def crossing(pair: Pair) -> Pair:
    """Return the pair as it continues over jumps of inputs and over ticks: no slope is that on both sides of one."""
    return replace(pair, name=f"{pair.name}_crossing", reuses_last=False) if pair.reuses_last else pair


PAIRS = {"rk43": rk43, "rk43_crossing": lambda: crossing(rk43()), "rk8": rk8}


def step(
    motion: ca.Function, pair: Pair, expand: bool, kinds: Sequence[int], clocks: Sequence[Clock] = ()
) -> ca.Function:
    """Return one step, function (X, [h, rtol, atol], u at the nodes, p, [origin, furthest, least]) -> X, its error.

    X is [x, work], and with `reuses_last` [x, work, its slope]; errors are measured by `error_scale`, of which `kinds`
    are those of [x, work]. `expand` writes the equations out in each stage. With clocks, atol is followed by a number
    for each, 1 if it ticks at the start of the step and 0 otherwise, and the results by X there after the ticks.
    """
    expand = expand and not any(clock.is_opaque for clock in clocks)
    kind: Any = ca.SX if expand else ca.MX
    size, inputs = motion.size1_out("dX"), motion.size1_in("u")
    X, first = kind.sym("X", size), kind.sym("slope", size)
    measure = kind.sym("measure", 3 * size)
    settings, u, p = (
        kind.sym("h", 3 + len(clocks)),
        kind.sym("u", inputs * len(pair.nodes)),
        kind.sym("p", motion.size1_in("p")),
    )
    h, rtol, atol, *ticking = ca.vertsplit(settings)
    start = X
    for clock, ticks in zip(clocks, ticking, strict=True):  # all see the values before
        change = clock.change(start[: size - 1], kind(0, 1), u[:inputs], p)
        if clock.is_opaque:  # called where it ticks alone
            X += ca.vertcat(ca.if_else(ticks, change, kind.zeros(size - 1), True), kind(1, 1))
            continue
        X += ca.vertcat(ticks * change, kind(1, 1))
    slopes: list[Any] = [first] if pair.reuses_last else []
    for i, row in enumerate(pair.A[len(slopes) :]):
        moved = [float(a) * k for a, k in zip(row, slopes, strict=False) if a]
        at = X + h * sum(moved[1:], moved[0]) if moved else X
        slopes.append(motion(at[: size - 1], kind(0, 1), u[i * inputs : (i + 1) * inputs], p)[0])
    after = [float(b) * k for b, k in zip(pair.b, slopes, strict=True) if b]
    Y = X + h * sum(after[1:], after[0])
    error = pair.error(slopes, error_scale(kinds, X, Y, rtol, atol, *ca.vertsplit(measure, size)), h)
    if pair.reuses_last:
        start, Y = ca.vertcat(start, first), ca.vertcat(Y, slopes[-1])
    arguments, results = ["X", "h", "u", "p", "measure"], ["Y", "error", *(["begun"] if clocks else [])]
    begun = [X] if clocks else []
    return ca.Function(f"{pair.name}_step", [start, settings, u, p, measure], [Y, error, *begun], arguments, results)


def error_scale(
    kinds: Sequence[int], X: Any, Y: Any, rtol: Any, atol: Any, origin: Any, furthest: Any, least: Any
) -> Any:
    """Return what errors (nx + 1) of a step from X to Y are measured by, see `ErrorScale` of simulations."""
    far, every = ca.fmax(ca.fabs(X - origin), ca.fabs(Y - origin)), list(dict.fromkeys(kinds))
    of_kinds = [ca.mmax(far[[i for i, kind in enumerate(kinds) if kind == one]]) for one in every]
    size = ca.fmax(furthest, ca.vertcat(*of_kinds)[[every.index(kind) for kind in kinds]])
    beside = ca.fmin(rtol * ca.fabs(origin), ca.fmax(SHARE, rtol) * size)
    return ca.fmax(least, ca.fmax(atol * ca.fmin(size, LARGE), beside)) + rtol * far


def chain(one: ca.Function, pair: Pair, count: int) -> ca.Function:
    """Return `count` steps in one function: columns of all arguments but the first, of all results."""
    return one if count == 1 else one.mapaccum(f"{pair.name}_{count}", count)
