"""Textbook programs as Pyomo models."""

import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)


def hs071(sense=pyo.minimize):
    m = pyo.ConcreteModel("hs071")
    m.x = pyo.Var([1, 2, 3, 4], bounds=(1, 5), initialize={1: 1, 2: 5, 3: 5, 4: 1})
    x, sign = m.x, 1 if sense == pyo.minimize else -1
    m.objective = pyo.Objective(expr=sign * (x[1] * x[4] * (x[1] + x[2] + x[3]) + x[3]), sense=sense)
    m.product = pyo.Constraint(expr=x[1] * x[2] * x[3] * x[4] >= 25)
    m.sphere = pyo.Constraint(expr=sum(x[i] ** 2 for i in x) == 40)
    return m


def rosenbrock():
    m = pyo.ConcreteModel("rosenbrock")
    m.x = pyo.Var(bounds=(-2, 0.8), initialize=-1.2)
    m.y = pyo.Var(bounds=(-2, 2), initialize=1)
    m.objective = pyo.Objective(expr=(1 - m.x) ** 2 + 100 * (m.y - m.x**2) ** 2)
    return m


def linear():
    m = pyo.ConcreteModel("linear program")
    m.x = pyo.Var(["a", "b", "c"], domain=pyo.NonNegativeReals)
    m.hours = pyo.Param(["a", "b", "c"], initialize={"a": 1, "b": 2, "c": 3.5}, mutable=True)
    m.objective = pyo.Objective(expr=3 * m.x["a"] + 5 * m.x["b"] + 4 * m.x["c"] + 7, sense=pyo.maximize)
    m.machine = pyo.Constraint(expr=sum(m.hours[i] * m.x[i] for i in m.x) <= 40)
    m.material = pyo.Constraint(expr=-(3 * m.x["a"] + m.x["b"]) / 2 + 1 >= -20 + m.x["c"])
    return m


def quadratic():
    m = pyo.ConcreteModel("quadratic program")
    m.x = pyo.Var(range(4), initialize=1.0)
    m.objective = pyo.Objective(expr=sum((i + 1) * m.x[i] ** 2 for i in m.x) + m.x[0] * m.x[1] - 3 * m.x[3])
    m.total = pyo.Constraint(expr=m.x[0] + m.x[1] + m.x[2] + m.x[3] == 1)
    m.difference = pyo.Constraint(expr=(0.1, m.x[0] - m.x[1], 0.4))
    return m


def shared():
    """Every node kind once, through named Expressions that are used several times and depend on each other."""
    m = pyo.ConcreteModel("shared expressions")
    m.x, m.y = pyo.Var(bounds=(0.1, 3), initialize=0.5), pyo.Var(bounds=(-2, 2), initialize=0.2)
    m.k = pyo.Param(initialize=0.7, mutable=True)
    m.linear = pyo.Expression(expr=m.k * m.x - 2 * m.y + 1)
    m.wave = pyo.Expression(expr=pyo.sin(m.linear) + pyo.exp(m.y) / (1 + m.x) + abs(m.y - 2))
    m.deep = pyo.Expression(expr=m.wave**2 + m.wave * m.linear - pyo.log(m.x) + pyo.tanh(m.y) + pyo.sqrt(m.x))
    m.objective = pyo.Objective(expr=m.deep + 3 * m.wave + pyo.cosh(m.y) + pyo.atan(m.x) + m.x**1.5 + pyo.log10(m.x))
    m.bound = pyo.Constraint(expr=m.wave + m.linear <= 4)
    m.line = pyo.Constraint(expr=m.linear >= -0.3)
    return m


def infeasible():
    m = pyo.ConcreteModel("infeasible")
    m.x, m.y = pyo.Var(initialize=0.3), pyo.Var(initialize=0.4)
    m.objective = pyo.Objective(expr=m.x + m.y)
    m.circle = pyo.Constraint(expr=m.x**2 + m.y**2 <= 1)
    m.line = pyo.Constraint(expr=m.x + m.y >= 3)
    return m


def unbounded():
    m = pyo.ConcreteModel("unbounded")
    m.x, m.y = pyo.Var(initialize=1), pyo.Var(initialize=1)
    m.objective = pyo.Objective(expr=m.x)
    m.line = pyo.Constraint(expr=m.x + m.y <= 3)
    return m


def undefined():
    m = pyo.ConcreteModel("undefined")
    m.x = pyo.Var(initialize=-1)
    m.objective = pyo.Objective(expr=pyo.log(m.x))
    return m


def overdetermined():
    m = pyo.ConcreteModel("overdetermined")
    m.x = pyo.Var(initialize=1)
    m.rules = pyo.Constraint([1, 2, 3], rule=lambda m, i: m.x**i == i)
    return m
