"""Model predictive control in real time: what it plans is what happens, limits hold, nothing gets lost."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, optim
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError

SAMPLE = 0.01
START = {"joint1.angle": 0.4}
LINEAR = fb.AssumedModes(1)


@cache
def arm(mass: float = 0.2, gravity: float = 9.81, beam: fb.Discretization = LINEAR) -> DAE:
    """Return one flexible link with a motor on its joint, hanging on weight."""
    model = fb.Model("lever", gravity=(0.0, -gravity, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor, rotor = model.add(fb.TorqueSource("motor1", limit=6.0)), model.add(fb.Rotor("rotor1", inertia=0.02))
    link = model.add(
        fb.FlexibleBeam(
            "link1", length=0.6, linear_density=0.4, flexural_rigidity=6.0, discretization=beam, damping_ratio=0.02,
        )
    )  # fmt: skip
    load = model.add(fb.Payload("payload", mass=mass, inertia=0.001))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    return fb.assemble(model)


@cache
def law(goal: float | None = 0.3, **options: object) -> optim.MPC:
    """Return the law that moves the tip to a height."""
    chosen = {key: dict(value) if isinstance(value, tuple) else value for key, value in options.items()}
    task = optim.Tracking({"payload.y": goal}, tolerance=2e-3)
    return optim.MPC(arm(), task, SAMPLE, 0.6, 8, at=START, **chosen)  # type: ignore[arg-type]


@cache
def run(end: float = 1.0, mass: float = 0.2, **options: object) -> fb.Trajectory:
    """Return a run of the arm, with another payload than the law knows."""
    loop = control.close_loop(arm(mass), law(**options))
    return fb.simulate(loop, np.linspace(0.0, end, round(end / SAMPLE) + 1), x0=START)


def test_the_tip_comes_to_rest_at_its_reference_against_weight() -> None:
    """Effort counts from what holds the arm, so that there is no offset."""
    motion = run()
    assert abs(motion["payload.y"][-1] - 0.3) < 1e-4
    assert abs(motion["der(joint1.angle)"][-1]) < 1e-3


@pytest.mark.slow
def test_a_payload_that_it_does_not_know_leaves_no_offset_with_an_estimate_alone() -> None:
    estimated, plain = run(mass=0.26, end=2.0), run(mass=0.26, end=2.0, disturbance_time=None)
    assert abs(estimated["payload.y"][-1] - 0.3) < 5e-4
    assert abs(plain["payload.y"][-1] - 0.3) > 1e-3


def desk_arm(payload: float) -> DAE:
    """Return two links of 22 cm that bend at 26 Hz with a payload of 20 g, and at 29 Hz with half of it."""
    model = fb.Model("desk arm")
    at = model.add(fb.Ground("ground")).frame_b
    parts = zip((0.12, 0.1), (0.12, 0.1), (0.05, 0.03), (0.06, 0.03), (3e-5, 1.5e-5), strict=True)
    for i, (length, density, rigidity, limit, inertia) in enumerate(parts, 1):
        joint = model.add(fb.Revolute(f"joint{i}", axis=(0, 0, 1)))
        motor, rotor = model.add(fb.TorqueSource(f"motor{i}", limit=limit)), model.add(fb.Rotor(f"rotor{i}", inertia))
        beam = fb.FlexibleBeam(
            f"link{i}", length=length, linear_density=density, flexural_rigidity=rigidity,
            discretization=fb.AssumedModes(1), damping_ratio=0.01,
        )  # fmt: skip
        link = model.add(beam)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, joint.axis)
        model.connect(at, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        at = link.frame_b
    model.connect(at, model.add(fb.Payload("payload", mass=payload, inertia=4.84e-5 * payload)).frame_a)
    return fb.assemble(model)


def test_half_the_payload_leaves_vibrations_damped() -> None:
    """A regulator of the tip alone, without weights of vibrations, loses the first bending mode of this arm."""
    start = {"joint1.angle": 0.4, "joint2.angle": 0.8}
    task = optim.Tracking({"payload.x": 0.11, "payload.y": 0.075}, tolerance=4.4e-4)
    mpc = optim.MPC(desk_arm(0.02), task, 2e-3, 0.25, 15, at=start)
    run = fb.simulate(control.close_loop(desk_arm(0.01), mpc), np.linspace(0.0, 0.7, 351), x0=start)
    late = run.t > 0.5
    assert np.ptp(run["motor1.torque"][late]) < 1e-3 * 0.06
    assert np.hypot(run["payload.x"] - 0.11, run["payload.y"] - 0.075)[late].max() < 4.4e-4


def test_what_is_planned_is_what_happens() -> None:
    """With a reference known ahead and the right model, the state expected at the next sample is found there."""
    motion = run()
    assert np.abs(motion["mpc.force.joint1.angle"]).max() < 5e-3 * 6.0


@pytest.mark.slow
def test_inputs_and_their_rates_stay_within_their_limits() -> None:
    motion = run(limits=(("motor1.torque", 3.0),), rates=(("motor1.torque", 40.0),))
    torque = motion["held.motor1.torque"]
    assert np.abs(torque).max() <= 3.0 + 1e-12
    assert np.abs(np.diff(torque)).max() <= 40.0 * SAMPLE + 1e-9
    assert abs(motion["payload.y"][-1] - 0.3) < 2e-3


@pytest.mark.slow
def test_limits_on_states_are_kept_where_they_can_be() -> None:
    free, limited = run(), run(end=2.0, limits=(("der(joint1.angle)", 0.3),))
    assert np.abs(free["der(joint1.angle)"]).max() > 0.5
    assert np.abs(limited["der(joint1.angle)"]).max() < 0.35
    assert abs(limited["payload.y"][-1] - 0.3) < 1e-3


@pytest.mark.parametrize("samples", [pytest.param(2.0, marks=pytest.mark.slow), 1.5, 0.4])
def test_commands_that_arrive_later_are_predicted_over(samples: float) -> None:
    """A sine is tracked as without a delay, and each sample finds the state that was expected: there is no force."""

    def motion(delay: float) -> fb.Trajectory:
        task = optim.Tracking({"payload.y": lambda t: 0.25 + 0.05 * np.sin(4.0 * t)}, tolerance=2e-3)
        delayed = optim.MPC(arm(), task, SAMPLE, 0.6, 8, at=START, delay=delay)
        return fb.simulate(control.close_loop(arm(), delayed), SAMPLE * np.arange(161), x0=START, rtol=1e-7)

    found, without = motion(samples * SAMPLE), motion(0.0)
    assert np.all(found["motor1.torque"][: int(np.ceil(samples))] == 0.0)
    late = found.t > 0.8
    off, best = (
        np.abs(each["payload.y"] - 0.25 - 0.05 * np.sin(4.0 * each.t))[late].max() for each in (found, without)
    )
    assert off < 1.5 * best < 1e-4
    assert np.abs(found["mpc.force.joint1.angle"][late]).max() < 1e-5 * 6.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:MPC. at. payload.x")
def test_two_solvers_of_the_quadratic_programme_command_the_same() -> None:
    """HPIPM on the states and inputs, and the library's own method on the inputs alone; one limit cannot be kept."""
    limits, rates = (("der(joint1.angle)", 0.4), ("payload.x", (-np.inf, 0.45))), (("motor1.torque", 200.0),)
    ways = [run(end=0.2, solver=solver, limits=limits, rates=rates) for solver in ("condensed", "hpipm")]
    one, other = (way["held.motor1.torque"] for way in ways)
    assert np.abs(one[:6] - other[:6]).max() < 1e-3


