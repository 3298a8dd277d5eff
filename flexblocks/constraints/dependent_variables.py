"""Values of the variables that follow from the coordinates."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.dependent_variables import follower_residuals, following
from flexblocks.errors import ComputationError, ParameterError, listing

# From the reference values to others in steps so small that Newton's method stays on its branch.
STEPS = 20


def followed_values(dae: DAE, x: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
    """Return the values of the followed variables out of x and z, as the last arguments of functions of coordinates.

    For x (..., nx) and z (..., nz) they are (..., k); an empty list where nothing follows.
    """
    names = dae.followed_names
    values = [x[..., dae.x.index(n)] if n in dae.x else z[..., dae.z.index(n)] for n in names]
    return [np.stack(values, axis=-1)] if names else []


def following_start(
    dae: DAE, x: np.ndarray, z: np.ndarray, p: np.ndarray, given: Collection[str] = (), where: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Return x and z with the followed variables that belong to the coordinates in x.

    Those that are in `given` stay as they are, as the place from where the solution is sought.

    Raises
    ------
    ParameterError
        A coordinate is out of its block's reach.
    ComputationError
        No solution was found.
    """
    names, n = dae.followed_names, dae.tree.size
    refuse_out_of_reach(dae, x[:n], where)
    if not names:
        return x, z
    x, z = x.copy(), z.copy()
    (c,) = followed_values(dae, x, z)
    solver, q0 = _solver(dae), dae.x.start[:n]
    near = any(name in given for name in names)
    for share in [1.0] if near else np.linspace(0.0, 1.0, STEPS + 1):
        c = solver(c, q0 + share * (x[:n] - q0), p).full().ravel()
        if not solver.stats()["success"] or not np.all(np.isfinite(c)):
            raise ComputationError(
                f"{where}{listing(names)} cannot follow from the coordinates given; check that every beam that slides "
                "is out, by less than its length."
            )
    for name, value in zip(names, c.tolist(), strict=True):
        group, values = (dae.x, x) if name in dae.x else (dae.z, z)
        values[group.index(name)] = value
    return x, z


def refuse_out_of_reach(dae: DAE, q: np.ndarray, where: str = "") -> None:
    """Refuse coordinates at which the physics of their block have no meaning, such as a beam pushed all the way in."""
    for body in dae.tree.bodies:
        own = np.array(body.share @ q).ravel()
        for coordinate, value in zip(body.terms.block.coordinates(), own.tolist(), strict=True):
            if not coordinate.low <= value <= coordinate.high:
                raise ParameterError(
                    f"{where}{body.name}.{coordinate.name} = {value:g} {coordinate.unit}; must be between "
                    f"{coordinate.low:g} and {coordinate.high:g} {coordinate.unit}."
                )


@lru_cache(maxsize=16)
def follower_slopes(dae: DAE) -> ca.Function:
    """Return the function (q, p, followed) -> derivatives (k, n) of the followed variables."""
    v = ca.SX.sym("v", dae.tree.size)
    slopes = ca.jacobian(following(dae.tree, dae.q, v), v)
    return ca.Function("slopes", [dae.q, dae.p.symbol, dae.followed], [slopes])


@lru_cache(maxsize=16)
def _solver(dae: DAE) -> ca.Function:
    """Return the function (guess, q, p) -> followed variables."""
    residual = follower_residuals(dae.tree, dae.q)
    function = ca.Function("g", [dae.followed, dae.q, dae.p.symbol], [residual])
    return ca.rootfinder("follow", "newton", function, {"error_on_fail": False, "abstol": 1e-13, "abstolStep": 1e-12})
