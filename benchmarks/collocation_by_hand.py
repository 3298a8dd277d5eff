"""Minimum effort from rest to rest as a careful engineer writes it by hand in CasADi, without Pyomo and flexblocks.

Radau collocation of degree 3, cubic Hermite inputs, integral of u^2 + 0.01 u'^2. One interval is one SX function,
mapped over the mesh; derivatives are CasADi's; IPOPT gets the same options as everywhere here. In two forms:

* ``"accelerations"``: x at mesh points, accelerations at collocation points, inputs by value and rate at mesh points;
  states at collocation points are linear in these. The form of `flexblocks.optim`.
* ``"states"``: the textbook's, x at mesh and collocation points, where the derivative of its polynomial has to be that
  of the motion.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import casadi as ca
import numpy as np

from benchmarks.lagrange_by_hand import inverse_dynamics

LINKS, N = 2, 8  # coordinates: (rotor, joint, bending 1, bending 2) link by link
GOAL = np.array([np.pi / 2, np.pi / 2, 0, 0, np.pi / 6, np.pi / 6, 0, 0])
DURATION, TORQUE, RATE_WEIGHT = 2.0, np.array([4.0, 2.0]), 0.01
IPOPT = {"ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.mumps_pivtol": 1e-2, "print_time": False}


@dataclass(frozen=True)
class ByHand:
    """The plan, and the wall times [s] of building the solver and of solving."""

    objective: float
    iterations: int
    status: str
    built: float
    solved: float


def plan_by_hand(intervals: int, form: str = "accelerations") -> ByHand:
    """Build and solve the problem, starting from the quintic motion of the rigid arm."""
    begun = time.perf_counter()
    solver, numbers = FORMS[form](intervals)
    ready = time.perf_counter()
    solution = solver(**numbers)
    solved = time.perf_counter() - ready
    stats = solver.stats()
    return ByHand(float(solution["f"]), stats["iter_count"], stats["return_status"], ready - begun, solved)


def by_accelerations(K: int) -> tuple[ca.Function, dict]:
    h, nodes, A = DURATION / K, *radau()
    motion = inverse_dynamics(LINKS)
    x0, x1, a = ca.SX.sym("x0", 2 * N), ca.SX.sym("x1", 2 * N), ca.SX.sym("a", N, 3)
    u0, u1 = ca.SX.sym("u0", 2 * LINKS), ca.SX.sym("u1", 2 * LINKS)  # values, then rates
    residual = []
    for j, c in enumerate(nodes):
        q = x0[:N] + h * c * x0[N:] + h**2 * ca.mtimes(a, (A @ A)[j])
        v = x0[N:] + h * ca.mtimes(a, A[j])
        residual.append(motion(q, v, a[:, j], hermite(u0, u1, h, c)[0]))
    gap = x1 - ca.vertcat(q, v)
    local = ca.Function(
        "local", [x0, ca.vec(a), x1, u0, u1], [ca.vertcat(*residual, gap), effort(u0, u1, h)], {"cse": True}
    )

    X, U, a = ca.MX.sym("X", 2 * N, K + 1), ca.MX.sym("U", 2 * LINKS, K + 1), ca.MX.sym("a", 3 * N, K)
    g, cost = local.map(K)(X[:, :-1], a, X[:, 1:], U[:, :-1], U[:, 1:])
    times = np.add.outer(np.arange(K), nodes).ravel()
    q, v, acceleration = quintic(np.linspace(0, 1, K + 1))
    inside = quintic(times / K)[2].T.reshape(K, 3 * N).T
    start = [np.vstack([q, v]), inputs(q, v, acceleration, h), inside]
    return program([X, U, a], start, ca.sum2(cost), ca.vec(g), goal=0)


def by_states(K: int) -> tuple[ca.Function, dict]:
    h, nodes, A = DURATION / K, *radau()
    D = np.linalg.inv(A)  # h der(x) at the nodes = D (x at the nodes - x at the start)
    motion = inverse_dynamics(LINKS)
    x0, x = ca.SX.sym("x0", 2 * N), ca.SX.sym("x", 2 * N, 3)
    u0, u1 = ca.SX.sym("u0", 2 * LINKS), ca.SX.sym("u1", 2 * LINKS)
    rates = ca.mtimes(x - ca.repmat(x0, 1, 3), ca.DM(D.T)) / h
    residual = []
    for j, c in enumerate(nodes):
        residual += [
            rates[:N, j] - x[N:, j],
            motion(x[:N, j], x[N:, j], rates[N:, j], hermite(u0, u1, h, c)[0]),
        ]
    local = ca.Function("local", [x0, ca.vec(x), u0, u1], [ca.vertcat(*residual), effort(u0, u1, h)], {"cse": True})

    # The last collocation point of an interval is the mesh point.
    begin, X = ca.MX.sym("begin", 2 * N), ca.MX.sym("X", 6 * N, K)
    U = ca.MX.sym("U", 2 * LINKS, K + 1)
    before = ca.horzcat(begin, X[-2 * N :, :-1])
    g, cost = local.map(K)(before, X, U[:, :-1], U[:, 1:])
    times = np.add.outer(np.arange(K), nodes).ravel()
    q, v, acceleration = quintic(np.linspace(0, 1, K + 1))
    inside = np.vstack(quintic(times / K)[:2]).T.reshape(K, 6 * N).T
    start = [np.vstack([q, v])[:, :1], inputs(q, v, acceleration, h), inside]
    return program([begin, U, X], start, ca.sum2(cost), ca.vec(g), goal=2)


FORMS = {"accelerations": by_accelerations, "states": by_states}


def program(
    groups: list[ca.MX], start: list[np.ndarray], f: ca.MX, g: ca.MX, goal: int
) -> tuple[ca.Function, dict[str, np.ndarray]]:
    """Return the solver and its arguments.

    The groups are matrices with a column a time: states from the start on, inputs, and the rest; the goal is the end of
    the last column of the group `goal`.
    """
    low, high = ([np.full(values.shape, bound) for values in start] for bound in (-np.inf, np.inf))
    low[1][:LINKS], high[1][:LINKS] = -TORQUE[:, None], TORQUE[:, None]
    for bound in (low, high):
        bound[0][:, 0] = 0.0
        bound[goal][-2 * N :, -1] = np.append(GOAL, np.zeros(N))
    # A polynomial lies between its Bernstein coefficients: the values at both ends, u0 + h u0'/3 and u1 - h u1'/3.
    U, h = groups[1], DURATION / (groups[1].shape[1] - 1)
    u, du = U[:LINKS, :], U[LINKS:, :]
    inner = ca.vertcat(ca.vec(u[:, :-1] + h / 3 * du[:, :-1]), ca.vec(u[:, 1:] - h / 3 * du[:, 1:]))
    limit, zeros = np.tile(TORQUE, inner.numel() // LINKS), np.zeros(g.numel())
    problem = {"x": ca.veccat(*groups), "f": f, "g": ca.vertcat(g, inner)}
    numbers = {"x0": _flat(start), "lbx": _flat(low), "ubx": _flat(high)}
    numbers |= {"lbg": np.append(zeros, -limit), "ubg": np.append(zeros, limit)}
    return ca.nlpsol("by_hand", "ipopt", problem, IPOPT), numbers


def _flat(groups: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([part.ravel(order="F") for part in groups])


def radau() -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and Butcher's matrix of Radau IIA with three stages."""
    nodes = np.array(ca.collocation_points(3, "radau"))
    powers = np.arange(3)
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    return nodes, np.linalg.solve((nodes[:, None] ** powers).T, integrals.T).T