@pytest.mark.slow
def test_active_sets_and_an_interior_point_method_command_the_same_at_limits() -> None:
    ways = [run(end=0.15, solver=solver, limits=(("motor1.torque", 2.2),)) for solver in ("condensed", "hpipm")]
    one, other = (way["held.motor1.torque"] for way in ways)
    assert np.any(np.abs(one) > 2.199)
    assert np.abs(one - other).max() < 1e-3


@pytest.mark.slow
def test_references_known_ahead_are_met_in_time() -> None:
    def height(t: float) -> object:
        return 0.2 + 0.1 * np.sin(3.0 * t)

    task = optim.Tracking({"payload.y": height}, tolerance=2e-3)
    known = optim.MPC(arm(), task, SAMPLE, 0.6, 8, at=START)
    motion = fb.simulate(control.close_loop(arm(), known), (0.0, 3.0), x0=START)
    late = motion.t > 1.5
    assert np.abs(motion["payload.y"] - 0.2 - 0.1 * np.sin(3.0 * motion.t))[late].max() < 2e-3
    samples = np.linspace(0.0, 3.0, 61)
    same = optim.MPC(arm(), optim.Tracking({"payload.y": (samples, height(samples))}, tolerance=2e-3), SAMPLE, 0.6, 8)
    assert same.objective.paths["payload.y"] is not None


