"""Prescribed coordinates in closed loops, plans, equations as code and other coordinates."""

from __future__ import annotations

import inspect
from functools import lru_cache
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.linkages import FourBar
from flexblocks import export, models, optim
from flexblocks.constraints.closed_state import closed_state
from flexblocks.constraints.loop_equations import LoopError
from flexblocks.errors import FlexblocksWarning, ModelError, ParameterError

CRANK = "crank_joint.angle"


@lru_cache
def driven_loop(rigidity: float | None) -> tuple[fb.DAE, np.ndarray, np.ndarray]:
    """Return a linkage with a prescribed crank, a closed state in motion and inputs."""
    dae = fb.assemble(FourBar(rigidity=rigidity).model(), prescribed=CRANK)
    x = closed_state(dae, {CRANK: 1.2, f"der({CRANK})": 3.0}, np.zeros(0), "test: ")
    return dae, x, np.array([0.3, 2.0])


@pytest.mark.parametrize("rigidity", [None, pytest.param(50.0, marks=pytest.mark.slow)])
def test_a_loop_moves_as_the_free_one_that_the_driving_torque_turns(rigidity):
    """The drive's torque, put into the motor of the crank without prescription, makes the same accelerations."""
    dae, x, u = driven_loop(rigidity)
    torque = float(dae.output(x, u, [])[dae.y.index("crank_joint.driving_torque")])
    rates = dae.forward_dynamics(x, u, []).full().ravel()
    free = fb.assemble(FourBar(rigidity=rigidity).model())
    there = free.forward_dynamics(x, [u[0] + torque], []).full().ravel()
    np.testing.assert_allclose(rates, there, atol=1e-10 * np.abs(rates).max())
    assert rates[dae.tree.size] == pytest.approx(2.0, abs=1e-12)
    # Loop forces are the same, too; without the crank's rows they are no equilibrium of the others.
    np.testing.assert_allclose(
        dae.multipliers(x, u, []).full(), free.multipliers(x, [u[0] + torque], []).full(), atol=1e-10
    )


@pytest.mark.slow
def test_a_simulated_loop_follows_and_its_work_is_its_energy():
    dae, *_ = driven_loop(None)
    times = np.linspace(0.0, 2.0, 81)  # more than one turn of the crank
    run = fb.simulate(dae, times, u={CRANK: lambda t: 1.2 + 3 * t + 0.5 * ca.sin(5 * t)})
    np.testing.assert_allclose(run[CRANK], 1.2 + 3 * times + 0.5 * np.sin(5 * times), atol=1e-7)
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert np.ptp(energy) > 1.0
    np.testing.assert_allclose(energy - energy[0], run["work"], atol=1e-6)
    by_hand = np.array([np.ravel(FourBar().posture(angle)) for angle in run[CRANK]], dtype=float)
    np.testing.assert_allclose(run["rocker_joint.angle"], by_hand[:, 1], atol=1e-7)


@pytest.mark.slow
def test_linear_models_of_a_driven_loop():
    """At rest and in motion against the nonlinear response; both forms; modes as with the crank locked."""
    rigidity = 50.0
    dae, x, u = driven_loop(rigidity)
    outputs = ("rocker_joint.angle", "crank_joint.driving_torque")
    point = fb.equilibrium(dae, x={CRANK: 1.2}, u={"motor.torque": 0.0})
    assert point[CRANK] == 1.2
    lin = fb.linearize(dae, at=point, outputs=outputs)
    assert lin.check(dae).largest < 1e-9
    both = lin, fb.linearize(dae, at=point, outputs=outputs, form="descriptor").minimal()
    np.testing.assert_allclose(both[1].A, lin.A, atol=1e-9 * np.abs(lin.A).max())
    np.testing.assert_allclose(both[1].B, lin.B, atol=1e-9 * np.abs(lin.B).max())
    if rigidity:
        braked = fb.assemble(FourBar(rigidity=rigidity).model(), locked={CRANK: 1.2})
        locked = fb.linearize(braked, fb.equilibrium(braked, u={"motor.torque": 0.0}))
        frequencies = [[mode.frequency for mode in each.modes() if mode.frequency > 1] for each in (lin, locked)]
        np.testing.assert_allclose(*frequencies, rtol=1e-6)
    state, inputs = dict(zip(dae.x.names, x, strict=True)), dict(zip(dae.u.names, u, strict=True))
    with pytest.warns(FlexblocksWarning, match="not an equilibrium"):
        moving = fb.linearize(dae, at={"x": state, "u": inputs}, outputs=outputs)
    assert moving.check(dae).largest < 1e-9


def test_loops_that_cannot_follow_are_refused():
    model = FourBar().model()
    with pytest.raises(ModelError, match=r"crank_joint.angle, rocker_joint.angle .* 1 degree of freedom"):
        fb.assemble(model, prescribed=(CRANK, "rocker_joint.angle"))
    # Crank and coupler in line: the rocker stands at its dead centre, and cannot be moved on from there.
    bar = FourBar()
    dae = fb.assemble(model, prescribed="rocker_joint.angle")
    reach = bar.crank + bar.coupler
    crank = np.arccos((reach**2 + bar.ground**2 - bar.rocker**2) / (2 * reach * bar.ground))
    with pytest.raises(LoopError, match=r"rocker_joint.angle move on as prescribed"):
        fb.simulate(dae, (0.0, 0.1), x0={CRANK: crank, "knee.angle": 0.0})


