"""Initial value problem of one run: the DAE with input signals substituted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, listing
from flexblocks.simulation.integrators.driven_equations import BUILDING, DrivenEquations
from flexblocks.simulation.signals.inputs import Inputs
from flexblocks.simulation.signals.signal import Symbol


@dataclass(frozen=True, eq=False)
class System:
    """Initial value problem of one run: equations, inputs and parameter values.

    Attributes
    ----------
    dae : DAE
        Source of the equations.
    equations : DrivenEquations
    p : ndarray
        Values of the parameters p.
    inputs : Inputs
    """

    dae: DAE
    equations: DrivenEquations
    p: np.ndarray
    inputs: Inputs

    @property
    def is_watched(self) -> bool:
        """Whether the arm may come into gimbal lock, so that its states are checked."""
        with BUILDING:
            return self.dae.tree.has_joints_in_series

    def parameters(self, segment: int) -> np.ndarray:
        """Return the parameters P of the equations on a segment: p, and those of the inputs."""
        return np.concatenate([self.p, self.inputs.parameters[:, segment]])

    def consistent(self, t: float, X: np.ndarray, guess: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Return the consistent z (nz,), which solves 0 = g at this point, by Newton's method from `guess`.

        Raises
        ------
        ComputationError
            The iteration does not converge.
        """
        if self.equations.newton is None:
            return np.zeros(0)
        try:
            z = np.array(self.equations.newton(guess, t, X, P)).ravel()
        except RuntimeError:
            z = np.array([np.nan])
        if not np.all(np.isfinite(z)):
            raise ComputationError(
                f"Simulation of '{self.dae.name}': the algebraic equations of {listing(self.dae.z.names)} could not be "
                f"solved at t = {t:.6g} s from {np.array2string(guess, precision=4)}; give them start "
                "values nearer to a solution."
            )
        return z


def inputs_alone(dae: DAE, inputs: Inputs) -> DrivenEquations:
    """Return the inputs of this form without equations, for methods that do not take forward dynamics."""
    with BUILDING:
        return DrivenEquations(ca.Function(), ca.Function(), None, _inputs(inputs), dae)


def driven_equations(dae: DAE, inputs: Inputs, derivatives: bool = False) -> DrivenEquations:
    """Return the equations of the DAE with inputs of this form substituted; compiled with derivatives if requested."""
    derivatives = derivatives or dae.library is None or len(dae.z) > 0  # Newton's method for z needs them
    with BUILDING:
        motion = dae.differentiable_motion if derivatives else dae.motion
        kind = ca.MX if dae.library else inputs.symbol_type  # compiled functions do not take SX
        new = kind.sym
        t, X, z = new("t"), new("X", len(dae.x) + 1), new("z", len(dae.z))
        P = new("P", len(dae.p) + len(inputs.parameters))
        u = inputs.expression(t, P[len(dae.p) :])
        results = motion(X[: len(dae.x)], z, u, P[: len(dae.p)])
        labels = ["t", "X", "z", "P"], ["dX", "g"]
        residual = ca.Function("system", [t, X, z, P], [ca.densify(r) for r in results], *labels, _options(kind))
        newton = _newton(residual, [z, t, X, P]) if len(dae.z) else None
        differentiable = None if derivatives else partial(driven_equations, dae, inputs, True)
        rates = _rates(dae, residual, newton, kind)
        return DrivenEquations(residual, rates, newton, _inputs(inputs), dae, differentiable)


def _inputs(inputs: Inputs) -> ca.Function:
    t, segment = inputs.symbol_type.sym("t"), inputs.symbol_type.sym("segment", len(inputs.parameters))
    return ca.Function("inputs", [t, segment], [inputs.expression(t, segment)])


def _newton(residual: ca.Function, symbols: list[Symbol]) -> ca.Function:
    z, t, X, P = symbols
    g = ca.Function("g", symbols, [residual(t, X, z, P)[1]])
    return ca.rootfinder("consistent", "newton", g, {"abstol": 1e-12, "abstolStep": 1e-9})


def _rates(dae: DAE, residual: ca.Function, newton: ca.Function | None, kind: type[Symbol]) -> ca.Function:
    new = kind.sym if newton is None else ca.MX.sym
    t, X, z, P = (new(name, residual.size1_in(name)) for name in ("t", "X", "z", "P"))
    if newton is not None:
        z = newton(dae.z.start, t, X, P)
    return ca.Function("rates", [t, X, P], [residual(t, X, z, P)[0]], _options(kind))


def _options(kind: type[Symbol]) -> dict[str, bool]:
    """Return options for functions of the inputs.

    Signals that are called back have no derivatives; none are needed for Jacobians in x and z, and CasADi sees this if
    the functions are inlined.
    """
    return {"always_inline": kind is ca.MX}
