"""Path values that a start or goal determines, whichever of its postures is taken."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.statics.balance import rest_residuals, unknown_slices, unknown_vector

from ...errors import ProblemError
from ...problem.signals.instant import instant_vector, part_sizes
from ..boundary import End
from ..equilibrium import equilibration, loop_forces
from ..path_values import PathValues
from .values_at_rest import at_rest

# Of a value's slope, or of its violation: what is left of the slope along the postures with the prescribed values, and
# counts as none. In the middle of an obstacle the slope itself is rounding.
SAME = 1e-6


def check_determined_values(path: PathValues, end: End, where: str, time: float) -> None:
    """Refuse a posture to be chosen, of whose postures none keeps a path constraint.

    Parameters
    ----------
    path : PathValues
    end : End
        Of the kind "rest": prescribed positions leave its posture to the optimisation.
    where : str
        ``"start"`` or ``"goal"``.
    time : float
        [s]

    Raises
    ------
    ProblemError
        The message names the constraint and its violation.
    """
    values = path.at_rest(end.point, time)
    violated = np.flatnonzero(path.excess(values) > SAME * np.maximum(1.0, np.abs(values)))
    if not violated.size:
        return
    for i, is_determined in zip(violated, _are_determined(path, end, time, violated), strict=True):
        if is_determined:
            raise ProblemError(f"plan: {where}: {path.constraints[i].refusal(where, path.rows[i], values[i])}")


def _are_determined(path: PathValues, end: End, time: float, rows: np.ndarray) -> np.ndarray:
    """Return which of the values at `rows` (k,) change with none of the postures, to the first order.

    Their slopes are then combinations of those of the balance of forces and of the prescribed values.
    """
    dae, point = path.dae, end.point
    s = ca.SX.sym("s", unknown_slices(dae).u.stop)
    q, w, z, forces, u = (s[group] for group in unknown_slices(dae))
    still = {name: ca.SX(size, 1) for name, size in part_sizes(dae).items()}
    x = ca.vertcat(q, ca.SX(dae.tree.size, 1), w)
    y = instant_vector(dae, **still | {"x": x, "z": z, "f": forces, "u": u, "time": ca.SX(time)})
    values = path.function.call([y, ca.SX(ca.DM(point.p))], True, False)[0][rows.tolist()]
    names = (*end.prescribed, *end.prescribed_outputs)
    kept = [function.call([s, ca.SX(ca.DM(point.p))], True, False)[0]
            for function in (rest_residuals(dae), at_rest(dae, names))]  # fmt: skip
    slopes = ca.Function("slopes", [s], [ca.densify(ca.jacobian(part, s)) for part in (ca.vertcat(*kept), values)])
    here = unknown_vector(dae, point.x, point.z, loop_forces(dae, point), point.u)
    J, G = (part.full() for part in slopes(here))
    row, column = equilibration(J)
    J, G = row[:, None] * J * column, G * column
    left = G.T - J.T @ np.linalg.lstsq(J.T, G.T, rcond=None)[0]
    violation = path.excess(path.at_rest(point, time))[rows]
    return np.linalg.norm(left, axis=0) <= SAME * np.maximum(np.linalg.norm(G, axis=1), violation)
