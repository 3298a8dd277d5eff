"""Radau IIA methods: order, structure of their linear equations, and the choice between them and explicit ones."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks.simulation.integrators import switching
from flexblocks.simulation.integrators.radau_coefficients import radau
from flexblocks.simulation.integrators.stage_equations import stage_inverses
from flexblocks.simulation.integrators.switching import SwitchingStepper


@pytest.mark.parametrize("stages", [5, 7, 11])
def test_coefficients_meet_the_order_conditions(stages: int) -> None:
    method = radau(stages)
    powers = np.arange(1, stages + 1)
    # Stage order s; the last row, whose end is the step's, has order 2 s - 1.
    np.testing.assert_allclose(
        method.A @ method.c[:, None] ** (powers - 1), method.c[:, None] ** powers / powers, atol=1e-13
    )
    more = np.arange(1, 2 * stages)
    np.testing.assert_allclose(method.A[-1] @ method.c[:, None] ** (more - 1), 1 / more, rtol=1e-12)
    # The eigenvectors put its inverse together again, each complex pair given once.
    values = np.random.default_rng(3).normal(size=stages)
    again = (method.out_of @ (method.poles * (method.into @ values))).real
    np.testing.assert_allclose(again, method.inverse @ values, atol=1e-9 * np.abs(method.inverse).max(), rtol=0)
    assert method.poles[0].imag == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(method.start @ method.c**2, 0.0, atol=1e-12)


def test_eliminating_the_rates_inverts_the_whole_matrix() -> None:
    n, first_order = 3, 2
    size = 2 * n + first_order + 1
    jacobian = np.random.default_rng(5).normal(size=(size - n, size - 1))
    whole = np.zeros((size, size))
    whole[:n, n : 2 * n], whole[n:, :-1] = np.eye(n), jacobian
    poles = np.array([3.0 + 0.0j, 1.0 + 2.0j])
    expected = [np.linalg.inv(pole * np.eye(size) - whole) for pole in poles]
    np.testing.assert_allclose(stage_inverses(jacobian, n, poles), expected, atol=1e-12)


def pendulum(damping: float = 0.0) -> tuple[fb.DAE, dict]:
    """Return a hinged steel beam of two elements under a slow torque."""
    model = fb.Model("stiff pendulum", gravity=(0.0, -9.81, 0.0))
    joint = model.add(fb.Revolute("joint", start=-np.pi / 2))
    motor = model.add(fb.TorqueSource("motor"))
    rotor = model.add(fb.Rotor("rotor", inertia=0.1))
    brake = model.add(fb.Friction("brake", viscous=damping))
    beam = model.add(
        fb.FlexibleBeam("beam", 0.5, linear_density=0.8, flexural_rigidity=1.8e3, discretization=fb.FiniteElements(2))
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, brake.flange_b, joint.axis)
    model.connect(joint.frame_b, beam.frame_a)
    return fb.assemble(model), {"motor.torque": lambda t: 0.5 * ca.sin(3 * t) ** 3}


def test_what_oscillates_fast_and_hardly_moves_does_not_set_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The automatic method tries the implicit one, keeps it, and agrees with the explicit one at a tight tolerance."""
    taken = []
    advance = SwitchingStepper.advance

    def counted(self: SwitchingStepper, *arguments: np.ndarray) -> tuple:
        result = advance(self, *arguments)
        taken.append(self.steps)
        return result

    monkeypatch.setattr(SwitchingStepper, "advance", counted)
    monkeypatch.setattr(switching, "SHORT", 0.0)
    monkeypatch.setattr(switching, "WORTH_TRYING", 0.0)  # this run is too short to be worth a Jacobian
    dae, drive = pendulum()
    times = np.linspace(0.0, 0.1, 4)
    run = fb.simulate(dae, times, drive)
    exact = fb.simulate(dae, times, drive, method="rk8", rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(run.x, exact.x, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(run.energy[:, 2], exact.energy[:, 2], atol=1e-9)
    fastest = np.max(np.abs(np.linalg.eigvals(fb.linearize(dae).A)))
    assert sum(taken) < 0.5 * fastest * times[-1] / 5.96  # what the stability of rk8 would take


@pytest.mark.slow
def test_a_run_has_the_same_digits_whatever_came_before() -> None:
    dae, drive = pendulum(damping=0.3)
    starts = {"der(joint.angle)": np.array([0.0, 1.0])}
    batch = fb.simulate_batch(dae, (0.0, 0.005, 0.01), drive, x0=starts, method="radau")
    alone = fb.simulate(dae, (0.0, 0.005, 0.01), drive, x0={"der(joint.angle)": 1.0}, method="radau")
    np.testing.assert_array_equal(batch["joint.angle"].values[1], alone["joint.angle"])


def test_steps_begin_anew_where_an_input_jumps() -> None:
    dae, _ = pendulum()
    drive = {"motor.torque": fb.bang_bang(3.0, 0.011)}
    times = np.linspace(0.0, 0.02, 5)
    run = fb.simulate(dae, times, drive, method="radau", rtol=1e-7, atol=1e-9)
    exact = fb.simulate(dae, times, drive, method="rk8", rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(run.x, exact.x, rtol=1e-5, atol=1e-5)
