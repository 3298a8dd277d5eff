"""Prediction model of a receding horizon: implicit equations of motion with their derivatives, what holds the arm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.control.design.driven_inputs import driven_inputs, nothing_to_drive
from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.dynamics import ldl
from flexblocks.errors import ParameterError, listing
from flexblocks.libraries import scipy

# Of what inputs and closures carry by least squares, each in its own size: what makes redundant shares the smallest.
LEAST = 1e-9
# Forces count as independent above this share of the largest.
RANK = 1e-9


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
        The caller, for messages.
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
    def kept(self) -> list[int]:
        """Positions of the closures that are independent of each other, among all: the others follow from them."""
        every, kept = self.dae.expressions.closing_tree.loops.multipliers, self.dae.tree.loops.multipliers
        return [every.index(name) for name in kept]

    @cached_property
    def rates(self) -> ca.SX:
        """Accelerations, rates of first-order states, multipliers of closures, in one column."""
        symbols = self.dae.expressions.implicit_symbols
        return ca.vertcat(symbols["rates"], symbols["multipliers"][self.kept])

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
        # Closures that follow from others are left out, with their multipliers.
        first = len(self.dae.x) - self.n
        rows = [*range(first), *(first + i for i in self.kept)]
        spare = [i for i in range(symbols["multipliers"].shape[0]) if i not in self.kept]
        column = ca.substitute(column[rows], symbols["multipliers"][spare], ca.SX.zeros(len(spare)))
        return column - ca.vertcat(self.force, ca.SX(column.shape[0] - self.n, 1))

    @cached_property
    def _at_rest(self) -> tuple[ca.SX, ca.SX]:
        """Residuals (nx - n,) where the arm rests without chosen inputs, and minus their derivatives in these.

        Inputs that change first-order states hold these: what they do to forces by the way, as a winch whose rope has
        damping does, is none of theirs.
        """
        size = len(self.dae.x) - self.n
        rows = self.residual[:size]
        B = -ca.jacobian(rows, self.u)
        before = ca.vertcat(self.dae.v, self.rates, self.u)
        rest, B = ca.substitute([rows, B], [before], [ca.SX.zeros(before.shape)])
        B = ca.sparsify(B)
        for i in range(B.shape[1]):
            if B[self.n :, i].nnz():
                B[: self.n, i] = 0
        return rest, ca.sparsify(B)

    @property
    def at_rest(self) -> ca.SX:
        """The generalised forces (n,) that are missing where the arm rests in its posture, without chosen inputs."""
        return self._at_rest[0][: self.n]

    @property
    def input_matrix(self) -> ca.SX:
        """The generalised forces (n, nu) of the chosen inputs at rest, none of those that change first-order states."""
        return self._at_rest[1][: self.n, :]

    @cached_property
    def closure_forces(self) -> ca.SX:
        """The generalised forces (n, m) of the multipliers of closures."""
        return -ca.jacobian(self.residual[: self.n], self.rates[len(self.dae.x) - self.n :])

    @cached_property
    def _shares(self) -> tuple[ca.SX, ca.SX]:
        """What chosen inputs, then multipliers of closures, carry where the arm rests, and the forces that remain (n,).

        By least squares, exact in every equilibrium; where they are redundant, the smallest.
        """
        rest, B = self._at_rest
        J = self.closure_forces
        both = ca.horzcat(B, ca.vertcat(J, ca.SX(B.shape[0] - self.n, J.shape[1])))
        sizes = self.function("sizes", [ca.sum1(both**2)], [self.dae.x.symbol, self.dae.p.symbol])
        lengths = np.sqrt(np.nan_to_num(sizes(self.dae.x.start, self.dae.p.start).full().ravel()))
        lengths = np.where(lengths > 0, lengths, 1.0)
        both = ca.sparsify(both @ ca.diag(ca.DM(1.0 / lengths)))
        shares = ldl.solve(both.T @ both + LEAST * ca.SX.eye(both.shape[1]), both.T @ rest)
        return shares / lengths, (rest - both @ shares)[: self.n]

    @property
    def holding(self) -> ca.SX:
        """The inputs (nu,) that hold what they drive where it is, given all others; 0 where they drive nothing.

        They balance weight, what springs and bent links pass on, and the unknown force, or keep first-order states.
        """
        return self._shares[0][: len(self.inputs)]

    @property
    def missing(self) -> ca.SX:
        """The generalised forces (n,) that keep the arm from resting in its posture whatever the chosen inputs are."""
        return self._shares[1]

    def undriven(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the directions (n, k) of forces that neither inputs nor closures balance, in the posture of `x`."""
        both = ca.horzcat(self.input_matrix, self.closure_forces)
        columns = self.function("B", [both], [self.dae.x.symbol, self.dae.p.symbol])(x, p)
        columns = np.nan_to_num(columns.full())
        lengths = np.linalg.norm(columns, axis=0)
        left, sizes, _ = np.linalg.svd(columns / np.where(lengths > 0, lengths, 1.0))
        return left[:, int(np.sum(sizes > RANK * max(sizes.max(initial=0.0), 1e-300))) :]

    def function(self, name: str, results: list[ca.SX], symbols: list[ca.SX]) -> ca.Function:
        """Return a function with dense results."""
        return ca.Function(name, symbols, [ca.densify(each) for each in ca.cse(results)])

    def residual_function(self, name: str) -> ca.Function:
        """Return (x, rates, u, p, force) -> residual and its derivatives in x, rates and u."""
        x, R = self.dae.x.symbol, self.residual
        results = [R, *(ca.jacobian(R, symbol) for symbol in (x, self.rates, self.u))]
        return self.function(name, results, [x, self.rates, self.u, self.dae.p.symbol, self.force])

    def stabilizing_function(self, name: str, time: float) -> ca.Function:
        """Return (x, p, force) -> inputs that hold the driven coordinates and brake them within about `time` [s].

        And their derivatives in x.
        """
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
        symbols = [self.dae.x.symbol, self.dae.p.symbol, self.force]
        return self.function(name, [law, ca.jacobian(law, symbols[0])], symbols)

    def linearized(self, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return A (k, k), B (k, nu) of the arm at rest in the posture of `x` (nx,), held there, and Z (nx, k).

        The columns of Z are the directions in which states can move, all of them unless loops are closed.
        """
        n, nx = self.n, len(self.dae.x)
        still = np.concatenate([x[:n], np.zeros(n), x[2 * n :]])
        hold = self.function("hold", [self._shares[0]], [self.dae.x.symbol, self.dae.p.symbol, self.force])
        none = np.zeros(n)
        u, multipliers = np.split(np.nan_to_num(hold(still, p, none).full().ravel()), [len(self.inputs)])
        rates = np.concatenate([np.zeros(nx - n), multipliers])
        _, Rx, Ry, Ru = (part.full() for part in self.residual_function("residual")(still, rates, u, p, none))
        # Closures by their second derivatives: J times the accelerations.
        J = Rx[nx - n :, n : 2 * n].copy()
        Ry[nx - n :, :n], Rx[nx - n :] = J, 0.0
        along = scipy.linalg.null_space(J) if len(J) else np.eye(n)
        Z: np.ndarray = np.asarray(scipy.linalg.block_diag(along, along, np.eye(nx - 2 * n)))
        slopes = -np.linalg.solve(Ry, np.hstack([Rx, Ru]))[: nx - n]
        A = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n), np.zeros((n, nx - 2 * n))]), slopes[:, :nx]])
        return Z.T @ A @ Z, Z.T @ np.vstack([np.zeros((n, len(self.inputs))), slopes[:, nx:]]), Z


def prediction(dae: DAE, inputs: tuple[str, ...] | list[str] | str | None, feedback: float, where: str) -> Prediction:
    """Return the prediction model of an arm.

    Raises
    ------
    FlexblocksError
        Its equations are not those of a receding horizon: sampled controllers, algebraic variables; or it has no input
        to choose.
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
    return Prediction(dae, chosen, feedback, where)
