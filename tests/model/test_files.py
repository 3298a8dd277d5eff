"""Model files: what is saved comes back, and what cannot be read says where and why."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.flexible_bodies import angle
from arms.random_arms import arms
from flexblocks import models
from flexblocks.blocks import ALL_BLOCKS
from flexblocks.dynamics.evaluation.contract import check_dependence
from flexblocks.errors import FileFormatError
from flexblocks.interfaces import Physics, inlet, parameter

PENDULUM = """\
flexblocks: 1
name: pendulum
gravity: [0, -9.81, 0]
blocks:
  ground: {type: Ground}
  joint: {type: Revolute, axis: [0, 0, 1], damping: 1e-2}
  link:
    type: FlexibleBeam
    length: 0.5
    linear_density: 2e-1
    flexural_rigidity: 1e+2
    discretization: {type: AssumedModes, n: 2, tip: {type: TipBody, mass: 0.1}}
  mass: {type: LumpedMass, mass: 1}
connections:
- [joint.frame_a, ground.frame_b]
- [joint.frame_b, link.frame_a]
- [link.station(0.3), mass.frame_a]
"""


def same_dae(first: fb.DAE, second: fb.DAE) -> None:
    """Assert that two DAEs have the same variables and the same values at a random point."""
    for group in ("x", "z", "u", "p", "y"):
        one, other = getattr(first, group), getattr(second, group)
        assert one.names == other.names
        assert one.units == other.units
        assert np.array_equal(one.start, other.start)
        assert np.array_equal(one.limits, other.limits)
    rng = np.random.default_rng(0)
    x, u = first.x.start + rng.uniform(-0.1, 0.1, len(first.x)), rng.uniform(-1, 1, len(first.u))
    q, v, _ = first.tree.split_state(x)
    for function, arguments in (
        ("mass_matrix", (q, first.p.start)),
        ("inverse_dynamics", (q, v, v, first.p.start)),
        ("energy", (x, first.p.start)),
        ("output", (x, u, first.p.start)),
        ("forward_dynamics", (x, u, first.p.start)),
    ):
        one, other = (_stacked(getattr(dae, function)(*arguments)) for dae in (first, second))
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-9 * np.abs(one).max(initial=0.0))


def _stacked(results: ca.DM | tuple[ca.DM, ...]) -> np.ndarray:
    return np.concatenate([np.ravel(e.full()) for e in (results if isinstance(results, tuple) else (results,))])


def everything() -> fb.Model:
    """Return an arm with every block of the library and every kind of parameter."""
    model = fb.Model("on", gravity=(0.1 + 0.2, -9.81, 1e-300))
    ground = model.add(fb.Ground("ground"))
    slide = model.add(fb.Prismatic("slide", axis=(1, 2, 3), damping=0.5, start=0.1))
    force = model.add(fb.ForceSource("force", limit=1e22))
    elbow = model.add(
        fb.FlexibleJoint("elbow", inertia=0.02, stiffness=100, gear_ratio=50, spring_damping=0.1, axis=(0, 1, 0))
    )
    link = model.add(
        fb.FlexibleBeam(
            "link",
            length=0.7,
            linear_density=1 / 3,
            flexural_rigidity=20,
            discretization=fb.AssumedModes(2, tip=fb.TipBody(0.3, 0.01, 0.02)),
            bending="yz",
            flexural_rigidity_z=30,
            damping_ratio=0.01,
        )
    )
    wrist = model.add(fb.Revolute("wrist", axis=(0, 0, 1), start=0.4))
    rod = model.add(fb.RigidLink("rod", length=0.3, mass=0.2, inertia=((0.01, 0, 0), (0, 0.02, 0), (0, 0, 0.02))))
    motor = model.add(fb.TorqueSource("motor"))
    rotor = model.add(fb.Rotor("rotor", inertia=0.001, axis=(0, 0, 1)))
    gear = model.add(fb.Gear("gear", ratio=-20))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=3))
    wall = model.add(fb.Fixed("wall"))
    mass = model.add(fb.LumpedMass("mass", mass=0.5))
    load = model.add(fb.Payload("load", mass=0.4, inertia=np.diag([0.01, 0.01, 0.01]), center=(0.01, 0.02, 0.03)))
    stop = model.add(fb.FixedTranslation("stop"))
    rail = model.add(fb.Prismatic("rail"))
    friction = model.add(fb.Friction("friction", viscous=0.1, coulomb=0.2, velocity=0.05, breakaway=0.3))
    dc_motor = model.add(fb.DCMotor("dc_motor", resistance=1.0, inductance=0.01, constant=0.2, limit=24.0))
    bristles = model.add(fb.LuGreFriction("bristles", stiffness=1e3, coulomb=0.2, breakaway=0.3, damping=2.0))
    servo = model.add(fb.PDServo("servo", kp=100, kd=5))
    spring_damper = model.add(fb.SpringDamper("strut", stiffness=50.0, damping=1.0, free_length=0.2))
    ram = model.add(fb.LineForce("ram", limit=100.0))
    cylinder = model.add(
        fb.HydraulicCylinder(
            "cylinder", area_a=1e-3, area_b=8e-4, retracted=0.1, extended=0.9, supply_pressure=1e7, rated_flow=1e-4
        )
    )
    rope = model.add(fb.Cable("rope", length=0.8, rigidity=1e3, via=1, winch=True))
    floor = model.add(fb.Contact("floor", stiffness=1e4, transition=1e-3, normal=(0, 1, 2), friction=0.2))
    wind = model.add(fb.WorldForce("wind"))
    jet = model.add(fb.WorldTorque("jet", resolve_in="frame"))
    sensor = model.add(fb.Accelerometer("sensor", measures="specific force"))
    model.connect(ground.frame_b, slide.frame_a)
    for element in (spring_damper, ram, cylinder, rope):
        model.connect(ground.frame_b, element.port("frame_a"))
        model.connect(load.frame_a, element.port("frame_b"))
    model.connect(rope.port("frame_1"), rod.frame_a)
    model.connect(load.frame_a, floor.frame_a, wind.frame_a, jet.frame_a)
    model.connect(ground.frame_b, floor.frame_b)
    model.connect(force.flange_b, slide.axis)
    model.connect(slide.frame_b, elbow.frame_a)
    model.connect(link.frame_a, elbow.frame_b)
    model.connect(mass.frame_a, link.station(0.2), wrist.frame_a, rotor.frame_a)
    model.connect(wrist.frame_b, rod.frame_a)
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, gear.flange_a)
    model.connect(gear.flange_b, wrist.axis, spring.flange_b)
    model.connect(spring.flange_a, wall.flange_b)
    model.connect(link.frame_b, rail.frame_a)
    model.connect(stop.flange_b, rail.axis)
    model.connect(rail.frame_b, load.frame_a, sensor.frame_a)
    model.connect(wrist.axis, friction.flange_b, servo.flange_b, dc_motor.flange_b, bristles.flange_b)
    mount = model.add(fb.FixedTransform("mount", translation=(0.1, 0, 0), rotation=(0, np.pi / 2, 0)))
    ball, cross = model.add(fb.Gimbal("ball", start=(0.1, 0.2, 0.3))), model.add(fb.Universal("cross", damping=0.1))
    body = model.add(fb.RigidBody("body", 0.2, np.diag([0.01, 0.02, 0.015]), center=(0, 0.1, 0), reach=(0.2, 0, 0.1)))
    tip = model.add(fb.Payload("tip", mass=0.1, inertia=np.diag([0.01, 0.01, 0.01])))
    model.add(fb.TotalMomentum("total"))
    free = model.add(fb.FreeMotion("free", (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)))
    globe = model.add(fb.Spherical("globe", 0.1, np.diag([1.0, -1.0, -1.0])))
    craft = model.add(fb.RigidBody("craft", 1.0, np.diag([0.1, 0.2, 0.15]), reach=(0.1, 0.0, 0.0)))
    bob = model.add(fb.RigidBody("bob", 1.0, np.diag([0.1, 0.2, 0.15]), center=(0.1, 0.0, 0.0)))
    for inner, outer in ((ground, free), (free, craft), (craft, globe), (globe, bob)):
        model.connect(inner.frame_b, outer.frame_a)
    model.connect(rod.frame_b, mount.frame_a)
    model.connect(mount.frame_b, ball.frame_a)
    model.connect(ball.frame_b, body.frame_a)
    model.connect(body.frame_b, cross.frame_a)
    model.connect(cross.frame_b, tip.frame_a)
    blade = model.add(fb.SlidingBeam("blade", 0.6, 1.0, 10.0, fb.FiniteElements(1), damping=0.2, start=0.4))
    bracket = model.add(fb.ReducedBody("bracket", body=angle(), modes=2, damping_ratio=0.01))
    model.connect(ground.frame_b, bracket.frame_a)
    model.connect(bracket.frame_b, model.add(fb.LumpedMass("plate", mass=0.1)).frame_a)
    scale = model.add(fb.ForceSensor("scale"))
    model.connect(ground.frame_b, scale.frame_a)
    model.connect(scale.frame_b, blade.frame_a)
    model.connect(blade.frame_b, model.add(fb.LumpedMass("end", mass=0.1)).frame_a)
    pinion = model.add(fb.Rack("pinion", radius=0.02))
    teeth = model.add(fb.Backlash("teeth", stiffness=1e3, play=0.01, damping=0.5))
    stops = model.add(fb.EndStops("stops", lower=-2.0, upper=30.0, stiffness=1e3, transition=0.01))
    model.connect(model.add(fb.TorqueSource("hoist")).flange_b, teeth.flange_a)
    model.connect(model.add(fb.Rotor("drum", inertia=0.01)).flange_b, teeth.flange_a)
    model.connect(teeth.flange_b, stops.flange_b, pinion.flange_a)
    model.connect(pinion.flange_b, blade.axis)
    luff = model.add(fb.DrivenRevolute("luff", axis=(0, 1, 0), limit=5.0, low=-1.0, high=2.0, start=0.3))
    stage = model.add(fb.DrivenPrismatic("stage", axis=(1, 0, 0), damping=0.1, max_speed=2.0))
    inner = model.add(fb.Prismatic("inner", axis=(1, 0, 0)))
    tackle = model.add(fb.TranslationalGear("tackle", ratio=0.5))
    for before, after in ((ground, luff), (luff, stage), (stage, inner)):
        model.connect(before.frame_b, after.frame_a)
    model.connect(stage.flange, tackle.flange_a)
    model.connect(tackle.flange_b, inner.axis)
    model.connect(inner.frame_b, model.add(fb.LumpedMass("hook", mass=0.2)).frame_a)
    runway = model.add(fb.Track("runway", 2.0, 1.0, 1e3, fb.FiniteElements(1), damping=0.1, low=0.2, start=0.5))
    model.connect(ground.frame_b, runway.frame_a)
    model.connect(runway.carriage, model.add(fb.LumpedMass("trolley", mass=0.5)).frame_a)
    model.connect(model.add(fb.ForceSource("travel")).flange_b, runway.axis)
    buffer, wall = (
        model.add(fb.TranslationalSpring("buffer", 100.0, 1.0, free_length=1.5)),
        fb.FixedTranslation("stop_end"),
    )
    model.connect(model.add(wall).flange_b, buffer.flange_a)
    model.connect(buffer.flange_b, runway.axis)
    sheave = model.add(fb.FixedTransform("sheave", translation=(0.0, 3.0, 0.0), rotation=(0.0, 0.0, np.pi / 2)))
    rope = model.add(fb.PulleyRope("reeving", (3.2, 3.2), 1e4, radii=(0.1,), inertias=(0.01,), senses=(-1,)))
    model.connect(ground.frame_b, sheave.frame_a, rope.frame_a)
    model.connect(sheave.frame_b, rope.pulley_1)
    model.connect(runway.frame_b, rope.frame_b)
    return model


def test_every_block_of_the_library_keeps_the_contract():
    """Assembly checks this of blocks of one's own alone."""
    for body in fb.assemble(everything()).tree.bodies:
        check_dependence(body.terms)


