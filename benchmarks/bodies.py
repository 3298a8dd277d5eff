"""Slews of two reduced flexible bodies beside Exudyn's: ``python -m benchmarks.bodies``.

Two L-shaped links of aluminium in 12 modes each carry a load of 1 kg, and are thrown for 0.3 s by sines of torque at
their hinges, from the same finite-element matrices in both programs. Exudyn has them as reduced floating-frame bodies
(ObjectFFRFreducedOrder) and integrates by generalised alpha with dense matrices; here each link is an `fb.ReducedBody`.
Both reduce the matrices on their own. For each step the CPU time of the motion, without building and compiling, and the
largest deviation of the load from the motion at the smallest step of the same program, and from that of the other one.
All in one run, on one core.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.competitors import installed
from flexblocks.bodies.solid import patches, solid

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the bodies of the tests

from arms.flexible_bodies import ALUMINIUM, ANGLE_ENDS, LOAD, LOAD_INERTIA, angle_mesh, arm

DURATION, TORQUES = 0.3, (3.0, 1.5)
STEPS = (1e-4, 2.5e-4, 5e-4, 1e-3)
SAMPLES = np.linspace(0.0, DURATION, 31)
RUNS = 3


def ours(body: fb.FlexibleBody, modes: int) -> dict[float, tuple[np.ndarray, float]]:
    """Return places (k, 3) [m] of the load and CPU time [s] by the implicit step [s]."""
    links = [fb.ReducedBody(f"link{i}", body=body, modes=modes) for i in range(1, len(TORQUES) + 1)]
    dae = fb.assemble(arm(*links)).compile(implicit=True)
    u = {f"motor{i}.torque": (lambda t, a=a: a * np.sin(2 * np.pi * t / DURATION)) for i, a in enumerate(TORQUES, 1)}
    found = {}
    for step in STEPS:
        best = np.inf
        for _ in range(RUNS):
            begun = time.process_time()
            run = fb.simulate(dae, SAMPLES, u=u, method="implicit", step=step, progress=False)
            best = min(best, time.process_time() - begun)
        found[step] = np.stack([run[f"load.{axis}"] for axis in "xyz"], axis=1), best
    return found


def theirs(matrices: tuple, nodes: np.ndarray, ends: dict[str, np.ndarray]) -> dict[float, tuple[np.ndarray, float]]:
    """Return the same of Exudyn."""
    from oracles.exudyn_bodies import slew

    found = {}
    for step in STEPS:
        times, places, taken = slew(matrices, nodes, ends, TORQUES, DURATION, LOAD, LOAD_INERTIA, step)
        found[step] = np.stack([np.interp(SAMPLES, times, place) for place in places.T], axis=1), taken
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    console = Console(width=110)
    present = installed("exudyn", console=console)
    of = solid(angle_mesh(), ALUMINIUM)
    ends, _ = patches(of, ANGLE_ENDS)
    body = fb.FlexibleBody.from_matrices(*of.matrices, of.nodes, ends)
    rows = {f"flexblocks, {modes} modes": ours(body, modes) for modes in (12, 4)}
    if present:
        rows["Exudyn, 12 modes"] = theirs(of.matrices, of.nodes, ends)
    table = Table(
        "program", "step [s]", "CPU [s]", "of Exudyn's", "off its own [m]", "off the other's [m]",
        title=f"two links, {DURATION} s",
    )  # fmt: skip
    finest = {name: found[STEPS[0]][0] for name, found in rows.items()}
    other = {name: "Exudyn, 12 modes" if name[0] == "f" else next(iter(rows)) for name in rows}
    for name, found in rows.items():
        for step, (places, taken) in found.items():
            ratio = f"{taken / rows['Exudyn, 12 modes'][step][1]:.3g}" if present else ""
            own = np.abs(places - finest[name]).max()
            off = f"{np.abs(places - finest[other[name]]).max():.1e}" if present else ""
            table.add_row(name, f"{step:g}", f"{taken:.3g}", ratio, f"{own:.1e}", off)
    console.print(table)


if __name__ == "__main__":
    main()
