"""Stability margins of each loop: gain, phase, delay and disk margin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.control.law import Bindable
from flexblocks.control.robustness.open_loop import OpenLoop, open_loop
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError
from flexblocks.libraries import optional, scipy
from flexblocks.linear.scaling import state_scales
from flexblocks.statics.operating_point import OperatingPoint

# A frequency at which abs(L) - 1, or the angle of L from the real axis, is below this is a crossing. By trial:
# candidates polished by one secant step are well below it, others well above.
CROSSING = 1e-6


@dataclass(frozen=True)
class Margins:
    """Stability margins of one loop, opened at an input of the arm with all others closed.

    Attributes
    ----------
    input : str
    gain : tuple of 2 floats
        Lower and upper gain margin, the factors between which the gain may lie: 0 if it may vanish, inf if unbounded.
    phase : float
        Phase margin [rad]; pi if abs(L) never crosses 1.
    delay : float
        Delay margin [s]; inf if abs(L) never crosses 1.
    crossover : float
        Gain crossover frequency [rad/s] of the phase margin; nan without a crossing.
    disk : float
        Symmetric disk margin, 1 / max abs(S - 1/2), at most 2: gain and phase may change simultaneously by any factor
        (1 + d/2) / (1 - d/2) with complex d, abs(d) below the margin. Seiler, Packard & Gahinet, IEEE
        Control Systems 40 (2020) 78-95.
    """

    input: str
    gain: tuple[float, float]
    phase: float
    delay: float
    crossover: float
    disk: float

    def __str__(self) -> str:
        low, high = self.gain
        return (
            f"{self.input}: gain {low:.3g} to {high:.3g}, phase {np.degrees(self.phase):.3g} deg at "
            f"{self.crossover:.3g} rad/s, delay {1e3 * self.delay:.3g} ms, disk {self.disk:.3g}"
        )


def margins(dae: DAE, law: Bindable, at: OperatingPoint | Mapping[str, Any] | None = None) -> dict[str, Margins]:
    """Return the stability margins of the linearised loop at each input that a law drives.

    Parameters
    ----------
    dae : DAE
        The arm, not the closed loop.
    law : Bindable
        In continuous time.
    at : OperatingPoint or dict, optional
        Operating point of the closed loop, as for `flexblocks.linearize`.

    Returns
    -------
    dict of Margins
        By input.

    Raises
    ------
    ComputationError
        The closed loop is not stable.
    FlexblocksError
        The law does not fit the arm.
    """
    loop = open_loop(dae, law, at)
    growth = float(np.max(np.linalg.eigvals(loop.closed).real))
    if not growth < 0:
        raise ComputationError(
            f"margins: the closed loop is not stable (a pole has the real part {growth:.3g} 1/s); must be "
            "stable. Change the gains, or the operating point."
        )
    return {name: _margins(loop.alone(i)) for i, name in enumerate(loop.inputs)}


def _margins(loop: OpenLoop) -> Margins:
    """Return the margins of a loop with one input."""
    # Scale states, input and output to entries of one size, for the eigenvalue problems below.
    T = state_scales(loop.closed)
    A, b, c = loop.A / T[:, None] * T, loop.B / T[:, None], -loop.C * T
    size = np.sqrt(max(np.linalg.norm(c), 1e-300) / max(np.linalg.norm(b), 1e-300))
    b, c = b * size, c / size

    def L(omega: float) -> complex:
        return complex((c @ np.linalg.solve(1j * omega * np.eye(len(A)) - A, b)).item())

    # Gain margins where L is negative and real, phase and delay margins where abs(L) = 1.
    factors = [float(-1 / L(w).real) for w in _real_crossings(A, b, c, L) if L(w).real < 0]
    leads = [((np.angle(L(w)) + np.pi) % (2 * np.pi), w) for w in _unit_crossings(A, b, c, L)]
    phase, crossover = min(((min(lead, 2 * np.pi - lead), w) for lead, w in leads), default=(np.pi, np.nan))
    return Margins(
        loop.inputs[0],
        (max((k for k in factors if k < 1), default=0.0), min((k for k in factors if k > 1), default=np.inf)),
        float(phase),
        float(min((lead / w for lead, w in leads if w > 0), default=np.inf)),
        float(crossover),
        _disk_margin(A, b, c),
    )


def _unit_crossings(A: np.ndarray, b: np.ndarray, c: np.ndarray, L: Callable[[float], complex]) -> list[float]:
    """Return the gain crossover frequencies >= 0, abs(L) = 1: imaginary eigenvalues of a Hamiltonian matrix."""
    H = np.block([[A, b @ b.T], [-c.T @ c, -A.T]])
    return _crossings(np.linalg.eigvals(H), lambda w: abs(L(w)) - 1)


def _real_crossings(A: np.ndarray, b: np.ndarray, c: np.ndarray, L: Callable[[float], complex]) -> list[float]:
    """Return the phase crossover frequencies >= 0, L real: imaginary zeros of L(s) - L(-s)."""
    n = len(A)
    pencil = np.block([[scipy.linalg.block_diag(A, -A), np.vstack([b, b])], [np.hstack([c, c]), np.zeros((1, 1))]])
    mass = np.diag([1.0] * (2 * n) + [0.0])
    zeros = scipy.linalg.eigvals(pencil, mass)
    zeros = zeros[np.isfinite(zeros)]
    return _crossings(np.append(zeros, 0.0), lambda w: L(w).imag / max(abs(L(w)), 1e-300))


def _crossings(candidates: np.ndarray, miss: Callable[[float], float]) -> list[float]:
    """Return the frequencies of the candidates near the imaginary axis at which `miss` vanishes, polished."""
    crossings = []
    for s in candidates:
        # Rounding moves a double eigenvalue off the axis by sqrt(eps) or more; `miss` shows which are on it.
        if s.imag < 0 or abs(s.real) > 1e-3 * max(abs(s), 1e-6):
            continue
        w = float(s.imag)
        try:
            # One secant step; the shares of w here are by trial.
            values = miss(w), miss(w * (1 + 1e-7))
            if w and values[1] != values[0]:
                step = values[0] * w * 1e-7 / (values[1] - values[0])
                if abs(step) < 1e-2 * w and abs(miss(w - step)) < abs(values[0]):
                    w -= step
            if abs(miss(w)) < CROSSING and not any(abs(w - other) <= 1e-6 * w for other in crossings):
                crossings.append(w)
        except np.linalg.LinAlgError:
            continue  # a pole on the axis, where L is infinite
    return crossings


def _disk_margin(A: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Return 1 over the H-infinity norm of S - 1/2."""
    optional("control", "margins")
    import control  # slow to import

    system = control.StateSpace(A - b @ c, b, -c, [[0.5]])  # S - 1/2 with S = 1 / (1 + L)
    peak = control.system_norm(system, p="inf", tol=1e-8, print_warning=False, method="scipy")  # pyright: ignore
    return float(1 / peak)
