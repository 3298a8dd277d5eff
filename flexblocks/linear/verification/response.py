"""Nonlinear response: rates and outputs of an arm as functions of its independent states and inputs only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.constraints.dependent_variables import state_residuals
from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.errors import ParameterError
from flexblocks.linear.forms.linear_system import LinearSystem

# No error on failure: an unsolved constraint shows in the residual.
SOLVER = {"error_on_fail": False, "abstol": 1e-14, "max_iter": 30, "show_eval_warnings": False}
SOLVED = 1e-9  # residuals above it are not zero


@dataclass(frozen=True, eq=False)
class Response:
    """Nonlinear response near the operating point of a linear model.

    Attributes
    ----------
    start : ndarray (k + nu,)
        Independent states and inputs at the operating point.
    function : Function
        (states (k), inputs, parameters, first guess of the rest) -> rates of these states and outputs (k + ny), and
        residuals of what is solved for: closures of loops, algebraic variables.
    effects : Function
        Of the same -> derivatives (k + ny, nu) in the inputs.
    p, guess : ndarray
    """

    start: np.ndarray
    function: ca.Function
    effects: ca.Function
    p: np.ndarray
    guess: np.ndarray

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Return rates and outputs (k + ny, count) at points (k + nu, count); nan where nothing solves the rest."""
        values, left = (result.full() for result in self._everywhere(self.function, points))
        values[:, ~(np.max(np.abs(left), axis=0, initial=0.0) < SOLVED)] = np.nan
        return values

    def input_effects(self, points: np.ndarray) -> np.ndarray:
        """Return the derivatives (count, k + ny, nu) of rates and outputs in the inputs."""
        (effects,) = self._everywhere(self.effects, points)
        rows, columns = self.effects.size_out(0)
        return np.moveaxis(effects.full().reshape(rows, points.shape[1], columns), 1, 0)

    def _everywhere(self, function: ca.Function, points: np.ndarray) -> list[ca.DM]:
        count = points.shape[1]
        split = function.size1_in(0)
        rest = (np.tile(part[:, None], count) for part in (self.p, self.guess))
        return function.map(count).call([ca.DM(part) for part in (points[:split], points[split:], *rest)])


def response(dae: DAE, lin: LinearSystem, where: str) -> Response:
    """Return the nonlinear response to compare a linear model in minimal form with.

    Raises
    ------
    ParameterError
        The linear model is not one of this DAE, or a reduced one.
    """
    require_differentiable(dae, where)
    point = lin.operating_point
    if lin.basis is not None or point.states != dae.x.names or lin.inputs != dae.u.names or len(point.p) != len(dae.p):
        raise ParameterError(
            f"{where}: {lin!r} is {'a reduced model' if lin.basis is not None else f'not a model of {dae!r}'}; must "
            "be the result of flexblocks.linearize for this DAE."
        )
    known, rest, function, effects = _functions(dae.with_outputs(lin.outputs), lin.states, lin.outputs)
    values = np.concatenate([point.x, point.z])
    return Response(np.concatenate([values[list(known)], point.u]), function, effects, point.p, values[list(rest)])


@lru_cache(maxsize=8)
def _functions(
    dae: DAE, states: tuple[str, ...], outputs: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], ca.Function, ca.Function]:
    """Return where the states, and the rest, are among states and algebraic variables, and both functions."""
    whole = ca.vertcat(dae.x.symbol, dae.z.symbol)
    known = [dae.x.index(name) for name in states]
    rest = [i for i in range(whole.numel()) if i not in set(known)]
    J = dae.expressions.constraint_jacobian
    dependent = state_residuals(dae)
    conditions = ca.densify(ca.vertcat(dae.expressions.constraint, J @ dae.v, dependent, dae.expressions.algebraic))
    seen = ca.vertcat(dae.expressions.output, whole)
    names = (*dae.y.names, *dae.x.names, *dae.z.names)
    results = ca.vertcat(dae.expressions.rate[known], seen[[names.index(name) for name in outputs]])
    arguments = [whole[known], dae.u.symbol, dae.p.symbol, whole[rest]]
    evaluate = ca.Function("evaluate", arguments, ca.cse([ca.densify(results), conditions]))
    symbols = [ca.MX.sym(name, evaluate.size1_in(i)) for i, name in enumerate(("s", "u", "p", "guess"))]
    *arguments_of_rest, solved = symbols
    if rest:
        problem = {"x": arguments[3], "p": ca.vertcat(*arguments[:3]), "g": conditions}
        solved = ca.rootfinder("rest", "newton", problem, SOLVER)(x0=solved, p=ca.vertcat(*arguments_of_rest))["x"]
    results_and_residuals = evaluate(*arguments_of_rest, solved)
    effects = ca.densify(ca.jacobian(results_and_residuals[0], symbols[1]))
    return (
        tuple(known),
        tuple(rest),
        ca.Function("response", symbols, list(results_and_residuals)),
        ca.Function("effects", symbols, [effects]),
    )
