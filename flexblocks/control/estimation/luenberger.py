"""The Luenberger observer: its poles are placed."""

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
    """The observer whose error dies out with given poles.

    Parameters
    ----------
    measured, at, model, equations, name
        As for `Observer`.
    poles : sequence of complex (nx,)
        [1/s], conjugates in pairs; none more often than there are measured variables.

    Notes
    -----
    Tits & Yang, IEEE Trans. Automatic Control 41 (1996) 1432-1452, by `scipy.signal.place_poles`. `Sampled`, they
    are exp(pole sample_time).
    """

    poles: Sequence[complex] = ()

    def gain(self, lin: LinearModel, sample_time: float | None = None) -> np.ndarray:
        poles = self._poles(len(lin.states))
        A = lin.A if sample_time is None else scipy.linalg.expm(lin.A * sample_time)
        wanted = poles if sample_time is None else np.exp(poles * sample_time)
        T = state_scales(A)
        try:
            found = scipy.signal.place_poles((A / T[:, None] * T).T, (lin.C * T).T, wanted)
        except ValueError as error:
            raise ComputationError(f"Luenberger: the poles could not be placed: {error}") from None
        L = T[:, None] * found.gain_matrix.T  # pyright: ignore[reportAttributeAccessIssue]
        reached = np.sort_complex(np.linalg.eigvals(A - L @ lin.C))
        miss = float(np.max(np.abs(reached - np.sort_complex(wanted)) / np.abs(wanted)))
        if not miss < 1e-3:
            raise ComputationError(
                f"Luenberger: the poles are missed by {100 * miss:.2g} %: they are hardly seen in what is measured, or "
                "far from those of the arm. Measure more, choose other poles, or take a Kalman filter."
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
