"""Time of a sample against the error of the tip: model predictive control, other tools and a regulator on one arm."""

from __future__ import annotations

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.interpolate import CubicSpline

import flexblocks as fb
from benchmarks.real_time_acados import FAST, Form, acados_controller
from benchmarks.real_time_arms import SAMPLE, Called, sine_law
from benchmarks.real_time_others import EFFORT, TOLERANCE, Controller, crocoddyl_controller, do_mpc_controller
from benchmarks.real_time_tracking import CENTRE, HORIZON, LIMITS, START, height, planned
from flexblocks import control, models, optim
from flexblocks.dae.dae import DAE

LATE, END = 1.0, 3.0  # s
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "real_time.svg"
MARKS = {"flexblocks": "o", "Crocoddyl": "s", "acados": "D", "do-mpc": "^", "LQR along a plan": "*"}


def picture() -> None:
    """Print times and errors, and draw them."""
    dae = fb.assemble(models.subudhi_morris_2002())
    found: dict[str, list[tuple[str, float, float]]] = {name: [] for name in MARKS}
    table = Table(
        "tool, sampled at 100 Hz", "", "CPU of a sample, median [ms]", "99 % [ms]", "tip rms [mm]", "worst [mm]"
    )

    def add(tool: str, label: str, controller: Controller, inside: list[float] | None = None) -> None:
        taken, error = driven(dae, controller)
        if inside is not None:
            taken = 1e3 * np.array(inside)  # without what Python does to pass references
        row = f"{np.median(taken):.3f}", f"{np.percentile(taken, 99):.3f}", f"{_rms(error):.3f}"
        table.add_row(tool, label, *row, f"{error.max():.3f}")
        found[tool].append((label, float(np.median(taken)), _rms(error)))

    for intervals in (5, 10, 20, 40):
        add("flexblocks", f"{intervals}", mpc_controller(dae, intervals))
    for intervals, iterations in ((10, 1), (20, 1), (20, 3)):
        inside: list[float] = []
        grid = optim.MPC(dae, optim.Tracking({"payload.y": 0.0}), SAMPLE, HORIZON, intervals, effort=1.0).grid
        try:
            controller = crocoddyl_controller(dae, grid, iterations, inside)
        except ImportError:
            print("Crocoddyl is not installed: pip install crocoddyl")
            break
        label = f"{intervals}" if iterations == 1 else f"{intervals}, {iterations} iterations"
        add("Crocoddyl", label, controller)
        share = 1e3 * float(np.median(inside))
        print(f"Crocoddyl, {label}: {share:.3f} ms in machine code of the arm, the rest in Python and in its solver")
    for newton in (1, 3):
        inside = []
        form = Form(FAST, newton, blocks=5, mode="SPEED_ABS")
        try:
            controller = acados_controller(sine_law(dae, 20), form, inside)
        except ImportError as error:
            print(error)
            break
        label = "20" if newton == 1 else f"20, {newton} Newton iterations"
        add("acados", label, controller, inside)
    for intervals in (10, 20):
        try:
            add("do-mpc", f"{intervals}", do_mpc_controller(dae, intervals))
        except ImportError:
            print("do-mpc is not installed: pip install do-mpc")
            break
    add("LQR along a plan", "", regulator(dae))
    Console(width=120).print(table)
    drawn(found)


def driven(dae: DAE, controller: Controller) -> tuple[np.ndarray, np.ndarray]:
    """Return CPU times of samples [ms], and errors of the tip after a while [mm]."""
    step = fb.stepper(dae, SAMPLE, method="implicit")
    x, taken, errors = dae.x.values(START), [], []
    places = [dae.y.names.index(f"payload.{axis}") for axis in "xy"]
    for k in range(round(END / SAMPLE)):
        begin = time.thread_time()
        u = controller(x, k * SAMPLE)
        taken.append(1e3 * (time.thread_time() - begin))
        x = step(x, u)
        t = (k + 1) * SAMPLE
        tip = dae.output(x, u, []).full().ravel()[places]
        if t > LATE:
            errors.append(1e3 * np.linalg.norm(tip - [CENTRE, height(t)]))
    return np.array(taken), np.array(errors)


def mpc_controller(dae: DAE, intervals: int) -> Controller:
    """Return `optim.MPC` as a function of state and time: one iteration a sample."""
    called = Called(sine_law(dae, intervals), dae, START)

    def command(x: np.ndarray, t: float) -> np.ndarray:
        called.x[:] = x
        called.sample()
        return called.u.copy()

    return command


def regulator(dae: DAE) -> Controller:
    """Return the regulator with the tolerances of the MPC, along a plan of the flexible arm and with its inputs."""
    tip = {"payload.x": TOLERANCE**-2, "payload.y": TOLERANCE**-2, "kinetic_energy": 10.0}
    effort = {name: (EFFORT * limit) ** -2 for name, limit in LIMITS.items()}
    gain = control.LQR(tip, R=effort, at=START).gain(dae, SAMPLE)
    motion = planned(dae).trajectory
    x, u = CubicSpline(motion.t, motion.x), CubicSpline(motion.t, motion.u)
    limits = np.array(list(LIMITS.values()))
    return lambda state, t: np.clip(u(t) - gain @ (state - x(t)), -limits, limits)


def drawn(found: dict[str, list[tuple[str, float, float]]]) -> None:
    """Write the picture."""
    plt.rcParams["svg.hashsalt"] = "flexblocks"
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for tool, points in found.items():
        if not points:
            continue
        axes.loglog([p[1] for p in points], [p[2] for p in points], MARKS[tool] + "-", label=tool)
        for label, taken, error in points:
            axes.annotate(label, (taken, error), textcoords="offset points", xytext=(5, 5), fontsize=7)
    axes.set_xlabel("CPU time of a sample, median [ms]")
    axes.set_ylabel("error of the tip, rms [mm]")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.margins(0.12)
    axes.legend(title="numbers: intervals")
    figure.savefig(PICTURE, metadata={"Date": None})


def _rms(error: np.ndarray) -> float:
    return float(np.sqrt(np.mean(error**2)))
