"""Prediction model of a receding horizon: implicit equations of motion with their derivatives, what holds the arm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.control.design.driven_inputs import driven_inputs, nothing_to_drive
from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.errors import ParameterError, listing


@dataclass(frozen=True, eq=False)
class Prediction:
    """The equations of an arm as a receding horizon needs them.

    Attributes
    ----------
    dae : DAE
    inputs : tuple of str
        The inputs that are chosen; all others are at their start values.
    feedback : float
        Rate at which violations of closures decay [1/s].
    where : str
        Who asks, for messages.
    """

    dae: DAE
    inputs: tuple[str, ...]
    feedback: float
    where: str

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.dae.tree.size

    @cached_property
    def u(self) -> ca.SX:
        """The chosen inputs (nu,)."""
        return ca.vertcat(*[self.dae.u.symbol[self.dae.u.index(name)] for name in self.inputs])

    @cached_property
    def force(self) -> ca.SX:
        """An unknown generalised force (n,) on the coordinates."""
        return ca.SX.sym("force", self.n)

    @cached_property
    def rates(self) -> ca.SX:
        """Accelerations, rates of first-order states, multipliers of closures, in one column."""
        symbols = self.dae.expressions.implicit_symbols
        return ca.vertcat(symbols["rates"], symbols["multipliers"])

    @cached_property
    def residual(self) -> ca.SX:
        """The implicit equations of motion, as many as `rates`."""
        symbols = self.dae.expressions.implicit_symbols
        others = [i for i, name in enumerate(self.dae.u.names) if name not in self.inputs]
        before = ca.vertcat(symbols["feedback"], *[self.dae.u.symbol[i] for i in others])
        after = ca.vertcat(self.feedback, *[float(self.dae.u.start[i]) for i in others])
        column = ca.SX(self.dae.expressions.implicit.column)
        for each, i in zip(self.dae.tree.prescribed, self.dae.tree.prescribed_columns, strict=True):
            # What prescribes it is not known ahead; its acceleration is estimated as forces are.
            column[i] = self.rates[i] - self.dae.u.symbol[self.dae.u.index(each.acceleration[0])]
        column = ca.substitute(column, before, ca.SX(after))
        return column - ca.vertcat(self.force, ca.SX(column.shape[0] - self.n, 1))

    @cached_property
    def at_rest(self) -> ca.SX:
        """The generalised forces (n,) that are missing where the arm rests in its posture, without chosen inputs."""
        still = [self.dae.v, self.rates, self.u]
        before = ca.vertcat(*still)
        return ca.substitute(self.residual[: self.n], before, ca.SX.zeros(before.shape))

    @cached_property
    def input_matrix(self) -> ca.SX:
        """The generalised forces (n, nu) of the chosen inputs."""
        return -ca.jacobian(self.residual[: self.n], self.u)

    @cached_property
    def holding(self) -> ca.SX:
        """The inputs (nu,) that hold the driven coordinates where they are, given all others; 0 where they drive none.

        They balance weight, what springs and bent links pass on, and the unknown force.
        """
        B, chosen = self.input_matrix, []
        multipliers = self.rates[len(self.dae.x) - self.n :]
        if multipliers.numel():
            # Closures carry their share; exact in every equilibrium, elsewhere by least squares.
            both = ca.horzcat(B, -ca.jacobian(self.residual[: self.n], multipliers))
            return ca.solve(both.T @ both, both.T @ self.at_rest)[: B.shape[1]]
        for i in range(B.shape[1]):
            column = ca.densify(B[:, i])
            acts = B[:, i].nnz() > 0
            chosen.append(ca.dot(column, self.at_rest) / ca.sumsqr(column) if acts else ca.SX(0))
        return ca.vertcat(*chosen)

    def function(self, name: str, results: list[ca.SX], symbols: list[ca.SX]) -> ca.Function:
        """Return a function with dense results."""
        return ca.Function(name, symbols, [ca.densify(each) for each in ca.cse(results)])

    def residual_function(self, name: str) -> ca.Function:
        """Return (x, rates, u, p, force) -> residual and its derivatives in x, rates and u."""
        x, R = self.dae.x.symbol, self.residual
        results = [R, *(ca.jacobian(R, symbol) for symbol in (x, self.rates, self.u))]
        return self.function(name, results, [x, self.rates, self.u, self.dae.p.symbol, self.force])

    def stabilizing_function(self, name: str, time: float) -> ca.Function:
        """Return (x, p, force) -> inputs that hold the driven coordinates and brake them within about `time` [s]."""
        B = self.input_matrix
        M = ca.jacobian(self.residual[: self.n], self.rates[: self.n])
        brakes = []
        for i in range(B.shape[1]):
            column = ca.densify(B[:, i])
            if not B[:, i].nnz():
                brakes.append(ca.SX(0))
                continue
            speed = ca.dot(column, self.dae.v) / ca.sumsqr(column)
            inertia = ca.dot(column, M @ column) / ca.sumsqr(column)
            brakes.append(inertia * speed / time)
        law = self.holding - ca.vertcat(*brakes)
        law = ca.substitute(law, ca.vertcat(self.rates, self.u), ca.SX.zeros(len(self.inputs) + self.rates.shape[0], 1))
        return self.function(name, [law], [self.dae.x.symbol, self.dae.p.symbol, self.force])

    def linearized(self, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return A (nx, nx) and B (nx, nu) of the arm at rest in the posture of `x` (nx,), held there."""
        n, nx = self.n, len(self.dae.x)
        still = np.concatenate([x[:n], np.zeros(n), x[2 * n :]])
        hold = self.function("hold", [self.holding], [self.dae.x.symbol, self.dae.p.symbol, self.force])
        none = np.zeros(n)
        u = np.nan_to_num(hold(still, p, none).full().ravel())
        _, Rx, Ry, Ru = (
            part.full() for part in self.residual_function("residual")(still, np.zeros(self.rates.shape[0]), u, p, none)
        )
        slopes = -np.linalg.solve(Ry, np.hstack([Rx, Ru]))[: nx - n]
        A = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n), np.zeros((n, nx - 2 * n))]), slopes[:, :nx]])
        return A, np.vstack([np.zeros((n, len(self.inputs))), slopes[:, nx:]])


