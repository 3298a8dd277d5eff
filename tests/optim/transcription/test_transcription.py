"""The pieces of the transcription: collocation, inputs, the equations of an interval, the Pyomo model."""

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.physics import GUEST, Coordinate, Load, Physics, Variable
from flexblocks.interfaces.ports import flange
from flexblocks.optim.collocation.cost_functions import squared_inputs
from flexblocks.optim.collocation.equations_of_motion import interval_kernel
from flexblocks.optim.collocation.input_parametrization import SHAPES, control_points, input_shape, weights
from flexblocks.optim.collocation.interval import IntervalForm
from flexblocks.optim.collocation.schemes import lobatto, radau


@dataclass(frozen=True)
class LaggedMotor(Block):
    """Torque follows the input with a lag (a first-order state) and passes a gripping shaft (an algebraic variable)."""

    ports = (flange("flange_b"),)

    def coordinates(self):
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self):
        return {"flange_b": ("angle", 1.0)}

    def inputs(self):
        return (Variable("command", "N m"),)

    def states(self):
        return (Variable("torque", "N m"),)

    def algebraics(self):
        return (Variable("grip", "N m"),)

    def physics(self, frame, local):
        torque, grip = local["torque"], local["grip"]
        return Physics(
            loads=(Load(grip, local["angle"]),),
            derivatives={"torque": (local["command"] - torque) / 0.05},
            residuals=(grip + 0.1 * grip**3 - torque,),
        )