def crane() -> fb.Model:
    """A load on a rod under a trolley, which no motor moves."""
    model = fb.Model("crane", gravity=(0.0, -9.81, 0.0))
    ground, trolley = model.add(fb.Ground("ground")), model.add(fb.Prismatic("trolley", axis=(1, 0, 0)))
    hinge, rod = model.add(fb.Revolute("hinge", start=-np.pi / 2)), model.add(fb.RigidLink("rod", 2.0, 1e-3))
    load = model.add(fb.Payload("load", 100.0))
    model.connect(ground.frame_b, trolley.frame_a)
    model.connect(trolley.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    return model


def test_a_plan_chooses_the_prescribed_acceleration():
    """A crane without a motor: the trolley's motion carries the load there without a swing at the end."""
    dae = fb.assemble(crane(), prescribed="trolley.displacement")
    name = "trolley.prescribed_acceleration"
    problem = optim.RestToRest(
        start={"trolley.displacement": 0.5},
        goal={"trolley.displacement": 3.5},
        duration=4.0,
        limits={name: 3.0},
    )
    plan = optim.plan(dae, problem, intervals=20)
    assert plan.status == "converged"
    assert np.abs(plan.trajectory[name]).max() <= 3.0 + 1e-6
    end = plan.replay().trajectory
    assert end["trolley.displacement"][-1] == pytest.approx(3.5, abs=1e-6)
    for rate in ("der(trolley.displacement)", "der(hinge.angle)"):
        assert end[rate][-1] == pytest.approx(0.0, abs=1e-4)
    # What drives the trolley: the mass times the acceleration of the load (the rod has hardly any mass).
    momentum = 100.0 * (end["der(trolley.displacement)"] - 2.0 * np.sin(end["hinge.angle"]) * end["der(hinge.angle)"])
    force = np.gradient(momentum, end.t, edge_order=2)
    np.testing.assert_allclose(end["trolley.driving_force"][2:-2], force[2:-2], atol=0.01 * np.abs(force).max())


@pytest.mark.slow
def test_a_plan_of_a_driven_loop_replays():
    dae, *_ = driven_loop(None)
    limits = {"crank_joint.prescribed_acceleration": 20.0}
    plan = optim.plan(dae, optim.RestToRest(start={CRANK: 1.0}, goal={CRANK: 2.0}, duration=1.0, limits=limits))
    assert plan.status == "converged"
    replay = plan.replay()
    assert replay.trajectory[CRANK][-1] == pytest.approx(2.0, abs=1e-6)
    assert replay.trajectory[f"der({CRANK})"][-1] == pytest.approx(0.0, abs=1e-6)


def exported(dae: fb.DAE, path: Path) -> dict[str, Any]:
    export.save_equations(dae, path)
    code: dict[str, Any] = {}
    exec(path.read_text(), code)
    return next(value for value in code.values() if inspect.isfunction(value))


def test_equations_as_code_hold_and_give_the_drive(tmp_path):
    dae, x, u = driven_loop(None)
    n = dae.tree.size
    M, c, g, k, d, B, J, b, D, e, P = exported(dae, tmp_path / "loop.py")(x[:n], x[n:], u)
    a = dae.forward_dynamics(x, u, []).full().ravel()[n:]
    forces = dae.multipliers(x, u, []).full().ravel()
    left = M @ a + c + g + k + d
    np.testing.assert_allclose(left, B @ u + J.T @ forces, atol=1e-12 * np.abs(forces).max())
    np.testing.assert_allclose(b, 0.0, atol=1e-12)
    drive = float(dae.output(x, u, [])[dae.y.index("crank_joint.driving_torque")])
    assert float((D @ a + e - P @ forces).squeeze()) == pytest.approx(drive, rel=1e-9)


def test_other_coordinates_may_be_measured_from_a_prescribed_one():
    """The second joint by its angle to the horizontal: the same motion and the same drive."""
    dae = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"), prescribed="joint1.angle")
    other = fb.change_coordinates(dae, [[1, 0], [-1, 1]], ("joint1.angle", "angle2"))
    assert other.prescribed == ("joint1.angle",)
    times = np.linspace(0.0, 0.5, 11)
    u = {"joint1.angle": lambda t: 0.3 * (1 - ca.cos(5 * t)), "motor2.torque": 0.05}
    here, there = fb.simulate(dae, times, u=u), fb.simulate(other, times, u=u)
    np.testing.assert_allclose(there["angle2"], here["joint1.angle"] + here["joint2.angle"], atol=1e-8)
    np.testing.assert_allclose(there["joint1.driving_torque"], here["joint1.driving_torque"], atol=1e-7)
    for T, names in (([[1, 1], [-1, 1]], ("joint1.angle", "angle2")), ([[1, 0], [-1, 1]], ("angle1", "angle2"))):
        with pytest.raises(ParameterError, match=r"joint1.angle is prescribed, and must be a new coordinate"):
            fb.change_coordinates(dae, T, names)


@pytest.mark.slow
def test_a_driven_loop_of_tenths_of_a_millimetre():
    """The crank of 0.1 mm: assembled and linearised as that of 0.1 m, with the same shapes."""
    s, by = 1e-3, FourBar()
    lengths = {name: getattr(by, name) * s for name in ("crank", "coupler", "rocker", "ground")}
    masses = {f"{name}_mass": getattr(by, f"{name}_mass") * s**3 for name in ("crank", "coupler", "rocker")}
    poles = []
    for bar, scale in ((FourBar(rigidity=50.0), 1.0), (FourBar(**lengths, **masses, rigidity=50.0 * s**5), s)):
        dae = fb.assemble(bar.model(), prescribed=CRANK)
        lin = fb.linearize(
            dae, fb.equilibrium(dae, x={CRANK: 1.2}, u={"motor.torque": 0.0}), outputs="rocker_joint.angle"
        )
        assert lin.check(dae).largest < 1e-9
        poles.append([mode.frequency * np.sqrt(scale) for mode in lin.modes() if mode.frequency > 1])
    np.testing.assert_allclose(*poles, rtol=1e-6, atol=1e-6)
