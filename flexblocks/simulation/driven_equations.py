"""The DAE under its inputs: der(x) and residuals as functions of time and the segment's parameters."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, listing
from flexblocks.simulation.bounds import Bounds, bounds
from flexblocks.simulation.inputs import Inputs
from flexblocks.simulation.signal import Symbol

# CasADi marks the nodes of an expression while it sorts them; two threads must not build functions at the same time.
BUILDING = threading.RLock()


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations under inputs of one form, good for all values of them.

    CasADi's functions keep their working memory; use one object in one thread.

    Attributes
    ----------
    dae : DAE
    residual : casadi.Function
        (t, X, z, P) -> der(X), g. X is [x, work]: the work [J] that the applied forces do on the arm is carried
        along as a state, so that it is as accurate as the rest. P is [p, parameters of the inputs' segment].
    rates : casadi.Function
        (t, X, P) -> der(X), the algebraic variables eliminated by Newton's method from their start values.
    newton : casadi.Function or None
        (guess of z, t, X, P) -> z with 0 = g; None without algebraic variables.
    input : casadi.Function
        (t, parameters of the inputs' segment) -> u.
    symbol_type : type
        SX or MX, what `residual` is made of.
    bounds : Bounds
        What its states are held against.
    """

    dae: DAE
    residual: ca.Function
    rates: ca.Function
    newton: ca.Function | None
    input: ca.Function
    symbol_type: type[Symbol]
    bounds: Bounds


@dataclass(frozen=True, eq=False)
class System:
    """What is integrated in one run: the equations, and the values that belong into them.

    Attributes
    ----------
    equations : Equations
    p : ndarray
        Values of the parameters p.
    inputs : Inputs
    """

    equations: Equations
    p: np.ndarray
    inputs: Inputs

    @property
    def dae(self) -> DAE:
        """The DAE behind it."""
        return self.equations.dae

    def parameters(self, segment: int) -> np.ndarray:
        """Return P on a segment."""
        return np.concatenate([self.p, self.inputs.parameters[:, segment]])

    def consistent(self, t: float, X: np.ndarray, guess: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Return z (nz,) that solves 0 = g at this point, by Newton's method from `guess`.

        Raises
        ------
        ComputationError
            The iteration does not converge.
        """
        if self.equations.newton is None:
            return np.zeros(0)
        try:
            found = np.array(self.equations.newton(guess, t, X, P)).ravel()
        except RuntimeError:
            found = np.array([np.nan])
        if not np.all(np.isfinite(found)):
            raise ComputationError(
                f"Simulation of '{self.dae.name}': the algebraic equations of {listing(self.dae.z.names)} could not be "
                f"solved at t = {t:.6g} s from {np.array2string(guess, precision=4)}; give them start "
                "values nearer to a solution."
            )
        return found


def equations(dae: DAE, inputs: Inputs) -> Equations:
    """Return the equations of the DAE with inputs of this form put in."""
    with BUILDING:
        kind = ca.MX if dae.library else inputs.symbol_type  # compiled functions do not take SX
        new = kind.sym
        t, X, z = new("t"), new("X", len(dae.x) + 1), new("z", len(dae.z))
        P = new("P", len(dae.p) + len(inputs.parameters))
        segment = new("segment", len(inputs.parameters))
        u = inputs.expression(t, P[len(dae.p) :])
        results = dae.motion(X[: len(dae.x)], z, u, P[: len(dae.p)])
        labels = ["t", "X", "z", "P"], ["dX", "g"]
        residual = ca.Function("system", [t, X, z, P], [ca.densify(r) for r in results], *labels, _options(kind))
        newton = _newton(residual, [z, t, X, P]) if len(dae.z) else None
        given = ca.Function("inputs", [t, segment], [inputs.expression(t, segment)])
        return Equations(dae, residual, _rates(dae, residual, newton, kind), newton, given, kind, bounds(dae))


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

    Signals that are called back have no derivative. None is needed in x and z, which CasADi sees if no call hides it.
    """
    return {"always_inline": kind is ca.MX}
