"""Steppers: integration methods applied to one system of equations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.dae.explicit_steps import LARGE, SHARE

GIVE_UP = 10_000  # steps after which an `advance` gives up, however cheap they are


class StepFailure(Exception):
    """An integration failed before its end; the message says why.

    `advice` says what to try, where that differs from the advice of the integrator.
    """

    advice: str | None = None

    @classmethod
    def of(cls, error: RuntimeError) -> StepFailure:
        """Return the failure that CasADi reports, such as of a function of the user: the last line says why."""
        return cls(str(error).strip().splitlines()[-1])


class BudgetExceeded(StepFailure):
    """A run has used up its steps or its wall time."""


@dataclass(frozen=True, eq=False)
class ErrorScale:
    """What local errors of states are measured by: rtol |X - origin|, and atol times the size of the motion.

    Methods that look at each step measure by the size that the motion has there, the others by that before.

    Attributes
    ----------
    rtol, atol : float
    origin : ndarray (nx + 1,)
    furthest : ndarray (nx + 1,)
        How far any state of the same kind has come from its origin.
    least : ndarray (nx + 1,)
        Least absolute tolerances.
    kinds : ndarray (nx + 1,) of int
        See `Tree.state_kinds`.
    algebraic : float
        Size of the algebraic variables, whose origin is 0.
    """

    rtol: float
    atol: float
    origin: np.ndarray
    furthest: np.ndarray
    least: np.ndarray
    kinds: np.ndarray
    algebraic: float

    @cached_property
    def size(self) -> np.ndarray:
        """Size (nx + 1,) of the motion before, such that atol times it is the absolute tolerance."""
        return self._absolute(self.furthest) / self.atol

    def of(self, *states: np.ndarray) -> np.ndarray:
        """Return the scale (nx + 1,) for a step between these states."""
        far = np.abs(states[0] - self.origin)
        for X in states[1:]:
            far = np.maximum(far, np.abs(X - self.origin))
        return self._absolute(np.maximum(self.furthest, of_kinds(far, self.kinds))) + self.rtol * far

    def _absolute(self, size: np.ndarray) -> np.ndarray:
        """Return the absolute tolerance (nx + 1,) of a motion of this size, as `explicit_steps.error_scale`."""
        beside = np.minimum(self.rtol * np.abs(self.origin), max(SHARE, self.rtol) * size)
        return np.maximum(self.least, np.maximum(self.atol * np.minimum(size, LARGE), beside))


def of_kinds(values: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Return for each state (nx + 1,) the largest of these values of the states of its kind, all >= 0."""
    largest = np.zeros(kinds[-1] + 1)
    np.maximum.at(largest, kinds, values)
    return largest[kinds]


class Stepper(ABC):
    """Integration method for one system of equations.

    `steps` is the number of steps of the last `advance`, `evaluations` how often each of them
    evaluates the equations, roughly, and `step_time` the wall time [s] that one takes besides, as measured. Two
    evaluations are at most `gap` of a step apart; `longest` is the longest step [s] that `keep_gaps` allows. An
    `advance` gives up after `most_steps`, and is cut into smaller ones, so that a run can be stopped meanwhile.
    """

    gap = 1.0
    longest = np.inf
    scale: ErrorScale
    steps = 0
    evaluations = 1
    step_time = 3e-5
    most_steps = GIVE_UP

    def begin(self, end: float) -> None:  # noqa: B027 (most have nothing to forget)
        """Forget the last run, so that the next one has the same digits whatever came before; it goes to `end` [s]."""

    def keep_gaps(self, gap: float) -> None:
        """Evaluate the equations at times that are no farther than `gap` [s] apart, from here on."""
        self.longest = gap / self.gap

    def measure(self, scale: ErrorScale) -> None:
        """Measure local errors by this scale, from here on."""
        self.scale = scale

    def prepare(self, times: np.ndarray) -> None:
        """Build what `advance` needs for times with this spacing, ahead of the integration itself."""
        del times

    @abstractmethod
    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Integrate within one segment.

        Parameters
        ----------
        X : ndarray (nx + 1,)
            State and work at ``times[0]``.
        z : ndarray (nz,)
            Consistent algebraic variables there.
        P : ndarray
            Parameters of the segment.
        times : ndarray (k + 1,)
            The start and k stops [s].

        Returns
        -------
        ndarray (k, nx + 1), ndarray (k, nz) or None
            States and algebraic variables at the stops; None if the method eliminates the latter.

        Raises
        ------
        StepFailure
        """


def finite(X: np.ndarray) -> np.ndarray:
    """Return `X`, checked to be finite.

    Raises
    ------
    StepFailure
        An entry is infinite or nan.
    """
    if not np.all(np.isfinite(X)):
        raise StepFailure("the solution grows beyond all bounds")
    return X


def poles_at(rates: ca.Function, t: float, X: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Return the poles [1/s] of the linearisation at a state; none where it is not finite."""
    jacobian = jacobian_at(rates, t, X, P)
    return np.linalg.eigvals(jacobian) if np.all(np.isfinite(jacobian)) else np.zeros(0)


def jacobian_at(rates: ca.Function, t: float, X: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Return the derivatives of der(X) in X (nx + 1, nx + 1), by differences; nan where rates are not finite."""
    h = 1e-7 * np.maximum(np.abs(X), 1e-3)
    points = X[:, None] + np.hstack([np.zeros((len(X), 1)), np.diag(h)])
    values = np.array(rates(t, points, P))
    values[~np.isfinite(values)] = np.nan  # infinite ones differ by nothing that NumPy would not warn of
    return (values[:, 1:] - values[:, :1]) / h


def decays_fast(poles: np.ndarray) -> bool:
    """Return whether the fastest decay exceeds all that oscillates or grows, by a tenth, lest rounding decides."""
    return bool(np.max(-np.real(poles)) > 1.1 * np.max(np.maximum(np.abs(np.imag(poles)), np.real(poles))))
