"""What implicit methods damp: frequencies of modes, what is reported, files and batches; estimates of long runs."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.misaligned_four_bar import misaligned_four_bar
from arms.slider_crank import slider_crank
from flexblocks import models
from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.simulation.chunks import Budget, Pace
from flexblocks.simulation.implicit.damped_modes import amplification, frequencies
from flexblocks.simulation.implicit.displacements import displacements
from flexblocks.simulation.integrators.stepper import BudgetExceeded


@cache
def two_links() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(modes=2))


def frequencies_at_start(dae: fb.DAE) -> np.ndarray:
    x, z = consistent_state(dae, None, dae.p.start, "")
    u, p = np.zeros(len(dae.u)), dae.p.start
    return np.sort(frequencies(dae, x, z, u, p, displacements(dae, x, z, p)))


def test_frequencies_are_those_of_the_linearisation() -> None:
    dae = two_links()
    expected = np.sort([mode.frequency for mode in fb.linearize(dae).modes() if mode.frequency > 1.0])
    found = frequencies_at_start(dae)
    np.testing.assert_allclose(np.unique(found[found > 1.0].round(6)), np.unique(expected.round(6)), rtol=1e-4)


def test_loops_and_prescribed_motions_leave_fewer_modes() -> None:
    assert len(frequencies_at_start(fb.assemble(slider_crank()))) == 1
    dae = fb.assemble(misaligned_four_bar(fb.FiniteElements(1)), prescribed="A.angle")
    found = frequencies_at_start(dae)
    assert len(found) == dae.tree.size - 1 - 6
    assert np.all(found > 0)


def test_amplification_is_that_of_the_method() -> None:
    for radius in (0.0, 0.5, 1.0):
        np.testing.assert_allclose(amplification(np.array([1e-6, 1e6]), radius), [1.0, radius], atol=2e-3)
    assert np.all(np.diff(amplification(np.geomspace(0.1, 100.0, 50), 0.5)) < 1e-12)


def test_runs_files_and_batches_say_what_was_damped(tmp_path: Path) -> None:
    dae, times = two_links(), np.linspace(0.0, 0.2, 11)
    options = {"u": {"motor1.torque": 0.05}, "method": "implicit", "step": 1e-2}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*took .* out of vibrations")
        run = fb.simulate(dae, times, **options)
        runs = fb.simulate_batch(dae, times, **{**options, "u": {"motor1.torque": [0.0, 0.05]}})
    assert run.damped_modes
    assert run.damped_modes[-1] == pytest.approx(frequencies_at_start(dae)[-1] / (2 * np.pi), rel=1e-3)
    assert f"it damps {len(run.damped_modes)} modes" in str(run)
    for name in ("run.nc", "run.csv"):
        run.save(tmp_path / name)
        again = fb.load(tmp_path / name)
        assert (again.dissipated, again.damped_modes) == (run.dissipated, run.damped_modes)
    assert float(runs["dissipated"][1]) == pytest.approx(run.dissipated, abs=1e-9)
    assert fb.Trajectory.from_xarray(runs.isel(run=1)).dissipated == pytest.approx(run.dissipated, abs=1e-9)
    # Methods that follow all say nothing.
    followed = fb.simulate(dae, times[:3])
    assert followed.dissipated is followed.damped_modes is None
    assert "took" not in str(followed)


@pytest.mark.parametrize("follows_all", [True, False])
def test_long_runs_that_follow_every_vibration_name_what_else_there_is(follows_all: bool) -> None:
    pace = Pace(0.0, 1e9, 0, 1e-6, budget=Budget(max_steps=1), follows_all=follows_all)
    pace.done(0.0, 1e-9, 2)
    with pytest.raises(BudgetExceeded) as caught:
        pace.keep_budget()
    assert ("At this pace it takes about" in caught.value.advice) is follows_all
