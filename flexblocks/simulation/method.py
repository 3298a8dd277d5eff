"""Choice of the integration method: the user's, or the one that suits the equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import underivable
from flexblocks.dynamics.algorithms.constrained_accelerations import STABILIZATION
from flexblocks.errors import ParameterError, listing, suggestion
from flexblocks.simulation.implicit.settings import RADIUS, checked_radius
from flexblocks.simulation.implicit_run import ImplicitOptions
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.integrators.integrator import ADVICE, Integrator, Options, ProblemKind
from flexblocks.simulation.integrators.register import INTEGRATORS
from flexblocks.simulation.integrators.stepper import decays_fast, poles_at
from flexblocks.simulation.system import System

# Tolerance from which on a method of order 4 takes few more steps than stability requires.
LOOSE = 1e-5
# Instructions of the equations of motion from which on CVODES, which prepares their Jacobian for each new number of
# output times, and evaluates it again at every change of an input, takes longer than SciPy's explicit method, which
# prepares nothing (benchmarks/nonstiff_methods.py).
LARGE = 1000
# Segments of the inputs that count as many: a multistep method begins anew in each.
MANY = 20
# The absolute tolerance of a motion of size 1, as a share of the relative one.
OF_RTOL = 0.01
IMPLICIT = "implicit"
FIXED = (*(integrator.name for integrator in INTEGRATORS if integrator.fixed), IMPLICIT)  # those that may have a step
METHODS = ("auto", IMPLICIT, *(integrator.name for integrator in INTEGRATORS))
# The same for editors, which complete them.
MethodName = Literal[
    "auto",
    "implicit",
    "rk8",
    "rk43",
    "radau",
    "rk8-radau",
    "rk43-radau",
    "adams",
    "bdf",
    "idas",
    "rk4",
    "semi-implicit",
    "dop853",
]
# Steps in a period of the highest frequency that is requested: generalised alpha errs there by 1.2 % of the frequency.
PER_PERIOD = 20
SUITABLE = {integrator.suits: integrator for integrator in INTEGRATORS if integrator.suits}


@dataclass(frozen=True)
class Method:
    """Integrator with its options; None chooses the one that suits the equations, unless `implicit` has options."""

    integrator: Integrator | None
    options: Options
    implicit: ImplicitOptions | None = None

    @property
    def fixed(self) -> FixedStep | None:
        """The method with a fixed step; None if the integrator chooses its steps."""
        if self.options.step is None or self.integrator is None or self.integrator.fixed is None:
            return None
        return self.integrator.fixed()

    @property
    def advice(self) -> str:
        """Advice to the user where the integration fails."""
        return self.integrator.advice if self.integrator else ADVICE

    def integrator_for(self, system: System, X: np.ndarray, times: np.ndarray) -> Integrator:
        """Return the integrator of a run from `X` (nx + 1,) over output times (k,)."""
        chosen = self.integrator or SUITABLE[problem_kind(system, X, times, self.options.rtol)]
        return chosen if system.dae.tree.feedback is None else self._derivable(chosen, system.dae)

    def _derivable(self, chosen: Integrator, dae: DAE) -> Integrator:
        """Return an integrator for which the laws of a closed loop have enough derivatives.

        Raises
        ------
        ParameterError
            The requested one needs derivatives of a law that has none.
        """
        if not chosen.differentiates or not (names := underivable(dae)):
            return chosen
        if self.integrator is None and not len(dae.z):
            return SUITABLE[ProblemKind.INTERRUPTED]  # an explicit method
        raise ParameterError(
            f"simulate: method '{chosen.name}' takes derivatives, and a law calls {listing(names)}, of which CasADi "
            "knows none; must know them. Take method 'rk8' or 'implicit', or make the function with CasADi's option "
            "enable_fd=True."
        )


def checked_method(
    name: Any,
    rtol: Any,
    atol: Any,
    step: Any,
    where: str,
    highest: Any = None,
    spectral_radius: Any = RADIUS,
    slow_start: Any = False,
) -> Method:
    """Return the method; refuse unknown methods and options that do not apply.

    Raises
    ------
    ParameterError
    """
    if name not in METHODS:
        raise ParameterError(f"{where}: method = {name!r}{suggestion(name, METHODS, 'must be one of')}")
    for option, value in (("rtol", rtol), ("atol", 0.01 if atol is None else atol)):
        if not (isinstance(value, (int, float)) and 0 < value < 1):
            raise ParameterError(f"{where}: {option} = {value!r}; must be a number > 0 and < 1.")
    if name == IMPLICIT or (name == "auto" and highest is not None):
        options = _implicit(rtol, atol, step, where, highest, spectral_radius, slow_start)
        return Method(None, Options(rtol, OF_RTOL * rtol, step), options)
    for option, value, usual in (("highest", highest, None), ("slow_start", slow_start, False)):
        if value != usual:
            raise ParameterError(f"{where}: {option} = {value!r} belongs to method 'implicit'; method is {name!r}.")
    integrator = next((integrator for integrator in INTEGRATORS if integrator.name == name), None)
    if step is not None and (integrator is None or integrator.fixed is None):
        names = ", ".join(f"'{name}'" for name in FIXED)
        raise ParameterError(
            f"{where}: step = {step!r}; only methods {names} have a fixed step, the others take rtol and atol."
        )
    adapts = step is None and (integrator is None or integrator.stepper is not None)
    if not adapts and not (isinstance(step, (int, float)) and np.isfinite(step) and step > 0):
        raise ParameterError(
            f"{where}: step = {step!r}; method '{name}' needs its fixed step [s], > 0, such as step=1e-3."
        )
    if atol is None:
        return Method(integrator, Options(rtol, OF_RTOL * rtol, step, follows=True))
    return Method(integrator, Options(rtol, atol, step))


def _implicit(
    rtol: float, atol: Any, step: Any, where: str, highest: Any, radius: Any, slow_start: Any
) -> ImplicitOptions:
    """Return the options of the implicit methods.

    Raises
    ------
    ParameterError
    """
    for option, value, unit in (("step", step, "s"), ("highest", highest, "Hz")):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is not None and not (number and np.isfinite(value) and value > 0):
            raise ParameterError(f"{where}: {option} = {value!r}; must be a number > 0 [{unit}].")
    if step is not None and highest is not None:
        raise ParameterError(f"{where}: step = {step!r} and highest = {highest!r}; give one of them.")
    length = 1 / (PER_PERIOD * highest) if highest is not None else step
    return ImplicitOptions(rtol, atol, length, checked_radius(radius, where), slow_start)


def problem_kind(system: System, X: np.ndarray, times: np.ndarray, rtol: float) -> ProblemKind:
    """Classify the problem of a run from `X` (nx + 1,) over output times (k,): algebraic, stiff, oscillating or none.

    It is stiff if the linearisation at the start decays faster than it oscillates or grows, and than the motion is
    sampled; slower decay is resolved anyway: an inverted pendulum has a growing mode as fast as its decaying one, and a
    regulator may damp what oscillates.
    """
    if len(system.dae.z):
        return ProblemKind.ALGEBRAIC
    poles = poles_at(system.equations.rates, system.inputs.ends[0], X, system.parameters(0))
    if not len(poles):
        return ProblemKind.NONSTIFF  # where no equations of motion hold, as in gimbal lock; any integrator will say so
    is_resolved = np.max(np.abs(poles)) * float(np.median(np.diff(times))) < 1
    decays = decays_fast(poles)
    segments = np.diff(system.inputs.ends)
    if len(segments) >= MANY and np.max(np.abs(poles)) * float(np.mean(segments)) < 1:
        return ProblemKind.INTERRUPTED
    # The decay of Baumgarte's stabilisation is not stiff
    slow = system.dae.tree.loops.closures and np.max(-np.real(poles)) < 1.1 * STABILIZATION
    if decays and not (is_resolved or slow):
        return ProblemKind.STIFF
    if (is_resolved or decays) and not _is_large(system):
        return ProblemKind.NONSTIFF
    if (is_resolved or decays) and not _may_stiffen(system):
        return ProblemKind.LARGE
    return ProblemKind.ROUGHLY_OSCILLATING if rtol >= LOOSE else ProblemKind.OSCILLATING


def _is_large(system: System) -> bool:
    return system.dae.library is None and system.dae.interpreted.motion.n_instructions() > LARGE


def _may_stiffen(system: System) -> bool:
    """Return whether there are first-order states, which may decay fast on the way, as bristles of friction in motion.

    Methods that prepare a Jacobian pass through that; large equations get the methods that hand over where it happens.
    """
    return len(system.dae.x) > 2 * system.dae.tree.size
