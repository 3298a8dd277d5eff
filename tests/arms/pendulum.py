"""A pendulum swung by a torque, collocated in Pyomo: with a grey box, and written out."""

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)

from flexblocks.optim.casadi_solver import CasadiGreyBox, attach

N = 12  # intervals of the pendulum


H = 0.1


def pendulum_step(kind=ca.SX):
    """Trapezoidal step of a pendulum, w = (angle, rate, torque) at both ends, p = (gravity / length, step)."""
    w, p = kind.sym("w", 6), kind.sym("p", 2)
    a0, v0, u0, a1, v1, u1 = ca.vertsplit(w)
    h = p[1]
    residual = ca.vertcat(
        a1 - a0 - h / 2 * (v0 + v1), v1 - v0 - h / 2 * (u0 + u1 - p[0] * (ca.sin(a0) + ca.sin(a1)) - 0.1 * v0 * v1)
    )
    cost = h / 2 * (u0**2 + u1**2 + 0.1 * ca.cos(a0) * u0)
    return ca.Function("step", [w, p], [residual, cost], ["w", "p"], ["residual", "cost"])


def variables():
    m = pyo.ConcreteModel("pendulum")
    m.angle = pyo.Var(range(N + 1), initialize=lambda m, k: k / N)
    m.rate = pyo.Var(range(N + 1), initialize=0.5)
    m.torque = pyo.Var(range(N + 1), bounds=(-4, 4), initialize=0.1)
    for var, first, last in ((m.angle, 0, 1.0), (m.rate, 0, 0)):
        var[0].fix(first)
        var[N].fix(last)
    return m


def columns(m):
    return [var[k] for k in range(N + 1) for var in (m.angle, m.rate, m.torque)]


def box(function=None, p=(2.0, H), **options):
    index = np.arange(6) + 3 * np.arange(N)[:, None]
    return CasadiGreyBox(function or pendulum_step(), index, p=p, name="step", **options)


def with_greybox():
    m = variables()
    attach(m, "dynamics", box(residual_names=("angle", "rate")), columns(m))
    return m


def algebraic():
    m = variables()
    a, v, u = m.angle, m.rate, m.torque
    m.angle_step = pyo.Constraint(range(N), rule=lambda m, k: a[k + 1] - a[k] - H / 2 * (v[k] + v[k + 1]) == 0)
    m.rate_step = pyo.Constraint(
        range(N),
        rule=lambda m, k: (
            v[k + 1] - v[k]
            == H / 2 * (u[k] + u[k + 1] - 2 * (pyo.sin(a[k]) + pyo.sin(a[k + 1])) - 0.1 * v[k] * v[k + 1])
        ),
    )
    m.cost = pyo.Expression(
        expr=sum(H / 2 * (u[k] ** 2 + u[k + 1] ** 2 + 0.1 * pyo.cos(a[k]) * u[k]) for k in range(N))
    )
    return m


def values(m):
    return np.array([var.value for var in columns(m)])