@settings(max_examples=5)
@given(arms(links=3))
def test_blocks_of_random_arms_keep_the_contract(arm):
    for body in fb.assemble(arm.model).tree.bodies:
        check_dependence(body.terms)


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json", ".JSON"])
def test_every_block_comes_back(tmp_path, suffix):
    """Equal blocks and connections are one DAE; that this is so is tried once, and on random arms."""
    model = everything()
    used = {type(block).__name__ for block in model.blocks.values()}
    assert used == {kind.__name__ for kind in ALL_BLOCKS}
    path = tmp_path / f"arm{suffix}"
    angle().save(tmp_path / "bracket.npz")
    model.save(path)
    again = fb.load(path)
    assert (again.name, again.gravity) == (model.name, model.gravity)
    assert again.blocks == model.blocks
    assert again.connections == model.connections
    if suffix == ".yaml":
        same_dae(*(fb.assemble(each, symbolic=("load.mass",)) for each in (model, again)))


@settings(max_examples=4)
@given(arm=arms(links=3, modes=2), suffix=st.sampled_from((".yaml", ".json")))
def test_random_arms_come_back(tmp_path_factory, arm, suffix):
    path = tmp_path_factory.mktemp("arms") / f"arm{suffix}"
    arm.model.save(path)
    again = fb.load(path)
    assert list(again.blocks.values()) == list(arm.model.blocks.values())
    same_dae(fb.assemble(arm.model), fb.assemble(again))


