"""Steps of Radau IIA that keep a tolerance: errors beside it, and what the next digit costs.

    python -m benchmarks.adaptive_implicit

For eight arms and four tolerances the largest error of a displacement, in tolerances (rtol times the length of the arm;
at most ten are good), and the evaluations of the residual. Exact is an explicit method with a tolerance of 1e-11.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import flexblocks as fb
from flexblocks import models
from flexblocks.errors import FlexblocksWarning
from flexblocks.simulation.implicit.displacements import displacements
from flexblocks.simulation.implicit.interpreted_kernel import InterpretedKernel

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the arms of the tests

from arms.change_point_arms import bricard
from arms.cranes import crane
from arms.force_arms import ball
from arms.slider_crank import slider_crank

TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6)
EXACT = 1e-11
# Errors in tolerances that are good; costs of tighter tolerances may fall by such a share.
GOOD, WITHIN = 10.0, 0.2


@dataclass(frozen=True)
class Arm:
    """An arm and its motion.

    Attributes
    ----------
    name : str
    assemble : callable
    end : float
        [s]
    options : dict
        Of `fb.simulate`.
    exact : str
        Method that counts as exact.
    """

    name: str
    assemble: Callable[[], fb.DAE]
    end: float
    options: dict[str, Any] = field(default_factory=dict)
    exact: str = "rk8"


class Residuals:
    """Evaluations of the residual in the last run."""

    evaluated = 0

    @classmethod
    def watch(cls) -> None:
        """Note those of each run."""
        run = InterpretedKernel.run

        def noted(self: InterpretedKernel, until: float, most: int) -> int:
            status = run(self, until, most)
            cls.evaluated = self.state.counts["residuals"]
            return status

        InterpretedKernel.run = noted


def rod() -> fb.DAE:
    """Return a soft rod that falls."""
    material = fb.Material(density=1200.0, youngs_modulus=5e6, poissons_ratio=0.45)
    model = fb.Model("soft rod", gravity=(0.0, -9.81, 0.0))
    hinge = model.add(fb.Revolute("hinge"))
    beam = model.add(
        fb.FlexibleBeam(
            "rod",
            0.5,
            section=fb.Rectangle(width=0.02, height=0.02),
            material=material,
            discretization=fb.StrainModes(2),
        )
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, beam.frame_a)
    return fb.assemble(model)


def arms() -> tuple[Arm, ...]:
    """Return the arms."""
    two_links = fb.assemble(models.subudhi_morris_2002())
    pulse = dict.fromkeys(two_links.u.names, 0.1)
    space = fb.assemble(models.space_arm())
    joints = dict.fromkeys(list(space.u.names)[:3], 0.5)
    pump = fb.assemble(models.concrete_pump())
    valves = {name: 0.05 for name in pump.u.names if name.endswith(".valve")}
    return (
        Arm("two links", lambda: two_links, 1.0, {"u": pulse}),
        Arm("soft rod", rod, 0.5),
        Arm("crane", crane, 3.0),
        Arm("space arm", lambda: space, 2.0, {"u": joints}),
        Arm("slider-crank", lambda: fb.assemble(slider_crank()), 2.0, {"x0": {"der(joint.angle)": 8.0}}),
        Arm("Bricard", lambda: fb.assemble(bricard()), 1.0),
        Arm("concrete pump", lambda: pump, 1.0, {"u": valves}, exact="radau"),
        Arm("ball on a floor", lambda: fb.assemble(ball()), 1.0),
    )


def main() -> None:
    """Print the table."""
    console = Console(width=140)
    warnings.simplefilter("ignore", FlexblocksWarning)
    Residuals.watch()
    good = 0
    for arm in arms():
        dae = arm.assemble()
        n, times = dae.tree.size, np.linspace(0.0, arm.end, 51)
        begun = time.process_time()
        exact = fb.simulate(dae, times, method=arm.exact, rtol=EXACT, progress=False, **arm.options)
        taken = time.process_time() - begun
        sizes = displacements(dae, exact.x[0], exact.z[0] if len(dae.z) else np.zeros(0), dae.p.start)
        off, cost = [], []
        for tolerance in TOLERANCES:
            try:
                run = fb.simulate(
                    dae, times, method="implicit", rtol=tolerance, progress=False, **{**arm.options, "x0": exact.x[0]}
                )
            except fb.FlexblocksError as error:
                console.print(f"{arm.name}: {error}")
                off.append(np.nan)
                cost.append(np.nan)
                continue
            off.append(np.max(np.abs(run.x[:, :n] - exact.x[:, :n]) * sizes.weight) / sizes.reach / tolerance)
            cost.append(Residuals.evaluated)
        is_good = np.all(np.array(off) < GOOD)
        good += is_good
        rising = np.all(np.diff(cost) > -WITHIN * np.array(cost[:-1]))
        row = "  ".join(f"{each:8.2g} {evaluations:8.6g}" for each, evaluations in zip(off, cost, strict=True))
        words = f"{'good' if is_good else 'off':5}{'rising' if rising else 'falls':8}"
        console.print(f"{arm.name:16}{row}  {words}{taken:.1f} s exact")
    console.print(f"good: {good}")


if __name__ == "__main__":
    main()
