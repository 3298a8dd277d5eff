"""Motions that barely oscillate, by multistep and Runge-Kutta methods: ``python -m benchmarks.nonstiff_methods``.

Chains of rigid links fall from rest, in a plane and in space. Seconds on the clock of a first run by Adams' method,
preparation included, and the time of the others as ratios to it, over the count of instructions of their equations:
from where it pays not to prepare a Jacobian.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb

OTHERS = ("rk8", "dop853")
MOTIONS = ((1.0, 101), (5.0, 501), (5.0, 5001))  # duration [s], output times
LINKS = ((2, False), (6, False), (12, False), (20, False), (4, True), (8, True), (14, True))  # and whether in space
AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0))


def chain(links: int, is_spatial: bool) -> fb.DAE:
    model = fb.Model("chain", gravity=(0.0, 0.0, -9.81) if is_spatial else (0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(links):
        joint = model.add(fb.Revolute(f"joint{i}", axis=AXES[i % 3 if is_spatial else 0], start=0.3))
        inertia = np.diag([1e-3, 2e-2, 2e-2]) if is_spatial else 0.02
        link = model.add(fb.RigidLink(f"link{i}", 0.5, mass=1.0, inertia=inertia))
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    return fb.assemble(model)


def seconds(dae: fb.DAE, times: np.ndarray, method: str) -> float:
    """Return the time of a run of equations that no run has prepared yet; the automatic choice needs their count."""
    dae.interpreted.motion.n_instructions()
    began = perf_counter()
    fb.simulate(dae, times, method=method, progress=False)
    return perf_counter() - began


def main() -> None:
    table = Table(
        "links", "instructions", "motion", "adams [s]", *(f"{other} / adams" for other in OTHERS), title="First runs"
    )
    for method in ("adams", *OTHERS):  # what Python imports at first
        seconds(chain(1, False), np.linspace(0.0, 0.1, 11), method)
    for links, is_spatial in LINKS:
        for duration, count in MOTIONS:
            times = np.linspace(0.0, duration, count)
            adams = seconds(dae := chain(links, is_spatial), times, "adams")
            instructions = dae.interpreted.motion.n_instructions()
            ratios = [seconds(chain(links, is_spatial), times, other) / adams for other in OTHERS]
            place = f"{links} in {'space' if is_spatial else 'a plane'}"
            table.add_row(
                place,
                str(instructions),
                f"{duration:g} s at {count} times",
                f"{adams:.2f}",
                *map("{:.2f}".format, ratios),
            )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
