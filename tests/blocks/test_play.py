"""End stops and backlash: impacts by closed forms from grams to tons, motions within the play, plans between stops."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.errors import ParameterError

# Inertia [kg m2], stiffness [N m/rad]: a wrist of grams, a joint, a slewing gear.
SHAFTS = [(1e-7, 0.05), (0.3, 2e3), (5e4, 3e8)]
MODES = fb.AssumedModes(2, tip="auto")


def rotor_on(block: fb.Block, inertia: float) -> fb.DAE:
    """A rotor on the ground, with a block on its shaft."""
    model = fb.Model("shaft")
    model.add(fb.Ground("ground"))
    rotor = model.add(fb.Rotor("rotor", inertia=inertia))
    model.connect(model.add(block).port("flange_b"), rotor.flange_b)
    return fb.assemble(model)


def two_rotors(inertias: tuple[float, float], teeth: fb.Backlash) -> fb.DAE:
    """A motor's rotor, teeth with play, and a rotor that they turn."""
    model = fb.Model("gear")
    model.add(fb.Ground("ground"))
    motor, load = (
        model.add(fb.Rotor(name, inertia)) for name, inertia in zip(("motor", "load"), inertias, strict=True)
    )
    model.add(teeth)
    model.connect(motor.flange_b, teeth.flange_a)
    model.connect(teeth.flange_b, load.flange_a)
    return fb.assemble(model)


def arm(torque: float | None = None, **stops: float) -> fb.DAE:
    """A link of 1 m and 2 kg under gravity, whose hinge has a motor and end stops."""
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    link, motor = (
        model.add(fb.RigidLink("link", length=1.0, mass=2.0)),
        model.add(fb.TorqueSource("motor", limit=torque)),
    )
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    for block in (motor, model.add(fb.EndStops("stops", **stops))):
        model.connect(block.flange_b, hinge.axis)
    return fb.assemble(model)


@pytest.mark.parametrize(("inertia", "stiffness"), SHAFTS)
def test_a_rotor_comes_back_from_a_stop_as_fast_as_it_came(inertia: float, stiffness: float) -> None:
    """It goes w sqrt(J/k) deep, for half a period of the spring."""
    natural = np.sqrt(stiffness / inertia)
    rate = 0.05 * natural
    dae = rotor_on(fb.EndStops("stops", -0.3, 0.5, stiffness, transition=1e-5), inertia)
    run = fb.simulate(dae, np.linspace(0.0, (1.0 / 0.05 + np.pi) / natural, 4001), x0={"der(rotor.angle)": rate})
    angle = run["rotor.angle"]
    assert angle.max() - 0.5 == pytest.approx(rate / natural, rel=1e-4)
    assert run["der(rotor.angle)"][-1] == pytest.approx(-rate, rel=1e-4)
    assert angle[-1] == pytest.approx(0.0, abs=1e-3)
    np.testing.assert_allclose(run["kinetic_energy"] + run["potential_energy"], inertia * rate**2 / 2, rtol=1e-4)


