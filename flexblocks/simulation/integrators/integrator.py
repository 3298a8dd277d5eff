"""Integrators: an integration method with its name, its options, and the problems it suits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.integrators.stepper import Stepper

# What usually helps if an integration fails.
ADVICE = "Check start values and parameters, and whether the motion itself grows without bound; try method 'bdf'."


class ProblemKind(Enum):
    """Class of a problem, for the choice of an integrator."""

    NONSTIFF = "ordinary differential equations that oscillate or grow as fast as they decay"
    LARGE = "the same, of so many operations that what integrators prepare takes longer than most runs"
    OSCILLATING = "what oscillates faster than the motion is sampled, or is large and may decay fast on the way"
    ROUGHLY_OSCILLATING = "the same, to a loose tolerance"
    INTERRUPTED = "what inputs or samples interrupt more often than anything moves"
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
        Fixed step [s]; None if the integrator chooses its steps.
    follows : bool
        Whether `atol` is that of a motion of size 1 and follows its size, see `flexblocks.simulation.motion_size`.
    """

    rtol: float
    atol: float
    step: float | None = None
    follows: bool = False


@dataclass(frozen=True)
class Integrator:
    """Integration method.

    Attributes
    ----------
    name : str
        As in ``fb.simulate(method=...)``.
    stepper : callable or None
        (equations, options) -> `Stepper` for these equations, which chooses its steps by ``rtol`` and ``atol``; None if
        there is none.
    fixed : callable or None
        () -> the method with a fixed ``step``; None if there is none.
    suits : ProblemKind or None
        Problems for which ``method="auto"`` chooses it; None if the user has to name it.
    advice : str
        Advice to the user if it fails.
    differentiates : bool
        Whether it takes exact derivatives of the equations.
    """

    name: str
    stepper: Callable[[DrivenEquations, Options], Stepper] | None = None
    fixed: Callable[[], FixedStep] | None = None
    suits: ProblemKind | None = None
    advice: str = ADVICE
    differentiates: bool = False
