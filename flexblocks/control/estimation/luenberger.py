"""Luenberger observer, by pole placement or with a gain that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.control.design.gains import gain_matrix
from flexblocks.control.estimation.observer import Observer
from flexblocks.errors import ComputationError, ParameterError
from flexblocks.libraries import scipy
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.scaling import state_scales
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import UNSTABLE_OBSERVER

# An eigenvalue with a real part below this share of the largest magnitude does not grow: a double eigenvalue, such as
# that of a rigid motion, is accurate to the root of rounding, 1e-8.
GROWTH = 1e-6


@dataclass(frozen=True, eq=False)
class Luenberger(Observer):
    """The Luenberger observer: its estimation error decays with prescribed poles, or by a prescribed gain.

    Parameters
    ----------
    measured, at, model, equations, name
        As for `Observer`.
    poles : sequence of complex (nx,)
        [1/s], in conjugate pairs; no pole may be repeated more often than there are measured variables.
    L : array (nx, measured), or dict by state of dicts by measured name
        The gain itself, instead of `poles`: rows for the states of the linearised model in their order, columns for
        what is measured; in a dict, what is not named is 0.

    Notes
    -----
    Tits & Yang, IEEE Trans. Automatic Control 41 (1996) 1432-1452, by `scipy.signal.place_poles`. `Sampled`, the
    poles are exp(pole sample_time); a gain L is kept, and is that of the sampled observer (see `Observer.gain`).
    """

    poles: Sequence[complex] = ()
    L: Any = None

    def gain(self, lin: LinearModel, sample_time: float | None = None) -> np.ndarray:
        return self._gain(lin, sample_time, lin.A if sample_time is None else scipy.linalg.expm(lin.A * sample_time))

    def sampled_gain(self, lin: LinearModel, sample_time: float, transition: np.ndarray) -> np.ndarray:
        return self._gain(lin, sample_time, transition)

    def _gain(self, lin: LinearModel, sample_time: float | None, A: np.ndarray) -> np.ndarray:
        if self.L is not None:
            return self._known_gain(lin, sample_time, A)
        poles = self._poles(len(lin.states))
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

    def _known_gain(self, lin: LinearModel, sample_time: float | None, A: np.ndarray) -> np.ndarray:
        """Return the gain L (nx, ny); warn if the estimation error grows with it."""
        if np.size(self.poles):
            raise ParameterError(
                f"Luenberger: poles = {self.poles!r} and L; must be one of the two. The gain follows from the poles."
            )
        L = gain_matrix(self.L, lin.states, lin.outputs, "Luenberger: L", "states", "measured variables")
        eigenvalues = np.linalg.eigvals(A - L @ lin.C)
        rate = np.max(eigenvalues.real) if sample_time is None else np.log(np.max(np.abs(eigenvalues))) / sample_time
        # Undamped modes that are not observed neither grow nor decay, but for rounding.
        if rate > GROWTH * max(np.max(np.abs(np.linalg.eigvals(lin.A))), 1.0):
            hint = "Check the signs of L and the order of its rows."
            if sample_time is not None:
                hint += " A Sampled observer needs a sampled gain; a small one is about sample_time * L."
            warn(
                f"Luenberger: with this L the estimation error grows (like exp({rate:.3g} t)); it should decay: all "
                f"eigenvalues of A - L C must have real parts < 0 (sampled: magnitudes < 1). {hint}",
                UNSTABLE_OBSERVER,
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
                "in conjugate pairs. Or give the gain itself, L=."
            )
        return poles
