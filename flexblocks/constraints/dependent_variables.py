"""Dependent variables: their values at given coordinates, and their derivatives."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.dependent_variables import dependent_residuals, dependent_slopes
from flexblocks.errors import ComputationError, listing

# Continuation steps from the reference values: small enough for Newton's method to stay on its branch, by trial.
STEPS = 20


def with_dependent_variables(
    dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray, named: Collection[str] = (), where: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Return x and z with the dependent variables solved for at the coordinates in x.

    If one of them is `named`, Newton's method starts from the values in x and z; otherwise the solution is continued
    from the start values.

    Raises
    ------
    ComputationError
        No solution was found.
    """
    names, n = dae.tree.dependent_names, dae.tree.size
    if not names:
        return x, z
    x, z = x.copy(), z.copy()
    *_, c = dae.posture(x, z, p)
    solver, q0 = _solver(dae), dae.x.start[:n]
    near = any(name in named for name in names)
    for share in [1.0] if near else np.linspace(0.0, 1.0, STEPS + 1):
        c = solver(c, q0 + share * (x[:n] - q0), p).full().ravel()
        if not solver.stats()["success"] or not np.all(np.isfinite(c)):
            raise ComputationError(
                f"{where}no values of {listing(names)} solve their equations at these coordinates; check that every "
                "sliding beam is extended, by less than its length."
            )
    for name, value in zip(names, c.tolist(), strict=True):
        group, values = (dae.x, x) if name in dae.x else (dae.z, z)
        values[group.index(name)] = value
    return x, z


def dependent_states(dae: DAE) -> list[int]:
    """Return the positions in x of the dependent variables that are states."""
    return [dae.x.index(name) for name in dae.tree.dependent_names if name in dae.x]


def state_slopes(dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the derivatives (k, n) of the dependent states with respect to the coordinates."""
    slopes = _slopes(dae)(*dae.posture(x, z, p)).full()
    return slopes[[name in dae.x for name in dae.tree.dependent_names]]


def state_residuals(dae: DAE) -> ca.SX:
    """Return the residuals (k, 1) of the dependent states."""
    rows = [i for i, name in enumerate(dae.tree.dependent_names) if name in dae.x]
    return dependent_residuals(dae.tree, dae.q)[rows] if rows else ca.SX(0, 1)


def of_coordinates(dae: DAE, name: str, results: list[ca.SX]) -> ca.Function:
    """Return the function (q, p) -> expressions of the posture; of numbers, without derivatives that count.

    Dependent variables are continued to q from the start values.
    """
    function = ca.Function(name, [*dae.posture_symbols], results)
    if not dae.tree.dependent_names:
        return function
    q, p = ca.MX.sym("q", dae.tree.size), ca.MX.sym("p", len(dae.p))
    *_, c = (ca.DM(value) for value in dae.posture(dae.x.start, dae.z.start, dae.p.start))
    q0, solver = ca.DM(dae.x.start[: dae.tree.size]), _solver(dae)
    for share in np.linspace(0.0, 1.0, STEPS + 1):
        c = solver(c, q0 + share * (q - q0), p)
    return ca.Function(name, [q, p], function.call([q, p, c]))


@lru_cache(maxsize=16)
def _slopes(dae: DAE) -> ca.Function:
    """Return the function (q, p, dependent) -> derivatives (k, n) of the dependent variables."""
    return ca.Function("slopes", [*dae.posture_symbols], [ca.densify(dependent_slopes(dae.tree, dae.q))])


@lru_cache(maxsize=16)
def _solver(dae: DAE) -> ca.Function:
    """Return the solver (guess, q, p) -> dependent variables."""
    residual = dependent_residuals(dae.tree, dae.q)
    q, p, dependent = dae.posture_symbols
    function = ca.Function("g", [dependent, q, p], [residual])
    quiet = {"error_on_fail": False, "show_eval_warnings": False}  # the caller refuses what is no number
    return ca.rootfinder("follow", "newton", function, quiet | {"abstol": 1e-13, "abstolStep": 1e-12})
