"""Figures of the arm of Subudhi & Morris (2002): ``python -m benchmarks.subudhi_morris_2002``.

Frequencies beside those of an independent implementation by quadrature in world axes; growth under slow control alone;
and what the example of the paper prints. Laws: `composite` is the paper's, `tuned` follows a planned motion.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.published import print_example, reference
from flexblocks import control, models

ARMS = {
    "two clamped-mass modes, eqs 47-48 as printed": {"shapes": "as-printed"},
    "two clamped-free modes": {"shapes": "clamped-free"},
    "converged (9 functions a link)": {"modes": 6},
}


def frequencies() -> None:
    """Print the elastic frequencies of the arm, stretched out."""
    table = Table("arm", "here", "reference", title="Frequencies (rad/s), stretched out")
    paper = reference("subudhi_morris_2002")
    rows = {name: (options, paper["frequencies_rad_s_at_theta2_0"][name]) for name, options in ARMS.items()}
    carried = paper["rotor_spin_including_mount_theta2_0_converged"]
    rows["converged, rotors carrying their mount's spin"] = ({"modes": 6, "rotor_mount": "carried"}, carried)
    for name, (options, expected) in rows.items():
        shown = 3 if "converged" in name else None
        found = fb.linearize(fb.assemble(models.subudhi_morris_2002(**options))).modes().frequency[2:]
        table.add_row(name, *(", ".join(f"{value:.6g}" for value in values[:shown]) for values in (found, expected)))
    Console(width=140).print(table)


def slow_control_alone() -> None:
    """Print the growth under computed torque at the goal, without the fast law."""
    dae = fb.assemble(models.subudhi_morris_2002(shapes="as-printed"))
    split = control.singular_perturbation(dae)
    closed = control.close_loop(dae, control.ComputedTorque(5.0, 2.0, model=split.slow))
    goal = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}
    rotors = {name.replace("joint", "rotor"): value for name, value in goal.items()}
    at = goal | rotors | {f"reference.{name}": value for name, value in goal.items()}
    growth = np.linalg.eigvals(fb.linearize(closed, at=at).A).real.max()
    print(f"slow control alone at the goal: largest real part {growth:+.3f} 1/s")


if __name__ == "__main__":
    frequencies()
    slow_control_alone()
    print_example("subudhi_morris_2002")
