"""Settings of implicit integration, and the initial value problem that both kernels integrate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.simulation.implicit.displacements import Displacements
from flexblocks.simulation.implicit.input_table import InputTable

# Spectral radius of generalised alpha at infinite frequency by default: vibrations that steps do not resolve die out
# in some ten of them, the motion loses little.
RADIUS = 0.5
# Newton's iteration ends where what it would still move is such a share of the reach, or of the tolerance of a step.
# The first is that of steps of so many seconds and more; shorter ones have less each, as there are more of them.
OF_REACH, OF_TOLERANCE, OF_TIME = 1e-8, 0.03, 1e-2
# Shares of the largest closure below which one counts no longer, and above which it counts again, when others are held.
DROPPED, TAKEN = 1e-5, 1e-3
# Rate at which violations of closures decay, by that at which the arm moves through its length: it follows the speed
# of the loop, and they decay within a thirtieth of that way.
FEEDBACK = 30.0


@dataclass(frozen=True)
class ImplicitSettings:
    """Settings of implicit integration.

    Attributes
    ----------
    step : float or None
        Step of generalised alpha [s]; None for Radau IIA of three stages, whose steps keep the tolerance.
    tolerance : float
        Of a step of Radau IIA [m].
    spectral_radius : float
        That of generalised alpha at infinite frequency, rho_inf: 0 damps most what the steps do not resolve, 1 nothing.
    radau : bool
        Whether equal steps are those of Radau IIA, too.
    """

    step: float | None
    tolerance: float
    spectral_radius: float
    radau: bool = False


@dataclass(frozen=True, eq=False)
class ImplicitProblem:
    """Initial value problem.

    Attributes
    ----------
    dae : DAE
    settings : ImplicitSettings
    displacements : Displacements
    inputs : InputTable
    times : ndarray (k,)
        Output times [s].
    p : ndarray (np,)
    """

    dae: DAE
    settings: ImplicitSettings
    displacements: Displacements
    inputs: InputTable
    times: np.ndarray
    p: np.ndarray

    @property
    def newton(self) -> float:
        """What Newton's iteration may be off [m]."""
        adaptive = self.settings.step is None
        return OF_TOLERANCE * self.settings.tolerance if adaptive else OF_REACH * self.displacements.reach

    @property
    def weight(self) -> np.ndarray:
        """Displacements by a unit of each coordinate (n) [m], and 0 for each first-order state (nw)."""
        others = len(self.dae.x) - 2 * self.dae.tree.size
        return np.append(self.displacements.weight, np.zeros(others))

    @property
    def held(self) -> np.ndarray:
        """For each rate (n + nw) 0, or 1 and which prescribed coordinate it is."""
        held = np.zeros(len(self.dae.x) - self.dae.tree.size, dtype="l")
        held[list(self.dae.tree.prescribed_columns)] = 1 + np.arange(len(self.dae.tree.prescribed))
        return held

    @property
    def drives(self) -> np.ndarray:
        """The input (k,) that is the acceleration of each prescribed coordinate."""
        return np.array([prescription.input for prescription in self.dae.tree.prescribed], dtype="l")

    @property
    def closure_scale(self) -> np.ndarray:
        """What makes the closures (m) lengths [m]."""
        units = self.dae.expressions.closing_tree.loops.units
        return np.array([1.0 if unit == "N" else self.displacements.reach for unit in units])

    @property
    def kept_closures(self) -> np.ndarray:
        """1 for each closure (m) that the assembled arm has kept, 0 for those that followed from these."""
        kept = set(self.dae.tree.loops.multipliers)
        return np.array([name in kept for name in self.dae.expressions.closing_tree.loops.multipliers], dtype="l")


@dataclass(frozen=True, eq=False)
class KernelState:
    """Where an integration is.

    Attributes
    ----------
    t : float
    x, rates, multipliers, z : ndarray
        State (nx,), its rates (n + nw,), multipliers of all closures (m,), algebraic variables (nz,).
    work : ndarray (2,)
        Work of the applied forces, and what dampers took out, since the start [J].
    counts : dict of int
        What was computed.
    written : int
        Outputs so far.
    """

    t: float
    x: np.ndarray
    rates: np.ndarray
    multipliers: np.ndarray
    z: np.ndarray
    work: np.ndarray
    counts: dict[str, int]
    written: int


COUNTS = ("residuals", "jacobians", "factorizations", "rejected", "iterations", "steps", "fallbacks")
DONE, PAUSED, NEWTON, SINGULAR, START = 0, 1, -1, -2, -3
FAILURES = {
    NEWTON: "Newton's iteration of an implicit step does not converge, however short the step",
    SINGULAR: "the equations are singular: a coordinate moves no mass, or a posture does not determine the motion",
    START: "no accelerations belong to the state there",
}


def checked_radius(radius: Any, where: str) -> float:
    """Return a spectral radius.

    Raises
    ------
    ParameterError
        It is not a number >= 0 and <= 1.
    """
    if isinstance(radius, bool) or not (isinstance(radius, (int, float)) and 0 <= radius <= 1):
        raise ParameterError(f"{where}: spectral_radius = {radius!r}; must be a number >= 0 and <= 1.")
    return float(radius)


def refuse_what_it_cannot(dae: DAE, where: str) -> None:
    """Refuse equations that the residual does not hold as the method needs them.

    Raises
    ------
    ParameterError
    """
    if dae.tree.dependent_names and dae.tree.loops.closures:
        raise ParameterError(
            f"{where}: method 'implicit' does not take loops with dependent variables "
            f"({listing(dae.tree.dependent_names)}); take another method."
        )
