"""How near the tip of two flexible links stays to a sine, under model predictive control and beside it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import control, models, optim
from flexblocks.dae.dae import DAE

START = {"rotor1.angle": -0.555, "joint1.angle": -0.555, "rotor2.angle": 1.11, "joint2.angle": 1.11}
LIMITS = {"motor1.torque": 4.0, "motor2.torque": 2.0}
OMEGA = np.pi  # 0.5 Hz
CENTRE, AMPLITUDE = 0.85, 0.2
SAMPLE, HORIZON, INTERVALS = 1e-3, 0.6, 20
LATE, END = 2.0, 4.0  # s, one period
PUSH, BACK, SETTLING = 1.0, 1e-3, 2.0  # rad/s of the first joint; m; s
OFF = 1.2  # times the payload of the model
PLANNED, ENDS = 160, 8.0  # intervals and duration of the plan, which ends at rest
JOINTS = tuple(f"{kind}{i}.angle" for kind in ("rotor", "joint") for i in (1, 2))
RATES = tuple(f"der({name})" for name in JOINTS)


def height(t: Any) -> Any:
    """Return where the tip is to be [m]: a sine that begins smoothly, for no law can follow a speed that jumps."""
    return AMPLITUDE * (1.0 - np.exp(-4.0 * t**3)) * np.sin(OMEGA * t)


@dataclass(frozen=True, eq=False)
class Way:
    """A loop, and what its inputs are.

    Attributes
    ----------
    loop : DAE
    inputs : dict
    law : optim.MPC or None
    """

    loop: DAE
    inputs: Mapping[str, Any]
    law: optim.MPC | None = None


def tracking() -> None:
    """Print the error of the tip along a sine: with the payload known, 20 % off, and after a push."""
    columns = ("law, sampled at 1 kHz", "tip rms [mm]", "worst [mm]", "payload off, rms [mm]", "back after a push [s]")
    table = Table(*columns, "largest torque [N m]", "CPU of 1 s [s]")
    for name, way in ways().items():
        begin = time.process_time()
        run = simulated(way, (0.0, END), START)
        taken = (time.process_time() - begin) / END
        error = errors(run)
        torque = np.abs(run["motor1.torque"][run.t > LATE]).max()
        off = errors(simulated(way, (0.0, END), START, OFF))
        numbers = f"{rms(error):.3f}", f"{error.max():.3f}", f"{rms(off):.3f}", pushed(way, run)
        table.add_row(name, *numbers, f"{torque:.2f}", f"{taken:.2f}")
        if way.law is not None:
            print(way.law.report(run))
    Console(width=120).print(table)


def ways() -> dict[str, Way]:
    """Return the loops by name, with a symbolic payload."""
    dae = fb.assemble(models.subudhi_morris_2002())
    plant = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    paths = {"payload.x": CENTRE, "payload.y": height}
    mpc = optim.MPC(dae, optim.Tracking(paths, tolerance=1e-3), SAMPLE, HORIZON, INTERVALS, LIMITS, at=START)
    plan = planned(dae)
    tip = {"payload.x": 1e6, "payload.y": 1e6, "kinetic_energy": 10.0}  # the tolerances of the MPC
    effort = {name: (0.1 * limit) ** -2 for name, limit in LIMITS.items()}
    fixed = control.LQR(tip, R=effort, at=START, references=(*JOINTS, *RATES))
    along = control.LQR(tip, R=effort, at=START, references=dae.x.names) + control.Feedforward()
    scheduled = control.TimeVaryingLQR(plan, tip, effort)
    computed = control.ComputedTorque(
        kp=9.0, kd=6.0, model=fb.assemble(fb.stiffen(models.subudhi_morris_2002())),
        measured={f"joint{i}.angle": f"rotor{i}.angle" for i in (1, 2)},
    )  # fmt: skip
    loops = {
        law: control.close_loop(plant, control.Sampled(law, SAMPLE)) for law in (fixed, along, scheduled, computed)
    }
    return {
        "MPC": Way(control.close_loop(plant, mpc).compile(), {}, mpc),
        "LQR, references of joints": Way(loops[fixed].compile(), rigid_references(loops[fixed])),
        "LQR along a plan, with its inputs": Way(loops[along].compile(), control.follow(loops[along], plan)),
        "the same, gains scheduled": Way(loops[scheduled].compile(), scheduled.signals(dae, loops[scheduled])),
        "computed torque, rigid arm": Way(loops[computed].compile(), rigid_references(loops[computed])),
    }


def planned(dae: DAE) -> optim.Plan:
    """Return the motion of the flexible arm whose tip is on the sine, with the inputs that it takes, found before."""

    def path(t: Any) -> Any:
        return height(t) * (1.0 - np.exp(-4.0 * (ENDS - t) ** 3))

    objective = 1e6 * optim.Tracking({"payload.x": CENTRE, "payload.y": path}) + 0.1 * optim.Effort()
    task = optim.RestToRest(start=START, goal=START, duration=ENDS, objective=objective, limits=LIMITS)
    return optim.plan(dae, task, intervals=PLANNED)


def rigid_references(loop: DAE) -> dict[str, Any]:
    """Return references of the joints of the rigid arm of two equal links of 0.5 m whose tip is on the sine."""

    def elbow(t: Any) -> Any:
        return np.arccos((CENTRE**2 + height(t) ** 2) / 0.5 - 1.0)

    def shoulder(t: Any) -> Any:
        return np.arctan(height(t) / CENTRE) - elbow(t) / 2

    signals: dict[str, Any] = {}
    for i, function in ((1, shoulder), (2, elbow)):
        motion = control.reference(function)
        for kind in ("rotor", "joint"):
            signals[f"reference.{kind}{i}.angle"] = motion.position
            signals[f"der(reference.{kind}{i}.angle)"] = motion.rate
            signals[f"reference.der({kind}{i}.angle)"] = motion.rate
    return {name: value for name, value in signals.items() if name in loop.u}


def simulated(way: Way, span: tuple[float, float], x0: Any, share: float = 1.0) -> fb.Trajectory:
    """Return a run with a share of the payload."""
    mass = {"payload.mass": share * float(way.loop.p.start[0])}
    return fb.simulate(way.loop, span, dict(way.inputs), x0=x0, p=mass, rtol=1e-6, progress=False)


def errors(run: fb.Trajectory, after: float = LATE) -> np.ndarray:
    """Return distances of the tip from the sine [mm] after a time."""
    distance = 1e3 * np.hypot(run["payload.x"] - CENTRE, run["payload.y"] - height(run.t))
    return distance[run.t > after]


def rms(error: np.ndarray) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(error**2)))


def pushed(way: Way, run: fb.Trajectory) -> str:
    """Return after what time [s] the tip is no more than a millimetre farther off than before a push, for good."""
    x = run.x[-1].copy()
    x[way.loop.x.index("der(joint1.angle)")] += PUSH
    try:
        after = simulated(way, (END, END + SETTLING), x)
    except fb.SimulationError:
        return "lost"
    far = after.t[errors(after, 0.0) > errors(run).max() + 1e3 * BACK]
    return f"{far[-1] - END:.2f}" if far.size and far[-1] < END + SETTLING else "0" if not far.size else "not back"
