"""The force elements of the library, one by one: independent equations, closed forms, what is refused."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms import force_arms
from flexblocks.errors import ModelError, ParameterError
from oracles import force_equations

MACHINES = {
    "boom": (force_arms.boom, force_arms.BOOM, force_equations.boom),
    "hoist": (force_arms.hoist, force_arms.HOIST, force_equations.hoist),
    "ball": (force_arms.ball, force_arms.BALL, force_equations.ball),
}


def states(name: str, numbers: np.random.Generator) -> np.ndarray:
    """Draw states of a machine, on both sides of whatever it touches."""
    if name == "boom":
        return np.r_[numbers.uniform(-0.8, 1.4), numbers.normal(), numbers.uniform(-1e6, 1.8e7, 2)]
    if name == "hoist":
        return np.r_[numbers.normal(size=2), numbers.normal(size=2), 7.0 * numbers.uniform(0.9, 1.1)]
    return np.r_[0.1, 0.07 * numbers.uniform(0.8, 1.2), numbers.normal(), numbers.normal(size=3)]


@pytest.mark.parametrize("name", MACHINES)
def test_equations_are_those_of_the_machine_written_out(name):
    model, values, equations = MACHINES[name]
    dae, numbers = fb.assemble(model()), np.random.default_rng(3)
    for _ in range(30):
        x, u = states(name, numbers), numbers.uniform(-1, 1, len(dae.u))
        exact = equations(x, *u, values)
        rates = dae.forward_dynamics(x, u, []).full().ravel()
        np.testing.assert_allclose(rates, exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())


def test_a_cylinder_tells_its_flows_and_where_its_power_goes():
    """What the pump gives is what the edges, the leak and the friction lose, the oil stores, and the arm gains."""
    dae, h, numbers = fb.assemble(force_arms.boom()), force_arms.BOOM, np.random.default_rng(5)
    for _ in range(5):
        angle, rate = numbers.uniform(0.0, 0.6), numbers.normal()
        a, b, valve = *numbers.uniform(1e6, 1.5e7, 2), numbers.uniform(-1, 1)
        x = [angle, rate, a, b]
        told = dict(zip(dae.y.names, dae.output(x, [valve], []).full().ravel(), strict=True))
        told = {name.removeprefix("ram."): value for name, value in told.items()}
        in_a, out_a, in_b, out_b = force_equations.edges(a, b, valve, h)
        assert told["flow_a"] == pytest.approx(in_a - out_a, rel=1e-9)
        assert told["flow_b"] == pytest.approx(in_b - out_b, rel=1e-9)
        assert told["supply_power"] == pytest.approx(h["supply"] * (in_a + in_b), rel=1e-9)
        dx, dy = np.cos(angle) - h["cx"], np.sin(angle) - h["cy"]
        length = np.hypot(dx, dy)
        speed = (np.cos(angle) * dy - np.sin(angle) * dx) * rate / length
        assert told["length"] == pytest.approx(length, rel=1e-12)
        assert told["speed"] == pytest.approx(speed, rel=1e-9)
        assert told["pressure_difference"] == pytest.approx(a - b, rel=1e-12)
        dead = h["dead_volume"] * h["area_a"] * (h["extended"] - h["retracted"])
        volumes = h["area_a"] * (length - h["retracted"]) + dead, h["area_b"] * (h["extended"] - length) + dead
        pressed = force_equations.boom(np.array(x), valve, h)[2:]
        stored = a * volumes[0] * pressed[0] / h["bulk"] + b * volumes[1] * pressed[1] / h["bulk"]
        lost = in_a * (h["supply"] - a) + in_b * (h["supply"] - b) + out_a * a + out_b * b
        lost += h["leakage"] * (a - b) ** 2 + h["friction"] * speed**2
        assert told["supply_power"] == pytest.approx(lost + stored + told["power"], rel=1e-9)


def test_a_ram_holds_a_boom_by_virtual_work():
    dae = fb.assemble(force_arms.boom())
    h, angle = force_arms.BOOM, 0.1
    held = fb.equilibrium(dae, x={"hinge.angle": angle})
    step = 1e-6
    length = [np.hypot(np.cos(a) - h["cx"], np.sin(a) - h["cy"]) for a in (angle - step, angle + step)]
    height = [h["rod"] / 2 * np.sin(a) for a in (angle - step, angle + step)]
    force = h["mass"] * 9.81 * (height[1] - height[0]) / (length[1] - length[0])
    assert float(dae.output(held.x, held.u, [])[dae.y.index("ram.force")]) == pytest.approx(force, rel=1e-6)
    # Whatever holds, the pressures do not change: flow past the piston comes through the valve.
    assert abs(held["ram.valve"]) < 0.01


@cache
def with_shock_valves(pressure: float) -> fb.DAE:
    model = force_arms.boom()
    return fb.assemble(model.copy({"ram": model["ram"].with_values({"shock_pressure": pressure})}))


def test_shock_valves_let_oil_out_above_their_pressure_and_in_below_that_of_the_tank():
    h, shock = force_arms.BOOM, 2.5e7
    bare, valves = fb.assemble(force_arms.boom()), with_shock_valves(shock)
    length = float(bare.output([0.2, 0.0, 1e6, 1e6], [0.0], [])[bare.y.index("ram.length")])
    dead = h["dead_volume"] * h["area_a"] * (h["extended"] - h["retracted"])
    volumes = h["area_a"] * (length - h["retracted"]) + dead, h["area_b"] * (h["extended"] - length) + dead

    def flows(a: float, b: float) -> np.ndarray:
        with_, without = (dae.forward_dynamics([0.2, 0.0, a, b], [0.1], []).full().ravel() for dae in (valves, bare))
        return (with_ - without)[-2:] * volumes / h["bulk"]

    passed = h["flow"] / h["drop"] * 10  # per pressure
    np.testing.assert_allclose(flows(shock + 3e5, h["tank"] - 2e5), passed * np.array([-3e5, 2e5]), rtol=1e-3)
    np.testing.assert_allclose(flows(h["tank"] - 1e6, shock + 1e6), passed * np.array([1e6, -1e6]), rtol=1e-3)
    np.testing.assert_allclose(flows(0.5 * shock, 0.3 * shock), 0.0, atol=1e-6 * h["flow"])


def test_oil_in_tension_is_told_and_shock_valves_keep_it_from_that():
    def stopped(dae: fb.DAE) -> fb.Trajectory:
        rest = fb.equilibrium(dae, x={"hinge.angle": 0.1})
        x0 = dict(zip(dae.x.names, rest.x, strict=True)) | {"der(hinge.angle)": -0.6}
        return fb.simulate(dae, np.linspace(0, 0.2, 401), x0=x0)

    with pytest.warns(
        fb.FlexblocksWarning, match=r"ram.pressure_b = -.* Pa at t = .* s, beyond -1.01e\+05 Pa: oil bears"
    ):
        run = stopped(fb.assemble(force_arms.boom()))
    assert run["ram.pressure_b"].min() < -1e6
    run = stopped(with_shock_valves(2e7))  # no warning: they are errors here
    assert -1e5 < run["ram.pressure_b"].min() < force_arms.BOOM["tank"]


def test_an_ideal_cylinder_runs_at_the_commanded_speed():
    dae = fb.assemble(force_arms.boom(max_speed=0.2))
    rest = fb.equilibrium(dae, x={"hinge.angle": -0.2}, u={"ram.valve": 0.0})
    valve = fb.piecewise_linear([0.0, 0.4, 1.2, 1.6, 3.0], [0.0, 0.5, 0.5, 0.0, 0.0])
    run = fb.simulate(
        dae, t=np.linspace(0, 3, 301), x0=dict(zip(dae.x.names, rest.x, strict=True)), u={"ram.valve": valve}
    )
    travelled = run["ram.length"] - run["ram.length"][0]
    # Oil under a load of some tons yields by millimetres.
    np.testing.assert_allclose(travelled[-1], 0.2 * 0.5 * 1.2, atol=2e-3)
    assert run["ram.command"][-1] - run["ram.command"][0] == pytest.approx(0.2 * 0.5 * 1.2, abs=1e-6)


def test_an_ideal_cylinder_starts_where_its_piston_is():
    """Wherever the posture puts it, whatever a loop moves: its oil is not compressed, unless a command says so."""
    dae = fb.assemble(force_arms.boom(max_speed=0.2))
    for angle in (None, -0.2, 0.3):
        x0 = {} if angle is None else {"hinge.angle": angle}
        run = fb.simulate(dae, t=(0.0, 1e-3), x0=x0)
        assert run["ram.command"][0] == run["ram.length"][0]
        assert run["ram.force"][0] == 0.0
        # Up to a change of the start values by their own angle.
        assert (run["ram.command"][0] == dae.x.start[dae.x.index("ram.command")]) == (angle is None)
    run = fb.simulate(dae, t=(0.0, 1e-3), x0={"ram.command": 1.9})
    assert run["ram.command"][0] == 1.9


def test_the_winch_lifts_what_it_winds_and_a_slack_rope_does_not_push():
    dae, h = fb.assemble(force_arms.hoist()), force_arms.HOIST
    rest = fb.equilibrium(dae, x={"x.displacement": h["bx"], "rope.length": 7.0}, u={"rope.speed": 0.0})
    tension = float(dae.output(rest.x, rest.u, [])[dae.y.index("rope.tension")])
    assert tension == pytest.approx(h["mass"] * 9.81, rel=1e-9)
    x = rest.x.copy()
    x[dae.x.index("y.displacement")] += 0.5
    fall = dae.forward_dynamics(x, [0.0], []).full().ravel()
    # What is left far beyond the transition: rigidity * (transition / strain)^3 * transition / 16.
    assert fall[3] == pytest.approx(-9.81, abs=1e-4)
    assert fall[3] > -9.81


def test_a_ball_bounces_rests_and_rolls():
    h = force_arms.BALL | {"slope": 0.0, "velocity": 1e-4, "friction": 0.6}
    dae = fb.assemble(force_arms.ball(h))
    # Hunt and Crossley 1975: of a slow impact 1 - 2/3 damping v is left.
    speed = 0.1
    start = {"y.displacement": 0.0502, "der(y.displacement)": -speed}
    weightless = fb.simulate(
        fb.assemble(_without_gravity(force_arms.ball(h | {"transition": 2e-6}))), t=(0.0, 0.1), x0=start
    )
    assert -weightless["der(y.displacement)"][-1] / -speed == pytest.approx(1 - 2 / 3 * 0.3 * speed, abs=1e-3)
    rest = fb.equilibrium(dae, x={"x.displacement": 0.0, "spin.angle": 0.0})
    assert float(dae.output(rest.x, [], [])[dae.y.index("floor.normal_force")]) == pytest.approx(0.4 * 9.81, rel=1e-9)
    # A solid ball that rolls down a slope gains 5/7 g sin(slope).
    slope = 0.2
    dae = fb.assemble(force_arms.ball(h | {"slope": slope}))
    gap = rest["y.displacement"]
    start = {"x.displacement": -gap * np.sin(slope), "y.displacement": gap * np.cos(slope)}
    run = fb.simulate(dae, t=(0.0, 1.0), x0=start)
    along = run.x[-1, dae.x.index("der(x.displacement)")] / np.cos(slope)
    assert -along == pytest.approx(5 / 7 * 9.81 * np.sin(slope), rel=1e-3)


def test_a_point_that_slides_on_a_slope_is_pushed_as_the_outputs_say():
    """They are in the axes of the slope's frame, which is turned twice: by its post, and by its normal."""
    model, turned = fb.Model("slope", gravity=(0, 0, -9.81)), (0.4, -0.7, 1.1)
    ground = model.add(fb.Ground("ground"))
    ways = [model.add(fb.Prismatic(f"way{i}", axis)) for i, axis in enumerate(np.eye(3))]
    point, post = model.add(fb.LumpedMass("point", 2.0)), model.add(fb.FixedTransform("post", (0.1, 0.2, 0.3), turned))
    values = {"normal": (0.48, -0.64, 0.6), "damping": 0.3, "friction": 0.4}
    slope = model.add(fb.Contact("slope", 1e3, 1e-3, **values))
    model.connect(ground.frame_b, ways[0].frame_a)
    for inner, outer in pairwise(ways):
        model.connect(inner.frame_b, outer.frame_a)
    model.connect(ways[2].frame_b, point.frame_a, slope.frame_a)
    model.connect(ground.frame_b, post.frame_a)
    model.connect(post.frame_b, slope.frame_b)
    dae, axes = fb.assemble(model), Rotation.from_rotvec(turned).as_matrix()
    normal, velocity = axes @ [0.48, -0.64, 0.6], np.array([0.3, -0.5, 0.2])
    x = np.r_[np.array([0.1, 0.2, 0.3]) - 0.05 * normal + 0.4 * np.cross(normal, velocity), velocity]
    told = dict(zip(dae.y.names, dae.output(x, [], []).full().ravel(), strict=True))
    drag = axes @ [told[f"slope.friction_{a}"] for a in "xyz"]
    force = told["slope.normal_force"] * normal + drag
    pushed = 2.0 * dae.forward_dynamics(x, [], []).full().ravel()[3:]
    np.testing.assert_allclose(pushed - force, [0, 0, -2 * 9.81], atol=1e-9)
    assert told["slope.gap"] == pytest.approx(-0.05)
    assert told["slope.normal_force"] == pytest.approx(1e3 * 0.05 * (1 - 0.3 * normal @ velocity), rel=0.01)
    along = velocity - normal * (normal @ velocity)
    full = -0.4 * told["slope.normal_force"] * along / np.hypot(np.linalg.norm(along), 0.01)
    np.testing.assert_allclose(drag, full, atol=1e-9)