def test_runs_copies_and_pickles_are_independent() -> None:
    loop = control.close_loop(arm(), law(goal=None))
    low, high = ({"reference.payload.y": height} for height in (0.1, 0.3))
    alone = fb.simulate(loop, (0.0, 0.3), u=low, x0=START)
    fb.simulate(loop, (0.0, 0.1), u=high, x0=START)
    again = fb.simulate(pickle.loads(pickle.dumps(loop)), (0.0, 0.3), u=low, x0=START)
    assert np.array_equal(alone.x, again.x)
    # Two ways on from one state.
    middle = fb.simulate(loop, (0.0, 0.1), u=low, x0=START).x[-1]
    onward = [fb.simulate(loop, (0.1, 0.3), u=u, x0=middle)["payload.y"] for u in (low, high, low)]
    assert np.array_equal(onward[0], onward[2])
    assert not np.array_equal(onward[0], onward[1])


def test_a_plan_that_is_gone_begins_anew_and_is_counted() -> None:
    loop = control.close_loop(arm(), law())
    x = fb.simulate(loop, (0.0, 0.1), x0=START).x[-1]
    x[loop.x.index("mpc.memory")] += 5.0
    motion = fb.simulate(loop, (0.1, 1.0), x0=x)
    assert law().report(motion).fallbacks["resets"] == 1
    assert abs(motion["payload.y"][-1] - 0.3) < 1e-3


@pytest.mark.parametrize("height", [2.0, -3.0])
def test_a_reference_out_of_reach_stretches_the_arm_towards_it(height: float) -> None:
    """And what it can reach afterwards, it reaches. Modes of linear theory lengthen a beam that bends; these do not."""
    dae = arm(beam=fb.StrainModes(1))
    mpc = optim.MPC(dae, optim.Tracking({"payload.y": None}, tolerance=2e-3), SAMPLE, 0.6, 8, at=START)
    goals = fb.piecewise_constant([0.0, 1.5], [height, 0.3])
    motion = fb.simulate(control.close_loop(dae, mpc), (0.0, 3.0), u={"reference.payload.y": goals}, x0=START)
    waiting = (motion.t > 1.2) & (motion.t < 1.5)
    assert np.abs(motion["payload.y"][waiting] - np.sign(height) * 0.6).max() < 2e-3
    assert abs(motion["payload.y"][-1] - 0.3) < 5e-3
    assert not mpc.report(motion).lost


def test_a_measurement_that_is_no_number_leaves_the_last_command() -> None:
    iteration = law().iteration
    state, x = np.zeros(len(law().states)), arm().x.values(START)
    state, command = iteration(state, x, [0.0], [])
    after, kept = iteration(state, np.full(len(x), np.nan), [0.0], [])
    assert float(kept) == float(command)
    unknown = law().states.index("mpc.unknown_samples")
    assert float(after[unknown]) == 1.0


