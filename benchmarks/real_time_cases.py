"""Random cases that a receding horizon has to survive: what happens to three arms, and whether they are lost.

A run is lost if a number is not finite, or two seconds after the last event the tip is farther than a twentieth of the
reach from the nearest place that it can reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import flexblocks as fb
from flexblocks import control, optim
from flexblocks.dae.dae import DAE

SETTLING = 2.0  # s after the last event
LOST = 0.05  # of the reach


@dataclass(frozen=True)
class Arm:
    """A planar arm of flexible links with motors on its joints.

    Attributes
    ----------
    lengths, densities, rigidities : tuple of float
        Of its links [m, kg/m, N m2].
    payload : float
        [kg]
    torques : tuple of float
        Limits of the motors [N m].
    rotors : tuple of float
        [kg m2]
    gravity : float
        [m/s2], along -y.
    sample_time, horizon : float
        [s]
    angles : tuple of float
        Start [rad].
    pace : float
        Of the events: times are multiples of it [s].
    """

    lengths: tuple[float, ...]
    densities: tuple[float, ...]
    rigidities: tuple[float, ...]
    payload: float
    torques: tuple[float, ...]
    rotors: tuple[float, ...]
    gravity: float
    sample_time: float
    horizon: float
    angles: tuple[float, ...]
    pace: float = 1.0

    @property
    def reach(self) -> float:
        """[m]"""
        return sum(self.lengths)


THREE_LINKS = Arm(
    (0.4, 0.35, 0.25), (0.3, 0.25, 0.2), (6.0, 4.0, 2.0), 0.1, (6.0, 3.0, 1.0), (0.03, 0.015, 0.005), 0.0, 5e-3, 0.6,
    (0.3, 0.6, 0.5),
)  # fmt: skip
CRANE = Arm(
    (11.0, 9.0), (60.0, 35.0), (4e7, 1.5e7), 400.0, (6e5, 2e5), (6e4, 2e4), 9.81, 0.02, 4.0, (0.9, -0.8), 5.0
)  # fmt: skip
DESK = Arm((0.12, 0.1), (0.12, 0.1), (0.05, 0.03), 0.02, (0.06, 0.03), (3e-5, 1.5e-5), 0.0, 2e-3, 0.25, (0.4, 0.8), 0.5)
ARMS = {"three links": THREE_LINKS, "crane": CRANE, "desk": DESK}


@cache
def assembled(arm: Arm, share: float = 1.0) -> DAE:
    """Return the arm with a share of its payload, compiled."""
    model = fb.Model(f"{len(arm.lengths)} links of {arm.reach:g} m", gravity=(0.0, -arm.gravity, 0.0))
    at = model.add(fb.Ground("ground")).frame_b
    for i, length in enumerate(arm.lengths, 1):
        joint = model.add(fb.Revolute(f"joint{i}", axis=(0, 0, 1)))
        motor = model.add(fb.TorqueSource(f"motor{i}", limit=arm.torques[i - 1]))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=arm.rotors[i - 1]))
        link = model.add(
            fb.FlexibleBeam(
                f"link{i}", length=length, linear_density=arm.densities[i - 1], flexural_rigidity=arm.rigidities[i - 1],
                discretization=fb.AssumedModes(1), damping_ratio=0.01,
            )
        )  # fmt: skip
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, joint.axis)
        model.connect(at, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        at = link.frame_b
    payload = model.add(fb.Payload("payload", mass=arm.payload * share, inertia=1e-3 * arm.payload * arm.reach**2))
    model.connect(at, payload.frame_a)
    return fb.assemble(model).compile()


def start_of(arm: Arm) -> dict[str, float]:
    """Return the start by joint."""
    return {f"joint{i}.angle": angle for i, angle in enumerate(arm.angles, 1)}


@cache
def law_of(arm: Arm, delay: int) -> optim.MPC:
    """Return the law of an arm: its tip follows references that are known only as they come."""
    task = optim.Tracking({"payload.x": None, "payload.y": None}, tolerance=2e-3 * arm.reach)
    return optim.MPC(
        assembled(arm), task, arm.sample_time, arm.horizon, 15, at=start_of(arm), delay=delay * arm.sample_time
    )


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    Attributes
    ----------
    kind, arm : str
    seed : int
    miss : float
        Distance from the nearest place that can be reached at the end, as a share of the reach.
    lost : bool
    report : str
    """

    kind: str
    arm: str
    seed: int
    miss: float
    lost: bool
    report: str


