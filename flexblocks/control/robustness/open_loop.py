"""Open loop: the linearised loop cut at the inputs of the arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.control.close_loop import close_loop
from flexblocks.control.law import Bindable
from flexblocks.dae.dae import DAE
from flexblocks.linear.linearize import linearize
from flexblocks.statics.operating_point import OperatingPoint

# A difference below this share of its terms is rounding: some 50 times the 2e-16 of one operation.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class OpenLoop:
    """Open loop x' = A x + B d, u = C x: the law commands u while the arm gets d; x holds the states of both.

    The loop transfer function is L(s) = -C (s - A)^-1 B, for negative feedback; the closed loop has A + B C.

    Attributes
    ----------
    inputs : tuple of str
        The driven inputs, k of them.
    A, B, C : ndarray (nx, nx), (nx, k), (k, nx)
    """

    inputs: tuple[str, ...]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray

    @property
    def closed(self) -> np.ndarray:
        """A of the closed loop."""
        return self.A + self.B @ self.C

    def sensitivity(self, s: complex) -> np.ndarray:
        """Return the sensitivity S(s) = (1 + L(s))^-1 (k, k), from disturbances at the inputs to the inputs."""
        L = -self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B)
        return np.linalg.inv(np.eye(len(self.inputs)) + L)

    def alone(self, i: int) -> OpenLoop:
        """Return the loop opened at input `i` only, with all others closed."""
        others = [k for k in range(len(self.inputs)) if k != i]
        A = self.A + self.B[:, others] @ self.C[others]
        return OpenLoop((self.inputs[i],), A, self.B[:, [i]], self.C[[i]])


def open_loop(dae: DAE, law: Bindable, at: OperatingPoint | Mapping[str, Any] | None = None) -> OpenLoop:
    """Open the loop of an arm and a law at the inputs that the law drives.

    Parameters
    ----------
    dae : DAE
    law : Bindable
        In continuous time.
    at : OperatingPoint or dict, optional
        Operating point of the closed loop, see `flexblocks.linearize`; limits are ignored.

    Raises
    ------
    FlexblocksError
        As from `close_loop` and `flexblocks.linearize`.
    """
    # Close it with a disturbance at every driven input, and take the law's part out of A again.
    closed = close_loop(dae, law, limits=False, disturbances=True)
    disturbances = [name for name in closed.u.names if name.startswith("disturbance.") and name not in dae.u]
    inputs = tuple(name.removeprefix("disturbance.") for name in disturbances)
    lin = linearize(closed, at, inputs)
    B = lin.B[:, [lin.inputs.index(name) for name in disturbances]]
    A = lin.A - B @ lin.C
    # What the law added and this subtracts must leave zeros, not rounding.
    A[np.abs(A) <= ROUNDING * (np.abs(lin.A) + np.abs(B) @ np.abs(lin.C))] = 0.0
    return OpenLoop(inputs, A, B, lin.C)
