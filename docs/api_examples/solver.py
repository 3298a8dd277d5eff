"""Examples of the Pyomo solver."""

# %%
import casadi as ca
import numpy as np
import pyomo.environ as pyo
from pyomo.contrib.solver.common.factory import SolverFactory

from flexblocks.optim.casadi_solver import (
    CasadiGreyBox,
    GreyBoxError,
    Iteration,
    NotOptimalError,
    SolverOptionError,
    TrivialConstraintError,
    UnsupportedModelError,
    attach,
)


def circle() -> pyo.ConcreteModel:
    """Return a small problem: the highest point of a circle."""
    m = pyo.ConcreteModel()
    m.x, m.y = pyo.Var(initialize=0.5), pyo.Var(initialize=0.5)
    m.circle = pyo.Constraint(expr=m.x**2 + m.y**2 == 1.0)
    m.height = pyo.Objective(expr=m.y, sense=pyo.maximize)
    return m


# %% optim.casadi_solver.CasadiSolver
m = circle()
results = SolverFactory("casadi").solve(m)  # a CasadiSolver
print(results.termination_condition, pyo.value(m.y))


# %% optim.casadi_solver.Iteration
def far(iteration: Iteration) -> bool:
    """Stop where it diverges."""
    return iteration.infeasibility > 1e6


SolverFactory("casadi").solve(circle(), iteration_callback=far)

# %% optim.casadi_solver.CasadiGreyBox optim.casadi_solver.attach optim.casadi_solver.Kernel optim.casadi_solver.Pattern
w = ca.SX.sym("w", 2)
circles = ca.Function("circles", [w], [w[0] ** 2 + w[1] ** 2 - 1], ["w"], ["residual"])
m = circle()
m.circle.deactivate()
grey = CasadiGreyBox(circles, np.array([[0, 1]]), name="circles")  # its Kernel has derivatives, with their Patterns
attach(m, "grey", grey, [m.x, m.y])
SolverFactory("casadi").solve(m)

# %% optim.casadi_solver.NotOptimalError
m = circle()
m.above = pyo.Constraint(expr=m.y >= 2.0)
try:
    SolverFactory("casadi").solve(m)
except NotOptimalError as error:
    print(error)

# %% optim.casadi_solver.SolverOptionError
try:
    SolverFactory("casadi").solve(circle(), solver_options={"max_iterr": 3})
except SolverOptionError as error:
    print(error)

# %% optim.casadi_solver.TrivialConstraintError
m = circle()
m.x.fix(2.0)
m.y.fix(0.0)
try:
    SolverFactory("casadi").solve(m)
except TrivialConstraintError as error:
    print(error)

# %% optim.casadi_solver.UnsupportedModelError
m = circle()
m.switch = pyo.Var(domain=pyo.Binary)
m.limit = pyo.Constraint(expr=m.x <= m.switch)
try:
    SolverFactory("casadi").solve(m)
except UnsupportedModelError as error:
    print(error)

# %% optim.casadi_solver.GreyBoxError
try:
    CasadiGreyBox(circles, np.array([[0, 1, 2]]))
except GreyBoxError as error:
    print(error)
