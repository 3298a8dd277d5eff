"""The Pyomo model: the same as written out algebraically, with names, and with its ends fixed."""

import re

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

from arms.library import subudhi_morris
from flexblocks import optim
from oracles.textbook_programs import hs071

OPERATIONS = {
    ca.OP_ADD: lambda a, b: a + b,
    ca.OP_SUB: lambda a, b: a - b,
    ca.OP_MUL: lambda a, b: a * b,
    ca.OP_DIV: lambda a, b: a / b,
    ca.OP_NEG: lambda a: -a,
    ca.OP_SQ: lambda a: a * a,
    ca.OP_TWICE: lambda a: 2 * a,
    ca.OP_INV: lambda a: 1 / a,
    ca.OP_SIN: pyo.sin,
    ca.OP_COS: pyo.cos,
    ca.OP_ASSIGN: lambda a: a,
}


def algebraic(function, arguments, lifted):
    """Return the outputs of a CasADi function as Pyomo expressions, every node a named Expression in `lifted`."""
    work, found = {}, {}
    for i in range(function.n_instructions()):
        kind = function.instruction_id(i)
        inputs, outputs = function.instruction_input(i), function.instruction_output(i)
        if kind == ca.OP_INPUT:
            work[outputs[0]] = arguments[inputs[0]][inputs[1]]
        elif kind == ca.OP_CONST:
            work[outputs[0]] = function.instruction_constant(i)
        elif kind == ca.OP_OUTPUT:
            found[outputs[1]] = work[inputs[0]]
        else:
            value = OPERATIONS[kind](*[work[place] for place in inputs])
            if not isinstance(value, float):
                lifted.add(len(lifted), value)
                value = lifted[len(lifted) - 1]
            work[outputs[0]] = value
    return found


def written_out(m):
    """Put ordinary Pyomo constraints and an ordinary objective in the place of the grey boxes."""
    m.lifted, m.equations = pyo.Expression(pyo.NonNegativeIntegers), pyo.ConstraintList()
    cost = 0.0
    for block in (m.dynamics, m.effort):
        box = block.get_external_model()
        variables = list(block.inputs.values())
        for places, p in zip(box.index, box.parameters, strict=True):
            w = [variables[place] for place in places]
            for residual in algebraic(box.kernel.residual, [w, p.tolist()], m.lifted).values():
                m.equations.add(residual == 0)
            cost += sum(algebraic(box.kernel.cost, [w, p.tolist()], m.lifted).values())
    for block in (m.dynamics, m.effort):
        m.del_component(block)
    m.objective.set_value(cost)
    return m


def test_same_model_written_algebraically_and_solved_by_pounce():
    """One flexible link with a flexible joint: no grey box, another solver, the same optimum."""
    dae = subudhi_morris(links=1, modes=1)
    problem = optim.RestToRest(
        {"joint1.angle": 0.0},
        {"joint1.angle": 1.5},
        duration=1.0,
        limits={"motor1.torque": 0.48, "der(joint1.angle)": 2.6},
    )
    ours = optim.plan(dae, problem, intervals=8)
    m = written_out(optim.pyomo_model(dae, problem, intervals=8))
    result = pyo.SolverFactory("pounce").solve(m)
    assert result.solver.termination_condition == pyo.TerminationCondition.optimal
    assert pyo.value(m.objective) == pytest.approx(ours.objective, abs=1e-6)
    for name in ("q", "v", "u"):
        found = [variable.value for variable in getattr(m, name).values()]
        expected = [variable.value for variable in getattr(ours.pyomo_model, name).values()]
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_variables_are_named_and_ends_are_fixed():
    dae = subudhi_morris()
    problem = optim.RestToRest(
        {"joint1.angle": 0.1, "joint2.angle": 0.2}, {"joint1.angle": 1.0, "joint2.angle": -0.5}, 1.0,
        limits={"motor1.torque": 4.0, "der(motor2.torque)": (-3.0, 5.0), "der(joint1.angle)": 2.0},
    )  # fmt: skip
    m = optim.pyomo_model(dae, problem, intervals=5, degree=2)
    assert m.q[0, "joint1.angle"].fixed
    assert m.q[0, "rotor1.angle"].value == pytest.approx(0.1)
    assert m.q[5, "rotor2.angle"].value == pytest.approx(-0.5)
    assert not m.q[1, "joint1.angle"].fixed
    assert m.u[3, "motor1.torque"].bounds == (-4.0, 4.0)
    assert m.du[3, "motor2.torque"].bounds == (-3.0, 5.0)
    assert m.v[2, "joint1.angle"].bounds == (-2.0, 2.0)
    assert m.a[4, 2, "link2.bending_y[2]"].bounds == (None, None)
    assert m.t[2] == pytest.approx(0.4)
    assert all(variable.value is not None for variable in m.component_data_objects(pyo.Var, descend_into=False))


def test_the_equations_of_motion_bring_ipopts_option_along():
    """IPOPT's own list of the options that were set; models without these equations keep IPOPT's defaults."""

    def listed(m, **options):
        options = {"print_user_options": "yes", "max_iter": 0} | options
        asked = {"raise_exception_on_nonoptimal_result": False, "tee": True}
        return SolverFactory("casadi").solve(m, solver_options=options, **asked).solver_log

    dae = subudhi_morris(links=1, modes=1)
    problem = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 1.5}, duration=1.0)
    ours = optim.pyomo_model(dae, problem, intervals=4)
    assert re.search(r"mumps_pivtol = 0\.01 ", listed(ours))
    assert re.search(r"mumps_pivtol = 0\.5 ", listed(ours, mumps_pivtol=0.5))
    assert "mumps_pivtol" not in listed(hs071())
