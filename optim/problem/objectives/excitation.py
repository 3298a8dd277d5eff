"""Excitation: the motion after which parameters are known best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.identification.information import entries, state_names, unit, with_information
from flexblocks.plausibility import computable
from flexblocks.simulation import piecewise_linear, simulate
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ..signals.instant import Instant
from ..signals.signals import Signals
from .functionals import Extending

# Relative standard deviation with which a parameter is known beforehand, by default: so large that it does not count.
UNKNOWN = 100.0
SWEEP = 501  # samples of the first guess
UNSEEN = 0.5  # such a deviation after the motion


@dataclass(frozen=True, eq=False)
class Excitation(Extending):
    """The remaining uncertainty of parameters after the motion has been measured.

    Sensitivities of the arm's states in the parameters, and the information that they gather, become states of the
    problem, so that derivatives are exact. Take few parameters and a model of few modes: each parameter adds as many
    states as the arm has. The first guess is the motion under sweeps of the inputs to a quarter of their limits, which
    they have to have; or that of ``optim.plan(guess=)``.

    Parameters
    ----------
    parameters : sequence of str
        Names of symbolic parameters.
    noise : dict of float
        Standard deviations [unit] of what is measured, by the name of a state or output.
    criterion : "D" or "A"
        ``"D"``: the logarithm of the volume of the parameters' confidence ellipsoid, for one parameter that of its
        standard deviation. ``"A"``: the sum of the parameters' variances. Both are of relative values.
    sample_time : float
        Of the measurements [s].
    information : array (k, k), optional
        What is known beforehand, on the parameters' logarithms: the inverse of their covariance. By default hardly
        anything.

    Examples
    --------
    >>> from flexblocks import optim
    >>> aim = optim.Excitation(["spring1.stiffness"], noise={"rotor1.angle": 1e-4})
    >>> print(aim)
    uncertainty (D) of spring1.stiffness
    """

    parameters: Sequence[str]
    noise: Mapping[str, float]
    criterion: Literal["D", "A"] = "D"
    sample_time: float = 1e-3
    information: Any = None

    def __post_init__(self) -> None:
        names = (self.parameters,) if isinstance(self.parameters, str) else tuple(self.parameters)
        if not names:
            raise ProblemError("Excitation: parameters is empty; must name what is to be known.")
        object.__setattr__(self, "parameters", names)
        if not isinstance(self.noise, Mapping) or not self.noise:
            raise ProblemError(
                f"Excitation: noise = {self.noise!r}; must be a dict of standard deviations, as "
                '{"joint1.angle": 1e-4}.'
            )
        for name, value in [*self.noise.items(), ("sample_time", self.sample_time)]:
            if not isinstance(value, (int, float)) or not computable(float(value)) or value <= 0:
                raise ProblemError(f"Excitation: {name} = {value!r}; must be a number > 0.")
        if self.criterion not in ("D", "A"):
            raise ProblemError(f'Excitation: criterion = {self.criterion!r}; must be "D" or "A".')
        before = (
            np.eye(len(names)) / UNKNOWN**2 if self.information is None else np.array(self.information, dtype=float)
        )
        if before.shape != (len(names),) * 2 or not np.all(np.isfinite(before)):
            raise ProblemError(f"Excitation: information is of shape {before.shape}; must be {(len(names),) * 2}.")
        object.__setattr__(self, "information", before)

    def extended(self, dae: DAE) -> DAE:
        if state_names(tuple(self.parameters))[0] in dae.x:
            return dae
        return with_information(dae, tuple(self.parameters), self.noise)

    def guess(
        self, dae: DAE, begin: OperatingPoint, duration: float, inputs: np.ndarray, p: np.ndarray
    ) -> Trajectory | None:
        """Return the motion under sweeps of the inputs, as a standstill gathers nothing, in all directions alike."""
        t, signals = np.linspace(0, duration, SWEEP), {}
        for i, (name, held, (low, high)) in enumerate(zip(dae.u.names, begin.u, inputs, strict=True)):
            reach = min(high - held, held - low)
            if not np.isfinite(reach):
                return None
            turns = (1 + i) * t / duration + 3 * (t / duration) ** 2
            signals[name] = piecewise_linear(t, held + reach / 4 * np.sin(2 * np.pi * turns))
        return simulate(dae, t, signals, begin.x, p)

    def value(self, at: Instant) -> ca.SX:
        signals, k, size = Signals(at), len(self.parameters), unit(self.noise, self.sample_time)
        matrix = ca.SX(ca.DM(self.information))
        for (i, j), name in zip(entries(k), state_names(tuple(self.parameters)), strict=True):
            matrix[i, j] += size * signals[name]
            if i != j:
                matrix[j, i] += size * signals[name]
        L = _cholesky(matrix)
        if self.criterion == "D":
            return -ca.sum1(ca.log(ca.diag(L)))
        return ca.sumsqr(ca.solve(L, ca.SX.eye(k)))

    def deviations(self, motion: Any) -> dict[str, float]:
        """Return the relative standard deviations of the parameters after a planned motion, by name.

        Parameters
        ----------
        motion : Plan or Trajectory
        """
        series = getattr(motion, "trajectory", motion)
        matrix, size = np.array(self.information), unit(self.noise, self.sample_time)
        for (i, j), name in zip(entries(len(matrix)), state_names(tuple(self.parameters)), strict=True):
            matrix[i, j] += size * series[name][-1]
            matrix[j, i] += size * series[name][-1] if i != j else 0.0
        variances = np.diag(np.linalg.pinv(matrix, hermitian=True))
        return dict(zip(self.parameters, np.sqrt(variances).tolist(), strict=True))

    def remarks(self, motion: Any) -> tuple[str, ...]:
        unseen = [name for name, deviation in self.deviations(motion).items() if deviation > UNSEEN]
        return tuple(f"the motion does not show {name}; measure elsewhere, or leave it out" for name in unseen)

    def __str__(self) -> str:
        return f"uncertainty ({self.criterion}) of {', '.join(self.parameters)}"


def _cholesky(A: ca.SX) -> ca.SX:
    """Return the lower triangular factor of a positive definite matrix."""
    k = A.shape[0]
    L = ca.SX(k, k)
    for j in range(k):
        L[j, j] = ca.sqrt(A[j, j] - ca.sumsqr(L[j, :j]))
        for i in range(j + 1, k):
            L[i, j] = (A[i, j] - ca.dot(L[i, :j], L[j, :j])) / L[j, j]
    return L