@pytest.mark.parametrize(("inertia", "stiffness"), SHAFTS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_damping_takes_what_hunt_and_crossley_say(inertia: float, stiffness: float, side: float) -> None:
    natural = np.sqrt(stiffness / inertia)
    rate = 0.05 * natural
    stops = fb.EndStops("stops", -0.1, 0.1, stiffness, damping=0.03 / rate, transition=1e-5)
    run = fb.simulate(rotor_on(stops, inertia), (0.0, 6.0 / natural), x0={"der(rotor.angle)": side * rate})
    assert -side * run["der(rotor.angle)"][-1] / rate == pytest.approx(1 - 2 / 3 * 0.03, abs=1e-3)


def test_stops_push_only_and_nothing_between_them() -> None:
    dae = rotor_on(fb.EndStops("stops", -1.0, 2.0, stiffness=1e3, damping=10.0, transition=1e-4), 0.3)
    torque = dae.y.names.index("stops.torque")
    for angle in np.linspace(-1.5, 2.5, 32):
        for rate in (-50.0, -0.1, 0.0, 0.1, 50.0):
            value = float(dae.output([angle, rate], [], [])[torque])
            if angle < -1.001:
                assert value > 0
            elif angle > 2.001:
                assert value < 0
            else:
                assert abs(value) < 1e-3 * (1 + 10 * abs(rate))
            if rate == 0 and not -1.001 < angle < 2.001:
                assert value == pytest.approx(1e3 * (min(angle + 1.0, 0) + max(angle - 2.0, 0)) * -1, rel=1e-6)


def test_a_falling_link_comes_to_rest_on_its_stop() -> None:
    stiffness = 4e3
    dae = arm(lower=-1.0, upper=1.0, stiffness=stiffness, damping=0.5)
    run = fb.simulate(dae, (0.0, 12.0))
    weight = 2.0 * 9.81 * 0.5 * np.cos(run["hinge.angle"][-1])
    assert run["hinge.angle"][-1] == pytest.approx(-1.0 - weight / stiffness, abs=3e-4)
    assert run["stops.torque"][-1] == pytest.approx(weight, rel=0.02)


def test_plans_end_and_stay_between_the_stops() -> None:
    dae = arm(torque=40.0, lower=-1.0, upper=1.0, stiffness=4e3)
    with pytest.raises(optim.ProblemError, match=r"stops\.angle"):
        optim.plan(
            arm(lower=-1.0, upper=1.0, stiffness=40.0),
            optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 1.2}, 1.5),
        )
    # Least effort lets the link fall before it is thrown up; here it may not fall below the stop.
    task = optim.RestToRest({"hinge.angle": -0.95}, {"hinge.angle": 0.9}, 1.4, limits={"motor.torque": (-16.0, 16.0)})
    plan = optim.plan(dae, task, intervals=40)
    assert plan.status == "converged"
    assert plan.trajectory["hinge.angle"].min() > -1.0 - 1e-6
    far = optim.plan(arm(torque=40.0, lower=-3.0, upper=3.0, stiffness=4e3), task, intervals=40)
    assert far.trajectory["hinge.angle"].min() < -2.0


@pytest.mark.parametrize("size", [0.05, 15.0])
def test_an_arm_afloat_that_runs_to_and_fro_between_stops_keeps_momentum_and_energy(size: float) -> None:
    """A craft in space and a flexible arm on a hinge askew, of any size."""
    mass = 200.0 * size**3
    inertia = mass * size**2
    model = fb.Model("afloat")
    model.add(fb.Ground("ground"))
    free, hinge = model.add(fb.FreeMotion("free")), model.add(fb.Revolute("hinge", axis=(0.3, 0.6, 0.8)))
    craft = model.add(fb.RigidBody("craft", mass, np.diag([0.2, 0.3, 0.25]) * inertia))
    tube, aluminium = fb.Tube(outer=0.05 * size, inner=0.004 * size), fb.Material(2700.0, 7e10, poissons_ratio=0.3)
    beam = model.add(fb.FlexibleBeam("arm", 2 * size, section=tube, material=aluminium, bending="yz"))
    model.connect("ground.frame_b", free.frame_a)
    model.connect(free.frame_b, craft.frame_a, hinge.frame_a)
    model.connect(hinge.frame_b, beam.frame_a)
    model.connect(model.add(fb.EndStops("stops", -0.5, 0.5, 20.0 * inertia)).flange_b, hinge.axis)
    model.add(fb.TotalMomentum("total"))
    run = fb.simulate(fb.assemble(model), (0.0, 10.0), x0={"der(hinge.angle)": 0.3}, rtol=1e-9, atol=1e-11)
    assert 0.5 < run["hinge.angle"].max() < 0.55
    assert -0.55 < run["hinge.angle"].min() < -0.5
    np.testing.assert_allclose(run["kinetic_energy"] + run["potential_energy"], run["kinetic_energy"][0], rtol=1e-6)
    momentum = np.column_stack([run[f"total.angular_momentum_{axis}"] for axis in "xyz"])
    assert np.ptp(momentum, axis=0).max() < 1e-7 * np.abs(momentum).max()


