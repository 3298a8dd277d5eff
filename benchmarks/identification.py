"""Identification of three arms from noisy records: ``python -m benchmarks.identification [--parts ...] [arm ...]``.

For each arm, over seeds of noise (`--seeds`), with inputs known exactly and with noise on them (`coverage`): how many
of the 95 % intervals hold the truth, and by how many standard errors the mean of the estimates is off. From as many
starts, off by factors up to three (`starts`), how many reach the least cost. CPU time of one fit, and of the same fit
by Runge-Kutta steps of the arm and differences beside it (`times`). Of arms of their own: what a fit says where the
model is wrong, a mode less, and friction of another kind (`mismatch`); how much a planned motion determines beside
chirps of the same length (`excitation`). Data come from Runge-Kutta steps far below the sample time, which the fit does
not use.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

import flexblocks as fb
from flexblocks import models, optim

SEEDS = 30


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm and its experiment: parameters, inputs over the times, noise of measurements and inputs, start."""

    dae: fb.DAE
    t: np.ndarray
    u: dict[str, np.ndarray]
    noise: dict[str, float]
    input_noise: dict[str, float]
    substeps: int
    x0: dict[str, float]

    def record(self, seed: int, noisy_inputs: bool, name: str = "record") -> fb.Record:
        """Return what would have been measured."""
        rng = np.random.default_rng(seed)
        commanded = np.stack([self.u[name] for name in self.dae.u.names], axis=1)
        acting = commanded.copy()
        if noisy_inputs:
            acting += rng.normal(size=commanded.shape) * [self.input_noise[name] for name in self.dae.u.names]
        step = fb.stepper(self.dae, float(self.t[1] - self.t[0]), "rk4", substeps=self.substeps)
        states = step.rollout(self.x0, acting)[0, :-1]
        y = {
            name: states[:, self.dae.x.index(name)] + deviation * rng.normal(size=len(self.t))
            for name, deviation in self.noise.items()
        }
        return fb.Record(self.t, self.u, y, dict(zip(self.dae.x.names, states[0], strict=True)), name=name)


def two_links() -> Arm:
    """Two flexible links on elastic joints, 16 states; encoders of motors and joints."""
    names = [f"{part}{i}.{field}" for i in (1, 2) for part, field in PARTS]
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass", *names))
    t = np.arange(0, 1, 1e-3)
    u = {
        "motor1.torque": 0.4 * np.sin(2 * np.pi * 1.1 * t) + 0.2 * np.sign(np.sin(2 * np.pi * 5 * t)),
        "motor2.torque": 0.3 * np.sin(2 * np.pi * 2.3 * t) + 0.1 * np.sign(np.sin(2 * np.pi * 7 * t)),
    }
    angles = [f"{kind}{i}.angle" for i in (1, 2) for kind in ("rotor", "joint")]
    return Arm(dae, t, u, dict.fromkeys(angles, 2e-4), dict.fromkeys(u, 2e-3), 10, {})


PARTS = (("spring", "stiffness"), ("rotor", "inertia"), ("link", "flexural_rigidity"))


