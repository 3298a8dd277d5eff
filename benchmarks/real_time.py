"""Model predictive control in real time: ``python -m benchmarks.real_time [part ...]``.

* ``times``: CPU time of an iteration over 20 intervals, from rest to a place some centimetres away, with the library's
  own solver and with HPIPM from CasADi's wheel, on arms of 16 to 48 states; ``--arms 2`` for the first two of them.
* ``tracking``: how far the tip of two flexible links is from a sine of 0.5 Hz, beside a linear-quadratic regulator with
  the references of all joints and their rates, and computed torque of the rigid arm.
* ``sensors``: the same with encoders, an accelerometer and an estimator, and with a payload that the model has wrong.
* ``do-mpc``: a step of do-mpc with IPOPT on the same arm and weights, if it is installed (``pip install do-mpc``).
* ``cases``: random cases on three arms that nothing may get lost in; ``--seeds 20`` for 300 of them.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any, Literal

import casadi as ca
import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.real_time_cases import ARMS, KINDS, case
from benchmarks.real_time_sensors import sensors
from flexblocks import control, models, optim
from flexblocks.dae.dae import DAE

PARTS = ("times", "tracking", "sensors", "do-mpc", "cases")
INTERVALS, HORIZON = 20, 0.6
START = {"rotor1.angle": -0.555, "joint1.angle": -0.555, "rotor2.angle": 1.11, "joint2.angle": 1.11}
LIMITS = {"motor1.torque": 4.0, "motor2.torque": 2.0}
SAMPLE = 1e-2  # s, of the times
OMEGA = np.pi  # 0.5 Hz
CENTRE, AMPLITUDE = 0.85, 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), choices=PARTS)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--arms", type=int, default=4)
    chosen = parser.parse_args()
    if "times" in chosen.parts:
        times(chosen.arms)
    if "tracking" in chosen.parts:
        tracking()
    if "sensors" in chosen.parts:
        sensors()
    if "do-mpc" in chosen.parts:
        beside_do_mpc()
    if "cases" in chosen.parts:
        cases(chosen.seeds)


def six_joints(booms: int) -> fb.Model:
    """Return a robot of six elastic joints, 24 states; two of its links bend if they have modes, two states each."""
    model = fb.Model("six joints", gravity=(0.0, 0.0, -9.81))
    at = model.add(fb.Ground("ground")).frame_b
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    lengths, masses = [0.3, 0.5, 0.45, 0.15, 0.12, 0.08], [6.0, 5.0, 4.0, 2.0, 1.2, 0.6]
    stiffness, inertia = [9e3, 9e3, 6e3, 2e3, 1.5e3, 1e3], [1.2, 1.2, 0.8, 0.25, 0.2, 0.1]
    limits = [150.0, 250.0, 120.0, 30.0, 25.0, 12.0]
    for i in range(6):
        joint = model.add(fb.Revolute(f"joint{i + 1}", axis=axes[i]))
        motor = model.add(fb.TorqueSource(f"motor{i + 1}", limit=limits[i]))
        rotor = model.add(fb.Rotor(f"rotor{i + 1}", inertia=inertia[i]))
        spring = model.add(fb.TorsionalSpring(f"spring{i + 1}", stiffness=stiffness[i], damping=5e-4 * stiffness[i]))
        link: Any = fb.RigidLink(f"link{i + 1}", length=lengths[i], mass=masses[i])
        if booms and i in (1, 2):
            link = fb.FlexibleBeam(
                f"link{i + 1}", length=lengths[i], linear_density=masses[i] / lengths[i], flexural_rigidity=2.5e3,
                discretization=fb.AssumedModes(booms), bending="yz",
            )  # fmt: skip
        link = model.add(link)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(at, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        at = link.frame_b
    model.connect(at, model.add(fb.Payload("payload", mass=3.0, inertia=(0.01, 0.01, 0.01))).frame_a)
    return model


def times(count: int) -> None:
    """Print the time of an iteration: the tip is to move by some centimetres, from rest."""
    bent = {f"{kind}{i}.angle": 0.6 for kind in ("rotor", "joint") for i in (2, 3, 4, 5)}
    arms: dict[str, tuple[fb.Model, dict[str, float], float]] = {
        "two links": (models.subudhi_morris_2002(), START, 0.05),
        "six joints": (six_joints(0), bent, 0.05),
        "six joints, booms": (six_joints(1), bent, 0.05),
        "six joints, booms of three modes": (six_joints(3), bent, 0.05),
    }
    table = Table("arm", "states", "inputs", "solver", "median [ms]", "99 % [ms]", "ratio", "memory [kB]")
    for name, (model, start, way) in list(arms.items())[:count]:
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
    x = dae.x.values(start)
    tip = {name: dae.y.names.index(name) for name in ("payload.x", "payload.y", "payload.z") if name in dae.y.names}
    places = dae.output(x, 0, dae.p.start).full().ravel()
    goals = {name: float(places[i]) - way / 2 for name, i in tip.items() if name != "payload.z" or len(dae.u) > 2}
    mpc = optim.MPC(
        dae, optim.Tracking(goals, tolerance=way / 50), SAMPLE, HORIZON, INTERVALS,
        LIMITS if "motor1.torque" in dae.u and len(dae.u) == 2 else None, at=start, solver=solver,
        effort=None if np.all(np.isfinite(dae.u.limits)) else 100.0,
    )  # fmt: skip
    iteration, step = mpc.iteration, fb.stepper(dae, SAMPLE, method="implicit")
    buffer, call = iteration.buffer()
    arguments = [np.zeros(iteration.numel_in(0)), x, np.zeros(iteration.numel_in(2)), np.array(dae.p.start)]
    results = [np.zeros(iteration.numel_out(i)) for i in range(2)]
    for i, each in enumerate(arguments):
        if each.size:
            buffer.set_arg(i, memoryview(each))
    for i, each in enumerate(results):
        buffer.set_res(i, memoryview(each))
    taken = []
    for _ in range(runs):
        begin = time.thread_time()
        call()
        taken.append(time.thread_time() - begin)
        arguments[0][:] = results[0]
        x[:] = step(x, results[1])
    return float(np.median(taken)), float(np.percentile(taken, 99)), mpc.memory_size


def _height(t: Any) -> Any:
    """Return where the tip is to be [m]: a sine that begins smoothly, for no law can follow a speed that jumps."""
    return AMPLITUDE * (1.0 - np.exp(-4.0 * t**3)) * np.sin(OMEGA * t)


def tracking() -> None:
    """Print the error of the tip along a sine, beside a regulator with references of all joints."""
    dae = fb.assemble(models.subudhi_morris_2002())
    paths = {"payload.x": CENTRE, "payload.y": _height}
    mpc = optim.MPC(dae, optim.Tracking(paths, tolerance=1e-3), 1e-3, HORIZON, INTERVALS, LIMITS, at=START)
    table = Table("law, sampled at 1 kHz", "tip rms [mm]", "worst [mm]", "largest torque [N m]", "CPU of 1 s [s]")
    joints = [f"{kind}{i}.angle" for kind in ("rotor", "joint") for i in (1, 2)]
    followed = [*joints, *(f"der({name})" for name in joints)]
    # On a reference whose speed jumps at the start, the regulator of the tip loses the arm in continuous time.
    by_joints = dict.fromkeys(joints, 1e3) | {"kinetic_energy": 10.0, "elastic_energy": 100.0}
    by_tip = {"payload.x": 1e6, "payload.y": 1e6, "kinetic_energy": 10.0}  # the tolerances of the MPC
    effort = {name: (0.1 * limit) ** -2 for name, limit in LIMITS.items()}
    regulators = {
        "LQR, weights of joints": control.LQR(by_joints, R=1.0, at=START, references=tuple(followed)),
        "LQR, tolerances of the MPC": control.LQR(by_tip, R=effort, at=START, references=tuple(followed)),
        "computed torque, rigid arm": control.ComputedTorque(
            kp=9.0, kd=6.0, model=fb.assemble(fb.stiffen(models.subudhi_morris_2002())),
            measured={f"joint{i}.angle": f"rotor{i}.angle" for i in (1, 2)},
        ),
    }  # fmt: skip
    first, second = _joint_references()
    signals: dict[str, Any] = {}
    for i, function in ((1, first), (2, second)):
        motion = control.reference(function)
        for kind in ("rotor", "joint"):
            signals[f"reference.{kind}{i}.angle"] = motion.position
            signals[f"der(reference.{kind}{i}.angle)"] = motion.rate
    ways: dict[str, tuple[DAE, dict[str, Any]]] = {"MPC": (control.close_loop(dae, mpc), {})}
    for name, law in regulators.items():
        ways[name] = control.close_loop(dae, control.Sampled(law, 1e-3)), signals
    for name, (loop, given) in ways.items():
        loop = loop.compile()
        u = {key: value for key, value in given.items() if key in loop.u}
        begin = time.process_time()
        run = fb.simulate(loop, (0.0, 6.0), u, x0=START, rtol=1e-6, progress=False)
        taken = (time.process_time() - begin) / 6.0
        late = run.t > 2.0
        error = 1e3 * np.hypot(run["payload.x"] - CENTRE, run["payload.y"] - _height(run.t))[late]
        torque = np.abs(run["motor1.torque"][late]).max()
        rms = float(np.sqrt(np.mean(error**2)))
        table.add_row(name, f"{rms:.3f}", f"{error.max():.3f}", f"{torque:.2f}", f"{taken:.2f}")
        if name == "MPC":
            print(mpc.report(run))
    Console(width=110).print(table)


def _joint_references() -> tuple[Any, Any]:
    """Return the angles of the rigid arm of two equal links of 0.5 m whose tip is on the sine, as functions of t."""

    def elbow(t: Any) -> Any:
        square = CENTRE**2 + _height(t) ** 2
        return np.arccos(square / 0.5 - 1.0)

    def shoulder(t: Any) -> Any:
        return np.arctan(_height(t) / CENTRE) - elbow(t) / 2

    return shoulder, elbow


def beside_do_mpc() -> None:
    """Print the time of a step of do-mpc on the same arm, tolerances, horizon and number of intervals."""
    try:
        import do_mpc
    except ImportError:
        print("do-mpc is not installed: pip install do-mpc")
        return
    dae = fb.assemble(models.subudhi_morris_2002())
    x0 = dae.x.values(START)
    model = do_mpc.model.Model("continuous", "SX")
    x, u = model.set_variable("_x", "x", (len(dae.x), 1)), model.set_variable("_u", "u", (len(dae.u), 1))
    model.set_rhs("x", dae.forward_dynamics(x, u, []))
    model.setup()
    x = model.x["x"]  # its symbols are others from here on
    output = dae.output(x, ca.SX.zeros(len(dae.u)), [])
    tip = ca.vertcat(*[output[dae.y.names.index(f"payload.{axis}")] for axis in "xy"])
    controller = do_mpc.controller.MPC(model)
    controller.settings.n_horizon, controller.settings.t_step = INTERVALS, HORIZON / INTERVALS
    controller.settings.state_discretization, controller.settings.collocation_deg = "collocation", 2
    controller.settings.store_full_solution = False
    controller.settings.supress_ipopt_output()
    goal = np.array([CENTRE, 0.05])
    cost = ca.sumsqr((tip - goal) / 1e-3)
    controller.set_objective(lterm=cost, mterm=cost)
    controller.set_rterm(u=1.0 / 0.4)
    controller.bounds["lower", "_u", "u"] = -np.array(list(LIMITS.values()))
    controller.bounds["upper", "_u", "u"] = np.array(list(LIMITS.values()))
    controller.setup()
    controller.x0 = x0
    controller.set_initial_guess()
    taken = []
    for _ in range(6):
        begin = time.process_time()
        controller.make_step(x0[:, None])
        taken.append(time.process_time() - begin)
    median, _, _ = _iteration(dae, START, 0.05, "condensed")
    other = float(np.median(taken[1:]))
    table = Table("two links, 20 intervals", "median of a step [ms]", "ratio")
    table.add_row("MPC, one iteration", f"{1e3 * median:.3f}", "1")
    table.add_row("do-mpc, IPOPT to convergence", f"{1e3 * other:.1f}", f"{other / median:.0f}")
    Console(width=100).print(table)


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