def pendulum(motor, gravity=9.81, spring=False):
    """A rigid pendulum, driven straight or by a rotor and a spring."""
    model = fb.Model("pendulum", gravity=(0.0, -gravity, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", damping=0.05))
    load = model.add(fb.Payload("payload", mass=1.0, inertia=0.05, center=(0.5, 0.0, 0.0)))
    model.add(motor)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    if spring:
        rotor = model.add(fb.Rotor("rotor1", inertia=0.05))
        coil = model.add(fb.TorsionalSpring("spring1", stiffness=30.0))
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, coil.flange_a)
        model.connect(coil.flange_b, joint.axis)
    else:
        model.connect(motor.flange_b, joint.axis)
    return fb.assemble(model)


@pytest.mark.parametrize(("degree", "step"), [(1, 0.01), (2, 0.05), (3, 0.1), (4, 0.25)])
def test_radau_is_of_its_order(degree, step):
    """One step on der(x) = -x is the Pade approximation of exp(-h) with order 2 degree - 1."""
    scheme = radau(degree)

    def error(h):
        rates = np.linalg.solve(np.eye(degree) + h * scheme.integral, -np.ones(degree))
        return abs(1 + h * scheme.integral[-1] @ rates - np.exp(-h))

    assert scheme.nodes[-1] == 1.0
    assert np.log2(error(step) / error(step / 2)) == pytest.approx(2 * degree, abs=0.25)


def test_radau_3_is_the_published_one():
    """Hairer & Wanner, Solving ODEs II, table IV.5.6."""
    r = np.sqrt(6)
    expected = [
        [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
        [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
        [(16 - r) / 36, (16 + r) / 36, 1 / 9],
    ]
    np.testing.assert_allclose(radau(3).integral, expected, atol=1e-14)


def test_lobatto_3_is_the_published_one():
    """Hairer & Wanner, Solving ODEs II, table IV.5.7."""
    expected = [[0, 0, 0], [5 / 24, 1 / 3, -1 / 24], [1 / 6, 2 / 3, 1 / 6]]
    np.testing.assert_allclose(lobatto(3).integral, expected, atol=1e-15)


@pytest.mark.parametrize(("angle", "damped"), [(0.5, 1 - 1e-6), (3.0, 0.95), (30.0, 0.2)])
def test_lobatto_leaves_an_oscillation_its_energy(angle, damped):
    """One step of `angle` [rad] on der(x) = i x; Radau takes energy from what it does not resolve."""

    def growth(scheme):
        rates = np.linalg.solve(np.eye(scheme.degree) - 1j * angle * scheme.integral, np.full(scheme.degree, 1j))
        return abs(1 + angle * scheme.integral[-1] @ rates)

    for degree in (2, 3, 4, 5):
        assert growth(lobatto(degree)) == pytest.approx(1.0, abs=1e-12)
        assert lobatto(degree).is_symmetric
        assert not radau(degree).is_symmetric
    assert growth(radau(3)) < damped


@pytest.mark.parametrize("shape", SHAPES.values(), ids=str)
def test_inputs_between_mesh_points(shape):
    """Values and rates at the ends are the knots, and the polynomial lies within its control points."""
    h, rng = 0.3, np.random.default_rng(1)
    knots = rng.normal(size=len(shape.knots))
    for knot, value in zip(shape.knots, knots, strict=True):
        assert weights(shape, np.array([knot.end]), order=int(knot.rate)).at(h)[0] @ knots == pytest.approx(value)
    s = np.linspace(0, 1, 201)
    u, du = (weights(shape, s, order).at(h) @ knots for order in (0, 1))
    np.testing.assert_allclose(np.gradient(u, h * s, edge_order=2)[1:-1], du[1:-1], atol=2e-3)
    for order, curve in ((0, u), (1, du)):
        points = control_points(shape, order).at(h) @ knots
        assert points.min() - 1e-12 <= curve.min()
        assert curve.max() <= points.max() + 1e-12


@pytest.mark.parametrize(("name", "rate_weight"), [("cubic", 0.3), ("linear", 0.3), ("constant", 0.0)])
def test_effort_is_exact(name, rate_weight):
    shape, h = input_shape(name), 0.7
    knots = np.random.default_rng(2).normal(size=(len(shape.knots), 2))
    found = squared_inputs(shape, optim.Effort(rate_weight).input_weights, 2)(knots.ravel(), h)
    s = np.linspace(0, 1, 20001)
    u, du = (weights(shape, s, order).at(h) @ knots for order in (0, 1))
    assert float(found) == pytest.approx(np.trapezoid(np.sum(u**2 + rate_weight * du**2, axis=1), h * s), rel=1e-7)


ARM = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass", "spring1.stiffness"))


@pytest.mark.parametrize(
    ("dae", "free", "designed"),
    [
        (ARM, False, ()),
        (ARM, True, ()),
        (ARM, False, (1,)),
        (ARM, True, (0, 1)),
        (pendulum(LaggedMotor("motor1"), spring=True), False, ()),
    ],
    ids=["two links", "free duration", "designed stiffness", "all of it", "states and algebraic variables"],
)
def test_derivatives_of_an_interval(dae, free, designed):
    """The chain rule through the collocation gives what CasADi gets from the residual as a whole."""
    kernel = interval_kernel(dae, IntervalForm(radau(2), input_shape("cubic"), free, designed))
    w, p = ca.SX.sym("w", kernel.n_w), ca.SX.sym("p", kernel.n_p)
    lam = ca.SX.sym("lam", kernel.n_residual)
    r = kernel.residual.expand()(w, p)
    whole = ca.Function("whole", [w, p, lam], [ca.jacobian(r, w), ca.triu(ca.hessian(ca.dot(lam, r), w)[0])])
    rng = np.random.default_rng(3)
    point = rng.normal(size=kernel.n_w), np.append(0.1, dae.p.start), rng.normal(size=kernel.n_residual)
    J, H = (part.full() for part in whole(*point))
    patterns = (kernel.jacobian_pattern, J), (kernel.hessian_pattern, H)
    values = kernel.jacobian(*point[:2]), kernel.hessian(*point, 1.0)
    for (pattern, expected), found in zip(patterns, values, strict=True):
        dense = np.zeros_like(expected)
        dense[pattern.row, pattern.col] = found.full().ravel()
        np.testing.assert_allclose(dense, expected, atol=1e-10 * np.abs(expected).max())


def _set_input(m, u, rate):
    for k in m.mesh:
        for name in m.inputs:
            m.u[k, name].fix(u(m.t[k]))
            m.du[k, name].fix(rate(m.t[k]))


@pytest.mark.parametrize(
    ("scheme", "degree", "order"), [("radau", 1, 1), ("radau", 2, 3), ("radau", 3, 5), ("lobatto", 3, 4)]
)
def test_collocation_integrates_at_its_order(scheme, degree, order):
    """With the inputs held, the model is a square system: the motion from the start. Its end against `simulate`."""
    dae = pendulum(fb.TorqueSource("motor1"))
    problem = optim.RestToRest({"joint1.angle": -1.0}, {"joint1.angle": -1.0}, duration=0.8)
    errors = []
    for intervals in (12, 24):
        m = optim.pyomo_model(dae, problem, intervals=intervals, degree=degree, scheme=scheme)
        # A cubic polynomial is the same input on both meshes.
        _set_input(m, lambda t: 2.0 + 5.0 * t - 9.0 * t**3, lambda t: 5.0 - 27.0 * t**2)
        for name in m.coordinates:
            m.q[intervals, name].unfix()
            m.v[intervals, name].unfix()
        m.objective.deactivate()
        m.nothing = pyo.Objective(expr=0.0)
        plan = optim.solve(m, solver_options={"tol": 1e-12})
        end = plan.replay(rtol=1e-11, atol=1e-13).trajectory.x[-1]
        errors.append(np.abs(plan.trajectory.x[-1] - end).max())
    assert errors[0] > 1e-10
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("scheme", ["radau", "lobatto"])
def test_first_order_states_and_algebraic_variables(scheme):
    """A motor with lag and a nonlinear shaft, against gravity: planned, replayed and in balance."""
    dae = pendulum(LaggedMotor("motor1"))
    problem = optim.RestToRest({"joint1.angle": -1.5}, {"joint1.angle": 0.0}, duration=1.0)
    plan = optim.plan(dae, problem, intervals=30, scheme=scheme)
    trajectory = plan.trajectory
    assert (np.diff(trajectory.t) > 0).all()
    assert trajectory.t[-1] == 1.0
    grip, torque = trajectory["motor1.grip"], trajectory["motor1.torque"]
    np.testing.assert_allclose(grip + 0.1 * grip**3, torque, atol=1e-7)
    replay = plan.replay()
    assert replay.tip_miss < 1e-5
    assert replay.energy_left < 1e-6
    np.testing.assert_allclose(replay.trajectory["motor1.grip"][-1], grip[-1], atol=1e-3)


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
    dae = fb.assemble(models.subudhi_morris_2002(links=1, modes=1))
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
        expected = [variable.value for variable in getattr(ours.model, name).values()]
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_variables_are_named_and_ends_are_fixed():
    dae = fb.assemble(models.subudhi_morris_2002())
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
