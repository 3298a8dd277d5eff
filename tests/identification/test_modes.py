"""Parameters from modes and dampings, as tap tests give them."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.measured_arm import OTHER, TRUE, measured_arm
from flexblocks import models
from flexblocks.errors import ComputationError, FileFormatError, FlexblocksWarning, NameUnknownError, ParameterError

LOCKED = {"joint.rotor.angle": 0.0}


def taps(dae: fb.DAE, count: int, at=None, locked=None, noise=(0.0, 0.0), seed=0, **more) -> fb.MeasuredModes:
    """What a tap test of the arm gives, with relative noise on frequencies and dampings."""
    arm = fb.assemble(dae.model, locked=locked) if locked else dae
    modes = [mode for mode in fb.linearize(arm, at=fb.equilibrium(arm, at or {})).modes() if mode.eigenvalue.imag > 0]
    rng = np.random.default_rng(seed)
    f = np.array([mode.frequency for mode in modes[:count]]) / (2 * np.pi) * (1 + noise[0] * rng.normal(size=count))
    d = np.array([mode.damping_ratio for mode in modes[:count]]) * (1 + noise[1] * rng.normal(size=count))
    return fb.MeasuredModes(f, d, at=at or {}, locked=locked or {}, **more)


@cache
def rigid_on_a_spring(stiffness: float, damping: float = 0.0) -> fb.DAE:
    model = fb.Model("axis")
    for block in (
        fb.Ground("ground"),
        fb.FlexibleJoint("joint", stiffness=stiffness, inertia=0.05, spring_damping=damping),
        fb.RigidLink("link", length=0.8, mass=3.0),
        fb.Payload("payload", mass=2.0),
    ):
        model.add(block)
    model.connect("ground.frame_b", "joint.frame_a")
    model.connect("joint.frame_b", "link.frame_a")
    model.connect("link.frame_b", "payload.frame_a")
    return fb.assemble(model)


def test_the_stiffness_of_a_joint_from_a_tap_with_its_brake_on():
    """k = J (2 pi f)^2 and d = 2 zeta sqrt(k J), with J = m l^2 / 3 + M l^2 of the link and its payload."""
    J, f, ratio = 3.0 * 0.8**2 / 3 + 2.0 * 0.8**2, 7.3, 0.02
    tap = fb.MeasuredModes([f], [ratio], locked=LOCKED)
    fit = fb.identify_modes(rigid_on_a_spring(1000.0, 1.0), tap, ["joint.stiffness", "joint.spring_damping"], starts=1)
    stiffness = J * (2 * np.pi * f) ** 2
    np.testing.assert_allclose(fit.p["joint.stiffness"], stiffness, rtol=1e-9)
    np.testing.assert_allclose(fit.p["joint.spring_damping"], 2 * ratio * np.sqrt(stiffness * J), rtol=1e-9)
    # The stiffness goes with the square of the frequency, whose deviation is 0.1 %.
    np.testing.assert_allclose(fit.deviations["joint.stiffness"] / stiffness, 2e-3, rtol=1e-6)
    np.testing.assert_allclose(fit.model["joint"].stiffness, stiffness, rtol=1e-9)
    assert fit.intervals["joint.stiffness"][0] < stiffness < fit.intervals["joint.stiffness"][1]


def test_stiffnesses_and_dampings_from_taps_free_and_locked():
    names = ("joint.stiffness", "link.flexural_rigidity", "joint.spring_damping", "link.damping_ratio")
    true = measured_arm()
    tests = [taps(true, 3, name="free"), taps(true, 2, locked=LOCKED, name="brake on")]
    fit = fb.identify_modes(measured_arm(names, true=False), tests, names, starts=1)
    for name in names:
        np.testing.assert_allclose(fit.p[name], TRUE[name], rtol=1e-6)
    assert fit.converged
    assert len(fit.costs) == 1
    assert list(fit.residuals["test"]) == ["free"] * 3 + ["brake on"] * 2
    assert np.max(np.abs(fit.residuals["off [%]"])) < 1e-6
    found, matrix = fit.correlations
    assert found == names
    np.testing.assert_allclose(np.diag(matrix), 1.0)
    assert "brake on" in str(fit)


def test_weight_counts_in_several_postures():
    """A pendulum's slow modes determine its payload; the equilibrium follows the parameters."""
    names = ("payload.mass", "joint.stiffness")
    true = measured_arm(gravity=9.81)
    tests = [taps(true, 2, at={"joint.rotor.angle": angle}, locked=None) for angle in (-1.2, -0.4)]
    fit = fb.identify_modes(measured_arm(names, true=False, gravity=9.81), tests, names, starts=1)
    # The shapes of the beam are made for the payload of the guess; once more with those of the payload found.
    again = fb.identify_modes(fb.assemble(fit.model), tests, names, starts=1)
    np.testing.assert_allclose([fit.p[name] for name in names], [TRUE[name] for name in names], rtol=5e-3)
    np.testing.assert_allclose([again.p[name] for name in names], [TRUE[name] for name in names], rtol=5e-5)


@pytest.mark.slow
def test_intervals_hold_the_truth():
    """Over thirty taps with noise of 0.1 % and 5 %, in 85 to 100 % of all."""
    names = ("joint.stiffness", "joint.spring_damping")
    inside = []
    dae = rigid_on_a_spring(2000.0, 2.0)
    for seed in range(30):
        tap = taps(dae, 1, locked=LOCKED, noise=(1e-3, 0.05), seed=seed)
        fit = fb.identify_modes(dae, tap, names, starts=1)
        inside += [fit.intervals[n][0] <= v <= fit.intervals[n][1] for n, v in zip(names, (2000.0, 2.0), strict=True)]
    assert 0.85 <= np.mean(inside) <= 1


