"""Stiff and redundant loops by the implicit methods, beside Exudyn: CPU times of loops and calls, and deviations.

    python -m benchmarks.stiff_loops

The four-bar is Bauchau's with a skewed hinge; bars by two elements, and by two strain functions for each way they
deform; deviations are those until the second snap, but for the first. Linkages through their change points are compared
with their exact motion; for each size and step the largest deviation at three starting speeds. A step from C is the
mean of those of `fb.stepper(dae, 0.02, "implicit").rollout`, before the linkage snaps and over both snaps. All in one
run, CPU time of one core.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from rich.console import Console

import flexblocks as fb
from benchmarks.competitors import installed
from flexblocks import models
from flexblocks.errors import FlexblocksWarning
from flexblocks.simulation.implicit.compiled_kernel import CompiledKernel
from flexblocks.simulation.implicit.interpreted_kernel import InterpretedKernel

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the arms of the tests

from arms.change_point_arms import bricard, equal_slider_crank, parallel_motion, windows
from arms.misaligned_four_bar import SPEED, misaligned_four_bar

END, STEP, RADIUS = 12.0, 4e-3, 0.5
TIMES = np.linspace(0.0, END, 241)
# Where the linkage snaps through, a little earlier or later is a large deviation; which of two motions goes on from the
# second snap, rounding decides, in Exudyn too [s].
FIRST_SNAP, SECOND_SNAP = (2.55, 2.9), 7.8
RUNS = 2
# The blade's last speed [rad/s], and when it is reached [s].
BLADE_SPEED, FULL_SPEED, BLADE_TIMES = 6.0, 15.0, np.linspace(0.0, 20.0, 201)
# Steps of 20 ms until the linkage first snaps, and over both of its snaps.
BEFORE_SNAP, OVER_SNAPS = 120, 600
# Of the four-bars: starting speeds [rad/s] and steps [s].
SPEEDS = (-1.0, -1.7, -3.0)
STEPS = (5e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 7e-3, 1e-2)


class Loop:
    """CPU time that kernels spend in their loops [s]."""

    taken = 0.0

    @classmethod
    def watch(cls, kernel: type) -> None:
        """Add the time of each call of a kernel's run."""
        run = kernel.run

        def timed_run(self: object, until: float, most: int) -> int:
            begun = time.process_time()
            status = run(self, until, most)
            cls.taken += time.process_time() - begun
            return status

        kernel.run = timed_run


def timed(dae: fb.DAE, times: np.ndarray, **options: object) -> tuple[fb.Trajectory, float, float]:
    """Return a run, its CPU time from call to trajectory, and that of its loop [s], the best of some."""
    best, loop = np.inf, np.inf
    for _ in range(RUNS):
        begun, Loop.taken = time.process_time(), 0.0
        run = fb.simulate(dae, times, method="implicit", progress=False, **options)
        best, loop = min(best, time.process_time() - begun), min(loop, Loop.taken)
    return run, best, loop


def row(console: Console, *cells: str) -> None:
    """Print a row of the table, when it is known."""
    console.print("".join(cell.ljust(width) for cell, width in zip(cells, (14, 36, 12, 26, 28, 24), strict=True)))


def four_bar(console: Console, with_exudyn: bool) -> None:
    """Compare the flexible four-bar."""
    outside = (TIMES < SECOND_SNAP) & ~((FIRST_SNAP[0] < TIMES) & (FIRST_SNAP[1] > TIMES))
    theirs, reference = np.nan, None
    if with_exudyn:
        from benchmarks.exudyn_four_bar import deflection

        t, z, theirs = deflection(8, STEP, END, RADIUS)
        reference = np.interp(TIMES, t, z)
        row(console, "four-bar", "Exudyn, 8 elements a bar", f"{theirs:.3g}", "", "1", "")
    for name, beam in (("2 elements", fb.FiniteElements(2)), ("2 strain functions", fb.StrainModes(2))):
        plain = fb.assemble(misaligned_four_bar(beam), prescribed="A.angle").with_outputs("bar2.z")
        for how, dae in (("compiled", plain.compile(implicit=True)), ("interpreted", plain)):
            if how == "compiled" and dae.library is None:
                continue
            options = {"u": {"A.angle": lambda t: np.pi / 2 - SPEED * t}, "slow_start": True}
            run, taken, loop = timed(dae, TIMES, step=STEP, spectral_radius=RADIUS, **options)
            off = "" if reference is None else f"{np.max(np.abs(run['bar2.z'] - reference)[outside]):.1e} m"
            ratio = f"{theirs / loop:.3g}" if with_exudyn else ""
            row(console, "four-bar", f"{name}, {how}", f"{loop:.3g}", f"{taken:.3g}", ratio, off)