def test_published_arm_comes_back(tmp_path):
    model = models.subudhi_morris_2002()
    model.save(tmp_path / "arm.yaml")
    same_dae(fb.assemble(model), fb.assemble(fb.load(tmp_path / "arm.yaml")))


@pytest.mark.parametrize("name", ["on", "1e3", "null", "~", "012", "2001-01-01", "yes", "- a: b", "ä\n'\""])
@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_any_name_of_a_model_stays_a_text(tmp_path, name, suffix):
    fb.Model(name).save(tmp_path / f"m{suffix}")
    assert fb.load(tmp_path / f"m{suffix}").name == name


def test_numbers_are_read_as_people_write_them(tmp_path):
    (tmp_path / "arm.yaml").write_text(PENDULUM)
    model = fb.load(tmp_path / "arm.yaml")
    assert model.gravity == (0.0, -9.81, 0.0)
    assert model["joint"] == fb.Revolute("joint", damping=0.01)
    assert model["link"] == fb.FlexibleBeam(
        "link", 0.5, 0.2, 100.0, discretization=fb.AssumedModes(2, tip=fb.TipBody(0.1))
    )
    assert [str(port) for port in model.connections[2]] == ["link.station(0.3)", "mass.frame_a"]
    model.check()


def test_defaults_are_left_out(tmp_path):
    model = fb.Model("m")
    model.add(fb.Rotor("rotor", inertia=0.1))
    model.save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["blocks"] == {"rotor": {"type": "Rotor", "inertia": 0.1}}


