"""Model predictive control of six elastic joints at 500 Hz, with an estimator, encoders and an accelerometer."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.real_time_arms import six_joints
from flexblocks import control, export, optim
from flexblocks.control.controller import Controller
from flexblocks.dae.compiler import find_compiler

SAMPLE, END, LATE = 2e-3, 3.0, 1.0  # s
BENT = {f"joint{i}.angle": 0.6 for i in (2, 3, 4, 5)}
ENCODERS = tuple(f"rotor{i}.angle" for i in range(1, 7))
ACCELEROMETER = tuple(f"accelerometer.acceleration_{axis}" for axis in "xyz")
MEASURED = (*ENCODERS, *ACCELEROMETER)
RESOLUTION, NOISE = 1e-4, 0.05  # rad, m/s2
PROCESS = 1e-6  # s, of the square of each limit: torques that are not known

# Steps along the readings of a run: CPU time of each sample [ms], and the last command.
DRIVER = """
#include "ctl.h"
#include <stdio.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}
int main(void) {
    static ctl_state state;
    double measured[CTL_MEASURED_SIZE], reference[1] = {0}, inputs[64], begin;
    ctl_init(&state);
    for (;;) {
        for (int i = 0; i < CTL_MEASURED_SIZE; i++)
            if (scanf("%lf", &measured[i]) != 1) return 0;
        begin = now();
        ctl_step(measured, reference, &state, inputs);
        printf("%.9g %.17g\\n", now() - begin, inputs[0]);
    }
}
"""


def joints() -> None:
    """Print the time of a whole sample, from readings to commands, and the error of the tip along a loop."""
    columns = ("states", "estimator", "tip rms [mm]", "worst [mm]", "sample", "median [ms]", "99 % [ms]", "worst [ms]")
    table = Table(*columns)
    for booms in (0, 1):
        model = six_joints(booms)
        accelerometer = model.add(fb.Accelerometer("accelerometer"))
        model.connect(model.blocks["link6"].frame_b, accelerometer.frame_a)
        dae = fb.assemble(model)
        for name in ("SampledKalman", "MovingHorizon")[booms:]:
            for row in _rows(dae, name):
                table.add_row(str(len(dae.x)), name, *row)
    Console(width=140).print(table)


def _rows(dae: fb.DAE, name: str) -> list[tuple[str, ...]]:
    """Return errors of the tip and times of a sample: in the loop from Python, and of the controller in C."""
    rest = fb.equilibrium(dae, x=BENT)
    start = dict(zip(dae.x.names, rest.x, strict=True))
    tip = {axis: float(dae.output(rest.x, rest.u, [])[dae.y.names.index(f"payload.{axis}")]) for axis in "xyz"}

    def begin(t: Any) -> Any:
        return 1.0 - np.exp(-4.0 * t**3)

    paths: dict[str, Any] = {
        "payload.x": lambda t: tip["x"] + 0.0 * t,
        "payload.y": lambda t: tip["y"] + 0.1 * begin(t) * np.sin(np.pi * t),
        "payload.z": lambda t: tip["z"] + 0.05 * begin(t) * np.sin(2 * np.pi * t),
    }
    given: dict[str, Any] = {
        "process": {n: PROCESS * float(limit) ** 2 for n, limit in zip(dae.u.names, dae.u.limits, strict=True)},
        "noise": [RESOLUTION / np.sqrt(12)] * len(ENCODERS) + [NOISE] * len(ACCELEROMETER),
        "at": rest,
    }
    observer: Any
    if name == "SampledKalman":
        observer = control.SampledKalman(MEASURED, model=dae, **given)
    else:
        observer = optim.MovingHorizon(dae, MEASURED, sample_time=SAMPLE, horizon=SAMPLE, **given)
    mpc = optim.MPC(dae, optim.Tracking(paths, tolerance=1e-3), SAMPLE, 0.6, 20, at=start)
    law = control.Sampled(control.OutputFeedback(mpc, observer), SAMPLE)
    devices = [control.Sensor(each, resolution=RESOLUTION) for each in ENCODERS]
    devices += [control.Sensor(each, noise=NOISE) for each in ACCELEROMETER]
    loop = control.close_loop(dae, law, sensors=devices).compile()
    times = np.arange(round(END / SAMPLE) + 1) * SAMPLE
    run = fb.simulate(loop, times, x0=start, seed=1, rtol=1e-6, progress=False)
    print(f"{len(dae.x)} states, {name}: {mpc.report(run)}")
    wanted = np.column_stack([path(run.t) for path in paths.values()])
    error = 1e3 * np.linalg.norm(np.column_stack([run[each] for each in paths]) - wanted, axis=1)[run.t > LATE]
    errors = f"{np.sqrt(np.mean(error**2)):.3f}", f"{error.max():.3f}"
    made = control.controller(law, dae, SAMPLE)
    readings = np.column_stack([run[f"sensor.{each}"] for each in made.measured.names])
    rows = [(*errors, "from Python", *_spread(_stepped(made, readings)))]
    # One formula for the whole filter, with its covariance: compilers take minutes.
    taken = None if name == "SampledKalman" else _in_c(law, dae, readings)
    return [*rows, (*errors, "in C", *_spread(taken))] if taken is not None else rows


def _spread(taken: np.ndarray) -> tuple[str, str, str]:
    return f"{np.median(taken):.3f}", f"{np.percentile(taken, 99):.3f}", f"{taken.max():.3f}"


def _stepped(made: Controller, readings: np.ndarray) -> np.ndarray:
    """Return the CPU times (k,) [ms] of samples along readings (k, n), as a simulation takes them."""
    change = made.clocks[0].change
    buffer, call = change.buffer()
    states, read, result = made.states.start.copy(), np.zeros(readings.shape[1]), np.zeros(len(made.states))
    for i, each in ((0, states), (2, read)):
        buffer.set_arg(i, memoryview(each))
    buffer.set_res(0, memoryview(result))
    taken = []
    for row in readings:
        read[:] = row
        begin = time.thread_time()
        call()
        taken.append(1e3 * (time.thread_time() - begin))
        states += result
    return np.array(taken)


def _in_c(law: Any, dae: fb.DAE, readings: np.ndarray) -> np.ndarray | None:
    """Return the CPU times (k,) [ms] of samples of the exported controller, None without a compiler."""
    if (compiler := find_compiler()) is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        files = export.controller(law, dae, SAMPLE, Path(folder) / "ctl")
        sources = [str(each) for each in files if each.suffix == ".c" and not each.stem.endswith("_test")]
        driver, program = Path(folder) / "ctl" / "driver.c", Path(folder) / "driver"
        driver.write_text(DRIVER, encoding="utf-8")
        subprocess.run([compiler, "-O2", "-o", str(program), str(driver), *sources, "-lm"], check=True)
        text = "\n".join(" ".join(repr(float(value)) for value in row) for row in readings)
        done = subprocess.run([str(program)], input=text, capture_output=True, text=True, check=True)
    return np.array([line.split() for line in done.stdout.splitlines()], dtype=float)[:, 0]