@pytest.mark.parametrize(("inertia", "stiffness"), SHAFTS)
def test_teeth_pass_a_blow_on(inertia: float, stiffness: float) -> None:
    """Elastic impact: the motor's rotor gives its speed to a load of three times its inertia as two balls do."""
    load = 3.0 * inertia
    natural = np.sqrt(stiffness * (1 / inertia + 1 / load))
    rate = 0.05 * natural
    dae = two_rotors((inertia, load), fb.Backlash("teeth", stiffness, play=0.02, transition=1e-3))
    run = fb.simulate(dae, (0.0, (0.01 / 0.05 + 1.1 * np.pi) / natural), x0={"der(motor.angle)": rate})
    assert run["der(motor.angle)"][-1] == pytest.approx(-0.5 * rate, rel=2e-3)
    assert run["der(load.angle)"][-1] == pytest.approx(0.5 * rate, rel=2e-3)
    # Before they meet, the load stands still.
    before = run["der(load.angle)"][run.t < 0.8 * 0.01 / rate]
    assert len(before) > 1
    assert np.abs(before).max() < 1e-3 * rate


def test_loaded_teeth_are_a_spring_and_idle_ones_are_none() -> None:
    dae = two_rotors((0.2, 0.5), fb.Backlash("teeth", 900.0, play=0.02))
    idle = fb.linearize(dae, at={"load.angle": 0.0})
    with pytest.warns(fb.FlexblocksWarning, match="not an equilibrium"):
        loaded = fb.linearize(dae, at={"load.angle": 0.05})
    frequencies = np.sort(np.abs(np.linalg.eigvals(loaded.A)))
    assert frequencies[-1] == pytest.approx(np.sqrt(900.0 * (1 / 0.2 + 1 / 0.5)), rel=1e-4)
    assert np.abs(np.linalg.eigvals(idle.A)).max() < 0.02 * frequencies[-1]


@cache
def geared_link(size: float, gravity: float, dry: float = 0.0) -> fb.DAE:
    """A link whose motor, with `dry` friction, turns it by teeth with a hundredth of a radian of play to either side.

    Masses grow with the cube of `size` [m], torques with its fourth power, times with its root.
    """
    mass, torque = 2.0 * size**3, size**4
    model = fb.Model("geared link", gravity=(0.0, -gravity, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    link, rotor = (
        model.add(fb.RigidLink("link", length=size, mass=mass)),
        model.add(fb.Rotor("rotor", 0.0667 * mass * size**2)),
    )
    motor = model.add(fb.TorqueSource("motor", limit=60.0 * torque))
    teeth = model.add(fb.Backlash("teeth", 3000.0 * torque, play=0.02))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    friction = model.add(fb.Friction("friction", coulomb=dry * torque))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, teeth.flange_a, friction.flange_b)
    model.connect(teeth.flange_b, hinge.axis)
    return fb.assemble(model)


def iterations(plan: optim.Plan) -> int:
    return sum(attempt.iterations or 0 for attempt in plan.attempts)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "gravity", "most"), [(0.02, 9.81, 8), (20.0, 0.0, 600)])
@pytest.mark.filterwarnings("ignore:.*too coarse", "ignore:.*ends less sharply than modelled")
def test_plans_go_through_the_play(size: float, gravity: float, most: int) -> None:
    """Without gravity the teeth change sides where the link slows down; with it they stay on one."""
    dae = geared_link(size, gravity)
    task = optim.RestToRest({"hinge.angle": -0.3}, {"hinge.angle": 0.5}, duration=1.5 * np.sqrt(size))
    plan = optim.plan(dae, task, intervals=40)
    # Where teeth change sides, rounding decides how sharp an end of the play is solved.
    assert plan.status in ("converged", *("converged, rounded off",) * (gravity == 0))
    assert iterations(plan) <= most
    allowed = 3e-3 if plan.status == "converged" else 1e-2  # the play itself
    changes_sides = np.ptp(plan.trajectory["teeth.deflection"]) > 0.02
    assert changes_sides == (gravity == 0)
    assert plan.replay().trajectory["hinge.angle"][-1] == pytest.approx(0.5, abs=allowed)


