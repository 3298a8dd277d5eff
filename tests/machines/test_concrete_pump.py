"""The concrete pump: its statics by virtual work on rigid sections, written out anew; its power; its plan."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest

import flexblocks as fb
from arms.power import energy_rate
from flexblocks import models
from flexblocks.errors import ParameterError
from repository import OPTIM_EXAMPLES

POSTURES = [(0.9, -0.5, -0.6, -0.5), (0.0, 0.0, 0.0, 0.0), (1.3, -1.1, -0.9, -1.2)]
LENGTHS = (8.0, 7.0, 6.0, 5.0)
BOXES = (
    ((0.60, 0.40, 0.008), (0.46, 0.34, 0.008)),
    ((0.44, 0.32, 0.007), (0.34, 0.28, 0.006)),
    ((0.32, 0.26, 0.006), (0.24, 0.22, 0.005)),
    ((0.22, 0.20, 0.005), (0.16, 0.16, 0.004)),
)
EYES = (
    ((0.5, -1.4), (1.6, -0.3)),
    ((-1.8, -0.45), (0.4, -0.45)),
    ((-1.9, -0.35), None),
    ((-1.15, -0.28), (0.3, -0.28)),
)
BORES = ((0.140, 0.080), (0.160, 0.090), (0.110, 0.060), (0.070, 0.040))


def turned(angle: float, place) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * place[0] - s * place[1], s * place[0] + c * place[1]])


def pin_of(angle: float) -> np.ndarray:
    """The knuckle's pin from the third joint, in the axes of the second section: where two circles meet, below."""
    a, b = np.array([-0.45, -0.05]), turned(angle, (0.35, -0.15))
    d = np.linalg.norm(b - a)
    along = (0.70**2 - 0.62**2 + d * d) / (2 * d)
    e = (b - a) / d
    return a + along * e + math.sqrt(0.70**2 - along**2) * np.array([e[1], -e[0]])


def lengths(angles) -> np.ndarray:
    """Distances of the cylinders' eyes."""
    out = []
    for (foot, head), angle in zip(EYES, angles, strict=True):
        out.append(np.linalg.norm((pin_of(angle) if head is None else turned(angle, head)) - foot))
    return np.array(out)


def weight_energy(angles) -> float:
    """Potential energy of rigid sections, of the line in them, of the knuckle's links and of the hose."""
    place, direction, total = np.zeros(2), 0.0, 0.0
    for i, (length, (root, tip), angle) in enumerate(zip(LENGTHS, BOXES, angles, strict=True)):
        if i == 2:
            pin = turned(direction, pin_of(angle)) + place
            foot = turned(direction, (-0.45, -0.05)) + place
            head = turned(direction + angle, (0.35, -0.15)) + place
            total += 30.0 * (foot + pin)[1] / 2 + 25.0 * (pin + head)[1] / 2
        direction += angle
        xs = (np.polynomial.legendre.leggauss(8)[0] + 1) / 2
        weights = np.polynomial.legendre.leggauss(8)[1] / 2 * length
        h, w, t = (np.outer(1 - xs, root) + np.outer(xs, tip)).T
        density = 7850.0 * (h * w - (h - 2 * t) * (w - 2 * t)) + 17.0 + 2400.0 * math.pi / 4 * 0.125**2
        total += np.sum(weights * density * (place[1] + xs * length * math.sin(direction)))
        place = place + turned(direction, (length, 0.0))
    return 9.81 * (total + 120.0 * place[1])


def slopes(function, angles) -> np.ndarray:
    steps = 1e-5 * np.eye(4)
    return np.array([(function(angles + step) - function(angles - step)) / 2e-5 for step in steps])


@pytest.fixture(scope="module")
def rigid() -> fb.DAE:
    return fb.assemble(models.concrete_pump(discretization=fb.Rigid()))


@pytest.mark.parametrize("angles", POSTURES)
def test_pressures_are_those_of_virtual_work(rigid, angles):
    held = fb.equilibrium(rigid, x={f"joint{i}.angle": angle for i, angle in enumerate(angles, 1)})
    forces = np.linalg.solve(slopes(lengths, np.array(angles)), slopes(weight_energy, np.array(angles)))
    np.testing.assert_allclose([held[f"ram{i}.length"] for i in range(1, 5)], lengths(angles), rtol=1e-9)
    np.testing.assert_allclose([held[f"ram{i}.force"] for i in range(1, 5)], forces, rtol=1e-6)
    for i, ((bore, rod), force) in enumerate(zip(BORES, forces, strict=True), 1):
        piston, ring = math.pi / 4 * bore**2, math.pi / 4 * (bore**2 - rod**2)
        # Both edges of a chamber pass the same: the two pressures add up to that of the supply.
        a = (force + ring * 33e6) / (piston + ring)
        assert held[f"ram{i}.pressure_a"] == pytest.approx(a, rel=1e-6)
        assert held[f"ram{i}.pressure_b"] == pytest.approx(33e6 - a, rel=1e-6)
        assert 0 < held[f"ram{i}.pressure_a"] < 33e6


@pytest.mark.slow
def test_cylinders_give_what_the_boom_gains():
    dae = fb.assemble(models.concrete_pump())
    run = fb.simulate(dae, np.linspace(0.0, 0.1, 11), u={"ram1.valve": 0.3, "ram3.valve": -0.2})
    x, u = run.x[-1], run.u[-1]
    powers = [run[f"ram{i}.power"][-1] for i in range(1, 5)]
    assert max(powers) > 100.0
    # The knuckle's loop is closed up to the integrator's tolerance alone.
    assert energy_rate(dae, x, u) == pytest.approx(sum(powers), abs=1e-5 * np.abs(powers).max())


@pytest.mark.slow
def test_lowest_mode_is_that_of_a_real_boom():
    """Booms of this size swing at a little less than 1 Hz, cylinders shut."""
    dae = fb.assemble(models.concrete_pump(valves="ideal"))
    swings = [mode.frequency for mode in fb.linearize(dae, fb.equilibrium(dae)).modes() if mode.frequency > 0.1]
    assert 0.5 < min(swings) / (2 * math.pi) < 1.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"valves": "prop"}, "servo"), ({"start": (0.0, 0.0)}, "4 angles"), ({"start": (0, 0, -2.63, 0)}, "do not meet")],
)
def test_refusals(wrong, words):
    with pytest.raises(ParameterError, match=words):
        models.concrete_pump(**wrong)


@pytest.mark.slow
def test_plan(tmp_path):
    valves, miss = "servo", 26e-3
    picture = tmp_path / "pump.png"
    plan, replay = runpy.run_path(str(OPTIM_EXAMPLES / "concrete_pump.py"))["main"](str(picture), valves)
    assert plan.status == "converged"
    assert replay.tip_miss < miss
    assert picture.exists()
