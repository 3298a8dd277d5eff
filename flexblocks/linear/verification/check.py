"""Check of a linear model against finite differences of the nonlinear equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError
from flexblocks.linear.forms.linear_system import LinearSystem
from flexblocks.linear.verification.differences import finite_differences
from flexblocks.linear.verification.response import response
from flexblocks.linear.verification.scales import characteristic_magnitudes

# Entries, relative to the largest effect in their row, may differ by this plus so many times the error estimate.
AGREES, ESTIMATES = 1e-6, 10.0
# A row without an effect above this fraction of the largest of all counts as zero: the rest of cancelled terms.
NOTHING = 1e-7
# Steps, as shares of the usual ones, from which differences that disagree are looked at again: forces that change
# within a small range, as the damping of bristles below their Stribeck velocity, look flat from outside.
SMALLER = (1e-3, 1e-6)


@dataclass(frozen=True)
class LinearCheck:
    """Result of the check of a linear model against finite differences.

    Differences are relative to the largest effect in the same row of [A B; C D], for characteristic steps in each state
    and input.

    Attributes
    ----------
    largest : float
        The largest relative difference.
    matrix, row, column : str
        Its position: ``"A"``, ``"der(joint1.angle)"`` (the rate of that state, or an output), ``"link1.bending_y[1]"``.
    value, difference : float
        The entry of the linear model, and that by finite differences.
    resolution : float
        The largest error estimate of the finite differences, relative likewise: what this check cannot resolve.
    """

    largest: float
    matrix: str
    row: str
    column: str
    value: float
    difference: float
    resolution: float

    def __str__(self) -> str:
        return (
            f"linear model and finite differences agree to {self.largest:.1e} of the largest effect in a row; worst "
            f"{self.matrix}[{self.row}, {self.column}] = {self.value:.9g}, by differences {self.difference:.9g}; "
            f"what differences cannot see: {self.resolution:.1e}"
        )


def _compared(
    numerical: np.ndarray, error: np.ndarray, exact: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what entries differ by, what the differences do not see, both relative, and which are wrong."""
    off, unseen = share * np.abs(numerical - exact), share * error
    off = np.where(np.isnan(off), np.inf, off)
    return off, unseen, off > AGREES + ESTIMATES * unseen


def check(dae: DAE, lin: LinearSystem) -> LinearCheck:
    """Compare A, B, C and D with finite differences of the nonlinear equations; see `LinearModel.check`."""
    nonlinear, steps = response(dae, lin, "LinearModel.check"), characteristic_magnitudes(dae, lin)
    numerical, error = finite_differences(nonlinear, nonlinear.start, steps)
    exact = np.vstack([np.hstack([lin.A, lin.B]), np.hstack([lin.C, lin.D])])
    effect = np.max(np.abs(exact) * steps, axis=1, initial=0.0)
    effect = np.maximum(effect, NOTHING * np.max(effect, initial=0.0))
    share = steps / np.where(effect > 0, effect, 1.0)[:, None]
    off, unseen, wrong = _compared(numerical, error, exact, share)
    if not off.size:
        return LinearCheck(0.0, "", "", "", 0.0, 0.0, 0.0)
    for smaller in SMALLER:
        if not wrong.any():
            break
        closer, its_error = finite_differences(nonlinear, nonlinear.start, smaller * steps)
        resolved = wrong & (share * its_error <= AGREES)
        numerical, error = np.where(resolved, closer, numerical), np.where(resolved, its_error, error)
        off, unseen, wrong = _compared(numerical, error, exact, share)
    i, j = np.unravel_index(int(np.argmax(np.where(wrong, off, -1.0) if wrong.any() else off)), off.shape)
    k = len(lin.states)
    report = LinearCheck(
        largest=float(off[i, j]),
        matrix=("AB" if i < k else "CD")[int(j >= k)],
        row=(*lin.states, *lin.outputs)[i],
        column=(*lin.states, *lin.inputs)[j],
        value=float(exact[i, j]),
        difference=float(numerical[i, j]),
        resolution=float(np.max(unseen)),
    )
    if wrong.any() or not np.isfinite(report.resolution):
        raise ComputationError(
            f"LinearModel.check: '{lin.name}': {int(np.sum(wrong))} of {wrong.size} entries differ; worst "
            f"{report.matrix}[{report.row}, {report.column}] = {report.value:.9g}, by differences "
            f"{report.difference:.9g} (error of these {error[i, j]:.1e}). The point may be one where forces have a "
            "kink, or the linear model is of another point."
        )
    return report
