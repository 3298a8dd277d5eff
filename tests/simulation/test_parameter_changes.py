"""Parameters that change in a run: rates jump by the impulse of a load at rest, energies are kept, all else goes on."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.linkages import RIGID
from arms.random_arms import arms
from flexblocks import control, models
from flexblocks.constraints.parameter_changes import after_change
from flexblocks.errors import ParameterError

TAKEN = fb.piecewise_constant([0.0, 1.0], [0.0, 2.0])


@cache
def slide_with_load():
    """A carriage of 3 kg on a level slide, with a load whose mass stays open."""
    model = fb.Model("slide", gravity=(0.0, 0.0, -9.81))
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(1, 0, 0)))
    carriage, load = model.add(fb.LumpedMass("carriage", mass=3.0)), model.add(fb.Payload("load", mass=0.0))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, carriage.frame_a, load.frame_a)
    return fb.assemble(model, symbolic=("load.mass",))


@cache
def turning_rod():
    model = fb.Model("arm")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod, load = model.add(fb.RigidLink("rod", length=1.0, mass=3.0)), model.add(fb.Payload("load", mass=0.0))
    motor = model.add(fb.TorqueSource("motor"))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    return fb.assemble(model, symbolic=("load.mass",))


@cache
def flexible_arm():
    return fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))


@pytest.mark.parametrize("options", [{}, {"method": "bdf"}, {"method": "rk4", "step": 0.05}, {"method": "implicit"}])
def test_a_sliding_mass_takes_up_a_mass_at_rest(options):
    """M v = (M + m) v': 3 kg at 2 m/s become 5 kg at 1.2 m/s, and lose half m M/(m + M) v^2."""
    run = fb.simulate(
        slide_with_load(),
        (0.0, 2.0),
        x0={"der(slide.displacement)": 2.0},
        p={"load.mass": TAKEN},
        pick_up="impact",
        **options,
    )
    before = run.t < 1.0
    np.testing.assert_allclose(run["der(slide.displacement)"][before], 2.0, rtol=1e-9)
    np.testing.assert_allclose(run["der(slide.displacement)"][~before], 1.2, rtol=1e-9)
    np.testing.assert_allclose(run["slide.displacement"][-1], 2.0 + 1.2, rtol=1e-9)
    (change,) = run.changes
    assert change.time == 1.0
    assert change.parameters == {"load.mass": (0.0, 2.0)}
    assert change.energy_jump == pytest.approx(-0.5 * 3.0 * 2.0 / 5.0 * 2.0**2, rel=1e-9)
    np.testing.assert_allclose(run["kinetic_energy"][~before], 0.5 * 5.0 * 1.2**2, rtol=1e-9)
    assert "load.mass 0 -> 2 at t = 1 s" in str(run)


def test_a_load_that_moves_with_the_gripper_leaves_the_rates():
    """As two runs by hand, the second from where the first ended."""
    dae, u = turning_rod(), {"motor.torque": 1.0}
    first = fb.simulate(dae, (0.0, 1.0), u, p={"load.mass": 0.0})
    second = fb.simulate(dae, (1.0, 2.0), u, p={"load.mass": 2.0}, x0=first.x[-1])
    run = fb.simulate(dae, (0.0, 2.0), u, p={"load.mass": TAKEN})
    np.testing.assert_allclose(run.x[-1], second.x[-1], rtol=1e-8)
    # At rest it is slowed to J/(J + m l^2) of its rate.
    slowed = fb.simulate(dae, (0.0, 2.0), u, p={"load.mass": TAKEN}, pick_up="impact")
    at = np.searchsorted(slowed.t, 1.0)
    assert slowed["der(hinge.angle)"][at] == pytest.approx(first["der(hinge.angle)"][-1] / 3.0, rel=1e-8)


def test_a_rotor_takes_up_a_rotor_at_rest():
    """A disk is dropped on another: J w = (J + J') w'."""
    model = fb.Model("disks")
    model.add(fb.Ground("ground"))
    motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("disk", inertia=0.2))
    model.connect(motor.flange_b, rotor.flange_a)
    dae = fb.assemble(model, symbolic=("disk.inertia",))
    inertia = fb.piecewise_constant([0.0, 0.5], [0.2, 0.5])
    run = fb.simulate(dae, (0.0, 1.0), x0={"der(disk.angle)": 10.0}, p={"disk.inertia": inertia}, pick_up="impact")
    assert run["der(disk.angle)"][-1] == pytest.approx(4.0, rel=1e-9)