def _without_gravity(model: fb.Model) -> fb.Model:
    model.gravity = (0.0, 0.0, 0.0)
    return model


def lever(**anchors: tuple[float, float, float]) -> tuple[fb.Model, dict[str, fb.Port]]:
    """Return a rod on a hinge, and frames at these places of the ground."""
    model = fb.Model("lever", gravity=(0, -9.81, 0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod = model.add(fb.RigidLink("rod", 1.0, 2.0))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    ports = {"tip": rod.frame_b, "root": hinge.frame_b, "ground": ground.frame_b}
    for name, place in anchors.items():
        block = model.add(fb.FixedTransform(name, place))
        model.connect(ground.frame_b, block.frame_a)
        ports[name] = block.frame_b
    return model, ports


def joined(element: fb.ForceElement, *places: str, **anchors: tuple[float, float, float]) -> fb.DAE:
    model, ports = lever(**anchors)
    model.add(element)
    for spec, place in zip(element.ports, places, strict=True):
        model.connect(ports[place], element.port(spec.name))
    return fb.assemble(model)


def test_a_balancer_without_free_length_holds_a_rod_at_any_angle():
    """A spring of free length 0 from a point at the height h above the hinge to the tip: k h l = m g l/2."""
    spring = fb.SpringDamper("spring", stiffness=2.0 * 9.81 / 2 / 0.4)
    dae = joined(spring, "top", "tip", top=(0.0, 0.4, 0.0))
    for angle in (-1.5, -0.3, 0.2, 2.0):
        assert float(dae.forward_dynamics([angle, 0.0], [], [])[1]) == pytest.approx(0.0, abs=1e-12)
    # Its energy has a gradient where the ends meet.
    at_hinge = joined(fb.SpringDamper("spring", stiffness=10.0), "ground", "root")
    assert np.isfinite(at_hinge.forward_dynamics([0.3, 0.0], [], []).full()).all()


def test_outer_forces_act_in_the_axes_asked_for():
    for resolve_in, force, torque in (("world", 3.0 * np.cos(0.5), 0.7), ("frame", 3.0, 0.7)):
        dae = joined(fb.WorldForce("push", resolve_in=resolve_in), "tip")
        assert float(dae.input_force([0.5, 0.0], [0.0, 3.0, 0.0], [])) == pytest.approx(force, abs=1e-12)
        dae = joined(fb.WorldTorque("twist", resolve_in=resolve_in), "tip")
        assert float(dae.input_force([0.5, 0.0], [0.0, 0.0, 0.7], [])) == pytest.approx(torque, abs=1e-12)


def test_a_rope_may_come_back_to_where_it_began():
    """Two falls from one point of the ground over the tip: twice the force of one."""
    single = joined(fb.Cable("rope", 0.9, 100.0), "top", "tip", top=(0.4, 0.8, 0.0))
    double = joined(fb.Cable("rope", 1.8, 100.0, via=1), "top", "tip", "top", top=(0.4, 0.8, 0.0))
    bare = float(fb.assemble(lever()[0]).forward_dynamics([0.1, 0.0], [], [])[1])
    one, two = (float(dae.forward_dynamics([0.1, 0.0], [], [])[1]) - bare for dae in (single, double))
    assert one > 1.0
    assert two == pytest.approx(2 * one, rel=1e-12)


@pytest.mark.parametrize(
    ("element", "places", "message"),
    [
        (
            fb.Cable("rope", 1.0, 10.0, via=1),
            ("top", "ground", "root"),
            "Cable 'rope': frame_1 and frame_b start at",
        ),
        (fb.SpringDamper("s", 1.0, free_length=1.0), ("ground", "root"), "SpringDamper 's': frame_a and frame_b start"),
        (fb.LineForce("ram"), ("tip", "tip"), "LineForce 'ram': frame_a and frame_b start at one place"),
    ],
)
def test_ends_at_one_place_are_refused(element, places, message):
    with pytest.raises(ModelError, match=message):
        joined(element, *places, top=(0.4, 0.8, 0.0))


CYLINDER = {"area_a": 1e-3, "area_b": 1e-3, "retracted": 0.5, "extended": 1.0}
SERVO = {"supply_pressure": 1e7, "rated_flow": 1e-4}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fb.HydraulicCylinder("h", **CYLINDER | {"area_b": 0.0}, **SERVO), "area_b = 0 m2; must be > 0"),
        (
            lambda: fb.HydraulicCylinder("h", **CYLINDER | {"extended": 0.5}, **SERVO),
            "extended = 0.5 m; must be >",
        ),
        (
            lambda: fb.HydraulicCylinder("h", **CYLINDER, **SERVO, shock_pressure=9e6),
            "must be > supply_pressure, 1e.07",
        ),
        (lambda: fb.HydraulicCylinder("h", **CYLINDER, max_speed=1.0, shock_pressure=9e6), "only servo valves have it"),
        (lambda: fb.HydraulicCylinder("h", **CYLINDER, rated_flow=1.0), "supply_pressure missing; a servo valve"),
        (lambda: fb.HydraulicCylinder("h", **CYLINDER, **SERVO, max_speed=1.0), "max_speed = 1 m/s makes the"),
        (lambda: fb.HydraulicCylinder("h", **CYLINDER, **SERVO, tank_pressure=2e7), "supply_pressure = 1e.07 Pa"),
        (lambda: fb.Cable("c", length=float("nan"), rigidity=1.0), "Cable 'c': length = nan m; must be finite"),
        (lambda: fb.Cable("c", length=1.0, rigidity=1.0, via=1.5), "via = 1.5; must be an integer >= 0"),
        (lambda: fb.Contact("c", 1e3, 1e-3, normal=(0, 0, 0)), r"normal = .*; must have a length > 0"),
        (lambda: fb.WorldForce("w", resolve_in="body"), "resolve_in = 'body'; must be one of 'world', 'frame'"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_an_open_end_is_refused():
    model, ports = lever()
    spring = model.add(fb.SpringDamper("spring", 1.0))
    model.connect(ports["tip"], spring.frame_a)
    with pytest.raises(ModelError, match=r"SpringDamper 'spring': frame_b is open; connect it to the frame that the"):
        model.check()
    other = model.add(fb.SpringDamper("other", 1.0))
    model.connect(spring.frame_b, other.frame_a)
    model.connect(ports["ground"], other.frame_b)
    with pytest.raises(ModelError, match=r"not connected to the ground; all of them are inboard ends or attachments"):
        model.check()
