"""Motion of the two-link arm of Subudhi & Morris after a smooth push, by flexblocks and by other packages.

Both rotors are driven by 0.2 sin(2 pi t) N m for one second, then by nothing. Every function returns a `Motion` from
rest over 5 s. Times are those of the integration: no package's time contains that for reading or assembling the model.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

import flexblocks as fb
from benchmarks.lumped_arm import LumpedArm

END, SAMPLES = 5.0, 101
TIMES = np.linspace(0.0, END, SAMPLES)
PUSH_ENDS = 1.0  # [s]
SAMPLE = END / (SAMPLES - 1)


@dataclass(frozen=True)
class Motion:
    """Tip positions (101, 2) [m] at `TIMES`, and the time to compute them [s]."""

    tip: np.ndarray
    seconds: float

    def error(self, reference: Motion) -> float:
        """Return the largest error of the tip position [m]."""
        return float(np.max(np.linalg.norm(self.tip - reference.tip, axis=1)))


def by_flexblocks(dae: fb.DAE, torque: float = 0.2, **options: Any) -> Motion:
    """Simulate with `flexblocks.simulate`; the time includes building the integrator."""

    def push(t: Any) -> Any:
        return ca.if_else(t < PUSH_ENDS, torque * ca.sin(2 * math.pi * t), 0.0)

    start = time.perf_counter()
    solution = fb.simulate(dae, TIMES, u={"motor1.torque": push, "motor2.torque": push}, progress=False, **options)
    seconds = time.perf_counter() - start
    return Motion(np.stack([solution["payload.x"], solution["payload.y"]], axis=1), seconds)


def by_mujoco(arm: LumpedArm, steps: int, integrator: str = "RK4", torque: float = 0.2) -> Motion:
    """Take `steps` steps of MuJoCo between two samples.

    The steps of a sample are one call. MuJoCo holds a control over a step; so that it follows the sine at every
    stage it is a callback, in Python, for the second that the push lasts.
    """
    import mujoco

    from benchmarks.mujoco_arm import mujoco_model

    model = mujoco_model(arm, SAMPLE / steps, integrator)
    data = mujoco.MjData(model)
    angles = np.zeros((SAMPLES, len(arm.segments)))

    def push(_: mujoco.MjModel, data: mujoco.MjData) -> None:
        data.ctrl[:] = torque * math.sin(2 * math.pi * data.time)

    def run(first: int, last: int) -> None:
        for k in range(first, last):
            mujoco.mj_step(model, data, nstep=steps)
            angles[k] = data.qpos[: angles.shape[1]]

    middle = 1 + round(PUSH_ENDS / SAMPLE)
    start = time.perf_counter()
    with _control(push):
        run(1, middle)
    data.ctrl[:] = 0.0
    run(middle, SAMPLES)
    return Motion(arm.tip(angles), time.perf_counter() - start)


@contextmanager
def _control(callback: Any) -> Iterator[None]:
    import mujoco

    mujoco.set_mjcb_control(callback)
    try:
        yield
    finally:
        mujoco.set_mjcb_control(None)


def by_pinocchio(arm: LumpedArm, rtol: float) -> Motion:
    """Simulate by Pinocchio's aba in SciPy's DOP853.

    Pinocchio has no integrators, no springs and no rotors: these are added in Python, as a user would.
    """
    import pinocchio as pin
    from scipy.integrate import solve_ivp

    from benchmarks.pinocchio_arm import pinocchio_model

    assert arm.drive is not None
    model, stiffness, joints = pinocchio_model(arm), arm.stiffness, arm.joints
    data, n, m, drive = model.createData(), len(arm.segments), len(arm.joints), arm.drive

    def rates(_: float, x: np.ndarray, torque: float) -> np.ndarray:
        q, rotor, v = x[:n], x[n : n + m], x[n + m : 2 * n + m]
        twist = drive.stiffness * (rotor - q[joints])
        force = -stiffness * q
        force[joints] += twist
        a = pin.aba(model, data, q, v, force)
        return np.concatenate([x[n + m :], a, (torque - twist) / drive.rotor_inertia])

    def pushed(t: float, x: np.ndarray) -> np.ndarray:
        return rates(t, x, 0.2 * math.sin(2 * math.pi * t))

    def free(t: float, x: np.ndarray) -> np.ndarray:
        return rates(t, x, 0.0)

    middle = round(PUSH_ENDS / SAMPLE)
    x, angles = np.zeros(2 * (n + m)), [np.zeros((1, n))]
    start = time.perf_counter()
    for function, times in ((pushed, TIMES[: middle + 1]), (free, TIMES[middle:])):
        span = (times[0], times[-1])
        solution = solve_ivp(function, span, x, method="DOP853", t_eval=times[1:], rtol=rtol, atol=1e-2 * rtol)
        x = solution.y[:, -1]
        angles.append(solution.y[:n].T)
    return Motion(arm.tip(np.concatenate(angles)), time.perf_counter() - start)


def by_exudyn(arm: LumpedArm, steps: int, method: str = "RK44") -> Motion:
    """Take `steps` steps of Exudyn between two samples; `method` is one of its ``DynamicSolverType``."""
    import exudyn as exu

    from benchmarks.exudyn_arm import ExudynArm

    def push(t: Any) -> Any:
        sine = exu.symbolic.Real(0.2) * exu.symbolic.sin(2 * math.pi * t)
        return exu.symbolic.IfThenElse(t < PUSH_ENDS, sine, exu.symbolic.Real(0.0))

    built = ExudynArm(arm, push)
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = END
    settings.timeIntegration.numberOfSteps = steps * (SAMPLES - 1)
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.automaticStepSize = False
    settings.timeIntegration.adaptiveStep = False
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = SAMPLE
    start = time.perf_counter()
    built.system.SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, method))
    seconds = time.perf_counter() - start
    stored = built.system.GetSensorStoredData(built.sensor)
    np.testing.assert_allclose(stored[:, 0], TIMES, atol=1e-9)
    return Motion(arm.tip(stored[:, 1:]), seconds)