def two_geared_links(*teeth: fb.Block) -> fb.DAE:
    """Two flexible links of 1 m in a horizontal plane, turned by geared motors through these."""
    model = fb.Model("two geared links")
    inner = model.add(fb.Ground("ground")).frame_b
    tube, aluminium = fb.Tube(outer=0.05, inner=0.003), fb.Material(density=2700.0, youngs_modulus=7e10)
    for i, mesh in enumerate(teeth, 1):
        hinge, link = (
            model.add(fb.Revolute(f"joint{i}")),
            model.add(fb.FlexibleBeam(f"link{i}", 1.0, section=tube, material=aluminium, discretization=MODES)),
        )
        motor, rotor = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Rotor(f"rotor{i}", inertia=1e-4))
        gear = model.add(fb.Gear(f"gear{i}", ratio=80.0))
        model.add(mesh)
        model.connect(inner, hinge.frame_a)
        model.connect(hinge.frame_b, link.frame_a)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, gear.flange_a)
        model.connect(gear.flange_b, mesh.port("flange_a"))
        model.connect(mesh.port("flange_b"), hinge.axis)
        inner = link.frame_b
    model.connect(inner, model.add(fb.Payload("payload", mass=2.0)).frame_a)
    return fb.assemble(model)


ACROSS = optim.RestToRest(
    {"joint1.angle": 0.2, "joint2.angle": -0.5}, {"joint1.angle": 1.2, "joint2.angle": 0.4}, duration=2.0
)


@pytest.mark.slow
def test_where_play_is_not_solved_the_plan_is_the_one_with_the_sharpest_end_of_it() -> None:
    dae = two_geared_links(*(fb.Backlash(f"teeth{i}", 2e4, 0.005) for i in (1, 2)))
    with pytest.warns(optim.PlanWarning, match=r"play that ends less sharply than modelled: teeth1 over .* play"):
        plan = optim.plan(dae, ACROSS, intervals=40)
    assert plan.status == "converged, rounded off"
    assert plan.transcribed.dae is dae
    assert "play rounded off over 0.9 of itself, from there" in plan.summary()
    assert plan.replay(law=None).tip_miss < 5e-3  # 2.5 plays of the inner joint


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_friction_and_play_are_rounded_off_together() -> None:
    task = optim.RestToRest({"hinge.angle": -0.3}, {"hinge.angle": 0.5}, duration=1.5)
    plan = optim.plan(geared_link(1.0, 0.0, dry=1.0), task, intervals=40)
    words = "friction rounded off below 0.9 of the rates and play rounded off over 0.9 of itself, from there"
    assert words in plan.summary()
    assert plan.status.startswith("converged")


@pytest.mark.slow
def test_inputs_planned_without_play_miss_by_about_as_much() -> None:
    play, links = 0.005, (1, 2)
    spring = two_geared_links(*(fb.TorsionalSpring(f"teeth{i}", 2e4) for i in links))
    planned = optim.plan(spring, ACROSS, intervals=40).trajectory
    teeth = two_geared_links(*(fb.Backlash(f"teeth{i}", 2e4, play) for i in links))
    inputs = {name: fb.piecewise_linear(planned.t, planned[name]) for name in spring.u.names}
    run = fb.simulate(teeth, planned.t, u=inputs, x0={name: planned[name][0] for name in spring.x.names})
    for i in links:
        assert 1e-4 < np.ptp(run[f"teeth{i}.deflection"]) - play < 1e-2
        assert run[f"joint{i}.angle"][-1] == pytest.approx(planned[f"joint{i}.angle"][-1], abs=1.2 * play)


@pytest.mark.parametrize(("damping", "stops", "teeth"), [(0.0, 23, 35), (2.0, 40, 53)])
def test_they_cost_few_instructions(damping: float, stops: int, teeth: int) -> None:
    free = rotor_on(fb.Friction("none"), 0.3).forward_dynamics.n_instructions()
    stopped = rotor_on(fb.EndStops("stops", -1.0, 1.5, 1e3, damping), 0.3)
    meshed = two_rotors((0.2, 0.5), fb.Backlash("teeth", 1e3, 0.02, damping))
    assert stopped.forward_dynamics.n_instructions() <= free + stops
    assert meshed.forward_dynamics.n_instructions() <= teeth


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"upper = -1 rad; must be > lower, 1 rad"):
        fb.EndStops("stops", 1.0, -1.0, 1e3)
    with pytest.raises(ParameterError, match="play"):
        fb.Backlash("teeth", 1e3, play=0.0)
