"""A new criterion of time scales: the share of postures at which slow and fast poles are apart."""

from __future__ import annotations

from benchmarks.changes.change import Change, after

TIME_SCALES = "flexblocks/control/two_time_scales/time_scales.py"

CRITERION = '''
    @property
    def share_apart(self) -> float:
        """Share of the postures at which fast poles are `LEAST_RATIO` times as fast as slow ones, from 0 to 1."""
        return float(np.mean(self.fast >= LEAST_RATIO * self.slow))
'''

CHECK = """
import numpy as np
import flexblocks as fb
from flexblocks import control, models

split = control.singular_perturbation(fb.assemble(models.subudhi_morris_2002()))
joints = split.slow.q_names
postures = [dict.fromkeys(joints, angle) for angle in (0.0, 0.5, 1.0)]
assert control.time_scales(split, postures).share_apart == 1.0

# Of poles that are known, two of three pairs are three times apart.
scales = control.TimeScales(slow=np.array([1.0, 10.0, 0.0]), fast=np.array([3.0, 29.0, 5.0]))
assert np.isclose(scales.share_apart, 2 / 3)
"""

CHANGE = Change(
    name="new time-scale criterion",
    at_most=1,
    edits=(
        after(
            TIME_SCALES,
            "            np.min(self.fast / np.where(self.slow > 0, self.slow, np.nan), initial=np.inf, "
            "where=self.slow > 0)\n        )\n",
            CRITERION,
        ),
    ),
    check=CHECK,
)
