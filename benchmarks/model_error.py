"""Model errors of the two-link arm by beam and segment models, for `benchmarks.simulation_accuracy`.

All motions are converged in time. Beams converge with their modes, rows of rigid segments with their springs, but not
to the same motion: segments turn by any angle, as strain functions do, beams bend linearly. At a hundredth of the push
all agree.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.table import Table

import flexblocks as fb
from benchmarks.lumped_models import lumped_subudhi_morris
from benchmarks.motions import Motion, by_flexblocks, by_mujoco
from flexblocks import models

PUSHES = (0.2, 0.002)  # [N m]
REFERENCES = Path(__file__).parents[1] / "tests" / "oracles" / "references" / "subudhi_morris_2002.json"
PUBLISHED = "smooth_input_0.2sin(2pi t)_t<1_two_clamped_free_modes"


def beams(modes: int, shapes: str = "clamped-mass") -> list[Motion]:
    """Return the motions by flexblocks at both pushes."""
    dae = fb.assemble(models.subudhi_morris_2002(modes=modes, shapes=shapes))
    return [by_flexblocks(dae, torque, rtol=1e-10, atol=1e-12) for torque in PUSHES]


def strains(functions: int) -> list[Motion]:
    """Return the motions at both pushes with `StrainModes`, which are exact at any deflection."""
    dae = fb.assemble(fb.rediscretize(models.subudhi_morris_2002(), fb.StrainModes(functions)))
    return [by_flexblocks(dae, torque, rtol=1e-10, atol=1e-12) for torque in PUSHES]


def segments(springs: int) -> list[Motion]:
    """Return the motions by MuJoCo at both pushes."""
    # The highest frequency rises with the square of the number of springs.
    steps = max(50, 15 * springs**2)
    return [by_mujoco(lumped_subudhi_morris(springs), steps, torque=torque) for torque in PUSHES]


def model_table(with_segments: bool) -> Table:
    """Return the table of errors [mm]."""
    table = Table(
        "links of",
        "coordinates",
        "against the finest of its kind",
        "against beams of 10 modes",
        "the same at 0.002 N m, times 100",
        title="Error of the model [mm]",
    )
    exact = beams(10)

    def row(name: str, coordinates: int, motions: list[Motion], finest: list[Motion]) -> None:
        kind = motions[0].error(finest[0])
        large, small = (motion.error(other) for motion, other in zip(motions, exact, strict=True))
        cells = (f"{1e3 * error:.3f}" for error in (kind, large, small * PUSHES[0] / PUSHES[1]))
        table.add_row(name, str(coordinates), *cells)

    for modes in (1, 2, 3, 5):
        row(f"beam: {modes} modes", 4 + 2 * modes, beams(modes), exact)
    row("beam: 2 clamped-free modes", 8, beams(2, "clamped-free"), exact)
    table.add_section()
    by_functions = {functions: strains(functions) for functions in (2, 3, 4, 6)}
    for functions, motions in by_functions.items():
        row(f"strain functions: {functions}", 4 + 2 * functions, motions, by_functions[6])
    if with_segments:
        table.add_section()
        by_springs = {springs: segments(springs) for springs in (1, 2, 4, 8)}
        for springs, motions in by_springs.items():
            row(f"segments: {springs} springs", 4 + 2 * springs, motions, by_springs[8])
    return table


def published_difference() -> float:
    """Return the largest difference of joint angles [rad] from those of an independent program, to t = 2 s."""
    published = json.loads(REFERENCES.read_text())[PUBLISHED]
    dae = fb.assemble(models.subudhi_morris_2002(shapes="clamped-free"))
    push = fb.Signal(lambda t: np.where(t < 1.0, 0.2 * np.sin(2 * np.pi * t), 0.0), breakpoints=[1.0])
    inputs = {"motor1.torque": push, "motor2.torque": push}
    motion = fb.simulate(dae, np.array(published["t"]), u=inputs, rtol=1e-11, atol=1e-13)
    angles = np.stack([motion["joint1.angle"], motion["joint2.angle"]], axis=1)
    return float(np.abs(angles - published["joint_angle"]).max())