def test_behind_an_observer_it_predicts_over_whole_samples() -> None:
    """And what samples it delays by as much; a delay that ends between samples is refused."""
    noise, at = {"joint1.angle": 1e-4}, fb.equilibrium(arm(), x=START)

    def loop(delay: float) -> DAE:
        delayed = optim.MPC(arm(), TASK, SAMPLE, 0.6, 8, at=START, delay=delay)
        kalman = control.SampledKalman([*noise], noise=noise, process={"motor1.torque": 0.1}, sample_time=SAMPLE, at=at)
        return control.close_loop(arm(), control.Sampled(control.OutputFeedback(delayed, kalman), SAMPLE))

    motion = fb.simulate(loop(2 * SAMPLE), (0.0, 1.5), x0=dict(zip(arm().x.names, at.x, strict=True)))
    assert "held.pending[2].motor1.torque" in motion.names["x"]
    assert abs(motion["payload.y"][-1] - 0.3) < 5e-3
    with pytest.raises(FlexblocksError, match="must be whole samples"):
        loop(1.5 * SAMPLE)


@pytest.mark.slow
def test_it_acts_on_estimates_of_an_observer() -> None:
    """In one loop with a sampled Kalman filter on noisy encoder and accelerometer-free measurements."""
    measured = {"joint1.angle": 1e-4, "link1.tip_deflection_y": 1e-4}
    start = fb.equilibrium(arm(), x=START)
    kalman = control.SampledKalman(
        list(measured), noise=measured, process={"motor1.torque": 1e-3}, at=start, sample_time=SAMPLE
    )
    feedback = control.Sampled(control.OutputFeedback(law(), kalman), SAMPLE)
    sensors = [control.Sensor(name, noise=deviation) for name, deviation in measured.items()]
    loop = control.close_loop(arm(), feedback, sensors=sensors)
    motion = fb.simulate(loop, (0.0, 1.5), x0=START)
    assert abs(motion["payload.y"][-1] - 0.3) < 5e-3


def test_the_report_tells_counts_and_times() -> None:
    report = law().report(run())
    assert report.steps == 100
    assert 0.0 <= report.saturated <= 1.0
    assert report.most_qp_iterations >= report.qp_iterations > 0
    assert len(report.times) == 0 or report.median_time > 0
    assert "fall-backs: none" in str(report)
    with pytest.raises(FlexblocksError, match="must be a run of a loop with this MPC"):
        law().report(fb.simulate(arm(), (0.0, 0.1)))


def test_the_law_pickles() -> None:
    again = pickle.loads(pickle.dumps(law()))
    assert again._setup.source() == law()._setup.source()


TASK = optim.Tracking({"payload.y": 0.3}, tolerance=1e-3)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((optim.Effort(), SAMPLE, 0.6), {}, "must be an optim.Tracking"),
        ((TASK, SAMPLE, 0.05), {}, "is shorter than 20 intervals"),
        ((TASK, -1.0, 0.6), {}, "sample_time = -1.0"),
        ((TASK, SAMPLE, 0.6), {"intervals": 1}, "must be a whole number >= 2"),
        ((TASK, SAMPLE, 0.6), {"delay": -0.004}, "must be a number"),
        ((TASK, SAMPLE, 0.6), {"solver": "osqp"}, "must be one of condensed, hpipm"),
        ((TASK, SAMPLE, 0.6), {"limits": {"payload.y": (1.0, 0.0)}}, "low < high"),
        ((TASK, SAMPLE, 0.6), {"limits": {"payload.q": 1.0}}, "There is no 'payload.q'"),
        ((TASK, SAMPLE, 0.6), {"rates": {"motor2.torque": 1.0}}, "it drives motor1.torque"),
        ((TASK, SAMPLE, 0.6), {"effort": -1.0}, "must be a number > 0"),
        ((TASK, SAMPLE, 0.6), {"inputs": ["motor2.torque"]}, "motor2.torque"),
        ((optim.Tracking({"motor1.torque": 0.0}), SAMPLE, 0.6), {}, "depends on more than states"),
        ((TASK, "x", 0.6), {}, "sample_time = 'x'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: tuple, options: dict, message: str) -> None:
    with pytest.raises(FlexblocksError, match=message):
        optim.MPC(arm(), *arguments, **options)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (lambda t: {}[t], "fails on a CasADi symbol"),
        ((np.arange(3), np.arange(2)), r"\(times, values\)"),
        (lambda t: float("nan"), "must be one finite number"),
    ],
)
def test_references_that_cannot_be_known_ahead_are_refused(path: object, message: str) -> None:
    with pytest.raises(FlexblocksError, match=message):
        optim.MPC(arm(), optim.Tracking({"payload.y": path}, tolerance=1e-3), SAMPLE, 0.6)


