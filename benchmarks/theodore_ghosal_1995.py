"""Figures of the arms of Theodore & Ghosal (1995): ``python -m benchmarks.theodore_ghosal_1995``.

What the example of section 5 prints, its closed loops interpreted and compiled, the last time from the cache of
compiled code; and growth rates of the undamped links under a decoupling law whose model is too stiff (section 4.3).
"""

from __future__ import annotations

import numpy as np

import flexblocks as fb
from benchmarks.published import print_example
from flexblocks import control, models

JOINTS = ["joint1.angle", "joint2.angle", "link3.displacement"]
RIGIDITY = 1165.4916  # [N m2]


def growth(overestimate: float) -> float:
    """Return the largest real part [1/s] with links that the law takes to be stiffer by this share."""
    arm, stiff = (
        fb.assemble(models.theodore_ghosal_1995("RRP", shapes="fixed", rigidity=rigidity))
        for rigidity in (RIGIDITY, RIGIDITY * (1 + overestimate))
    )
    closed = control.close_loop(arm, control.Decoupling(JOINTS, kp=400.0, kd=40.0, model=stiff))
    place = {"joint2.angle": np.pi / 2, "link3.displacement": 1.0}
    at = place | {f"reference.{name}": value for name, value in place.items()}
    return float(np.linalg.eigvals(fb.linearize(closed, at=at).A).real.max())


if __name__ == "__main__":
    for share in (0.01, 0.05, 0.10, 0.15):
        print(f"stiffness of the law {100 * share:.0f} % too large: largest real part {growth(share):+.2f} 1/s")
    print_example("theodore_ghosal_1995")
    print_example("theodore_ghosal_1995", "compiled")
    print_example("theodore_ghosal_1995", "compiled")
