"""Stiff and redundant loops by the implicit methods, beside Exudyn: CPU times of loops and calls, and deviations.

    python -m benchmarks.stiff_loops

The four-bar is Bauchau's with a skewed hinge; bars by two elements, and by two strain functions for each way they
deform. Linkages through their change points are compared with their exact motion. All in one run, CPU time of one core.
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
from flexblocks.errors import FlexblocksWarning
from flexblocks.simulation.implicit.compiled_kernel import CompiledKernel
from flexblocks.simulation.implicit.interpreted_kernel import InterpretedKernel

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the arms of the tests

from arms.change_point_arms import bricard, parallel_motion, windows
from arms.misaligned_four_bar import SPEED, misaligned_four_bar

END, STEP, RADIUS = 12.0, 4e-3, 0.5
TIMES = np.linspace(0.0, END, 241)
# Where the linkage snaps through, a little earlier or later is a large deviation [s].
SNAPS = ((2.55, 2.9), (7.8, 8.15))
RUNS = 2


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
    outside = ~np.any([(low < TIMES) & (high > TIMES) for low, high in SNAPS], axis=0)
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
    for count in (1, 2, 4):
        dae = fb.assemble(windows(count)).compile(implicit=True)
        exact = parallel_motion(count, times, -1.0)
        for step in (1e-3, 5e-3):
            run, taken, loop = timed(dae, times, step=step, x0={"der(hinge0.angle)": -1.0})
            off = np.max(np.abs(run["hinge0.angle"] - exact))
            row(console, f"{count} four-bars", f"step {step:g} s", f"{loop:.3g}", f"{taken:.3g}", "", f"{off:.1e} rad")
    run, taken, loop = timed(fb.assemble(bricard()).compile(implicit=True), times, step=1e-2)
    energy = np.ptp(run["kinetic_energy"] + run["potential_energy"]) / np.ptp(run["potential_energy"])
    row(console, "Bricard", "step 0.01 s", f"{loop:.3g}", f"{taken:.3g}", "", f"{energy:.1e} of its energy")


def main() -> None:
    """Print the table."""
    console = Console(width=140)
    warnings.simplefilter("ignore", FlexblocksWarning)
    for kernel in (CompiledKernel, InterpretedKernel):
        Loop.watch(kernel)
    with_exudyn = bool(installed("exudyn", console=console))
    row(console, "model", "method", "loop [s]", "call to trajectory [s]", "loop as fast as Exudyn's", "deviation")
    four_bar(console, with_exudyn)
    change_points(console)


if __name__ == "__main__":
    main()
