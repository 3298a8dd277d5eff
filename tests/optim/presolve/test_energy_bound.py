"""Energy bound: no motion goes beyond it, and plans that cannot be are refused at once."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from arms.turns import INERTIA, hinge
from flexblocks import optim
from flexblocks.errors import FlexblocksError
from flexblocks.optim.collocation.transcription_options import TranscriptionOptions
from flexblocks.optim.errors import ProblemError
from flexblocks.optim.presolve.bounds import Limits
from flexblocks.optim.presolve.refusals.energy_bound import MARGIN, EnergyBound, energy_bound
from flexblocks.optim.presolve.transcribe import transcribe

TORQUE, ANGLE = "motor1.torque", "joint1.angle"


def bound_of(dae: fb.DAE, start: fb.OperatingPoint, goal: fb.OperatingPoint, largest: np.ndarray) -> EnergyBound | None:
    box = np.column_stack([-largest, largest])
    free = np.tile([-np.inf, np.inf], (len(dae.x), 1))
    return energy_bound(dae, Limits(free, (box, box)), start, goal)


@cache
def random_arm(seed: int) -> fb.DAE:
    """One to three driven joints about axes of any direction, links rigid or flexible, from grams to tons."""
    random = np.random.default_rng(seed)
    size = 10 ** random.uniform(-2, 1.3)  # m
    mass = size**2 * 10 ** random.uniform(-1, 2)  # kg
    model = fb.Model("random", gravity=(0.0, 0.0, -9.81) if random.random() < 0.5 else (0.0, 0.0, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(int(random.integers(1, 4))):
        joint = model.add(
            fb.Revolute(f"joint{i}", axis=random.normal(size=3), damping=random.choice([0.0, 0.01 * mass]))
        )
        motor, share = model.add(fb.TorqueSource(f"motor{i}")), random.uniform(0.3, 1.0)
        if random.random() < 0.5:
            thin = mass * size**2 / 12
            link = fb.RigidBody(
                f"link{i}", mass, inertia=np.diag([thin, thin, 1.5 * thin]), center=(size * share / 2, 0, 0),
                reach=(size * share, 0, 0),
            )  # fmt: skip
        else:
            link = fb.FlexibleBeam(
                f"link{i}", size * share, mass / size, 30 * mass * size**2, bending="yz", torsion=True,
                torsional_rigidity=10 * mass * size**2, polar_inertia=0.01 * mass * size,
                discretization=fb.AssumedModes(1, tip="free"),
            )  # fmt: skip
        model.add(link)
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    thin = mass * size**2
    model.connect(place, model.add(fb.Payload("payload", mass, inertia=np.diag([thin, thin, thin]) / 10)).frame_a)
    return fb.assemble(model)


def largest_share(seed: int) -> float | None:
    """Return how much of the bound a motion under random switching inputs takes at most; None if nothing is known."""
    dae, random = random_arm(seed), np.random.default_rng(seed + 1000)
    n = dae.tree.size
    joints = [name for name in dae.q_names if name.startswith("joint")]
    try:
        start = fb.equilibrium(dae, {name: random.uniform(-1, 1) for name in joints})
    except FlexblocksError:
        return None
    inertia = np.abs(np.diag(dae.mass_matrix(start.x[:n], start.p).full())).max()
    duration = float(10 ** random.uniform(-1.5, 0.5))
    largest = np.abs(start.u) + inertia / duration**2 * 10 ** random.uniform(-2, 0.3, len(dae.u))
    bound = bound_of(dae, start, start, largest)
    assert bound is not None
    times = np.linspace(0.0, duration, 41)
    inputs = {}
    for name, most in zip(dae.u.names, largest, strict=True):
        switches = np.sort(random.uniform(0, duration, int(random.integers(0, 4)))).tolist()
        signs = random.choice([-1.0, 1.0], len(switches) + 1)
        inputs[name] = fb.piecewise_constant([0.0, *switches], (most * signs).tolist())
    try:
        run = fb.simulate(dae, times, u=inputs, x0=start.x, rtol=1e-6, atol=1e-8, max_steps=20000)
    except fb.SimulationError:
        return None
    # From the start to where it is then, by coordinates and by the momentum.
    moved = np.abs(run.x[1:, :n] - start.x[:n])
    arrived = fb.OperatingPoint(
        dae.x.names, (), dae.u.names, (), run.x[-1], np.zeros(0), start.u, np.zeros(0), np.zeros(0)
    )
    there = bound_of(dae, start, arrived, largest)
    allowed = np.array([bound.travel(t) for t in times[1:].tolist()])
    return max(float(np.max(moved / np.maximum(allowed, 1e-300))), there.way / there.length(duration))


def check_random_motions(seeds: range) -> None:
    shares = [share for share in map(largest_share, seeds) if share is not None]
    assert len(shares) > 0.6 * len(seeds)
    # Without its margin of ten: one joint under full torque is at the bound, whose largest values are samples.
    assert max(shares) < 1.05
    assert max(shares) > 0.05


@pytest.mark.slow
def test_no_random_motion_goes_beyond_it() -> None:
    check_random_motions(range(3))


def test_of_one_inertia_it_is_the_closed_form() -> None:
    dae = hinge()
    start, goal = (fb.equilibrium(dae, {ANGLE: angle}) for angle in (0.2, 1.7))
    bound = bound_of(dae, start, goal, np.array([0.6]))
    # Full torque all the time: u T^2 / (2 I); the plan has to brake, too, and takes 2 sqrt(I d / u).
    assert bound.travel(0.5)[0] == pytest.approx(0.6 * 0.25 / (2 * INERTIA), rel=1e-9)
    assert bound.shortest == pytest.approx(np.sqrt(2 * INERTIA * 1.5 / 0.6), rel=1e-9)


@pytest.mark.parametrize("longer", [1.001, 1.5])
def test_plans_that_are_just_possible_pass(longer: float) -> None:
    duration = longer * 2 * np.sqrt(1.5 * INERTIA / 0.6)
    problem = optim.RestToRest(start={ANGLE: 0.2}, goal={ANGLE: 1.7}, duration=duration, limits={TORQUE: 0.6})
    transcribe(hinge(), problem, TranscriptionOptions(intervals=10))


@pytest.mark.parametrize(("links", "duration"), [(1, 0.05), (2, (0.01, 0.05))])
def test_plans_that_cannot_be_are_refused_at_once(links: int, duration: object) -> None:
    dae = subudhi_morris(links=links)
    rest = {f"joint{i + 1}.angle": 0.0 for i in range(links)}
    problem = optim.RestToRest(
        start=rest, goal=rest | {ANGLE: 1.0}, duration=duration, limits=dict.fromkeys(dae.u.names, 0.01)
    )
    with pytest.raises(
        ProblemError,
        match=r"cannot be reached from 0 within 0\.05 s: .*motor1\.torque at most 0\.01 N m.* need more than",
    ):
        transcribe(dae, problem, TranscriptionOptions(intervals=20))


def test_a_crane_that_cannot_slew_in_time_is_refused() -> None:
    """Tons and metres: 1 t at 12 m turned by a right angle in 0.04 s, with a torque for seconds."""
    model = fb.Model("crane", gravity=(0.0, 0.0, -9.81))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    boom = model.add(
        fb.FlexibleBeam("boom", 12.0, 60.0, 3e8, bending="yz", discretization=fb.AssumedModes(2, tip="auto"))
    )
    model.connect(model.add(fb.TorqueSource("motor", limit=1e5)).flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, boom.frame_a)
    model.connect(boom.frame_b, model.add(fb.Payload("load", 1000.0, inertia=(50.0, 50.0, 50.0))).frame_a)
    dae = fb.assemble(model)
    slew = {"start": {"joint.angle": 0.0}, "goal": {"joint.angle": 1.5}}
    with pytest.raises(ProblemError, match="of the way in that time"):
        transcribe(dae, optim.RestToRest(**slew, duration=0.04), TranscriptionOptions(intervals=10))
    transcribe(dae, optim.RestToRest(**slew, duration=6.0), TranscriptionOptions(intervals=10))


@pytest.mark.parametrize("what", ["unlimited", "servo", "friction"])
def test_nothing_is_known_where_power_has_other_sources(what: str) -> None:
    model = fb.Model("drive")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    link = model.add(fb.RigidLink("link", 0.5, 1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    source = fb.PDServo("servo", 100.0, 1.0) if what == "servo" else fb.TorqueSource("motor")
    model.connect(model.add(source).flange_b, joint.axis)
    if what == "friction":
        model.connect(model.add(fb.Friction("friction", coulomb=0.1)).flange_b, joint.axis)
    dae = fb.assemble(model)
    start = fb.equilibrium(dae)
    assert bound_of(dae, start, start, np.array([np.inf if what == "unlimited" else 1.0])) is None
    assert MARGIN > 1
