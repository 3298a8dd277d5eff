"""Simulation time against accuracy for the two-link arm: ``python -m benchmarks.simulation_accuracy``.

Rotors behind springs, both driven by 0.2 sin(2 pi t) N m for one second, 5 s in all; 8 coordinates for everybody.
flexblocks has beams with two modes. MuJoCo, Pinocchio and Exudyn have rigid segments, two springs a link, as one would
build the arm there (Exudyn has beams too, in redundant coordinates, not used here).

So there are two errors, and they are kept apart. The error of integration is against the converged solution of the
same equations by the same package. The error of the model is between converged solutions (`benchmarks.model_error`).
Both are the largest distance of the tip from where it should be, over 101 samples; the arm is 1 m long.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.accuracy_methods import Method, methods
from benchmarks.competitors import installed
from benchmarks.model_error import model_table, published_difference
from benchmarks.motions import Motion
from flexblocks import models

TARGET = 1e-6  # [m]
RUNS = 3
PICTURE = Path("out", "simulation_accuracy.png")


@dataclass(frozen=True)
class Result:
    """The best time [s] and the error [m] of a method at one setting."""

    setting: str
    seconds: float
    error: float

    @property
    def cells(self) -> tuple[str, str, str]:
        return self.setting, f"{1e3 * self.seconds:.0f}", f"{self.error:.1e}"


def results(there: list[Method], exact: dict[str, Motion]) -> dict[str, list[Result]]:
    """Return by method the results at its settings; all are run in turn, so that all see the same machine."""
    runs = [[[method.run(setting) for setting in method.settings] for method in there] for _ in range(RUNS)]
    by_method = {}
    for method, *rounds in zip(there, *runs, strict=True):
        by_method[method.name] = [
            Result(f"{method.unit} {setting:g}", min(run.seconds for run in same), same[0].error(exact[method.package]))
            for setting, *same in zip(method.settings, *rounds, strict=True)
        ]
    return by_method


def cost_table(all_results: dict[str, list[Result]]) -> Table:
    table = Table("method", "setting", "time [ms]", "error [m]", title="Error of integration")
    for name, settings in all_results.items():
        for result in settings:
            table.add_row(name, *result.cells)
        table.add_section()
    return table


def target_table(all_results: dict[str, list[Result]]) -> Table:
    """Return the fastest run of each method that is good enough, as a ratio to the first one's."""
    table = Table("method", "setting", "time [ms]", "error [m]", "ratio", title=f"The fastest run within {TARGET:g} m")
    baseline = None
    for name, settings in all_results.items():
        good = [result for result in settings if result.error <= TARGET]
        if good:
            best = min(good, key=lambda result: result.seconds)
            baseline = baseline or best.seconds
            table.add_row(name, *best.cells, f"{best.seconds / baseline:.2f}")
        else:
            table.add_row(name, "none of these", "", f"{min(result.error for result in settings):.1e}", "")
    return table


def draw(all_results: dict[str, list[Result]]) -> None:
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for name, settings in all_results.items():
        errors, times = [result.error for result in settings], [1e3 * result.seconds for result in settings]
        line, width = ("-", 2) if name.startswith("flexblocks") else ("--", 1)
        axes.loglog(errors, times, marker="o", markersize=4, linestyle=line, linewidth=width, label=name)
    axes.axvline(TARGET, color="0.6", linewidth=1)
    axes.set(xlabel="error of integration [m]", ylabel="time of 5 s of motion [ms]")
    axes.set_title("Two-link flexible arm, 8 coordinates: what accuracy costs")
    axes.grid(visible=True, which="major", alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main() -> None:
    console = Console(width=120, markup=False)
    there = installed("mujoco", "pin", "exudyn", console=console)
    console.print(f"flexblocks' joint angles differ from the published ones by {published_difference():.1e} rad.")
    dae = fb.assemble(models.subudhi_morris_2002())
    available = methods(there, dae)
    converge = {method.package: method.converge for method in available}
    exact = {package: motion() for package, motion in converge.items()}
    all_results = results(available, exact)
    lumped = [package for package in exact if package != "flexblocks"]
    for package in lumped[1:]:
        apart = exact[package].error(exact[lumped[0]])
        console.print(f"Converged solutions of the lumped arm by {lumped[0]} and {package} are {apart:.1e} m apart.")
    console.print(cost_table(all_results), target_table(all_results), model_table("mujoco" in there))
    draw(all_results)
    console.print(f"Drawn in {PICTURE}")


if __name__ == "__main__":
    main()
