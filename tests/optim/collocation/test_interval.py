"""The equations of one interval: their derivatives, their order, first-order states and algebraic variables."""

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import GUEST, Coordinate, Variable
from flexblocks.interfaces.physics import Load, Physics
from flexblocks.interfaces.ports import flange
from flexblocks.optim.collocation.equations_of_motion import interval_kernel
from flexblocks.optim.collocation.input_parametrization import input_shape
from flexblocks.optim.collocation.interval import IntervalForm
from flexblocks.optim.collocation.schemes import radau


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
    point = (
        rng.normal(size=kernel.n_w),
        np.concatenate([[0.1], dae.p.start, [3.0, 2.0]]),
        rng.normal(size=kernel.n_residual),
    )
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
