"""The tendon-driven arm: its shape by closed form without weight, by least energy with it; its power, its plan."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest
import scipy.optimize

import flexblocks as fb
from arms.power import energy_rate, output_rate
from flexblocks import models
from flexblocks.errors import ParameterError
from repository import OPTIM_EXAMPLES

PIECE, OFFSET, RIGIDITY, STRAND = 0.04, 8e-3, 54e9 * math.pi / 64 * 1.4e-3**4, 5e3
HINGE = RIGIDITY / PIECE  # [N m/rad]
DENSITY = 6450.0 * math.pi / 4 * 1.4e-3**2


def bent(dae: fb.DAE, upper: float, lower: float) -> fb.OperatingPoint:
    return fb.equilibrium(dae, x={"upper.length": upper, "lower.length": lower})


def test_weightless_it_bends_to_an_arc():
    """Each piece turns by t = T (l/2 sin t/2 + d cos t/2) / k: the tendon's lever is the same all along."""
    dae = fb.assemble(models.tendon_arm(gravity=(0.0, 0.0, 0.0)))
    held = bent(dae, 0.185, 0.3)
    tension = held["upper.tension"]
    assert tension > 1.0
    angle = scipy.optimize.brentq(
        lambda t: HINGE * t - tension * (PIECE / 2 * math.sin(t / 2) + OFFSET * math.cos(t / 2)), 0.0, 1.0, xtol=1e-15
    )
    # The slack tendon pulls with what is left of a smooth transition.
    np.testing.assert_allclose([held[f"spine{i}.bend_y[1]"] for i in range(1, 6)], angle, rtol=1e-6)


def energy(angles: np.ndarray, upper: float, lower: float) -> float:
    """Springs, weights and tendons of the chain, in plane geometry."""
    total, place, direction = HINGE / 2 * np.sum(angles**2), np.zeros(2), 0.0
    paths, eyes = np.zeros(2), np.array([[0.0, OFFSET], [0.0, -OFFSET]])
    for i, angle in enumerate(angles):
        for turn in (0.0, angle):
            direction += turn
            along = np.array([math.cos(direction), math.sin(direction)])
            total += 9.81 * DENSITY * PIECE / 2 * (place + PIECE / 4 * along)[1]
            place = place + PIECE / 2 * along
        across = OFFSET * np.array([-math.sin(direction), math.cos(direction)])
        there = np.array([place + across, place - across])
        paths += np.linalg.norm(there - eyes, axis=1)
        eyes = there
        total += 9.81 * (1e-3 + (4e-3 if i == len(angles) - 1 else 0.0)) * place[1]
    for path, length in zip(paths, (upper, lower), strict=True):
        strain = path / length - 1
        total += STRAND * length * (strain + math.hypot(strain, 1e-4)) ** 2 / 8
    return total


def test_under_weight_it_takes_the_shape_of_least_energy():
    dae = fb.assemble(models.tendon_arm())
    held = bent(dae, 0.192, 0.204)
    found = np.array([held[f"spine{i}.bend_y[1]"] for i in range(1, 6)])
    best = scipy.optimize.minimize(energy, found + 0.02, (0.192, 0.204), "BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(found, best, atol=3e-6)
    assert np.ptp(found) > 0.01


@pytest.mark.slow
def test_winches_give_what_the_arm_gains():
    dae = fb.assemble(models.tendon_arm())
    held = bent(dae, 0.196, 0.202)
    start = dict(zip(dae.x.names, held.x, strict=True))
    run = fb.simulate(dae, np.linspace(0.0, 0.05, 6), x0=start, u={"upper.speed": -0.03, "lower.speed": 0.03})
    x, u = run.x[-1], run.u[-1]
    pulls = [-run[f"{n}.tension"][-1] * output_rate(dae, f"{n}.path_length", x, u) for n in ("upper", "lower")]
    assert max(map(abs, pulls)) > 1e-4
    assert energy_rate(dae, x, u) == pytest.approx(sum(pulls), abs=1e-9 * max(map(abs, pulls)))


def test_a_number_of_discs():
    assert len(fb.assemble(models.tendon_arm(discs=3)).q_names) == 3
    with pytest.raises(ParameterError, match="discs = 0"):
        models.tendon_arm(discs=0)


@pytest.mark.slow
def test_plan(tmp_path):
    picture = tmp_path / "tendon.png"
    plan, replay = runpy.run_path(str(OPTIM_EXAMPLES / "tendon_arm.py"))["main"](str(picture))
    assert plan.status == "converged"
    assert replay.tip_miss < 1e-4
    assert plan.trajectory["lower.tension"].min() > 1.5
    assert picture.exists()
