"""The loop cut open at the inputs of the arm, linearised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.control.close_loop import close_loop
from flexblocks.control.law import Law
from flexblocks.dae.dae import DAE
from flexblocks.linear.linearize import linearize
from flexblocks.statics.operating_point import OperatingPoint

# What is left below this share of two numbers that cancel is rounding.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class OpenLoop:
    """x' = A x + B d, u = C x: what the law commands (u) when something else (d) goes to the arm; x holds both states.

    The loop transfer function is L(s) = -C (s - A)^-1 B, negative feedback: closed, A + B C.

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
        """Return S(s) = (1 + L(s))^-1, (k, k), what of a disturbance at the inputs is left."""
        L = -self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B)
        return np.linalg.inv(np.eye(len(self.inputs)) + L)

    def alone(self, i: int) -> OpenLoop:
        """Return the loop cut at input `i` only, all others closed."""
        others = [k for k in range(len(self.inputs)) if k != i]
        A = self.A + self.B[:, others] @ self.C[others]
        return OpenLoop((self.inputs[i],), A, self.B[:, [i]], self.C[[i]])


def open_loop(dae: DAE, law: Law, at: OperatingPoint | Mapping[str, Any] | None = None) -> OpenLoop:
    """Cut the loop of an arm and a law at the inputs that it drives.

    Parameters
    ----------
    dae : DAE
    law : Law
        In continuous time.
    at : OperatingPoint or dict, optional
        Of the closed loop, see `flexblocks.linearize`; limits are not looked at.

    Raises
    ------
    FlexblocksError
        As from `close_loop` and `flexblocks.linearize`.
    """
    closed = close_loop(dae, law, limits=False, disturbances=True)
    disturbances = [name for name in closed.u.names if name.startswith("disturbance.") and name not in dae.u]
    inputs = tuple(name.removeprefix("disturbance.") for name in disturbances)
    lin = linearize(closed, at, inputs)
    B = lin.B[:, [lin.inputs.index(name) for name in disturbances]]
    A = lin.A - B @ lin.C
    # What the law adds and this takes away again must leave zeros, not rounding.
    A[np.abs(A) <= ROUNDING * (np.abs(lin.A) + np.abs(B) @ np.abs(lin.C))] = 0.0
    return OpenLoop(inputs, A, B, lin.C)
