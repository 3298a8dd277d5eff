"""The DAE under its inputs: der(x) and residuals as functions of time and the segment's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.dae import DAE
from flexblocks.errors import ComputationError, listing
from flexblocks.simulation.inputs import Inputs
from flexblocks.simulation.signal import Symbol


@dataclass(frozen=True)
class System:
    """What is integrated.

    Attributes
    ----------
    dae : DAE
    residual : casadi.Function
        (t, X, z, P) -> der(X), g. X is [x, work]: the work [J] that the applied forces do on the arm is carried
        along as a state, so that it is as accurate as the rest. P is [p, parameters of the inputs' segment].
    symbol_type : type
        SX or MX, what `residual` is made of.
    p : ndarray
        Values of the parameters p.
    inputs : Inputs
    """

    dae: DAE
    residual: ca.Function
    symbol_type: type[Symbol]
    p: np.ndarray
    inputs: Inputs

    def parameters(self, segment: int) -> np.ndarray:
        """Return P on a segment."""
        return np.concatenate([self.p, self.inputs.parameters[:, segment]])

    @cached_property
    def newton(self) -> ca.Function:
        """(guess of z, t, X, P) -> z with 0 = g."""
        t, X, z, P = self._symbols(self.symbol_type)
        residual = ca.Function("g", [z, t, X, P], [self.residual(t, X, z, P)[1]])
        return ca.rootfinder("consistent", "newton", residual, {"abstol": 1e-12, "abstolStep": 1e-9})

    @cached_property
    def rates(self) -> ca.Function:
        """(t, X, P) -> der(X), the algebraic variables eliminated by Newton's method from their start values."""
        t, X, z, P = self._symbols(ca.MX if len(self.dae.z) else self.symbol_type)
        if len(self.dae.z):
            z = self.newton(self.dae.z.start, t, X, P)
        return ca.Function("rates", [t, X, P], [self.residual(t, X, z, P)[0]], _options(self.symbol_type))

    def _symbols(self, kind: type[Symbol]) -> list[Symbol]:
        return [kind.sym(name, self.residual.size1_in(i)) for i, name in enumerate(("t", "X", "z", "P"))]

    def consistent(self, t: float, X: np.ndarray, guess: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Return z (nz,) that solves 0 = g at this point, by Newton's method from `guess`.

        Raises
        ------
        ComputationError
            The iteration does not converge.
        """
        if not len(self.dae.z):
            return np.zeros(0)
        try:
            found = np.array(self.newton(guess, t, X, P)).ravel()
        except RuntimeError:
            found = np.array([np.nan])
        if not np.all(np.isfinite(found)):
            raise ComputationError(
                f"Simulation of '{self.dae.name}': the algebraic equations of {listing(self.dae.z.names)} could not be "
                f"solved at t = {t:.6g} s from {np.array2string(guess, precision=4)}; give them start "
                "values nearer to a solution."
            )
        return found


def system(dae: DAE, inputs: Inputs, p: np.ndarray) -> System:
    """Return the DAE with its inputs put in."""
    power = ca.dot(dae.v, dae.applied_expression)
    arguments = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    plain = ca.Function("plain", arguments, [ca.vertcat(dae.rate_expression, power), dae.algebraic_expression])
    new = inputs.symbol_type.sym
    t, X, z = new("t"), new("X", len(dae.x) + 1), new("z", len(dae.z))
    P = new("P", len(dae.p) + len(inputs.parameters))
    u = inputs.expression(t, P[len(dae.p) :])
    results = plain(X[: len(dae.x)], z, u, P[: len(dae.p)])
    labels = ["t", "X", "z", "P"], ["dX", "g"]
    residual = ca.Function(
        "system", [t, X, z, P], [ca.densify(r) for r in results], *labels, _options(inputs.symbol_type)
    )
    return System(dae, residual, inputs.symbol_type, p, inputs)


def _options(kind: type[Symbol]) -> dict[str, bool]:
    """Return options for functions of the inputs.

    Signals that are called back have no derivative. None is needed in x and z, which CasADi sees if no call hides it.
    """
    return {"always_inline": kind is ca.MX}
