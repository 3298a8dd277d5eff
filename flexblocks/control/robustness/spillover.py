"""Spillover: the effect of a law designed on few modes on the neglected ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.control.law import Bindable, as_law
from flexblocks.control.robustness.open_loop import open_loop
from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.linear.linearize import linearize
from flexblocks.linear.scaling import state_scales

if TYPE_CHECKING:
    import pandas

# Real parts below this share of an eigenvalue's magnitude are rounding. By trial.
ROUNDING = 1e-9


@dataclass(frozen=True)
class NeglectedMode:
    """A neglected mode: one of the finer model that the design model lacks.

    Attributes
    ----------
    eigenvalue : complex
        Eigenvalue without control [1/s].
    shift : complex
        First-order shift of the eigenvalue by the loop of the design [1/s].
    closed : complex
        Eigenvalue of the closed loop around the finer model that is nearest to their sum [1/s].
    """

    eigenvalue: complex
    shift: complex
    closed: complex

    @property
    def frequency(self) -> float:
        """Natural frequency [rad/s]."""
        return abs(self.eigenvalue)

    @property
    def gain(self) -> float:
        """Peak loop gain through this mode, abs(shift) / decay rate: below 1 the mode cannot be destabilised."""
        decay = -self.eigenvalue.real
        return abs(self.shift) / decay if decay > ROUNDING * self.frequency else np.inf

    @property
    def expected(self) -> complex:
        """First-order prediction of the eigenvalue in the closed loop [1/s]."""
        return self.eigenvalue + self.shift

    @property
    def warned(self) -> bool:
        """Whether it is predicted to be unstable, before the loop is closed around the finer model."""
        return self.expected.real > ROUNDING * self.frequency


@dataclass(frozen=True, eq=False)
class Spillover:
    """Spillover report: prediction from the design and the neglected modes, and outcome on the finer model.

    Attributes
    ----------
    modes : tuple of NeglectedMode
        Neglected modes, from slow to fast.
    design_poles : ndarray
        Poles of the closed loop around the design's model [1/s].
    poles : ndarray
        Poles of the closed loop around the finer model [1/s].
    """

    modes: tuple[NeglectedMode, ...]
    design_poles: np.ndarray
    poles: np.ndarray

    @property
    def stable(self) -> bool:
        """Whether the closed loop around the finer model is stable."""
        return bool(np.max(np.real(self.poles)) < 0)

    @property
    def warned(self) -> tuple[NeglectedMode, ...]:
        """Modes predicted to be destabilised."""
        return tuple(mode for mode in self.modes if mode.warned)

    @property
    def destabilized(self) -> tuple[NeglectedMode, ...]:
        """Modes that are unstable in the closed loop around the finer model."""
        return tuple(mode for mode in self.modes if mode.closed.real > ROUNDING * mode.frequency)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table, one neglected mode a row; frequencies in rad/s, eigenvalues in 1/s."""
        import pandas

        rows = [
            {
                "frequency": mode.frequency,
                "loop gain": mode.gain,
                "growth expected": mode.expected.real,
                "growth": mode.closed.real,
                "expected": mode.expected,
                "closed": mode.closed,
            }
            for mode in self.modes
        ]
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        state = "stable" if self.stable else "unstable"
        return f"Spillover({len(self.modes)} neglected modes, {len(self.destabilized)} destabilised, {state})"

    def __str__(self) -> str:
        lines = []
        for mode in self.modes:
            warning = "expected to grow" if mode.warned else "expected to decay"
            outcome = "grows" if mode in self.destabilized else "decays"
            lines.append(
                f"neglected mode at {mode.frequency:.4g} rad/s: loop gain {mode.gain:.3g}, {warning} "
                f"({mode.expected.real:+.3g} 1/s); {outcome} ({mode.closed.real:+.3g} 1/s)"
            )
        state = "stable" if self.stable else "unstable"
        return "\n".join(
            [*lines, f"closed around the finer model: {state}, largest real part {np.max(np.real(self.poles)):.3g}"]
        )


def spillover(
    law: Bindable,
    design: DAE,
    finer: DAE,
    design_at: Mapping[str, Any] | None = None,
    finer_at: Mapping[str, Any] | None = None,
) -> Spillover:
    """Close a law designed on one model around a finer one, and predict the effect on its neglected modes.

    Parameters
    ----------
    law : Bindable
        In continuous time. Unless it has a model of its own, `design` becomes its model.
    design, finer : DAE
        The same arm with few and with more modes. Both must have the variables that the law measures.
    design_at, finer_at : OperatingPoint or dict, optional
        Operating points of the closed loops, see `flexblocks.linearize`.

    Returns
    -------
    Spillover

    Raises
    ------
    FlexblocksError
        The law does not fit one of the models.

    Notes
    -----
    A neglected mode with the eigenvalue s, the input row b = l B and the response k = C r of the law to it (l, r the
    left and right eigenvectors of the open loop) is shifted by b S(s) k to first order, S the sensitivity of the
    loop around `design`. The small-gain theorem for this mode alone requires abs(b S k) < -Re s. Balas, IEEE Trans.
    Automatic Control 23 (1978) 673-679: b is the control, k the observation spillover.
    """
    law = as_law(law, "spillover").designed_on(design)
    design_loop, finer_loop = open_loop(design, law, design_at), open_loop(finer, law, finer_at)
    poles = np.linalg.eigvals(finer_loop.closed)
    # First-order shift of each neglected mode by the loop of the design.
    neglected = _unmatched(_oscillatory(design), _oscillatory(finer))
    values, left, right = _eigen(finer_loop.A)
    modes = []
    for s in neglected:
        i = int(np.argmin(np.abs(values - s)))
        gain = (left[:, i].conj() @ finer_loop.B) @ design_loop.sensitivity(values[i]) @ (finer_loop.C @ right[:, i])
        shift = complex(gain / (left[:, i].conj() @ right[:, i]))
        expected = values[i] + shift
        modes.append(NeglectedMode(complex(values[i]), shift, complex(poles[np.argmin(np.abs(poles - expected))])))
    modes.sort(key=lambda mode: mode.frequency)
    return Spillover(tuple(modes), np.linalg.eigvals(design_loop.closed), poles)


def _oscillatory(dae: DAE) -> np.ndarray:
    """Return the eigenvalues of the oscillatory modes of an arm without control, those with Im > 0 [1/s]."""
    modes = linearize(dae).modes()
    return np.array([mode.eigenvalue for mode in modes if mode.eigenvalue.imag > 0], dtype=complex)


def _unmatched(few: np.ndarray, many: np.ndarray) -> list[complex]:
    """Return the eigenvalues left over when each of the few is matched with the nearest in frequency."""
    rest = sorted(many, key=abs)
    for value in sorted(few, key=abs):
        if rest:
            rest.remove(min(rest, key=lambda other: abs(np.log(abs(other) / abs(value)))))
    return [complex(value) for value in rest]


def _eigen(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return eigenvalues, left and right eigenvectors (columns) of a badly scaled matrix."""
    T = state_scales(A)
    values, left, right = scipy.linalg.eig(A / T[:, None] * T, left=True, right=True)  # pyright: ignore
    return values, left / T[:, None], right * T[:, None]