def test_a_load_that_is_released_goes_on_as_it_moves():
    """Rates are continuous; what was in it is gone: energy falls by that of the load."""
    gone = fb.piecewise_constant([0.0, 1.0], [2.0, 0.0])
    run = fb.simulate(slide_with_load(), (0.0, 2.0), x0={"der(slide.displacement)": 2.0}, p={"load.mass": gone})
    np.testing.assert_allclose(run["der(slide.displacement)"], 2.0, rtol=1e-9)
    assert run.changes[0].energy_jump == pytest.approx(-0.5 * 2.0 * 2.0**2, rel=1e-9)


def test_a_flexible_arm_keeps_its_momentum():
    """M v after = M_before v before, at the posture of the change; coordinates go on; the loss is the impact's."""
    dae, when = flexible_arm(), 0.1
    light, heavy = 0.1, 0.25
    u, course = {"motor1.torque": fb.bang_bang(0.2, 0.08)}, fb.piecewise_constant([0.0, when], [light, heavy])
    until = fb.simulate(dae, (0.0, when), u, p={"payload.mass": light})
    run = fb.simulate(dae, (0.0, 0.2), u, p={"payload.mass": course}, pick_up="impact")
    n, at = dae.tree.size, np.searchsorted(run.t, when)
    q, v, v_after = until.x[-1, :n], until.x[-1, n:], run.x[at, n : 2 * n]
    np.testing.assert_allclose(run.x[at, :n], q, atol=1e-9)
    kept = dae.mass_matrix(q, light).full() @ v
    np.testing.assert_allclose(dae.mass_matrix(q, heavy).full() @ v_after, kept, atol=1e-9 * np.abs(kept).max())
    (change,) = run.changes
    assert change.kinetic_energy[0] - change.kinetic_energy[1] == pytest.approx(0.5 * kept @ (v - v_after), rel=1e-6)
    # Between changes the energies agree with the work.
    for part in (run.t < when, run.t >= when):
        kinetic, potential, work = run.energy[part].T
        balance = kinetic + potential - work
        np.testing.assert_allclose(balance, balance[0], atol=1e-7 * np.abs(work).max())
    np.testing.assert_array_equal(run.parameters_at(run.t)[0], np.where(run.t < when, light, heavy))


def test_a_linkage_shares_the_impulse():
    """A four-bar has one degree of freedom: its inertia there, by hand, times the rate of the crank is kept."""
    dae = fb.assemble(RIGID.model(), symbolic=("rocker.mass",))
    crank = dae.q_names[0]
    light, heavy = 0.6, 2.4
    course = fb.piecewise_constant([0.0, 0.2], [light, heavy])
    run = fb.simulate(
        dae, (0.0, 0.4), x0={crank: 0.8, f"der({crank})": 3.0}, p={"rocker.mass": course}, pick_up="impact"
    )
    at = np.searchsorted(run.t, 0.2)
    before = fb.simulate(dae, (0.0, 0.2), x0={crank: 0.8, f"der({crank})": 3.0}, p={"rocker.mass": light})
    angle, rate = (before[name][-1] for name in (crank, f"der({crank})"))
    M, M_heavy = (float(replace(RIGID, rocker_mass=m).lagrange()(angle, rate, 0.0)[3]) for m in (light, heavy))
    assert run[f"der({crank})"][at] == pytest.approx(M / M_heavy * rate, rel=1e-6)


def test_a_change_hands_a_load_from_one_end_to_the_other():
    """One parameter falls, another rises: what is released goes first, what is taken up is at rest."""
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass", "rotor2.inertia"))
    x = np.random.default_rng(0).uniform(-0.1, 0.1, len(dae.x))
    before, after = np.array([0.2, 0.02]), np.array([0.1, 0.05])
    n = dae.tree.size
    new = after_change(dae, x, before, after)
    kept = dae.mass_matrix(x[:n], [0.1, 0.02]).full() @ x[n : 2 * n]
    np.testing.assert_allclose(dae.mass_matrix(x[:n], after).full() @ new[n : 2 * n], kept, atol=1e-12)


