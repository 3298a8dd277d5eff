"""Fits of models that lack something: intervals widen or residuals say so, none is silently narrow."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models
from flexblocks.errors import FlexblocksWarning

# From far below what is left out to above it. Where noise hides it altogether, residuals can show nothing: LuGre's
# friction with 1e-2 rad of noise is that of Coulomb of another size.
NOISES = tuple(pytest.param(noise, marks=pytest.mark.slow if noise < 1e-3 else ()) for noise in (1e-5, 1e-3))
LEAST = 1e-4
WIDE = 4.0  # standard deviations within which an estimate is of the truth, of a fit that warns of nothing


def check(dae: fb.DAE, record: fb.Record, truth: dict[str, float], noise: dict[str, float]) -> fb.Fit:
    """Return a fit that is right within its intervals, or says that it is not to be trusted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)
        fit = fb.identify(dae, record, list(truth), noise, compiled=False)
    off = {name: abs(fit[name] - value) / fit.deviations[name] for name, value in truth.items()}
    assert fit.warnings or max(off.values()) < WIDE, f"silently off by {off} deviations"
    return fit


@cache
def flexible(modes: int) -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(links=1, modes=modes), symbolic=("payload.mass", "spring1.stiffness"))


@cache
def bent() -> tuple[np.ndarray, np.ndarray, fb.Trajectory]:
    """Return times, torques and motion of a link of two modes."""
    t = np.arange(0, 0.6, 2e-3)
    torque = 0.4 * np.sin(2 * np.pi * 1.1 * t) + 0.2 * np.sign(np.sin(2 * np.pi * 5 * t))
    run = fb.simulate(flexible(2), t, u={"motor1.torque": fb.piecewise_constant(t, torque)})
    return t, torque, run


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_a_mode_less_than_the_arm_has(noise):
    t, torque, run = bent()
    rng = np.random.default_rng(1)
    y = {name: run[name] + noise * rng.normal(size=len(t)) for name in ("rotor1.angle", "joint1.angle")}
    record = fb.Record(t, {"motor1.torque": torque}, y)
    fit = check(flexible(1), record, {"payload.mass": 0.1, "spring1.stiffness": 100.0}, dict.fromkeys(y, noise))
    if noise < LEAST:
        assert any("does not explain the data" in sentence for sentence in fit.warnings)
        assert fit.widened.max() > 2


@cache
def rubbed(kind: str) -> fb.DAE:
    """Return a link on a joint with friction, of Coulomb or LuGre."""
    model = fb.Model("rubbed link", gravity=(0, 0, 0))
    ground, motor, joint = (model.add(b) for b in (fb.Ground("ground"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
    friction = model.add(
        fb.Friction("friction", coulomb=0.3, viscous=0.05)
        if kind == "Coulomb"
        else fb.LuGreFriction("friction", 3e3, coulomb=0.3, breakaway=0.45, damping=5.0, viscous=0.05)
    )
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(motor.flange_b, joint.axis, friction.flange_b)
    return fb.assemble(model, symbolic=("friction.coulomb", "friction.viscous", "link.mass"))


@cache
def turned() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times, torques and angles of the link with LuGre's friction."""
    t, dae = np.arange(0, 1.5, 5e-3), rubbed("LuGre")
    torque = 1.2 * np.sin(2 * np.pi * 0.8 * t) + 0.5 * np.sin(2 * np.pi * 2.9 * t)
    states = fb.stepper(dae, 5e-3, "rk4", substeps=125).rollout(U={"motor.torque": torque})[0, :-1]
    return t, torque, states[:, dae.x.index("joint.angle")]


@pytest.mark.parametrize("noise", NOISES)
def test_friction_of_lugre_taken_for_coulombs(noise):
    t, torque, angle = turned()
    noisy = angle + noise * np.random.default_rng(2).normal(size=len(t))
    record = fb.Record(t, {"motor.torque": torque}, {"joint.angle": noisy})
    truth = {"friction.coulomb": 0.3, "friction.viscous": 0.05, "link.mass": 1.0}
    fit = check(rubbed("Coulomb"), record, truth, {"joint.angle": noise})
    if noise < LEAST:
        assert any("does not explain the data" in sentence for sentence in fit.warnings)
        assert fit.widened.max() > 2
