"""Luenberger observer, by pole placement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.signal

from flexblocks.control.estimation.observer import Observer
from flexblocks.errors import ComputationError, ParameterError
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.scaling import state_scales


@dataclass(frozen=True, eq=False)
class Luenberger(Observer):
    """The Luenberger observer: its estimation error decays with prescribed poles.

    Parameters
    ----------
    measured, at, model, equations, name
        As for `Observer`.
    poles : sequence of complex (nx,)
        [1/s], in conjugate pairs; no pole may be repeated more often than there are measured variables.

    Notes
    -----
    Tits & Yang, IEEE Trans. Automatic Control 41 (1996) 1432-1452, by `scipy.signal.place_poles`. `Sampled`, the
    poles are exp(pole sample_time).
    """

    poles: Sequence[complex] = ()

    def gain(self, lin: LinearModel, sample_time: float | None = None) -> np.ndarray:
        poles = self._poles(len(lin.states))
        A = lin.A if sample_time is None else scipy.linalg.expm(lin.A * sample_time)
        targets = poles if sample_time is None else np.exp(poles * sample_time)
        # Place them in scaled states x / T: place_poles is sensitive to badly scaled matrices.
        T = state_scales(A)
        try:
            placement = scipy.signal.place_poles((A / T[:, None] * T).T, (lin.C * T).T, targets)
        except ValueError as error:
            raise ComputationError(
                f"Luenberger: the poles could not be placed: {error}. Choose other poles, or measure more."
            ) from None
        L = T[:, None] * placement.gain_matrix.T  # pyright: ignore[reportAttributeAccessIssue]
        reached = np.sort_complex(np.linalg.eigvals(A - L @ lin.C))
        miss = float(np.max(np.abs(reached - np.sort_complex(targets)) / np.abs(targets)))
        # Poles of a poorly observable mode are lost to rounding without any error; 0.1 % by trial.
        if not miss < 1e-3:
            raise ComputationError(
                f"Luenberger: the poles are missed by {100 * miss:.2g} %; must be within 0.1 %. Some modes are hardly "
                "observable from the measurements, or the poles are far from those of the arm. Measure more, choose "
                "other poles, or use a Kalman filter."
            )
        return L

    def _poles(self, count: int) -> np.ndarray:
        try:
            poles = np.array(self.poles, dtype=complex).ravel()
        except (TypeError, ValueError):
            poles = np.zeros(0)
        paired = np.allclose(np.sort_complex(poles), np.sort_complex(poles.conj()))
        if len(poles) != count or not np.all(np.isfinite(poles)) or not np.all(np.real(poles) < 0) or not paired:
            raise ParameterError(
                f"Luenberger: poles = {self.poles!r}; must be {count} numbers with real parts < 0 [1/s], complex ones "
                "in conjugate pairs."
            )
        return poles
