"""Figures of the arm of Yu & Chen (2019): ``python -m benchmarks.yu_chen_2019``.

Frequencies with locked motors beside those of a Lagrangian in SymPy, and what the example of case 2 prints.
"""

from __future__ import annotations

import numpy as np

import flexblocks as fb
from benchmarks.published import print_example, reference
from flexblocks import models

POSTURE = {"joint1.angle": np.pi / 4, "joint2.angle": -np.pi / 4}  # links at 45 and 0 degrees
ARMS = {
    "motors locked, two sine modes": {"modes": 2, "shapes": "pinned"},
    "motors locked, converged beam": {"modes": 6, "shapes": "clamped-mass"},
}


def frequencies(**options: object) -> np.ndarray:
    """Return the first two frequencies [rad/s], motors locked."""
    dae = fb.assemble(models.yu_chen_2019(gravity=(0.0, 0.0, 0.0), **options), locked=POSTURE)
    return np.sort(fb.linearize(dae).modes().frequency)[:2]


if __name__ == "__main__":
    for name, options in ARMS.items():
        expected = reference("yu_chen_2019")["free_vibration_case_1_rad_s"][name]
        here, there = (", ".join(f"{value:.5g}" for value in values) for values in (frequencies(**options), expected))
        print(f"{name}: {here} rad/s; reference {there} rad/s")
    print_example("yu_chen_case2")
