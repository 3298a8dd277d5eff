"""State of an integration on CasADi's virtual machine: equations at a point, Newton matrices, starts, work."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.implicit_functions import powers
from flexblocks.simulation.implicit.differences import LEAST, Differences
from flexblocks.simulation.implicit.newton_matrix import Factors, chosen_closures, columns_of_rates, newton_matrix
from flexblocks.simulation.implicit.settings import COUNTS, FEEDBACK, ImplicitProblem

# Iterations in which the algebraic variables of a start are solved for; rates and multipliers are linear.
STARTS = 12
# How far closures are followed along the motion for their derivatives, as a share of the reach.
AHEAD = 1e-5


class Integration:
    """State of an integration.

    Parameters
    ----------
    problem : ImplicitProblem

    Attributes
    ----------
    t, segment : float, int
    x, rates, filtered, multipliers, z : ndarray
        `filtered` are the accelerations of generalised alpha between those of the equations.
    work, power, earlier : ndarray (2,)
        Of applied forces, and of dampers; powers at the end of the last step, and at its start.
    polynomial : tuple of ndarray or None
        Rates, multipliers and algebraic variables at the stages of the last step of Radau IIA.
    derived : tuple or None
        Which derivatives there are: (k1,) for the sum of a step of generalised alpha, or () if they are apart.
    factored : tuple or None
        Step (of Radau IIA) of the factors that are kept, or ().
    """

    def __init__(self, problem: ImplicitProblem) -> None:
        self.problem, self.inputs, dae = problem, problem.inputs, problem.dae.interpreted
        self.n, self.N, self.m = dae.tree.size, len(dae.x) - dae.tree.size, len(problem.kept_closures)
        self.residual, self._power = dae.residual, powers(problem.dae)
        self.weight, self.held = problem.weight, problem.held
        self.active = problem.kept_closures.astype(bool)
        self.inactive = np.flatnonzero(~self.active)
        self.level = np.concatenate([self.held > 0, np.ones(self.m, bool), np.zeros(len(dae.z), bool)])
        self.x, self.z = np.zeros(len(dae.x)), np.zeros(len(dae.z))
        self.rates, self.multipliers, self.size = np.zeros(self.N), np.zeros(self.m), np.full(self.N, 1e-9)
        self.work, self.power, self.earlier = np.zeros(2), np.zeros(2), np.zeros(2)
        self.counts: dict[str, int] = dict.fromkeys(COUNTS, 0)
        self.is_fresh = self.is_started = False
        self.derived: tuple[float, ...] | None = None
        self.factored: tuple[float, ...] | None = None
        self.factors: Factors | None = None
        self.start_factors: Factors | None = None
        self.pair_factors: Factors | None = None
        self.polynomial: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.best, self.most_active, self.t = 99, 0, 0.0
        self._missed: np.ndarray | None = None
        self._sum = np.zeros((len(self.level), self.N))
        self._parts = self._sum, self._sum, self._sum
        self._enter()

    def _enter(self) -> None:
        """Make working memory of the residual and of the powers, which are entered without a conversion."""
        self._arguments = [np.zeros(self.residual.size1_in(i)) for i in range(self.residual.n_in())]
        self._R, self._P = np.zeros(self.residual.size1_out(0)), np.zeros(2)
        self._buffers, calls = [], []
        for function, result in ((self.residual, self._R), (self._power, self._P)):
            buffer, call = function.buffer()
            for i, argument in enumerate(self._arguments):
                buffer.set_arg(i, memoryview(argument))  # type: ignore[arg-type]
            buffer.set_res(0, memoryview(result))  # type: ignore[arg-type]
            self._buffers.append(buffer)
            calls.append(call)
        self._run_residual, self._run_power = calls
        self.set_parameters(self.problem.p)

    def set_parameters(self, p: np.ndarray) -> None:
        """Set the parameters (np,)."""
        self._arguments[6][:] = p

    def set_state(self, t: float, segment: int, x: np.ndarray, z: np.ndarray, rates: np.ndarray | None = None) -> None:
        """Go to a state; rates are solved for when the integration continues."""
        goes_on = self._missed is not None and t == self.t and np.array_equal(x[: 2 * self.n], self.x[: 2 * self.n])
        self._missed = self._missed if goes_on else None
        self.t, self.segment, self._slow = t, segment, rates is not None
        if rates is not None:
            self.rates = np.array(rates, dtype=float)
        self.x, self.z, self.is_started = np.array(x, dtype=float), np.array(z, dtype=float), False

    def set_inputs(self, t: float) -> np.ndarray:
        """Set inputs and prescribed motions at a time of the present segment; return prescribed accelerations."""
        table = self.inputs
        low, high = table.first[self.segment], table.first[self.segment + 1] - 1
        piece = int(np.clip(np.searchsorted(table.edges, t, side="right") - 1, low, high))
        width = table.edges[piece + 1] - table.edges[piece]
        s, rows = (t - table.edges[piece]) / width, table.coefficients[piece]
        powers = s ** np.arange(rows.shape[1])
        values, nu = rows @ powers, len(self.problem.dae.u)
        self._arguments[4][:], self._arguments[5][:] = values[:nu], values[nu:]
        count = len(self.problem.drives)
        return rows[nu + count :, 1:] @ (np.arange(1, rows.shape[1]) * powers[:-1]) / width

    def evaluate(self, x: np.ndarray, rates: np.ndarray, multipliers: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return the residual at a point whose inputs are set; it is overwritten by the next call."""
        self._set_point(x, rates, multipliers, z)
        self._run_residual()
        self.counts["residuals"] += 1
        return self._R

    def powers(self, x: np.ndarray, rates: np.ndarray, multipliers: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return the powers (2,) at a point whose inputs are set."""
        self._set_point(x, rates, multipliers, z)
        self._run_power()
        return self._P.copy()

    def _set_point(self, *point: np.ndarray) -> None:
        for argument, value in zip(self._arguments, point, strict=False):
            argument[:] = value

    def differentiate_sum(self, k1: float, k2: float, *point: np.ndarray) -> None:
        """Take the derivatives for dv = k1 da, dq = k2 da, at a point whose inputs and feedback are set."""
        differences = self._differences(point)
        self._sum = differences.along(k2, k1, 1.0)
        self._keep(differences, (k1,))

    def differentiate(self, *point: np.ndarray) -> None:
        """Take the derivatives in coordinates, what rates are the derivatives of, and rates, apart."""
        differences = self._differences(point)
        self._parts = (
            differences.along(1.0, 0.0, 0.0),
            differences.along(0.0, 1.0, 0.0),
            differences.along(0.0, 0.0, 1.0),
        )
        self._keep(differences, ())

    def _differences(self, point: tuple[np.ndarray, ...]) -> Differences:
        with np.errstate(divide="ignore"):
            of_coordinates = self.problem.displacements.reach / self.weight
        unit = np.where(self.weight > 0, of_coordinates, np.maximum(self.size, LEAST))
        return Differences(self.residual, [*point, *self._arguments[4:]], self.n, unit)

    def _keep(self, differences: Differences, derived: tuple[float, ...]) -> None:
        self._differentiate_others(differences)
        self.derived, self.factored, self.is_fresh = derived, None, True

    def _differentiate_others(self, differences: Differences) -> None:
        """Take the derivatives in multipliers and algebraic variables, and choose the closures that count."""
        self._in_multipliers, self._in_algebraic = differences.in_multipliers(), differences.in_algebraic()
        J = -self._in_multipliers[: self.n].T * self.problem.closure_scale[:, None]
        active = chosen_closures(np.where(self.held[: self.n] > 0, 0.0, J / self.weight[: self.n]), self.active)
        if not np.array_equal(active, self.active):
            self.derived = self.start_factors = None
        self.active, self.inactive = active, np.flatnonzero(~active)
        self.most_active = max(self.most_active, int(self.active.sum()))
        self.counts["residuals"] += differences.evaluations
        self.counts["jacobians"] += 1

    @property
    def masses(self) -> np.ndarray:
        """Derivatives (rows, n + nw) in the rates, where those are taken apart."""
        return self._parts[2]

    @property
    def feedback(self) -> float:
        """Rate at which violations of closures decay [1/s]."""
        return float(self._arguments[7][0])

    @feedback.setter
    def feedback(self, rate: float) -> None:
        self._arguments[7][:] = rate

    @property
    def feedback_rate(self) -> float:
        """That in a step that begins at the present state: as fast as the loop moves, in arm lengths."""
        fastest = float(np.max(np.abs(self.x[self.n : 2 * self.n]) * self.weight[: self.n], initial=0.0))
        return FEEDBACK * fastest / self.problem.displacements.reach

    @property
    def is_at_change_point(self) -> bool:
        """Whether fewer closures count than did."""
        return int(self.active.sum()) < self.most_active

    def forget_matrices(self) -> None:
        """Take new derivatives in the next step."""
        self.derived, self.is_fresh = None, False

    def matrix_of_sum(self, k1: float) -> np.ndarray:
        """Return Newton's matrix of a step of generalised alpha."""
        columns = np.where(self.level[:, None], self._sum / k1, self._sum)
        return newton_matrix(columns, self._in_multipliers, self._in_algebraic, self.level, self.active)

    def matrix(self, k1: complex, k2: complex) -> np.ndarray:
        """Return Newton's matrix for dv = k1 da, dq = k2 da."""
        columns = columns_of_rates(*self._parts, self.level, k1, k2)
        return newton_matrix(columns, self._in_multipliers, self._in_algebraic, self.level, self.active)

    def displacements(self, k1: float, k2: float) -> np.ndarray:
        """Return what changes of rates, multipliers and algebraic variables count as (rows,) [m]."""
        n, reach = self.n, self.problem.displacements.reach
        size = np.maximum(np.maximum(self.size, np.abs(k1 * self.rates)), 1e-12)[n:]
        of_z = reach / (1 + np.abs(self.z))
        return np.concatenate([k2 * self.weight[:n], k1 * reach / size, np.zeros(self.m), of_z])

    def keep_sizes(self) -> None:
        """Take the sizes of first-order states from the present state."""
        self.size[self.n :] = np.maximum(self.size[self.n :], np.abs(self.x[2 * self.n :]))

    def start_residual(self) -> np.ndarray:
        """Return what is missed where segments begin, of accelerations, multipliers and algebraic variables.

        Closures and prescribed motions are differentiated once more, along the motion, without feedback.
        """
        n, v, level = self.n, self.x[self.n : 2 * self.n], self.level
        accelerations = self.set_inputs(self.t)
        self.feedback = 0.0
        point = self.rates, self.multipliers, self.z
        R = self.evaluate(self.x, *point).copy()
        if not level.any():
            return R
        fastest = float(np.max(np.abs(v) * self.weight[:n], initial=0.0))
        d = AHEAD * self.problem.displacements.reach / fastest if fastest > 0 else 1.0
        motion, along = self._arguments[5].copy(), self._arguments[5]
        moves = np.concatenate([motion[len(accelerations) :], accelerations])
        slope = np.concatenate([v, self.rates[:n], np.zeros(self.N - n)])
        sides = []
        for side in (d, -d):
            along[:] = motion + side * moves
            sides.append(self.evaluate(self.x + side * slope, *point).copy())
        along[:] = motion
        R[level] = ((sides[0] - sides[1]) / (2 * d))[level]
        return R

    def leave(self) -> None:
        """End a segment: what is missed there is missed by the accelerations with which the next one begins, too."""
        self._missed, self.is_started = self.start_residual(), False

    def _factor_start(self) -> Factors:
        """Return the factors of the matrix of rates, multipliers and algebraic variables where segments begin.

        Accelerations are linear there: it is that of masses, and of closures' accelerations.
        """
        n, N, m = self.n, self.N, self.m
        differences = self._differences((self.x, self.rates, self.multipliers, self.z))
        masses = differences.along(0.0, 0.0, 1.0)
        self._differentiate_others(differences)
        columns, held = np.zeros((len(self.level), N)), np.flatnonzero(self.held)
        columns[:N] = masses[:N]
        columns[held] = 0.0
        columns[held, held] = 1.0
        columns[N : N + m, :n] = np.where(self.held[:n] > 0, 0.0, -self._in_multipliers[:n].T)
        self.counts["factorizations"] += 1
        return Factors(newton_matrix(columns, self._in_multipliers, self._in_algebraic, self.level, self.active))

    def start(self) -> bool:
        """Solve for rates, multipliers and algebraic variables at a state; return whether there are any.

        Where a motion continues under other inputs, accelerations jump by what these change; those of vibrations that
        steps do not resolve stay as they are.
        """
        N, m, missed = self.N, self.m, self._missed
        self.keep_sizes()
        self.set_inputs(self.t)
        if missed is None:
            self.start_factors = None
        before, old_rates, solves = 0.0, self.rates, 2
        for iteration in range(0 if self._slow else STARTS):  # those on the slow manifold are known
            if self.start_factors is None:
                self.feedback = 0.0
                self.set_inputs(self.t)
                self.start_factors, solves = self._factor_start(), 0
            right = -self.start_residual()
            if missed is not None:
                right[: N + m] += missed[: N + m]
            right[N : N + m][~self.active] = -self.multipliers[~self.active]
            change = self.start_factors.solve(right)
            self.rates = self.rates + change[:N]
            self.multipliers = self.multipliers + change[N : N + m]
            self.z = self.z + change[N + m :]
            if not np.all(np.isfinite(change)):
                return False
            of_z = np.max(np.abs(change[N + m :]) / (1 + np.abs(self.z)), initial=0.0)
            largest = np.max(np.abs(change[:N]), initial=0.0)
            if largest <= 1e-8 * np.max(np.abs(self.rates), initial=1e-300) and of_z < 1e-9:
                break
            has_z = len(self.z) > 0
            solves += 1
            if solves == 2 and not has_z:
                break  # linear in rates and multipliers
            if (iteration and largest + of_z > 0.1 * before) or (has_z and solves == 1):
                self.start_factors = None
            before = largest + of_z
        if missed is None:
            self.filtered, self.derived = self.rates.copy(), None
        else:
            self.filtered = self.filtered + self.rates - old_rates
        self._slow, self.polynomial, self._missed = False, None, None
        self.power = self.powers(self.x, self.rates, self.multipliers, self.z)
        self.previous_step, self.is_started = 0.0, True
        return True

    def remember(self) -> None:
        """Keep the present state for outputs in the step that begins there."""
        series = (self.x, self.rates, self.multipliers, self.z, self.work, self.power)
        self.before = (self.t, *(part.copy() for part in series))

    def add_work(self, h: float) -> None:
        """Add the work of a step that has ended: the parabola of the powers at its ends and at the one before."""
        new, r = self.powers(self.x, self.rates, self.multipliers, self.z), self.previous_step / h
        if r > 0:
            weights = (2 + 3 * r) / (6 * (1 + r)), (1 + 3 * r) / (6 * r), 1 / (6 * r * (r + 1))
            self.work = self.work + h * (weights[0] * new + weights[1] * self.power - weights[2] * self.earlier)
        else:
            self.work = self.work + h / 2 * (new + self.power)
        self.earlier, self.power, self.previous_step = self.power, new, h