def test_a_wrong_model_widens_its_intervals():
    """Of a bending arm that is taken to be rigid, residuals and intervals grow."""
    true = measured_arm()
    tests = [taps(true, 1, locked=LOCKED), taps(true, 1)]
    stiff = fb.assemble(fb.rediscretize(true.model, fb.Rigid()))
    fit = fb.identify_modes(stiff, tests, ["joint.stiffness"], starts=1)
    assert fit.cost > 100 * fit.freedom
    assert fit.deviations["joint.stiffness"] / fit.p["joint.stiffness"] > 0.01


@pytest.mark.slow
def test_modes_that_were_not_excited_are_left_out_by_number():
    true = measured_arm()
    whole = taps(true, 3)
    tap = fb.MeasuredModes(whole.frequency[[0, 2]], [whole.damping_ratio[0], np.nan], numbers=(1, 3))
    names = ("joint.stiffness", "link.flexural_rigidity")
    fit = fb.identify_modes(measured_arm(names, true=False), [tap, taps(true, 1, locked=LOCKED)], names)
    np.testing.assert_allclose([fit.p[name] for name in names], [TRUE[name] for name in names], rtol=1e-6)


def test_what_modes_do_not_tell_is_named():
    """An undamped arm turns freely: its rotors' friction is in no frequency."""
    dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    modes = [mode for mode in fb.linearize(dae).modes() if mode.eigenvalue.imag > 0]
    tap = fb.MeasuredModes([mode.frequency / (2 * np.pi) for mode in modes])
    with pytest.warns(FlexblocksWarning, match=r"do not determine link1\.damping_ratio"):
        fit = fb.identify_modes(dae, tap, ["spring1.stiffness", "link1.damping_ratio"], starts=1)
    assert np.isinf(fit.deviations["link1.damping_ratio"])
    np.testing.assert_allclose(fit.p["spring1.stiffness"], 100.0, rtol=1e-6)


@pytest.mark.parametrize("stated", [True, False])
def test_a_saved_fit_is_the_same(tmp_path, stated):
    """With what the data do not determine, and with an arm that no file holds, which is given back."""
    true = rigid_on_a_spring(2000.0, 2.0)
    names = ["joint.stiffness", "joint.spring_damping"]
    measured = fb.MeasuredModes(taps(true, 1, locked=LOCKED).frequency, locked=LOCKED)
    with pytest.warns(FlexblocksWarning, match="do not determine"):
        fit = fb.identify_modes(true, measured, names, starts=1)
    fit.save(tmp_path / "fit.nc")
    again = fb.load(tmp_path / "fit.nc") if stated else dataclasses.replace(fb.load(tmp_path / "fit.nc"), dae=None)
    again = again if stated else again.of(fit.dae)
    assert str(again) == str(fit)
    assert again.intervals == fit.intervals
    assert again.model.blocks == fit.model.blocks
    np.testing.assert_array_equal(again.correlations[1], fit.correlations[1])
    with pytest.raises(FileFormatError, match=r"saved as .nc"):
        fit.save(tmp_path / "fit.csv")


def test_prior_knowledge_counts_as_a_measurement():
    known = fb.Unknown("joint.stiffness", guess=1500.0, mean=1500.0, deviation=1.0)
    dae = rigid_on_a_spring(2000.0, 2.0)
    tap = taps(dae, 1, locked=LOCKED)
    tap = fb.MeasuredModes(tap.frequency, locked=LOCKED)
    fit = fb.identify_modes(dae, tap, [known], starts=1)
    # Two measurements of the stiffness: 2000 within 4, by the frequency, and 1500 within 1.
    assert 1500 < fit.p["joint.stiffness"] < 1600
    assert fit.freedom == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"frequency": [0.0]}, "must be numbers > 0"),
        ({"frequency": "fast"}, "must be numbers"),
        ({"damping_ratio": [0.1, 0.2]}, "must be 1 numbers > 0 and < 1"),
        ({"damping_ratio": [0.0]}, "> 0 and < 1"),
        ({"numbers": (0,)}, "whole numbers > 0"),
        ({"frequency_deviation": 0.0}, "frequency_deviation"),
    ],
)
def test_refused_modes(changes, words):
    with pytest.raises(ParameterError, match=words):
        fb.MeasuredModes(**({"frequency": [1.0]} | changes))


def test_refused_fits():
    dae = rigid_on_a_spring(2000.0)
    with pytest.raises(ComputationError, match="has 1 oscillations, and mode 3"):
        fb.identify_modes(dae, fb.MeasuredModes([1.0, 2.0, 3.0]), ["joint.stiffness"])
    with pytest.raises(NameUnknownError):
        fb.identify_modes(dae, fb.MeasuredModes([1.0], locked={"joint.anglee": 0.0}), ["joint.stiffness"])
    with pytest.raises(ParameterError, match="starts"):
        fb.identify_modes(dae, fb.MeasuredModes([1.0]), ["joint.stiffness"], starts=0)
    with pytest.raises(ParameterError, match="must name what is to be found"):
        fb.identify_modes(dae, fb.MeasuredModes([1.0]), [])
    assert set(OTHER) == set(TRUE)
