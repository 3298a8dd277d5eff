"""Scaling of a program by the model's suffix ``scaling_factor``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from pyomo.core.base.suffix import SuffixFinder

from ..program.nlp import NonlinearProgram
from .data import ProgramInstance
from .errors import SolverOptionError
from .iterate import Iterate
from .oracle import Oracle


@dataclass(frozen=True)
class Scaling:
    """Scaling factors of variables, constraints and objective.

    Attributes
    ----------
    x : float array (n,)
    g : float array (m,)
    f : float
    """

    x: np.ndarray
    g: np.ndarray
    f: float

    def __eq__(self, other) -> bool:
        return (
            isinstance(other, Scaling)
            and self.f == other.f
            and np.array_equal(self.x, other.x)
            and np.array_equal(self.g, other.g)
        )

    def original(self, point: Iterate) -> Iterate:
        """Return the unscaled iterate of a scaled one."""
        return Iterate(
            x=point.x / self.x,
            f=point.f / self.f,
            g=point.g / self.g,
            lam_x=point.lam_x * self.x / self.f,
            lam_g=point.lam_g * self.g / self.f,
        )

    def scaled(self, instance: ProgramInstance) -> ProgramInstance:
        """Return the scaled program instance of an unscaled one."""
        return ProgramInstance(
            p=instance.p,
            lbx=instance.lbx * self.x,
            ubx=instance.ubx * self.x,
            lbg=instance.lbg * self.g,
            ubg=instance.ubg * self.g,
            x0=instance.x0 * self.x,
            lam_x0=instance.lam_x0 * self.f / self.x,
            lam_g0=instance.lam_g0 * self.f / self.g,
        )


def scaling_of(nlp: NonlinearProgram, automatic: Scaling | None = None) -> Scaling | None:
    """Return the factors in the active suffixes ``scaling_factor``, otherwise the `automatic` ones or 1.

    As everywhere in Pyomo, the suffix of the innermost block takes precedence, and a factor for an indexed component or
    for ``None`` applies to all that it covers. The equations of grey boxes have no suffix. None if all factors are 1.

    Raises
    ------
    SolverOptionError
        A factor is not positive and finite.
    """
    free, rows = nlp.variables.free, nlp.constraints
    base = automatic or Scaling(np.ones(len(free)), np.ones(len(nlp.lower)), 1.0)
    g = base.g.copy()
    finder = SuffixFinder("scaling_factor", default=None, context=nlp.model)
    g[: len(rows)] = _factors(finder, rows, base.g)
    f = base.f if nlp.objective is None else float(_factors(finder, [nlp.objective], np.array([base.f]))[0])
    x = _factors(finder, free, base.x)
    return None if f == 1 and (x == 1).all() and (g == 1).all() else Scaling(x, g, f)


def _factors(finder: SuffixFinder, components: Sequence, default: np.ndarray) -> np.ndarray:
    chosen = [finder.find(component) for component in components]
    factors = np.array([base if one is None else one for one, base in zip(chosen, default, strict=False)], dtype=float)
    for i in np.flatnonzero(~((factors > 0) & np.isfinite(factors))).tolist():
        raise SolverOptionError(
            f"Suffix scaling_factor of '{components[i].name}' is {factors[i]}; must be positive and finite."
        )
    return factors


def scaled(oracle: Oracle, scaling: Scaling) -> Oracle:
    """Return the oracle of the scaled program, s_f f and s_g g as functions of s_x x."""
    nlp = ca.Function("nlp", [oracle.problem["x"], oracle.problem["p"]], [oracle.problem["f"], oracle.problem["g"]])
    n, m = len(scaling.x), len(scaling.g)
    x, p = ca.MX.sym("x", n), ca.MX.sym("p", nlp.numel_in(1))
    sigma, lam = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", m)
    s_f, s_x, s_g = scaling.f, ca.DM(scaling.x), ca.DM(scaling.g)
    f, g = nlp(x / s_x, p)
    (_, gradient), (_, jacobian) = (oracle.derivatives[name](x / s_x, p) for name in ("grad_f", "jac_g"))
    hessian = oracle.derivatives["hess_lag"](x / s_x, p, s_f * sigma, s_g * lam)

    def times(matrix: ca.MX, rows: np.ndarray, columns: np.ndarray) -> ca.MX:
        row, col = (np.array(part, dtype=np.int64) for part in matrix.sparsity().get_triplet())
        return matrix * ca.DM(matrix.sparsity(), (rows[row] * columns[col]).tolist()) if len(row) else matrix

    values = {
        "grad_f": [ca.MX(1, 1), s_f * gradient / s_x],
        "jac_g": [ca.MX(m, 1), times(jacobian, scaling.g, 1 / scaling.x)],
        "hess_lag": [times(hessian, 1 / scaling.x, 1 / scaling.x)],
    }

    def like(name: str) -> ca.Function:
        original = oracle.derivatives[name]
        inputs = [x, p, sigma, lam][: original.n_in()]
        return ca.Function(original.name(), inputs, values[name], original.name_in(), original.name_out())

    return Oracle({"x": x, "p": p, "f": s_f * f, "g": s_g * g}, {name: like(name) for name in oracle.derivatives})
