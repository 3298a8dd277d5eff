"""Integrators: an integration method with its name, its options, and the problems it suits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.stepper import Stepper

# What usually helps if an integration fails.
ADVICE = "Check start values and parameters, and whether the motion itself grows without bound; try method 'bdf'."


class ProblemKind(Enum):
    """Class of a problem, for the choice of an integrator."""

    NONSTIFF = "ordinary differential equations that oscillate or grow as fast as they decay"
    LARGE = "the same, of so many operations that what integrators prepare takes longer than most runs"
    OSCILLATING = "what oscillates faster than the motion is sampled, or is large and may decay fast on the way"
    ROUGHLY_OSCILLATING = "the same, to a loose tolerance"
    STIFF = "ordinary differential equations in which something decays faster than anything oscillates or grows"
    ALGEBRAIC = "differential-algebraic equations"


@dataclass(frozen=True)
class Options:
    """Options of an integration.

    Attributes
    ----------
    rtol, atol : float
        Tolerances on the states, for integrators that adapt their step.
    step : float or None
        Fixed step [s], for integrators that have one.
    follows : bool
        Whether `atol` is that of a motion of size 1 and follows its size, see `flexblocks.simulation.motion_size`.
    """

    rtol: float
    atol: float
    step: float | None = None
    follows: bool = False

    @property
    def fixed_step(self) -> float:
        """The fixed step [s]; `checked_method` guarantees it for integrators that have one."""
        assert self.step is not None
        return self.step


@dataclass(frozen=True)
class Integrator:
    """Integration method.

    Attributes
    ----------
    name : str
        As in ``fb.simulate(method=...)``.
    stepper : callable
        (equations, options) -> `Stepper` for these equations.
    fixed_step : bool
        Whether it takes the option ``step``; the others take ``rtol`` and ``atol``.
    suits : ProblemKind or None
        Problems for which ``method="auto"`` chooses it; None if the user has to name it.
    advice : str
        Advice to the user if it fails.
    """

    name: str
    stepper: Callable[[DrivenEquations, Options], Stepper]
    fixed_step: bool = False
    suits: ProblemKind | None = None
    advice: str = ADVICE
