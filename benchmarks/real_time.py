"""Model predictive control in real time: ``python -m benchmarks.real_time [part ...]``.

* ``times``: CPU time of an iteration over 20 intervals, from rest to a place some centimetres away, with the library's
  own solver and with HPIPM from CasADi's wheel, on arms of 16 to 48 states; ``--arms 2`` for the first two of them.
* ``tracking``: how far the tip of two flexible links is from a sine of 0.5 Hz, beside a linear-quadratic regulator with
  the references of all joints and their rates, the same along a plan of the flexible arm that was made before, with
  that plan's inputs and with gains scheduled along it, and computed torque of the rigid arm; all of them with a payload
  that is 20 % heavier than their model's, too, and after a push of 1 rad/s.
* ``sensors``: the same with encoders, an accelerometer and an estimator, and with a payload that the model has wrong.
* ``joints``: six elastic joints at 500 Hz with encoders, an accelerometer and an estimator: the time of a whole sample.
* ``picture``: time of a sample against the error of the tip, for `optim.MPC` with several intervals, do-mpc with IPOPT
  and Crocoddyl's FDDP on the same arm, horizon and tolerances, where they are installed (``pip install do-mpc
  crocoddyl``), and a regulator along a plan; writes docs/pictures/real_time.svg. Models for Crocoddyl are in Python and
  call machine code; how much of its time that code takes is printed. acados joins them where it is built.
* ``cases``: random cases on three arms that nothing may get lost in; ``--seeds 20`` for 300 of them.
* ``acados``, not among those that run by default: times of the iterations of `optim.MPC` and of acados in turns, on the
  arms, grid, weights and limits of ``times``; ``--arms 3`` for the first three of them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Literal

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.real_time_acados import acados
from benchmarks.real_time_arms import SAMPLE, Called, timed_arms, timed_law
from benchmarks.real_time_cases import ARMS, KINDS, case
from benchmarks.real_time_joints import joints
from benchmarks.real_time_picture import picture
from benchmarks.real_time_sensors import sensors
from benchmarks.real_time_tracking import tracking
from flexblocks.dae.dae import DAE

DEFAULT = ("times", "tracking", "sensors", "joints", "picture", "cases")
PARTS = (*DEFAULT, "acados")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(DEFAULT), choices=PARTS)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--arms", type=int, default=4)
    chosen = parser.parse_args()
    if "times" in chosen.parts:
        times(chosen.arms)
    if "tracking" in chosen.parts:
        tracking()
    if "sensors" in chosen.parts:
        sensors()
    if "joints" in chosen.parts:
        joints()
    if "picture" in chosen.parts:
        picture()
    if "cases" in chosen.parts:
        cases(chosen.seeds)
    if "acados" in chosen.parts:
        try:
            acados(chosen.arms)
        except ImportError as error:
            sys.exit(str(error))


def times(count: int) -> None:
    """Print the time of an iteration: the tip is to move by some centimetres, from rest."""
    table = Table("arm", "states", "inputs", "solver", "median [ms]", "99 % [ms]", "ratio", "memory [kB]")
    for name, (model, start, way) in list(timed_arms().items())[:count]:
        dae, own = fb.assemble(model), None
        for solver in ("condensed", "hpipm"):
            median, p99, size = _iteration(dae, start, way, solver)
            own = median if own is None else own
            numbers = f"{1e3 * median:.3f}", f"{1e3 * p99:.3f}", f"{median / own:.1f}", f"{8e-3 * size:.0f}"
            table.add_row(name, str(len(dae.x)), str(len(dae.u)), solver, *numbers)
    Console(width=110).print(table)


def _iteration(
    dae: DAE, start: dict[str, float], way: float, solver: Literal["condensed", "hpipm"], runs: int = 200
) -> tuple[float, float, int]:
    """Return median and 99th percentile of an iteration [s], and the numbers that its memory is."""
    mpc, taken = timed_law(dae, start, way, solver), []
    called, step = Called(mpc, dae, start), fb.stepper(dae, SAMPLE, method="implicit")
    for _ in range(runs):
        taken.append(called.sample())
        called.x[:] = step(called.x, called.u)
    return float(np.median(taken)), float(np.percentile(taken, 99)), mpc.memory_size


def cases(seeds: int) -> None:
    """Print how many cases of each kind are lost on each arm."""
    table = Table("arm", *KINDS, "largest miss / reach")
    for name in ARMS:
        lost: Counter[str] = Counter()
        worst = 0.0
        for kind in KINDS:
            for seed in range(seeds):
                outcome = case(name, kind, seed)
                worst = max(worst, outcome.miss)
                lost[kind] += outcome.lost
                if outcome.lost:
                    print(f"lost: {outcome}")
        table.add_row(name, *(f"{lost[kind]} of {seeds}" for kind in KINDS), f"{worst:.3f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