def prediction(dae: DAE, inputs: tuple[str, ...] | list[str] | str | None, feedback: float, where: str) -> Prediction:
    """Return the prediction model of an arm.

    Raises
    ------
    FlexblocksError
        Its equations are not those of a receding horizon: sampled controllers, algebraic variables, prescribed motions,
        redundant closures, coordinates that change their chart; or it has no input to choose.
    """
    dae = dae.interpreted
    require_differentiable(dae, where)
    chosen = driven_inputs(dae, inputs)
    if not chosen:
        raise nothing_to_drive(dae, where)
    for name in chosen:
        dae.u.index(name)
    return _checked(dae, chosen, feedback, where)


def estimation_model(dae: DAE, feedback: float, where: str) -> Prediction:
    """Return the equations of an arm with all of its inputs as they are given.

    Raises
    ------
    FlexblocksError
        As `prediction`.
    """
    require_differentiable(dae, where)
    return _checked(dae.interpreted, tuple(dae.u.names), feedback, where)


def _checked(dae: DAE, chosen: tuple[str, ...], feedback: float, where: str) -> Prediction:
    if len(dae.z):
        raise ParameterError(
            f"{where}: the model has algebraic variables ({listing(dae.z.names)}); must have none. Give it a model in "
            "which what they belong to has mass or damping."
        )
    every, kept = dae.expressions.closing_tree.loops.multipliers, dae.tree.loops.multipliers
    if len(every) != len(kept):
        raise ParameterError(
            f"{where}: the closed loops of the model have {len(every)} closures, of which {len(kept)} are independent; "
            "must all be. Leave out what is overconstrained, by spherical joints for hinges."
        )
    return Prediction(dae, chosen, feedback, where)
