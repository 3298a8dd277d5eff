"""Energies out of balance are warned of, where they can be computed, and nowhere else."""

import warnings
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, models
from flexblocks.errors import FlexblocksWarning
from flexblocks.validity.energy_balance import out_of_balance

LONG = np.linspace(0.0, 20.0, 41)


@cache
def pendulum(damping: float = 0.0) -> fb.DAE:
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    joint = model.add(fb.Revolute("joint", start=0.3, damping=damping))
    rod = model.add(fb.RigidLink("rod", length=1.0, mass=1.0))
    motor = model.add(fb.TorqueSource("motor"))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(motor.flange_b, joint.axis)
    return fb.assemble(model)


def test_a_step_too_long_is_warned_of_with_time_and_amount() -> None:
    with pytest.warns(FlexblocksWarning, match=r"out of balance, at t = \S+ s by \S+ J \(work .*not accurate"):
        fb.simulate(pendulum(), LONG, method="rk4", step=0.5)


def test_runs_of_a_batch_are_warned_of_once() -> None:
    with pytest.warns(FlexblocksWarning, match=r"out of balance, in run 0, at t = .*likewise in 1 more") as warned:
        fb.simulate_batch(pendulum(), LONG, x0={"joint.angle": [0.3, 0.4]}, method="rk4", step=0.5)
    assert sum("out of balance" in str(one.message) for one in warned) == 1


def quiet(dae: fb.DAE, *arguments: object, **options: object) -> fb.Trajectory:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        run = fb.simulate(dae, *arguments, **options)
    assert not [one for one in warned if "out of balance" in str(one.message)]
    return run


def test_what_is_lost_is_counted() -> None:
    """A damped pendulum that is driven: dense samples show its losses, and a wrong work is found."""
    dae = pendulum(damping=0.4)
    run = quiet(dae, (0.0, 10.0), u={"motor.torque": lambda t: np.sin(3 * t)})
    lost = run["work"] - run["kinetic_energy"] - run["potential_energy"]
    assert lost[-1] - lost[0] > 0.1
    wrong = run.energy.copy()
    wrong[:, 2] *= 0.98
    text = out_of_balance(dae, run.t, run.x, run.z, run.u, np.zeros(0), wrong)
    assert "losses" in text
    # Of few samples no more than what is won is known.
    few = slice(None, None, 40)
    sampled = run.t[few], run.x[few], run.z[few], run.u[few], np.zeros(0)
    assert not out_of_balance(dae, *sampled, run.energy[few])
    wrong = run.energy[few].copy()
    wrong[:, 0] += np.linspace(0.0, 1.0 + lost[-1] - lost[0], len(wrong))
    assert "too little" in out_of_balance(dae, *sampled, wrong)


@pytest.mark.parametrize("name", ["subudhi_morris_2002", "yu_chen_2019", "hoist_crane"])
def test_motions_to_the_default_tolerances_are_in_balance(name: str) -> None:
    dae = fb.assemble(getattr(models, name)())
    push = {
        input_name: fb.bang_bang(0.2, 0.05)
        for input_name, unit in zip(dae.u.names, dae.u.units, strict=True)
        if unit in ("N", "N m")
    }
    for samples in (21, 301):
        quiet(dae, np.linspace(0.0, 0.2, samples), u=push)


def test_closed_loops_and_prescribed_motions_are_in_balance() -> None:
    dae = pendulum(damping=0.2)
    closed = control.close_loop(dae, control.PD({"joint.angle": "motor.torque"}, kp=20.0, kd=4.0))
    quiet(closed, (0.0, 5.0))
    dae = fb.assemble(models.subudhi_morris_2002(), prescribed="joint1.angle")
    quiet(dae, (0.0, 0.5), u={"joint1.angle": lambda t: 0.1 * (1 - np.cos(8 * t))})