@settings(max_examples=4, deadline=None)
@given(arms(links=3, modes=2), st.integers(0, 2**32 - 1), st.floats(0.1, 10.0))
def test_random_arms_take_up_loads_at_rest(arm, seed, more):
    """Momenta are kept, kinetic energy is lost, and released at once the load takes the rest of its own."""
    payload = next(block for segment in arm.segments for _, block in segment.loads if block.name.startswith("payload"))
    dae = fb.assemble(arm.model, symbolic=(f"{payload.name}.mass",))
    n = dae.tree.size
    q, v, _, _ = arm.random_state(dae, seed)
    before, after = np.array([payload.mass]), np.array([(1.0 + more) * payload.mass])
    taken = after_change(dae, np.concatenate([q, v]), before, after)
    M, heavy = (dae.mass_matrix(q, p).full() for p in (before, after))
    kept = M @ v
    np.testing.assert_array_equal(taken[:n], q)
    np.testing.assert_allclose(heavy @ taken[n:], kept, atol=1e-9 * np.abs(kept).max())
    assert kept @ taken[n:] <= kept @ v
    np.testing.assert_array_equal(after_change(dae, taken, after, before), taken)


def test_batches_take_courses_of_parameters():
    """A list has one for each run; each equals that of simulate."""
    dae, torque = turning_rod(), "motor.torque"
    courses = [fb.piecewise_constant([0.0, 0.1], [0.05, m]) for m in (0.1, 0.3)]
    runs = fb.simulate_batch(dae, (0.0, 0.2), {torque: 0.1}, p={"load.mass": courses}, pick_up="impact")
    for k, course in enumerate(courses):
        alone = fb.simulate(dae, (0.0, 0.2), {torque: 0.1}, p={"load.mass": course}, pick_up="impact")
        np.testing.assert_array_equal(runs["load.x"].isel(run=k), alone["load.x"])
    shared = fb.simulate_batch(dae, (0.0, 0.2), {torque: [0.0, 0.1]}, p={"load.mass": courses[0]}, pick_up="impact")
    assert shared["complete"].all()


@pytest.mark.parametrize("when", [0.5, 0.52])
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 0.01}])
def test_a_sampled_law_goes_on_through_a_change(when, options):
    """At a tick and between two: as two runs by hand, whose clock goes on."""
    dae = turning_rod()
    closed = control.close_loop(
        dae, control.Sampled(control.PD({"hinge.angle": "motor.torque"}, kp=20.0, kd=5.0), 0.05)
    )
    course, u = fb.piecewise_constant([0.0, when], [0.0, 2.0]), {"reference.hinge.angle": 1.0}
    run = fb.simulate(closed, np.array([0.0, when, 1.0]), u, p={"load.mass": course}, pick_up="impact", **options)
    first = fb.simulate(closed, np.array([0.0, when]), u, p={"load.mass": 0.0}, **options)
    x = after_change(closed, first.x[-1], np.array([0.0]), np.array([2.0]))
    second = fb.simulate(closed, np.array([when, 1.0]), u, p={"load.mass": 2.0}, x0=x, **options)
    np.testing.assert_allclose(run.x[-1], second.x[-1], rtol=1e-7)


def test_files_keep_changes(tmp_path):
    dae = turning_rod()
    run = fb.simulate(dae, (0.0, 2.0), {"motor.torque": 1.0}, p={"load.mass": TAKEN}, pick_up="impact")
    run.save(tmp_path / "run.nc")
    again = fb.load(tmp_path / "run.nc")
    assert again.changes == run.changes
    np.testing.assert_array_equal(again.parameters_at(again.t), run.parameters_at(run.t))


def test_refusals():
    dae = turning_rod()
    with pytest.raises(ParameterError, match=r"load\.mass = Piecewise.* or a fb\.piecewise_constant"):
        fb.simulate(dae, (0.0, 1.0), p={"load.mass": fb.piecewise_linear([0.0, 1.0], [0.0, 2.0])})
    with pytest.raises(ParameterError, match=r"from t = 1 s on: load\.mass = -2; must be at least 0"):
        fb.simulate(dae, (0.0, 2.0), p={"load.mass": fb.piecewise_constant([0.0, 1.0], [0.0, -2.0])})
    with pytest.raises(ParameterError, match="pick_up = 'softly'"):
        fb.simulate(dae, (0.0, 2.0), p={"load.mass": TAKEN}, pick_up="softly")
    for verb in (lambda: fb.equilibrium(dae, p={"load.mass": TAKEN}), lambda: fb.stepper(dae, 1e-3).rollout(
        None, np.zeros((3, 1)), p={"load.mass": TAKEN}
    )):  # fmt: skip
        with pytest.raises(ParameterError, match="change during a run in simulate and simulate_batch alone"):
            verb()
    four_bar = fb.assemble(RIGID.model(), symbolic=("rocker.length",))
    with pytest.raises(ParameterError, match=r"loops of .* come open"):
        fb.simulate(four_bar, (0.0, 1.0), p={"rocker.length": fb.piecewise_constant([0.0, 0.5], [0.3, 0.4])})
