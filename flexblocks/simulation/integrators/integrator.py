"""The integrator: an integration method by name, its options, and the problems it suits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.stepper import Stepper

# What mostly helps where an integration stops.
ADVICE = "Check start values and parameters, and whether the motion itself grows without bound; try method 'bdf'."


class ProblemKind(Enum):
    """What matters about equations for the choice of an integrator."""

    NONSTIFF = "ordinary differential equations that oscillate or grow as fast as they decay"
    STIFF = "ordinary differential equations in which something decays faster than anything oscillates or grows"
    ALGEBRAIC = "differential-algebraic equations"


@dataclass(frozen=True)
class Options:
    """What the user set.

    Attributes
    ----------
    rtol, atol : float
        Tolerances on the states, for integrators that adapt their step.
    step : float or None
        Fixed step [s], for those that do not.
    """

    rtol: float
    atol: float
    step: float | None = None

    @property
    def fixed_step(self) -> float:
        """The fixed step [s], which integrators that have one are never made without."""
        assert self.step is not None
        return self.step


@dataclass(frozen=True)
class Integrator:
    """An integration method.

    Attributes
    ----------
    name : str
        As in ``fb.simulate(method=...)``.
    stepper : callable
        (equations, options) -> the method, ready to work on these equations.
    fixed_step : bool
        Whether it takes the option ``step``; the others take ``rtol`` and ``atol``.
    suits : ProblemKind or None
        The problems for which ``method="auto"`` takes it; None for those that the user has to name.
    advice : str
        What to try where it stops.
    """

    name: str
    stepper: Callable[[DrivenEquations, Options], Stepper]
    fixed_step: bool = False
    suits: ProblemKind | None = None
    advice: str = ADVICE