def six_joints() -> Arm:
    """Six elastic joints with gears and rigid links under gravity, 24 states; encoders of the motors and links."""
    model = fb.Model("six elastic joints", gravity=(0, 0, -9.81))
    before = model.add(fb.Ground("ground")).frame_b
    axes = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
    t = np.arange(0, 1, 2e-3)
    u, noise = {}, {}
    for i, axis in enumerate(axes, 1):
        stiffness, length = 8e3 / i**2, 0.4 / i**0.5
        drive = {"inertia": 2.0 / i**2, "stiffness": stiffness, "spring_damping": stiffness * 1e-3, "damping": 5.0 / i}
        joint = model.add(fb.FlexibleJoint(f"joint{i}", axis=axis, **drive))
        mass = 8.0 / i
        inertia = mass * (length**2 / 12 * np.diag([0, 1, 1]) + 0.003 * np.eye(3))
        link = model.add(fb.RigidLink(f"link{i}", length=length, mass=mass, inertia=inertia))
        model.connect(before, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        before = link.frame_b
        square = np.sign(np.sin(2 * np.pi * (1.5 + 0.7 * i) * t))
        u[f"joint{i}.motor.torque"] = 60 / i**2 * (square + np.sin(2 * np.pi * (0.6 + 0.3 * i) * t))
        noise |= {f"joint{i}.rotor.angle": 1e-4, f"joint{i}.angle": 1e-4}
    model.connect(before, model.add(fb.Payload("payload", mass=2.0, inertia=0.01 * np.eye(3))).frame_a)
    names = ["payload.mass", *(f"joint{i}.stiffness" for i in range(1, 7))]
    dae = fb.assemble(model, symbolic=names)
    return Arm(dae, t, u, noise, {name: 0.02 * float(np.abs(series).max()) for name, series in u.items()}, 20, {})


def crane() -> Arm:
    """A flexible boom lifted by a servo-hydraulic cylinder; its angle and both pressures are measured."""
    model = fb.Model("crane on a cylinder", gravity=(0, -9.81, 0))
    ground, luff = model.add(fb.Ground("ground")), model.add(fb.Revolute("luff", start=0.5))
    foot = model.add(fb.FixedTransform("foot", (1.0, -1.2, 0)))
    modes = fb.AssumedModes(1, tip="auto")
    boom = model.add(fb.FlexibleBeam("boom", 10.0, 90.0, 3e7, modes, bending="y", damping_ratio=0.01))
    ram = model.add(
        fb.HydraulicCylinder(
            "ram", 0.03, 0.02, 1.6, 4.8, supply_pressure=2e7, rated_flow=2e-3, leakage=2e-12, friction=2e4,
            bulk_modulus=8e8,
        )
    )  # fmt: skip
    load = model.add(fb.Payload("load", 1000.0, np.eye(3) * 50.0))
    model.connect(ground.frame_b, luff.frame_a)
    model.connect(ground.frame_b, foot.frame_a)
    model.connect(luff.frame_b, boom.frame_a)
    model.connect(boom.frame_b, load.frame_a)
    model.connect(foot.frame_b, ram.frame_a)
    model.connect(boom.station(3.0), ram.frame_b)
    names = ("load.mass", "boom.flexural_rigidity", "ram.bulk_modulus", "ram.leakage", "ram.friction")
    dae = fb.assemble(model, symbolic=names)
    t = np.arange(0, 2, 5e-3)
    valve = 0.3 * np.sin(2 * np.pi * 0.5 * t) + 0.15 * np.sign(np.sin(2 * np.pi * 1.7 * t))
    noise = {"luff.angle": 2e-4, "ram.pressure_a": 2e4, "ram.pressure_b": 2e4}
    point = fb.equilibrium(dae, x={"luff.angle": 0.5})
    x0 = dict(zip(dae.x.names, point.x.tolist(), strict=True))
    return Arm(dae, t, {"ram.valve": valve}, noise, {"ram.valve": 5e-3}, 50, x0)


ARMS: dict[str, Callable[[], Arm]] = {"two links": two_links, "six joints": six_joints, "crane": crane}


def coverage(arm: Arm, seeds: int, noisy_inputs: bool) -> tuple[float, float, float, int]:
    """Return the share of intervals that hold the truth, the worst mean in standard errors, CPU of a fit, warnings."""
    truth = np.array(arm.dae.p.start)
    noise = arm.noise | (arm.input_noise if noisy_inputs else {})
    held, estimates, taken, warned = [], [], [], 0
    for seed in range(seeds):
        record = arm.record(seed, noisy_inputs)
        began = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = fb.identify(arm.dae, record, arm.dae.p.names, noise)
        taken.append(time.process_time() - began)
        warned += bool(caught)
        intervals = np.array([fit.intervals[name] for name in arm.dae.p.names])
        held.append((intervals[:, 0] <= truth) & (truth <= intervals[:, 1]))
        estimates.append([fit.p[name] / value for name, value in zip(arm.dae.p.names, truth, strict=True)])
    bias = np.mean(estimates, axis=0) - 1
    errors = np.maximum(np.std(estimates, axis=0, ddof=1), 1e-300) / np.sqrt(seeds)
    return float(np.mean(held)), float(np.abs(bias / errors).max()), float(np.median(taken)), warned


def from_far(arm: Arm, starts: int, noisy_inputs: bool) -> tuple[int, float]:
    """Return how many of the starts reach the least cost, and CPU of a start."""
    rng, record = np.random.default_rng(0), arm.record(0, noisy_inputs)
    noise = arm.noise | (arm.input_noise if noisy_inputs else {})
    costs, began = [], time.process_time()
    for _ in range(starts):
        factors = 3 ** rng.uniform(-1, 1, len(arm.dae.p))
        guesses = [
            fb.Unknown(name, guess=float(value * factor))
            for name, value, factor in zip(arm.dae.p.names, arm.dae.p.start, factors, strict=True)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                costs.append(fb.identify(arm.dae, record, guesses, noise).cost)
            except fb.FlexblocksError:
                costs.append(np.inf)
    best = min(costs)
    return sum(cost < best + 1 for cost in costs), (time.process_time() - began) / starts


def by_hand(arm: Arm, record: fb.Record, guess: np.ndarray) -> float:
    """Return CPU of the same fit as one writes it: compiled Runge-Kutta steps, differences, SciPy."""
    step = fb.stepper(arm.dae, float(arm.t[1] - arm.t[0]), "rk4", substeps=arm.substeps)
    inputs = np.stack([arm.u[name] for name in arm.dae.u.names], axis=1)
    places, truth = [arm.dae.x.index(name) for name in arm.noise], np.array(arm.dae.p.start)
    measured = np.stack([record[name] for name in arm.noise], axis=1)
    deviations = np.array(list(arm.noise.values()))

    def residuals(z: np.ndarray) -> np.ndarray:
        states = step.rollout(arm.x0, inputs, truth * np.exp(z), threads=1)[0, :-1]
        return ((states[:, places] - measured) / deviations).ravel()

    began = time.process_time()
    least_squares(residuals, guess, x_scale="jac", ftol=1e-9)
    return time.process_time() - began


def times(arm: Arm) -> tuple[float, float, float]:
    """Return CPU of a fit from a start that is off by 30 %, once its code is compiled; by hand; of five records."""
    signs = np.where(np.arange(len(arm.dae.p)) % 2, -0.26, 0.26)
    record = arm.record(0, False)
    guesses = [
        fb.Unknown(name, guess=float(value * np.exp(sign)))
        for name, value, sign in zip(arm.dae.p.names, arm.dae.p.start, signs, strict=True)
    ]
    fb.identify(arm.dae, record, guesses, arm.noise)
    began = time.process_time()
    fb.identify(arm.dae, record, guesses, arm.noise)
    own = time.process_time() - began
    five = five_records(arm, guesses[:5])
    return own, by_hand(arm, record, signs), five


def five_records(arm: Arm, guesses: list[fb.Unknown]) -> float:
    """Return CPU of five records of 2 s with five unknowns."""
    t = np.arange(0, 2, float(arm.t[1] - arm.t[0]))
    u = {name: np.resize(series, len(t)) for name, series in arm.u.items()}
    longer = Arm(arm.dae, t, u, arm.noise, arm.input_noise, arm.substeps, arm.x0)
    records = [longer.record(seed, False, f"run {seed}") for seed in range(5)]
    fb.identify(arm.dae, records[0], guesses, arm.noise)
    began = time.process_time()
    fb.identify(arm.dae, records, guesses, arm.noise)
    return time.process_time() - began


def mismatch() -> None:
    """Print what fits say where the model is wrong."""
    arm = two_links()
    record = arm.record(0, False)
    plain = fb.Record(record.t, record.u, record.y)
    fewer = fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=arm.dae.p.names)
    print_fit(f"one mode less than the arm has, {len(fewer.x)} states for {len(arm.dae.x)}", fewer, plain, arm)
    t, motions = np.arange(0, 2, 2e-3), {}
    u = {"motor.torque": 1.2 * np.sin(2 * np.pi * 0.8 * t) + 0.5 * np.sin(2 * np.pi * 2.9 * t)}
    for kind in ("LuGre", "Coulomb"):
        motions[kind] = rubbed(kind)
    step = fb.stepper(motions["LuGre"], 2e-3, "rk4", substeps=50)
    states = step.rollout(U={"motor.torque": u["motor.torque"]})[0, :-1]
    angle = states[:, motions["LuGre"].x.index("joint.angle")]
    noisy = angle + 1e-4 * np.random.default_rng(0).normal(size=len(t))
    data = fb.Record(t, u, {"joint.angle": noisy})
    coulomb = Arm(motions["Coulomb"], t, u, {"joint.angle": 1e-4}, {}, 50, {})
    print_fit("friction of LuGre, identified as Coulomb's", motions["Coulomb"], data, coulomb)


def rubbed(kind: str) -> fb.DAE:
    """Return a link on a joint with friction."""
    model = fb.Model(f"link with friction of {kind}", gravity=(0, 0, 0))
    ground, motor, joint = (model.add(b) for b in (fb.Ground("ground"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
    friction = model.add(
        fb.Friction("friction", coulomb=0.3, viscous=0.05)
        if kind == "Coulomb"
        else fb.LuGreFriction("friction", 3e3, coulomb=0.3, breakaway=0.45, damping=5.0, viscous=0.05)
    )
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(motor.flange_b, joint.axis, friction.flange_b)
    return fb.assemble(model, symbolic=("friction.coulomb", "friction.viscous", "link.mass"))


def print_fit(title: str, dae: fb.DAE, record: fb.Record, arm: Arm) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = fb.identify(dae, record, dae.p.names, arm.noise)
    print(f"\n{title}:\n{fit}")


def excitation() -> None:
    """Print how well a planned motion determines parameters, beside chirps of the same length and torque."""
    names, noise, limit = ("payload.mass", "spring1.stiffness"), {"rotor1.angle": 1e-4, "joint1.angle": 1e-4}, 0.3
    dae = fb.assemble(models.subudhi_morris_2002(links=1, modes=1), symbolic=names)
    task = optim.RestToRest(
        start={"joint1.angle": 0.0}, goal={"joint1.angle": 0.5}, duration=0.8, limits={"motor1.torque": limit},
        objective=optim.Excitation(names, noise=noise) + 0.01 * optim.Effort(),
    )  # fmt: skip
    plan = optim.plan(dae, task, intervals=40)
    t = np.arange(0, 0.8, 1e-3)
    middle = t + (t[1] - t[0]) / 2
    torques = {"planned": np.interp(middle, plan.trajectory.t, plan.trajectory["motor1.torque"])}
    for highest in (5.0, 10.0, 20.0, 40.0):
        phase = 2 * np.pi * (0.5 * t + (highest - 0.5) * t**2 / (2 * t[-1]))
        torques[f"chirp from 0.5 to {highest:g} Hz"] = limit * np.sin(phase)
    relative: dict[str, np.ndarray] = {}
    for title, torque in torques.items():
        arm = Arm(dae, t, {"motor1.torque": torque}, noise, {}, 10, {})
        fit = fb.identify(dae, arm.record(0, False), names, noise)
        relative[title] = np.array([fit.deviations[name] / fit.p[name] for name in names])
        factors = ", ".join(f"{factor:.2f}" for factor in relative[title] / relative["planned"])
        listed = ", ".join(f"{name} {value:.2e}" for name, value in zip(names, relative[title], strict=True))
        volume = np.sqrt(np.linalg.det(fit.covariance)) / np.prod([fit.p[name] for name in names])
        print(f"{title}: relative deviations {listed}; {factors} times those planned; ellipse {volume:.2e}", flush=True)


PARTS_OF = ("coverage", "starts", "times", "mismatch", "excitation")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arms", nargs="*", help=f"of {', '.join(ARMS)}; all by default")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of noise, and as many starts (default: %(default)s)")
    parser.add_argument("--parts", nargs="+", choices=PARTS_OF, default=PARTS_OF, help="all by default")
    given = parser.parse_args()
    for name in given.arms or ARMS:
        arm = ARMS[name]()
        for noisy in (False, True):
            inputs = "noisy" if noisy else "exact"
            if "coverage" in given.parts:
                share, worst, taken, warned = coverage(arm, given.seeds, noisy)
                print(
                    f"{name}, {inputs} inputs, {given.seeds} seeds: {share:.1%} of the intervals hold the truth, the "
                    f"worst mean is {worst:.1f} standard errors off, {warned} fits warned, {taken:.2f} s of CPU a fit",
                    flush=True,
                )
            if "starts" in given.parts:
                good, each = from_far(arm, given.seeds, noisy)
                print(
                    f"{name}, {inputs} inputs: {good} of {given.seeds} starts within a factor of 3 reach the least "
                    f"cost, {each:.2f} s of CPU a start",
                    flush=True,
                )
        if "times" in given.parts:
            own, hand, five = times(arm)
            print(
                f"{name}, {len(arm.dae.p)} unknowns, {len(arm.t)} samples: {own:.2f} s of CPU from a start 30 % off, "
                f"by hand {hand:.2f} s, {hand / own:.1f} times as much; five records of 2 s, 5 unknowns: {five:.1f} s",
                flush=True,
            )
    if "mismatch" in given.parts and not given.arms:
        mismatch()
    if "excitation" in given.parts and not given.arms:
        excitation()


if __name__ == "__main__":
    main()