KINDS = ("unreachable", "jumps", "payload", "push", "noise")


def case(name: str, kind: str, seed: int) -> Outcome:
    """Return the outcome of one random case of a kind."""
    arm, rng = ARMS[name], np.random.default_rng([seed, KINDS.index(kind), list(ARMS).index(name)])
    share = rng.uniform(0.5, 1.5) if kind == "payload" else 1.0
    plant, law = assembled(arm, share), law_of(arm, 1 if kind == "noise" else 0)
    sensors = []
    if kind == "noise":
        n = plant.tree.size
        sizes = [1.0 if unit.startswith("rad") else arm.reach for unit in plant.x.units]
        sensors = [
            control.Sensor(state, noise=(2e-5 if i < n else 2e-3) * sizes[i]) for i, state in enumerate(plant.x.names)
        ]
    loop = control.close_loop(plant, law, sensors=sensors).compile()
    # References: somewhere in reach, or out of it; several, jumping.
    count = 3 if kind in ("jumps", "unreachable") else 1
    radii = rng.uniform(0.35, 0.85, count) * arm.reach
    if kind == "unreachable":
        radii = rng.uniform(0.9, 1.6, count) * arm.reach
    base = sum(arm.angles[:1])
    directions = base + rng.uniform(-1.5, 1.5, count)
    if arm.gravity:  # above the ground
        directions = rng.uniform(0.1, 1.2, count)
    goals = np.column_stack([radii * np.cos(directions), radii * np.sin(directions)])
    times = arm.pace * np.arange(count)
    end = float(times[-1] + max(SETTLING, 2 * arm.pace))
    u = {
        f"reference.payload.{axis}": fb.piecewise_constant(times.tolist(), goals[:, i].tolist())
        for i, axis in enumerate("xy")
    }
    x = plant_start(arm, loop)
    legs = [(0.0, end)]
    if kind == "push":
        legs = [(0.0, end / 2), (end / 2, end / 2 + max(SETTLING, 2 * arm.pace))]
    run = None
    try:
        for leg in legs:
            if run is not None:
                x = pushed(arm, loop, run.x[-1], rng)
            run = fb.simulate(loop, leg, u=u, x0=x, seed=seed, max_steps=400_000, progress=False)
    except fb.errors.ComputationError as error:
        return Outcome(kind, name, seed, np.inf, True, f"{str(error)[:150]}")
    assert run is not None
    tip = np.array([run["payload.x"][-1], run["payload.y"][-1]])
    goal = goals[-1] * min(1.0, 0.995 * arm.reach / np.linalg.norm(goals[-1]))
    miss = float(np.linalg.norm(tip - goal)) / arm.reach
    return Outcome(kind, name, seed, miss, not miss < LOST, str(law.report(run)))


def plant_start(arm: Arm, loop: DAE) -> np.ndarray:
    """Return the start of a loop."""
    return loop.x.values(start_of(arm))


def pushed(arm: Arm, loop: DAE, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a state in which the tip is half a reach a second faster, about the first joint, either way."""
    x = x.copy()
    i = loop.x.names.index("der(joint1.angle)")
    x[i] += rng.choice([-1.0, 1.0]) * 0.5 * (1.0 if arm.pace == 1.0 else 1.0 / arm.pace if arm.pace < 1 else 0.2)
    return x