def change_points(console: Console) -> None:
    """Compare linkages through change points with their exact motion."""
    times = np.linspace(0.0, 10.0, 501)
    for count, steps in ((1, STEPS), (2, STEPS), (4, STEPS), (40, (5e-3,))):
        dae = fb.assemble(windows(count)).compile(implicit=True)
        for step in steps:
            off, taken, loop = 0.0, 0.0, 0.0
            for speed in SPEEDS:
                run, taken, loop = timed(dae, times, step=step, x0={"der(hinge0.angle)": speed})
                off = max(off, np.max(np.abs(run["hinge0.angle"] - parallel_motion(count, times, speed))))
            row(console, f"{count} four-bars", f"step {step:g} s", f"{loop:.3g}", f"{taken:.3g}", "", f"{off:.1e} rad")
    crank = fb.assemble(equal_slider_crank()).compile(implicit=True)
    run, taken, loop = timed(crank, times, step=5e-3, x0={"der(joint.angle)": 4.0})
    off = np.max(np.abs(run["slide.displacement"] - 2 * np.cos(run["joint.angle"])))
    row(console, "slider-crank", "step 0.005 s", f"{loop:.3g}", f"{taken:.3g}", "", f"{off:.1e} m")
    run, taken, loop = timed(fb.assemble(bricard()).compile(implicit=True), times, step=1e-2)
    energy = np.ptp(run["kinetic_energy"] + run["potential_energy"]) / np.ptp(run["potential_energy"])
    row(console, "Bricard", "step 0.01 s", f"{loop:.3g}", f"{taken:.3g}", "", f"{energy:.1e} of its energy")


def pump(console: Console) -> None:
    """A concrete pump with its oil, its valves opened a little."""
    dae = fb.assemble(models.concrete_pump()).compile(implicit=True)
    valves = {name: 0.05 for name in dae.u.names if name.endswith(".valve")}
    _, taken, loop = timed(dae, np.linspace(0.0, 5.0, 101), u=valves, step=1e-2)
    row(console, "concrete pump", "step 0.01 s, 5 s", f"{loop:.3g}", f"{taken:.3g}", "", "")


def spin_up(console: Console) -> None:
    """The blade of Wu and Haug (1988), which spins up within 15 s, by two modes with their stiffening."""
    model = fb.Model("blade")
    blade = model.add(
        fb.FlexibleBeam(
            "blade",
            8.0,
            linear_density=2766.67 * 7.299e-5,
            flexural_rigidity=6.895e10 * 8.214e-9,
            discretization=fb.AssumedModes(2),
            stiffening=True,
        )
    )
    hub = model.add(fb.Revolute("hub"))
    model.connect(model.add(fb.Ground("ground")).frame_b, hub.frame_a)
    model.connect(hub.frame_b, blade.frame_a)
    dae = fb.assemble(model, prescribed="hub.angle").compile(implicit=True)

    def angle(t: np.ndarray) -> np.ndarray:
        turning = 0.5 * t**2 + (FULL_SPEED / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / FULL_SPEED) - 1)
        return BLADE_SPEED / FULL_SPEED * np.where(t < FULL_SPEED, turning, FULL_SPEED * (t - FULL_SPEED / 2))

    options = {"u": {"hub.angle": angle}}
    exact = fb.simulate(dae, BLADE_TIMES, method="rk8", rtol=1e-10, progress=False, **options)
    run, taken, loop = timed(dae, BLADE_TIMES, step=0.02, **options)
    off = np.max(np.abs(run["blade.tip_deflection_y"] - exact["blade.tip_deflection_y"]))
    row(console, "spin-up", "step 0.02 s, 20 s", f"{loop:.3g}", f"{taken:.3g}", "", f"{off:.1e} m")


def single_steps(console: Console) -> None:
    """Steps of 20 ms of the flexible four-bar, from sample to sample in C."""
    for name, beam in (("2 elements", fb.FiniteElements(2)), ("2 strain functions", fb.StrainModes(2))):
        dae = fb.assemble(misaligned_four_bar(beam), prescribed="A.angle").compile(implicit=True)
        turn = {"A.angle": lambda t: np.pi / 2 - SPEED * t}
        start = fb.simulate(dae, (0.0, 0.1), u=turn, method="implicit", step=0.02, slow_start=True, progress=False)
        step, taken = fb.stepper(dae, 0.02, method="implicit"), {}
        for count in (1, BEFORE_SNAP, OVER_SNAPS):
            held, taken[count] = np.zeros((count, len(dae.u))), np.inf
            for _ in range(5):
                begun = time.process_time()
                run = step.rollout(start.x[0], held, threads=1)
                taken[count] = min(taken[count], time.process_time() - begun)
                assert np.all(np.isfinite(run))
        for what, count in (("a step of 0.02 s", BEFORE_SNAP), ("the same, with snaps", OVER_SNAPS)):
            each = (taken[count] - taken[1]) / (count - 1)
            row(console, "four-bar", f"{name}, {what}", f"{each:.3g}", f"{taken[1]:.3g}", "", "")


def main() -> None:
    """Print the table."""
    console = Console(width=140)
    warnings.simplefilter("ignore", FlexblocksWarning)
    for kernel in (CompiledKernel, InterpretedKernel):
        Loop.watch(kernel)
    with_exudyn = bool(installed("exudyn", console=console))
    row(console, "model", "method", "loop [s]", "call to trajectory [s]", "loop as fast as Exudyn's", "deviation")
    four_bar(console, with_exudyn)
    single_steps(console)
    pump(console)
    spin_up(console)
    change_points(console)


if __name__ == "__main__":
    main()
