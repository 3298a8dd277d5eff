"""Steppers: integration methods at work on one system of equations."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

GIVE_UP = 10_000  # steps of one `advance` that is meant to take half as many at most: it is cut into smaller ones


class StepFailure(Exception):
    """An integration did not reach its end; the message says why.

    `advice` says what to try, where it is something else than what the integrator advises.
    """

    advice: str | None = None


class BudgetExceeded(StepFailure):
    """A run has taken the steps or the time that it was allowed."""


class Stepper(ABC):
    """An integration method, working on one system.

    `divisible` tells whether an integration may be interrupted at any time, or at the given times only, because
    the steps would differ. `steps` is how many the last `advance` took.
    """

    divisible = True
    steps = 0

    def marks(self, start: float, stop: float) -> np.ndarray:
        """Return where, between two stops [s], a method that is not divisible may be cut."""
        del start, stop
        return np.zeros(0)

    def prepare(self, times: np.ndarray) -> None:
        """Build what `advance` over times so spaced needs, so that it does not count as computing time."""
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
            Algebraic variables there, consistent.
        P : ndarray
            Parameters of the segment.
        times : ndarray (k + 1,)
            The start and k stops [s].

        Returns
        -------
        ndarray (k, nx + 1), ndarray (k, nz) or None
            At the stops; None where the method eliminates the algebraic variables.

        Raises
        ------
        StepFailure
        """


def finite(X: np.ndarray) -> np.ndarray:
    """Return `X` if it is finite.

    Raises
    ------
    StepFailure
    """
    if not np.all(np.isfinite(X)):
        raise StepFailure("the solution grows beyond all bounds")
    return X