@dataclass(frozen=True)
class Balloon(fb.Block):
    """A body whose weight is carried in part; a block of a user."""

    mass: float = parameter("kg")
    lift: Callable | float = field(default=0.0)

    ports = (inlet(),)

    def physics(self, frame, local):
        return Physics(kinetic=self.mass * ca.dot(frame.v, frame.v) / 2)


def test_blocks_of_a_user(tmp_path):
    model = fb.Model("m")
    model.add(Balloon("balloon", mass=2.0))
    model.save(tmp_path / "m.yaml")
    assert fb.load(tmp_path / "m.yaml", types=(Balloon,)).blocks == model.blocks
    with pytest.raises(FileFormatError, match=r"m.yaml: blocks.balloon: type = 'Balloon'; must be one of .*types="):
        fb.load(tmp_path / "m.yaml")


def test_a_type_of_a_user_must_not_take_a_name_of_the_library(tmp_path):
    rotor = type("Rotor", (Balloon,), {"__module__": __name__})
    with pytest.raises(FileFormatError, match="another type 'Rotor' already; rename yours"):
        fb.load(tmp_path / "m.yaml", types=(rotor,))
    model = fb.Model("m")
    model.add(rotor("r", mass=1.0))
    with pytest.raises(FileFormatError, match=r"blocks.r: the library has another type 'Rotor'"):
        model.save(tmp_path / "m.yaml")
    with pytest.raises(FileFormatError, match="must be a concrete Block"):
        fb.load(tmp_path / "m.yaml", types=(fb.Block,))