def test_loops_with_it_are_refused_where_derivatives_are_needed() -> None:
    loop = control.close_loop(arm(), law())
    for verb in (fb.linearize, fb.equilibrium):
        with pytest.raises(FlexblocksError, match="acts at sample times only"):
            verb(loop)


def test_sampled_loops_are_no_prediction_models() -> None:
    loop = control.close_loop(arm(), law())
    with pytest.raises(FlexblocksError, match="acts at sample times only"):
        optim.MPC(loop, TASK, SAMPLE, 0.6)


@pytest.mark.slow
def test_what_is_prescribed_is_estimated_as_a_force() -> None:
    """A base that rocks beneath the arm, as a ship's does."""
    model = fb.Model("crane on deck")
    rock, joint = model.add(fb.Revolute("rock", axis=(0, 0, 1))), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor, rotor = model.add(fb.TorqueSource("motor1", limit=6.0)), model.add(fb.Rotor("rotor1", inertia=0.02))
    deck, link = model.add(fb.RigidLink("deck", 0.5, mass=1.0)), model.add(fb.RigidLink("link1", 0.6, mass=0.4))
    model.connect(model.add(fb.Ground("ground")).frame_b, rock.frame_a)
    model.connect(rock.frame_b, deck.frame_a)
    model.connect(deck.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, joint.axis)
    dae = fb.assemble(model, prescribed="rock.angle")
    task = optim.Tracking({"joint1.angle": 0.5}, tolerance=5e-3)
    loop = control.close_loop(dae, optim.MPC(dae, task, SAMPLE, 0.6, 8, inputs="motor1.torque"))
    motion = fb.simulate(loop, (0.0, 2.0), {"rock.angle": lambda t: 0.2 * np.sin(2.0 * t)})
    assert np.abs(motion["joint1.angle"][motion.t > 1.0] - 0.5).max() < 5e-3


@pytest.mark.slow
def test_a_floating_arm_comes_to_its_angle_without_momentum() -> None:
    model = fb.Model("free flyer")
    base, hull = model.add(fb.FreeMotion("base")), model.add(fb.RigidBody("hull", 10.0, inertia=(1.0, 1.0, 1.0)))
    joint, link = model.add(fb.Revolute("joint1", axis=(0, 0, 1))), model.add(fb.RigidLink("link1", 1.0, mass=2.0))
    motor, load = model.add(fb.TorqueSource("motor1", limit=6.0)), model.add(fb.Payload("payload", mass=1.0))
    model.add(fb.TotalMomentum("sum"))
    model.connect(model.add(fb.Ground("ground")).frame_b, base.frame_a)
    model.connect(base.frame_b, hull.frame_a)
    model.connect(hull.frame_a, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    model.connect(motor.flange_b, joint.axis)
    dae = fb.assemble(model)
    task = optim.Tracking({"joint1.angle": 0.8}, tolerance=5e-3)
    motion = fb.simulate(control.close_loop(dae, optim.MPC(dae, task, 0.02, 2.0, 10)), (0.0, 6.0), rtol=1e-7)
    assert abs(motion["joint1.angle"][-1] - 0.8) < 1e-3
    assert np.ptp(motion["base.rotation_z"]) > 0.1
    assert max(np.abs(motion[f"sum.angular_momentum_{axis}"]).max() for axis in "xyz") < 1e-6
