"""Model predictive control with an estimator and sensors in one loop, and with a payload that the model has wrong."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import control, models, optim

SAMPLE, END, LATE = 1e-3, 4.0, 2.0  # s
START = {"rotor1.angle": -0.555, "joint1.angle": -0.555, "rotor2.angle": 1.11, "joint2.angle": 1.11}
LIMITS = {"motor1.torque": 4.0, "motor2.torque": 2.0}
CENTRE, AMPLITUDE, OMEGA = 0.85, 0.2, np.pi
OFF = 1.2  # times the payload of the model
RESOLUTION, NOISE = 1e-4, 0.05  # rad, m/s2
ENCODERS = ("rotor1.angle", "rotor2.angle")
ACCELEROMETER = ("accelerometer.acceleration_x", "accelerometer.acceleration_y")
PROCESS = {"motor1.torque": 1e-3, "motor2.torque": 1e-3}  # N2 m2 s, for what the payload does that is not known


def two_links() -> fb.Model:
    """Return the arm of Subudhi and Morris with an accelerometer at its tip."""
    model = models.subudhi_morris_2002()
    sensor = model.add(fb.Accelerometer("accelerometer"))
    model.connect(model.blocks["link2"].frame_b, sensor.frame_a)
    return model


def height(t: Any) -> Any:
    """Return where the tip is to be [m]."""
    return AMPLITUDE * (1.0 - np.exp(-4.0 * t**3)) * np.sin(OMEGA * t)


def sensors() -> None:
    """Print the error of the tip along the sine, with what is measured and who estimates."""
    model = two_links()
    dae, plant = fb.assemble(model), fb.assemble(model, symbolic=("payload.mass",))
    mass = float(plant.p.start[0])
    paths = {"payload.x": CENTRE, "payload.y": height}
    task = optim.Tracking(paths, tolerance=1e-3)
    mpc = optim.MPC(dae, task, SAMPLE, 0.6, 20, LIMITS, at=START)
    measured = (*ENCODERS, *ACCELEROMETER)
    noise = [RESOLUTION / np.sqrt(12)] * 2 + [NOISE] * 2
    given: dict[str, Any] = {"process": PROCESS, "noise": noise, "at": START}
    kalman = control.SampledKalman(measured, model=dae, **given)
    horizon = optim.MovingHorizon(dae, measured, sample_time=SAMPLE, horizon=5 * SAMPLE, **given)
    finding = optim.MovingHorizon(
        plant, measured, sample_time=SAMPLE, horizon=5 * SAMPLE, parameters={"payload.mass": 0.3 * mass}, **given
    )
    devices = [control.Sensor(name, resolution=RESOLUTION) for name in ENCODERS]
    devices += [control.Sensor(name, noise=NOISE) for name in ACCELEROMETER]
    ways: dict[str, tuple[Any, list[control.Sensor], float]] = {
        "full state": (mpc, [], 1.0),
        "full state, payload off": (mpc, [], OFF),
        "SampledKalman": (control.Sampled(control.OutputFeedback(mpc, kalman), SAMPLE), devices, 1.0),
        "SampledKalman, payload off": (control.Sampled(control.OutputFeedback(mpc, kalman), SAMPLE), devices, OFF),
        "MovingHorizon, payload off": (control.Sampled(control.OutputFeedback(mpc, horizon), SAMPLE), devices, OFF),
        "MovingHorizon of the payload, off": (
            control.Sampled(control.OutputFeedback(mpc, finding), SAMPLE),
            devices,
            OFF,
        ),
    }
    table = Table("1 kHz", "tip rms [mm]", "worst [mm]", "MPC, median [ms]", "CPU of a sample [ms]", "payload [kg]")
    for name, (law, installed, share) in ways.items():
        loop = control.close_loop(plant, law, sensors=installed).compile()
        begin = time.process_time()
        run = fb.simulate(
            loop, (0.0, END), x0=START, p={"payload.mass": share * mass}, seed=1, rtol=1e-6, progress=False
        )
        taken = (time.process_time() - begin) * SAMPLE / END
        late = run.t > LATE
        error = 1e3 * np.hypot(run["payload.x"] - CENTRE, run["payload.y"] - height(run.t))[late]
        found = run["estimate.payload.mass"][-1] if "estimate.payload.mass" in run else np.nan
        rms = f"{np.sqrt(np.mean(error**2)):.3f}", f"{error.max():.3f}"
        numbers = f"{1e3 * mpc.report(run).median_time:.3f}", f"{1e3 * taken:.2f}", f"{found:.4f} of {share * mass:.3f}"
        table.add_row(name, *rms, *numbers)
    Console(width=120).print(table)
