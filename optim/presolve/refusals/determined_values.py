"""Path values that a start or goal determines, whichever of its postures is taken."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.statics.balance import rest_residuals, unknown_slices

from ...errors import ProblemError
from ...problem.signals.instant import statics_vector
from ...tolerances import RESIDUE
from ..boundary import End
from ..equilibrium import equilibration, unknowns_at
from ..path_values import PathValues
from ..postures.values_at_rest import at_rest
from ..transcribed_problem import TranscribedProblem


def check_determined_values(transcribed: TranscribedProblem) -> None:
    """Refuse prescribed positions that leave the posture open, of whose postures none keeps a path constraint."""
    for t in transcribed.phases:
        path = t.path
        for where, end, time in t.ends if path.rows and not t.designed else ():
            if end.kind != "rest":
                continue
            values = path.at_rest(end.point, time)
            violated = np.flatnonzero(path.excess(values) > RESIDUE * np.maximum(1.0, np.abs(values)))
            for i in violated[_are_determined(path, end, time, violated)] if violated.size else ():
                raise ProblemError(f"plan: {where}: {path.constraints[i].refusal(where, path.rows[i], values[i])}")


def _are_determined(path: PathValues, end: End, time: float, rows: np.ndarray) -> np.ndarray:
    """Return which of the values at `rows` (k,) change with none of the postures, to the first order.

    Their slopes are then combinations of those of the balance of forces and of the prescribed values. A slope counts as
    none beside the violation, too: in the middle of an obstacle it is rounding itself.
    """
    dae, point, p = path.dae, end.point, ca.SX(ca.DM(end.point.p))
    s = ca.SX.sym("s", unknown_slices(dae).u.stop)
    values = path.function.call([statics_vector(dae, s, time=time), p], True, False)[0][rows.tolist()]
    signals = at_rest(dae, (*end.prescribed, *end.prescribed_outputs))
    kept = ca.vertcat(*(function.call([s, p], True, False)[0] for function in (rest_residuals(dae), signals)))
    slopes = ca.Function("slopes", [s], [ca.densify(ca.jacobian(part, s)) for part in (kept, values)])
    J, G = (part.full() for part in slopes(unknowns_at(dae, point)))
    row, column = equilibration(J)
    J, G = row[:, None] * J * column, G * column
    left = G.T - J.T @ np.linalg.lstsq(J.T, G.T, rcond=None)[0]
    violation = path.excess(path.at_rest(point, time))[rows]
    return np.linalg.norm(left, axis=0) <= RESIDUE * np.maximum(np.linalg.norm(G, axis=1), violation)
