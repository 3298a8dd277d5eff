"""Rollouts of a rigid arm of seven joints beside MuJoCo's, and sampled control: ``python -m benchmarks.rollout``.

All ratios are of CPU time in one run, of one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.competitors import installed
from benchmarks.seven_joint_arm import ANGLES, JOINTS, TORQUES, mjcf, seven_joint_arm
from flexblocks import control

RUNS, STEPS, STEP = 64, 500, 1e-3
MUJOCO = ("RK4", "implicitfast")
KP, KD, ANGLE = 200.0, 20.0, 0.3  # N m/rad, N m s/rad, and the reference of each joint [rad]


def main() -> None:
    console = Console(width=150)
    dae = seven_joint_arm()
    random = np.random.default_rng(0)
    x0 = np.zeros((RUNS, len(dae.x)))
    x0[:, :JOINTS] = random.uniform(-1.0, 1.0, (RUNS, JOINTS))
    U = random.uniform(-5.0, 5.0, (RUNS, STEPS, JOINTS))
    exact = fb.stepper(dae, STEP, "rk8", substeps=4).rollout(x0, U, threads=1)[:, -1, :JOINTS]
    rows = [_of_stepper(dae, method, x0, U) for method in ("rk4", "rk8", "semi-implicit")]
    has_mujoco = installed("mujoco", console=console)
    if has_mujoco:
        rows += [_of_mujoco(integrator, x0, U) for integrator in MUJOCO]
    rows.append(_of_batch(dae, x0, U))
    peer = next((seconds for name, seconds, _ in rows if name == "mujoco.rollout, RK4"), rows[0][1])
    table = Table(f"{RUNS} runs of {STEPS} steps of {STEP:g} s", "steps/s of CPU", "ratio", "largest error [rad]")
    for name, seconds, angles in rows:
        error = np.max(np.abs(angles - exact))
        table.add_row(name, f"{RUNS * STEPS / seconds:.0f}", f"{peer / seconds:.2f}", f"{error:.1e}")
    console.print(table)
    console.print(_of_samples(dae, has_mujoco))


def _cpu_time(work: Callable[[], object], times: int = 3) -> float:
    """Return the least CPU time [s] of some calls, after one that does not count."""
    work()
    taken = []
    for _ in range(times):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


Row = tuple[str, float, np.ndarray]


def _of_stepper(dae: fb.DAE, method: str, x0: np.ndarray, U: np.ndarray) -> Row:
    step = fb.stepper(dae, STEP, method)
    seconds = _cpu_time(lambda: step.rollout(x0, U, threads=1))
    return f"fb.stepper, {method}", seconds, step.rollout(x0, U)[:, -1, :JOINTS]


def _of_mujoco(integrator: str, x0: np.ndarray, U: np.ndarray) -> Row:
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_string(mjcf(STEP, integrator))
    data = [mujoco.MjData(model)]
    start = np.zeros((RUNS, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    start[:, 1 : 1 + 2 * JOINTS] = x0
    seconds = _cpu_time(lambda: rollout.rollout(model, data, start, U))
    states, _ = rollout.rollout(model, data, start, U)
    return f"mujoco.rollout, {integrator}", seconds, states[:, -1, 1 : 1 + JOINTS]


def _of_batch(dae: fb.DAE, x0: np.ndarray, U: np.ndarray) -> Row:
    """With outputs, energies and all warnings."""
    times = STEP * np.arange(STEPS + 1)
    u = {name: [fb.piecewise_constant(times[:-1], run[:, i]) for run in U] for i, name in enumerate(TORQUES)}

    def batch() -> Any:
        return fb.simulate_batch(dae, times, u, x0, method="rk4", step=STEP, threads=1, progress=False)

    runs, seconds = batch(), _cpu_time(batch, 1)
    return "fb.simulate_batch, rk4", seconds, np.column_stack([runs[name].values[:, -1] for name in ANGLES])


def _mujoco_under_pd(integrator: str) -> Callable[[], object]:
    """Return a second of the arm under the same law, written in Python."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf(STEP, integrator))

    def run() -> None:
        data = mujoco.MjData(model)
        for _ in range(1000):
            data.ctrl[:] = KP * (ANGLE - data.qpos) - KD * data.qvel
            mujoco.mj_step(model, data)

    return run


def _of_samples(dae: fb.DAE, has_mujoco: bool) -> Table:
    law = control.PD(dict(zip(ANGLES, TORQUES, strict=True)), kp=KP, kd=KD)
    loop = control.close_loop(dae, control.Sampled(law, STEP)).compile(strict=True)
    u = {f"reference.{name}": ANGLE for name in ANGLES}
    U = {name: np.full(1000, value) for name, value in u.items()}
    step = fb.stepper(loop, STEP)
    breaks = fb.piecewise_constant(STEP * np.arange(1000), np.random.default_rng(0).uniform(-1.0, 1.0, 1000))
    works: dict[str, Callable[[], object]] = {
        "PD law at 1 kHz, rollout": lambda: step.rollout(U=U, threads=1),
        "PD law at 1 kHz, simulate, rk4": lambda: fb.simulate(loop, (0.0, 1.0), u, method="rk4", step=STEP),
        "PD law at 1 kHz, simulate, auto": lambda: fb.simulate(loop, (0.0, 1.0), u),
        "1000 breakpoints, simulate, rk4": lambda: fb.simulate(
            dae, (0.0, 1.0), {TORQUES[0]: breaks}, method="rk4", step=STEP
        ),
        "1000 breakpoints, simulate, auto": lambda: fb.simulate(dae, (0.0, 1.0), {TORQUES[0]: breaks}),
    }
    if has_mujoco:
        works |= {f"PD law at 1 kHz in Python, mujoco.mj_step, {name}": _mujoco_under_pd(name) for name in MUJOCO}
    table = Table("1 s of the arm", "CPU [s]")
    for name, work in works.items():
        table.add_row(name, f"{_cpu_time(work, 1):.4f}")
    return table


if __name__ == "__main__":
    main()
