"""Functions beside the residual of the implicit equations: its derivatives, powers, outputs along a known motion."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dae.functions import compiled


@lru_cache(maxsize=32)
def residual_jacobians(dae: DAE) -> ca.Function:
    """Return the derivatives of `DAE.residual`, a function of its arguments, with structural zeros.

    ``K`` in the coordinates (rows, n), ``D`` in their rates and first-order states (rows, n + nw), ``M`` in the
    derivatives of these (rows, n + nw), ``J`` of the closures (m, n + nw), ``Z`` in algebraic variables (rows, nz).
    That in the multipliers is -J', without the rows of prescribed coordinates. Compiled if the DAE is.
    """
    plain = dae.interpreted
    symbols, R, n = plain.expressions.implicit_symbols, plain.expressions.implicit.column, plain.tree.size
    x, m = symbols["x"], symbols["multipliers"].shape[0]
    of_x, M, Z = ca.jacobian(R, x), ca.jacobian(R, symbols["rates"]), ca.jacobian(R, symbols["z"])
    first = x.shape[0] - n
    parts = [of_x[:, :n], of_x[:, n:], M, of_x[first : first + m, n:], Z]
    labels = [*symbols], ["K", "D", "M", "J", "Z"]
    return _as_compiled(dae, ca.Function("residual_jacobians", [*symbols.values()], parts, *labels))


@lru_cache(maxsize=32)
def powers(dae: DAE) -> ca.Function:
    """Return the powers [W] of the applied forces and drives, and of dampers, a function of the residual's arguments.

    The first is what does the work of simulations; the second is what dampers take out of the motion. Interpreted, as
    what compiles it does so with the residual.
    """
    expressions = dae.interpreted.expressions
    symbols, implicit = expressions.implicit_symbols, expressions.implicit
    both = ca.cse(ca.densify(ca.vertcat(implicit.power, implicit.damping)))
    return ca.Function("powers", [*symbols.values()], [both], [*symbols], ["powers"])


@lru_cache(maxsize=32)
def outputs_along(dae: DAE) -> ca.Function:
    """Return the outputs along a known motion, function (x, rates, multipliers, z, u, p) -> y.

    ``rates`` (n + nw) as for `DAE.residual`, ``multipliers`` as `DAE.multipliers` gives them: nothing is solved for.
    Interpreted, as there are few samples.
    """
    plain = dae.interpreted
    own = {
        "rates": ca.SX.sym("rates", len(plain.x) - plain.tree.size),
        "multipliers": ca.SX.sym("multipliers", len(plain.tree.loops.multipliers)),
    }
    symbols = {"x": plain.x.symbol, **own, "z": plain.z.symbol, "u": plain.u.symbol, "p": plain.p.symbol}
    y = plain.expressions.output_along(*own.values())
    return ca.Function("outputs_along", [*symbols.values()], [y], [*symbols], ["y"])


def _as_compiled(dae: DAE, function: ca.Function) -> ca.Function:
    return function if dae.library is None else compiled([function], dae)[function.name()]
