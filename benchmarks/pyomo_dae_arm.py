"""Minimum effort from rest to rest in pyomo.dae: ordinary Pyomo expressions all the way, solved by pounce.

The equations of motion are those of flexblocks, instruction by instruction, every intermediate result a named
Expression, so that what is shared stays shared. Inputs and objective are the cubic polynomials of `flexblocks.optim`,
linear and quadratic in their values and rates at mesh points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
import pyomo.dae as dae_of_pyomo
import pyomo.environ as pyo

import flexblocks as fb

OPERATIONS = {
    ca.OP_ADD: lambda a, b: a + b,
    ca.OP_SUB: lambda a, b: a - b,
    ca.OP_MUL: lambda a, b: a * b,
    ca.OP_NEG: lambda a: -a,
    ca.OP_SQ: lambda a: a * a,
    ca.OP_TWICE: lambda a: 2 * a,
    ca.OP_SIN: pyo.sin,
    ca.OP_COS: pyo.cos,
}


def least_effort(
    dae: fb.DAE, goal: dict[str, float], limits: Sequence[float], duration: float, intervals: int, degree: int = 3
) -> pyo.ConcreteModel:
    """Return the collocated model from rest at zero to rest at `goal`, |u| <= `limits`, started from a quintic."""
    m: Any = pyo.ConcreteModel()
    m.t = dae_of_pyomo.ContinuousSet(initialize=np.linspace(0.0, duration, intervals + 1).tolist())
    m.coordinates, m.inputs = pyo.Set(initialize=dae.q_names), pyo.Set(initialize=dae.u.names)
    m.q, m.v = pyo.Var(m.t, m.coordinates), pyo.Var(m.t, m.coordinates)
    m.rate, m.a = dae_of_pyomo.DerivativeVar(m.q, wrt=m.t), dae_of_pyomo.DerivativeVar(m.v, wrt=m.t)
    m.kinematics = pyo.Constraint(m.t, m.coordinates, rule=lambda m, t, name: m.rate[t, name] == m.v[t, name])
    scheme = pyo.TransformationFactory("dae.collocation")
    scheme.apply_to(m, wrt=m.t, nfe=intervals, ncp=degree, scheme="LAGRANGE-RADAU")

    mesh = m.t.get_finite_elements()
    m.mesh, h = pyo.RangeSet(0, intervals), duration / intervals
    bounds = {name: (-limit, limit) for name, limit in zip(dae.u.names, limits, strict=True)}
    m.u = pyo.Var(m.mesh, m.inputs, bounds=lambda m, k, name: bounds[name], initialize=0.0)
    m.du = pyo.Var(m.mesh, m.inputs, initialize=0.0)
    m.lifted, m.motion = pyo.Expression(pyo.NonNegativeIntegers), pyo.ConstraintList()
    motion = equations_of_motion(dae)
    for time in m.t:
        if time == 0.0:
            continue
        k = min(int(time / h - 1e-9), intervals - 1)
        s = (time - mesh[k]) / h
        u = [sum(w * knot for w, knot in zip(hermite(s, h)[0], knots(m, k, name), strict=True)) for name in m.inputs]
        arguments = [[group[time, name] for name in m.coordinates] for group in (m.q, m.v, m.a)]
        for residual in written_out(motion, [*arguments, u], m.lifted):
            m.motion.add(residual == 0)
    inside = [(k, name) for k in range(intervals) for name in m.inputs]
    # Bernstein coefficients between the two at mesh points, as in flexblocks.
    m.early = pyo.Constraint(inside, rule=lambda m, k, n: (bounds[n][0], m.u[k, n] + h / 3 * m.du[k, n], bounds[n][1]))
    m.late = pyo.Constraint(
        inside, rule=lambda m, k, n: (bounds[n][0], m.u[k + 1, n] - h / 3 * m.du[k + 1, n], bounds[n][1])
    )
    m.objective = pyo.Objective(expr=sum(effort(knots(m, k, name), h) for k, name in inside))
    start(m, goal, duration)
    return m


def equations_of_motion(dae: fb.DAE) -> ca.Function:
    """Return (q, v, a, u) -> inverse dynamics less the force of the inputs."""
    q, v, a = (ca.SX.sym(name, dae.tree.size) for name in "qva")
    u = ca.SX.sym("u", len(dae.u))
    residual = dae.inverse_dynamics(q, v, a, []) - dae.input_force(ca.vertcat(q, v), u, [])
    return ca.Function("motion", [q, v, a, u], [ca.densify(residual)], {"cse": True})


def written_out(function: ca.Function, arguments: Sequence[Sequence], lifted: pyo.Expression) -> list:
    """Return the entries of the output as Pyomo expressions, every operation on variables a named one in `lifted`."""
    work: dict[int, Any] = {}
    entries: dict[int, Any] = {}
    for i in range(function.n_instructions()):
        kind, places = function.instruction_id(i), function.instruction_input(i)
        into = function.instruction_output(i)
        if kind == ca.OP_INPUT:
            work[into[0]] = arguments[places[0]][places[1]]
        elif kind == ca.OP_CONST:
            work[into[0]] = function.instruction_constant(i)
        elif kind == ca.OP_OUTPUT:
            entries[into[1]] = work[places[0]]
        else:
            value = OPERATIONS[kind](*[work[place] for place in places])
            if not isinstance(value, float):
                lifted.add(len(lifted), value)
                value = lifted[len(lifted) - 1]
            work[into[0]] = value
    return [entries[i] for i in sorted(entries)]


def knots(m: Any, k: int, name: str) -> list:
    return [m.u[k, name], m.du[k, name], m.u[k + 1, name], m.du[k + 1, name]]


def hermite(s: float, h: float) -> tuple[list[float], list[float]]:
    """Return the weights of the knots in an input, and in its rate, at the share `s` of an interval."""
    values = [1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)]
    rates = [6 * (s**2 - s) / h, 1 - 4 * s + 3 * s**2, 6 * (s - s**2) / h, 3 * s**2 - 2 * s]
    return values, rates


def effort(knots: list, h: float) -> Any:
    """Return the integral of u^2 + 0.01 u'^2 over an interval, as a quadratic form of the knots."""
    form = np.zeros((4, 4))
    points, shares = np.polynomial.legendre.leggauss(4)
    for s, share in zip((points + 1) / 2, shares / 2, strict=True):
        value, rate = (np.array(weights) for weights in hermite(s, h))
        form += h * share * (np.outer(value, value) + 0.01 * np.outer(rate, rate))
    return sum(float(form[i, j]) * knots[i] * knots[j] for i in range(4) for j in range(4))


def start(m: Any, goal: dict[str, float], duration: float) -> None:
    """Fix the ends, and start everything between from the quintic of the rigid arm."""
    for time in m.t:
        s = time / duration
        shape = s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)
        for name in m.coordinates:
            for order, group in enumerate((m.q, m.v, m.a)):
                group[time, name].set_value(goal.get(name, 0.0) * shape[order] / duration**order)
            m.rate[time, name].set_value(m.v[time, name].value)
            if time in (0.0, duration):
                m.q[time, name].fix()
                m.v[time, name].fix()
