"""CasADi integrators as steppers: SUNDIALS (cvodes, idas)."""

from __future__ import annotations

import re
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.simulation.integrators.casadi_integrators.sundials_messages import without_messages_of_failures
from flexblocks.simulation.integrators.driven_equations import BUILDING, DrivenEquations
from flexblocks.simulation.integrators.stepper import StepFailure, Stepper, finite

# Stops from which on it pays to build an integrator for their spacing (two-link arm: 1 ms), rather than to restart a
# multistep method with its many small steps at each of them (0.3 ms).
WORTH_BUILDING = 10

MOST_KEPT = 64  # integrators in the cache; inputs that jump at ever new times would fill it without end

REASONS = {
    "TOO_MUCH_WORK": "it takes more and more steps",
    "ERR_FAILURE": "the step size had to become too small",
    "ERR_FAIL": "the step size had to become too small",
    "CONV_FAILURE": "Newton's iteration does not converge, however small the step",
    "CONV_FAIL": "Newton's iteration does not converge, however small the step",
    "RHSFUNC_FAIL": "the equations could not be evaluated",
    "RES_FAIL": "the equations could not be evaluated",
}


class CasadiStepper(Stepper):
    """Stepper by a CasADi integrator.

    It integrates over scaled time, from 0 at the first to 1 at the last of the times, so that one integrator serves
    all chunks with evenly spaced stops.

    Parameters
    ----------
    equations : DrivenEquations
    plugin : str
        ``"cvodes"`` or ``"idas"``.
    options : dict
        Options of `casadi.integrator`.
    """

    def __init__(self, equations: DrivenEquations, plugin: str, options: dict[str, Any]) -> None:
        self.plugin, self.options = plugin, options
        self._built: dict[tuple[Any, ...], ca.Function] = {}
        if equations.differentiable:
            equations = equations.differentiable()
        self._problem = _scaled(equations, keeps_z=plugin == "idas")

    def prepare(self, times: np.ndarray) -> None:
        if _even(times) or len(times) > WORTH_BUILDING:
            self._integrator(times)
        else:
            self._integrator(times[:2])

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        if _even(times) or len(times) > WORTH_BUILDING:
            return self._run(X, z, P, times)
        parts, steps = [], 0
        for start, stop in pairwise(times):
            parts.append(self._run(X, z, P, np.array([start, stop])))
            steps += self.steps
            X, z = parts[-1][0][-1], z if parts[-1][1] is None else parts[-1][1][-1]
        self.steps = steps
        states, algebraics = zip(*parts, strict=True)
        return np.concatenate(states), None if algebraics[0] is None else np.concatenate(algebraics)

    def _run(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        integrator = self._integrator(times)
        origin, size, algebraic = self._units(X)
        more = [[times[0], times[-1] - times[0]], origin, size, [algebraic]]
        Y = (X - origin) / size
        arguments = {"x0": Y, "p": np.concatenate([P, *more])}
        if self.plugin == "idas":
            arguments["z0"] = z / algebraic
        try:
            with without_messages_of_failures() if self.plugin == "idas" else nullcontext():
                result = integrator(**arguments)
        except RuntimeError as error:
            self.steps = self._most_steps(times) if "TOO_MUCH_WORK" in str(error) else 0
            raise StepFailure(_reason(str(error))) from None
        self.steps = integrator.stats()["nsteps"]
        states = finite(X + size * (np.array(result["xf"]).T - Y))  # what is held stays as it is, to the last digit
        return states, algebraic * np.array(result["zf"]).T if self.plugin == "idas" else None

    def _units(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return origin and unit of the states, and the unit of algebraic variables, that the integrator sees."""
        return self.scale.origin, self.scale.size, self.scale.algebraic

    def _longest_step(self, span: float) -> dict[str, float]:
        """Return the option for it, a power of two of a time `span` [s]: few distinct numbers, as each is built for."""
        share = self.longest / span
        return {"max_step_size": 2.0 ** np.floor(np.log2(share))} if share < 1.0 else {}

    def _most_steps(self, times: np.ndarray) -> int:
        """Return how many steps SUNDIALS may take to one stop: without a limit for all, an advance could take hours.

        Stops differ, and the first ones take some 100 steps, so that it is several times the mean.
        """
        return min(self.most_steps, max(4 * self.most_steps // (len(times) - 1), 200))

    def _integrator(self, times: np.ndarray) -> ca.Function:
        stops = np.linspace(0, 1, len(times)) if _even(times) else (times - times[0]) / (times[-1] - times[0])
        limits = {"max_num_steps": self._most_steps(times), **self._longest_step(times[-1] - times[0])}
        options, key = self.options | limits, (stops.tobytes(), limits.get("max_step_size"))
        if key not in self._built:
            with BUILDING:
                new = ca.integrator("integrator", self.plugin, self._problem, 0.0, stops[1:].tolist(), options)
            if len(self._built) >= MOST_KEPT:
                del self._built[next(iter(self._built))]
            self._built[key] = new
        return self._built[key]


def _even(times: np.ndarray) -> bool:
    even = np.linspace(times[0], times[-1], len(times))
    return bool(np.max(np.abs(times - even)) <= 1e-11 * (times[-1] - times[0]))


def _scaled(equations: DrivenEquations, keeps_z: bool) -> dict[str, Any]:
    """Return the equations in scaled time s and scaled states Y, t = start + length s and X = origin + size Y.

    Parameters are [P, start, length, origin, size, size of z].

    The graph calls the equations as a function, so that all integrators share the derivatives of that function.
    """
    states, count = equations.residual.size1_in("X"), equations.residual.size1_in("P")
    s, Y = ca.MX.sym("s"), ca.MX.sym("Y", states)
    p = ca.MX.sym("p", count + 2 + 2 * states + 1)
    P, start, length, origin, size, algebraic = ca.vertsplit(p, np.cumsum([0, count, 1, 1, states, states, 1]).tolist())
    t, X = start + length * s, origin + size * Y
    if not keeps_z:
        return {"t": s, "x": Y, "p": p, "ode": length * equations.rates(t, X, P) / size}
    z = ca.MX.sym("z", equations.residual.size1_in("z"))
    rates, residual = equations.residual(t, X, algebraic * z, P)
    return {"t": s, "x": Y, "z": z, "p": p, "ode": length * rates / size, "alg": residual}


def _reason(message: str) -> str:
    flag = re.search(r'returned "(?:CV|IDA)_(\w+)"', message)
    if flag is None:
        return message.strip().splitlines()[-1]
    return f"{REASONS.get(flag[1], 'the integrator gave up')} ({flag[1]})"
