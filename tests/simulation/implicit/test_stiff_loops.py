"""Stiff and redundant loops: a four-bar that only moves as its bars bend, change points, Bricard's mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.change_point_arms import bricard, equal_slider_crank, parallel_motion, windows
from arms.misaligned_four_bar import SPEED, misaligned_four_bar
from arms.slider_crank import CRANK, ROD, slider_crank
from flexblocks.constraints.loop_equations import closure_equations

# Deflection out of the plane of the coupler's end [m] at some times [s]: Exudyn 1.13, eight geometrically exact
# elements a bar, generalised alpha with steps of 4 ms (`benchmarks.stiff_loops`).
EXUDYN = {1.0: -0.0020501, 2.0: -0.0038527}


def crank(t: float) -> float:
    return np.pi / 2 - SPEED * t


@pytest.mark.parametrize("options", [{"step": 2e-2, "spectral_radius": 0.0}, {"rtol": 1e-5}])
def test_a_misaligned_four_bar_bends_as_in_another_program(options: dict) -> None:
    dae = fb.assemble(misaligned_four_bar(fb.FiniteElements(2)), prescribed="A.angle").with_outputs("bar2.z")
    times = np.linspace(0.0, 2.0, 41)
    run = fb.simulate(dae, times, u={"A.angle": crank}, method="implicit", slow_start=True, **options)
    for time, deflection in EXUDYN.items():
        assert run["bar2.z"][np.searchsorted(times, time - 1e-9)] == pytest.approx(deflection, abs=1e-5)
    assert abs(run.dissipated) < 1e-4
    # The motion starts slowly: nothing twists or bends faster than the crank turns.
    assert np.max(np.abs(run.x[0, dae.tree.size :])) < 2 * SPEED
    # What drives the crank is smooth, as it comes from the method's own accelerations.
    assert np.max(np.abs(run["A.driving_torque"])) < 10.0


@pytest.mark.filterwarnings("ignore:.*change point")
@pytest.mark.parametrize(("count", "step"), [(1, 1e-2), (2, 5e-3)])
def test_four_bars_move_on_as_parallelograms(count: int, step: float) -> None:
    dae, times = fb.assemble(windows(count)), np.linspace(0.0, 10.0, 101)
    for rate in (-1.0, -1.7):
        run = fb.simulate(dae, times, x0={"der(hinge0.angle)": rate}, method="implicit", step=step)
        np.testing.assert_allclose(run["hinge0.angle"], parallel_motion(count, times, rate), atol=step)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*change point")
@pytest.mark.parametrize(("count", "rate"), [(1, -3.0), (2, -1.7), (4, -1.0)])
def test_four_bars_stay_on_the_parallel_motion_at_all_steps(count: int, rate: float) -> None:
    dae, times = fb.assemble(windows(count)).compile(implicit=True), np.linspace(0.0, 10.0, 101)
    exact = parallel_motion(count, times, rate)
    for step in (5e-4, 2e-3, 5e-3, 1e-2):
        run = fb.simulate(dae, times, x0={"der(hinge0.angle)": rate}, method="implicit", step=step)
        np.testing.assert_allclose(run["hinge0.angle"], exact, atol=max(step, 1e-3))


@pytest.mark.filterwarnings("ignore:.*change point")
@pytest.mark.parametrize("rate", [2.0, 4.0])
def test_a_slider_crank_passes_its_change_point(rate: float) -> None:
    dae = fb.assemble(equal_slider_crank())
    run = fb.simulate(dae, (0.0, 3.0), x0={"der(joint.angle)": rate}, method="implicit", step=5e-3)
    assert np.ptp(run["joint.angle"]) > np.pi
    np.testing.assert_allclose(run["slide.displacement"], 2 * np.cos(run["joint.angle"]), atol=1e-3)
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert np.ptp(energy) < 0.05 * np.ptp(run["potential_energy"])


@pytest.mark.parametrize("rate", [10.0, 100.0])
def test_closures_are_kept_however_fast_a_loop_turns(rate: float) -> None:
    dae, times = fb.assemble(slider_crank()), np.linspace(0.0, 20.0 / rate, 101)
    run = fb.simulate(dae, times, x0={"der(joint.angle)": rate}, method="implicit", step=0.05 / rate)
    angle = run["joint.angle"]
    slide = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    np.testing.assert_allclose(run["slide.displacement"], slide, atol=5e-4 * CRANK)


@pytest.mark.filterwarnings("ignore:.*change point")
def test_errors_of_a_change_point_keep_the_tolerance() -> None:
    dae, times = fb.assemble(windows(1)), np.linspace(0.0, 10.0, 101)
    run = fb.simulate(dae, times, x0={"der(hinge0.angle)": -1.0}, method="implicit", rtol=1e-8)
    np.testing.assert_allclose(run["hinge0.angle"], parallel_motion(1, times, -1.0), atol=1e-3)


@pytest.mark.filterwarnings("ignore:.*change point")
@pytest.mark.parametrize("options", [{"step": 1e-2}, {"rtol": 1e-6}])
def test_closures_take_turns_where_some_follow_from_others(options: dict) -> None:
    dae = fb.assemble(bricard())
    run = fb.simulate(dae, np.linspace(0.0, 10.0, 101), method="implicit", **options)
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert np.ptp(energy) < 2e-3 * np.ptp(run["potential_energy"])
    gaps = [np.max(np.abs(np.array(closure_equations(dae).mismatch(x[:6], [])[0]))) for x in run.x]
    assert max(gaps) < 1e-4