def hermite(u0: ca.SX, u1: ca.SX, h: float, s: float) -> tuple[ca.SX, ca.SX]:
    """Return the inputs and their rates at the share `s` of an interval; u0 and u1 are values, then rates."""
    factors = (1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2))
    slopes = (6 * (s**2 - s) / h, 1 - 4 * s + 3 * s**2, 6 * (s - s**2) / h, 3 * s**2 - 2 * s)
    knots = u0[:LINKS], u0[LINKS:], u1[:LINKS], u1[LINKS:]
    u, du = (sum(c * knot for c, knot in zip(part, knots, strict=True)) for part in (factors, slopes))
    return u, du


def effort(u0: ca.SX, u1: ca.SX, h: float) -> ca.SX:
    """Return the integral of u^2 + 0.01 u'^2 over an interval, by a Gauss rule that is exact for it."""
    points, shares = np.polynomial.legendre.leggauss(4)
    cost = 0
    for s, share in zip((points + 1) / 2, shares / 2, strict=True):
        u, du = hermite(u0, u1, h, s)
        cost += h * share * (ca.sumsqr(u) + RATE_WEIGHT * ca.sumsqr(du))
    return cost


def quintic(s: np.ndarray) -> list[np.ndarray]:
    """Return coordinates, rates and accelerations (8, .) of the quintic at shares `s` of the time."""
    shape = (
        s**3 * (10 - 15 * s + 6 * s**2),
        30 * s**2 * (1 - s) ** 2 / DURATION,
        60 * s * (1 - s) * (1 - 2 * s) / DURATION**2,
    )
    return [np.outer(GOAL, part) for part in shape]


def inputs(q: np.ndarray, v: np.ndarray, a: np.ndarray, h: float) -> np.ndarray:
    """Return values and rates (4, .) of the inputs that the rigid arm takes."""
    force = np.array(inverse_dynamics(LINKS).map(q.shape[1])(q, v, a, np.zeros((LINKS, q.shape[1]))))
    u = np.clip(force[::4] + force[1::4], -TORQUE[:, None], TORQUE[:, None])  # rotor and joint turn together
    return np.vstack([u, np.gradient(u, h, axis=1)])