@contextlib.contextmanager
def most_bytes_in_a_file(number: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (number, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_is_there_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("precious")
    path.chmod(0o640)
    model = fb.Model("m")
    model.add(Balloon("balloon", mass=2.0, lift=abs))
    with pytest.raises(FileFormatError, match=r"m.yaml: blocks.balloon.lift = <built-in function abs>"):
        model.save(path)
    assert path.read_text() == "precious"

    with most_bytes_in_a_file(20), pytest.raises(FileFormatError, match=r"m.yaml: cannot be written: File too large"):
        fb.Model("m").save(path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]
    fb.Model("m").save(path)
    assert path.stat().st_mode & 0o777 == 0o640
    assert fb.load(path).name == "m"


def edited(old: str, new: str) -> str:
    assert PENDULUM.count(old) == 1
    return PENDULUM.replace(old, new)


REFUSED = {
    "not YAML": ("a: [1", r"line [12].*not valid YAML"),
    "empty": ("", r"None; must be a mapping with blocks, connections, flexblocks, gravity, name"),
    "list": ("- 1", r"\[1\]; must be a mapping"),
    "code": (
        edited("{type: Ground}", "!!python/object/apply:os.getcwd []"),
        r"line 5.*the tag !!python/object/apply:os.getcwd; must be plain",
    ),
    "block twice": (edited("  mass:", "  joint:"), r"line 13, column 3: not valid YAML: duplicate key 'joint'"),
    "no version": (edited("flexblocks: 1\n", ""), r"'flexblocks' is missing; needs blocks, flexblocks, name"),
    "newer version": (edited("flexblocks: 1", "flexblocks: 2"), r"flexblocks = 2; this version reads format 1"),
    "unknown key": (edited("gravity:", "gravty:"), r"unknown key 'gravty'\. Did you mean gravity\?"),
    "gravity": (edited("-9.81, 0]", "-9.81]"), r"gravity = .*; must be an array of shape \(3,\) in m/s2"),
    "no name": (edited("name: pendulum", "name:"), r"Model: name = None; must be a non-empty"),
    "blocks": ("{flexblocks: 1, name: a, blocks: [1]}", r"blocks: \[1\]; must be a mapping from names to blocks"),
    "block": (edited("{type: Ground}", "Ground"), r"blocks.ground: 'Ground'; must be a mapping with a type"),
    "no type": (edited("{type: Ground}", "{}"), r"blocks.ground: has no type; must be one of .*Fixed, .*Ground"),
    "type": (
        edited("FlexibleBeam", "FlexibelBeam"),
        r"blocks.link: type = 'FlexibelBeam'\. Did you mean FlexibleBeam\?",
    ),
    "abstract type": (edited("FlexibleBeam", "Block"), r"blocks.link: type = 'Block'; must be one of"),
    "block's name": (edited("  ground:", "  2nd:"), r"blocks.2nd: Ground '2nd': a block's name must be letters"),
    "number as name": (edited("  ground:", "  2:"), r"blocks.2: Ground 2: a block's name must be letters"),
    "parameter": (edited("length:", "lenght:"), r"blocks.link: unknown key 'lenght'\. Did you mean length\?"),
    "field's own name": (
        edited("axis:", "direction:"),
        r"blocks.joint: unknown key 'direction'; there are axis, damping",
    ),
    "missing": (edited("    length: 0.5\n", ""), r"blocks.link: 'length' is missing; needs length, type"),
    "range": (edited("0.5", "-0.5"), r"blocks.link: FlexibleBeam 'link': length = -0.5 m; must be > 0"),
    "unit": (edited("0.5", "0.5 m"), r"blocks.link: FlexibleBeam 'link': length = '0.5 m'; must be a number in m"),
    "NaN": (edited("0.5", ".nan"), r"blocks.link: FlexibleBeam 'link': length = nan m; must be finite"),
    "modes": (edited("n: 2", "n: 2.0"), r"blocks.link.discretization: AssumedModes: n = 2.0; must be a whole number"),
    "word": (edited("{type: TipBody, mass: 0.1}", "fre"), r"discretization: AssumedModes: tip = 'fre'; must be 'free'"),
    "value's type": (edited("TipBody", "TipBdy"), r"discretization.tip: type = 'TipBdy'.* Did you mean TipBody\?"),
    "block as value": (
        edited("TipBody", "Payload"),
        r"discretization.tip: type = 'Payload'; must be one of AssumedModes",
    ),
    "tip body": (edited("mass: 0.1}", "mass: -1}"), r"blocks.link.discretization.tip: TipBody: mass = -1 kg"),
    "block unknown": (
        edited("[joint.frame_b", "[joitn.frame_b"),
        r"connections\[1\]: .*'joitn'.* Did you mean joint\?",
    ),
    "port unknown": (edited("link.frame_a]", "link.frame_c]"), r"connections\[1\]: .*no port 'frame_c'.* Did you mean"),
    "one port": (
        edited("[joint.frame_b, link.frame_a]", "joint.frame_b"),
        r"connections\[1\]: 'joint.frame_b'; must be a l",
    ),
    "number as port": (edited("ground.frame_b]", "7]"), r"connections\[0\]: .*7 is not a port"),
    "off the link": (
        edited("station(0.3)", "station(0.6)"),
        r"connections\[2\]: .*station\(0.6\); must be .* 0 to .* 0.5 m",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_place(tmp_path, case):
    text, message = REFUSED[case]
    path = tmp_path / "arm.yaml"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message) as refusal:
        fb.load(path)
    assert str(refusal.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"flexblocks": 1,', r"line 1, column 18: not valid JSON"),
        ('{"name": 1, "name": 2}', r"not a JSON file: duplicate key 'name'"),
        ("[" * 100_000, r"not a JSON file"),
    ],
)
def test_json_refused(tmp_path, text, message):
    (tmp_path / "arm.json").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        fb.load(tmp_path / "arm.json")


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(FileFormatError, match=r"arm.toml: suffix '.toml'; must be one of .yaml"):
        fb.load(tmp_path / "arm.toml")
    with pytest.raises(FileFormatError, match=r"ends in '.toml'"):
        fb.Model("m").save(tmp_path / "arm.toml")
    with pytest.raises(FileFormatError, match="there is no such file"):
        fb.load(tmp_path / "arm.yaml")
    with pytest.raises(FileFormatError, match="cannot be written: No such file or directory"):
        fb.Model("m").save(tmp_path / "nowhere" / "arm.yaml")
    (tmp_path / "arm.yaml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(FileFormatError, match="not a YAML file"):
        fb.load(tmp_path / "arm.yaml")


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_names_with_line_ends_of_all_kinds_come_back(suffix: str, tmp_path: Path) -> None:
    """The next line of YAML 1.1, U+0085, was written as it is and read as a space."""
    path = tmp_path / f"arm{suffix}"
    for end in "\n\r\t\v\f\x1c\x85\u2028\u2029":
        for name in (f"a{end}b", f" {end} a'\"", "a" * 118 + f" {end}b"):
            model = fb.Model(name)
            model.add(fb.Ground("ground"))
            model.save(path)
            assert fb.load(path).name == name
