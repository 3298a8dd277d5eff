"""Every refusal says where, what came, what was expected and what to do."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import (
    FlexblocksError,
    ModelError,
    NameUnknownError,
    ParameterError,
    SingularMassError,
    listing,
    nearest,
)

NAN = float("nan")


@pytest.fixture
def model() -> fb.Model:
    """Return ground - joint1 - link1."""
    model = fb.Model("arm")
    for block in (fb.Ground("ground"), fb.Revolute("joint1"), fb.RigidLink("link1", 0.5, mass=1.0)):
        model.add(block)
    model.connect("ground.frame_b", "joint1.frame_a")
    model.connect("joint1.frame_b", "link1.frame_a")
    return model


def extended(model: fb.Model, blocks: tuple[fb.Block, ...], *connections: tuple[str, ...]) -> fb.Model:
    for block in blocks:
        model.add(block)
    for ports in connections:
        model.connect(*ports)
    return model


PARAMETERS = {
    "range": (lambda: fb.FlexibleBeam("link2", -0.4, 1, 1), "FlexibleBeam 'link2': length = -0.4 m; must be > 0."),
    "NaN": (lambda: fb.Rotor("r", NAN), "Rotor 'r': inertia = nan kg m2; must be finite."),
    "infinity": (lambda: fb.Payload("p", np.inf), "Payload 'p': mass = inf kg; must be finite."),
    "too large": (lambda: fb.Payload("p", 1e300), "Payload 'p': mass = 1e+300 kg; must be at most 1e60 in magnitude."),
    "text": (lambda: fb.Rotor("r", "2"), "Rotor 'r': inertia = '2'; must be a number in kg m2."),
    "truth value": (lambda: fb.Rotor("r", True), "Rotor 'r': inertia = True; must be a number in kg m2."),
    "shape": (lambda: fb.Payload("p", 1, center=[1, 2]), "center = [1, 2]; must be an array of shape (3,) in m."),
    "damping of a hinge": (lambda: fb.Revolute("j", damping=-1), "damping = -1 N m s/rad; must be >= 0."),
    "damping of a slide": (lambda: fb.Prismatic("j", damping=-1), "damping = -1 N s/m; must be >= 0."),
    "limit": (lambda: fb.TorqueSource("m", limit=0), "TorqueSource 'm': limit = 0 N m; must be > 0."),
    "no direction": (lambda: fb.Revolute("j", (0, 0, 0)), "axis = (0.0, 0.0, 0.0); must have a length > 0."),
    "ratio": (lambda: fb.Gear("g", 0), "Gear 'g': ratio = 0; must be different from 0."),
    "asymmetric inertia": (lambda: fb.Payload("p", 1, [[1, 0, 0], [0.1, 1, 0], [0, 0, 1]]), "must be symmetric."),
    "no such body": (lambda: fb.Payload("p", 1, np.diag([1, 1, 3])), "moments 1, 1, 3 kg m2; no rigid body has these"),
    "word": (
        lambda: fb.FlexibleBeam("l", 1, 1, 1, bending="x"),
        "bending = 'x'; must be one of 'auto', 'y', 'z', 'yz'.",
    ),
    "not a discretization": (
        lambda: fb.FlexibleBeam("l", 1, 1, 1, discretization=2),
        "discretization = 2; must be a discretisation, such as fb.AssumedModes(n) or fb.FiniteElements(n).",
    ),
    "no modes": (lambda: fb.AssumedModes(0, tip="free"), "AssumedModes: n = 0; must be a whole number > 0"),
    "no elements": (lambda: fb.FiniteElements(-1), "FiniteElements: n = -1; must be a whole number > 0"),
    "half a segment": (lambda: fb.RigidSegments(1.5), "RigidSegments: n = 1.5; must be a whole number > 0"),
    "tip": (lambda: fb.AssumedModes(1, tip="fre"), "AssumedModes: tip = 'fre'; must be 'free', 'auto', 'pinned' or a"),
    "tip body": (lambda: fb.TipBody(1, 0.1, 1), "needs mass >= 0, inertia >= 0 and static_moment^2 <= mass * inertia."),
    "overdamped": (lambda: fb.FlexibleBeam("l", 1, 1, 1, damping_ratio=1), "damping_ratio = 1; must be >= 0 and < 1."),
    "gravity": (
        lambda: fb.Model("m", gravity=9.81),
        "Model 'm': gravity = 9.81; must be an array of shape (3,) in m/s2.",
    ),
    "name": (lambda: fb.Rotor("1st", 1), "Rotor '1st': a block's name must be letters, digits and underscores"),
    "no text": (lambda: fb.Rotor(3, 1), "Rotor 3: a block's name must be letters, digits and underscores"),
    "composite": (lambda: fb.FlexibleJoint("j", -1, 1), "FlexibleJoint 'j': inertia = -1 kg m2; must be >= 0."),
    "off the link": (
        lambda: fb.RigidLink("l", 0.5).station(0.6),
        "RigidLink 'l': station(0.6); must be a number from 0 to the length, 0.5 m.",
    ),
    "station NaN": (lambda: fb.RigidLink("l", 0.5).station(NAN), "station(nan); must be a number from 0"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters(case):
    make, message = PARAMETERS[case]
    with pytest.raises(ParameterError) as refusal:
        make()
    assert message in str(refusal.value)


CONNECTIONS = {
    "port": (
        ("link1.frame_b", "joint1.frame_c"),
        "Connection link1.frame_b -> joint1.frame_c: Revolute 'joint1' has no port 'frame_c'"
        ". Did you mean frame_a? Its ports are axis, frame_a, frame_b.",
    ),
    "block": (
        ("link1.frame_b", "jonit1.frame_a"),
        "block 'jonit1' is not in model 'arm'. Did you mean joint1? Its blocks are ground, joint1, link1. Add it with",
    ),
    "no port": (
        ("link1", "joint1.frame_a"),
        "RigidLink 'link1' is a block; name one of its ports, such as link1.frame_b",
    ),
    "not a port": (("link1.frame_b", 3), "Connection link1.frame_b -> 3: 3 is not a port; pass one such as"),
    "kinds": (
        ("link1.frame_b", "joint1.axis"),
        "different kinds cannot be joined (link1.frame_b is a frame, joint1.axis is a rotational flange). Join frames",
    ),
    "one": (("link1.frame_b",), "Connection link1.frame_b: joins 1 port(s); needs at least two."),
    "none": ((), "Model 'arm': connect(): joins 0 port(s); needs at least two."),
    "twice": (("link1.frame_b", "link1.frame_b"), "names the same port twice; a connection joins"),
    "off the link": (
        ("link1.station(2)", "joint1.frame_a"),
        "-> joint1.frame_a: RigidLink 'link1': station(2.0); must",
    ),
    "station": (
        ("link1.station(end)", "joint1.frame_a"),
        "station(end); a station needs a number, as in station(0.25).",
    ),
}


@pytest.mark.parametrize("case", CONNECTIONS)
def test_connections(model, case):
    ports, message = CONNECTIONS[case]
    before = model.connections
    with pytest.raises(FlexblocksError) as refusal:
        model.connect(*ports)
    assert message in str(refusal.value)
    assert model.connections == before


def test_translational_and_rotational_flanges_do_not_join(model):
    force = model.add(fb.ForceSource("force"))
    with pytest.raises(
        ModelError, match=r"force.flange_b is a translational flange, joint1.axis is a rotational flange"
    ):
        model.connect(force.flange_b, model["joint1"].axis)


def test_unknown_port_as_an_attribute():
    with pytest.raises(ModelError, match=r"Rotor 'r' has no port 'flange_c'\. Did you mean flange_a\?"):
        _ = fb.Rotor("r", 1.0).flange_c
    assert not hasattr(fb.Rotor("r", 1.0), "frame_b")


def test_blocks_that_are_not_in_the_model(model):
    end = model["link1"].frame_b
    with pytest.raises(ModelError, match=r"block 'payload' is not in model 'arm'.* Add it with model.add"):
        model.connect(end, fb.Payload("payload", 1.0).frame_a)
    with pytest.raises(ModelError, match="'link1' in this model is not the block that the port belongs to"):
        model.connect(end, fb.RigidLink("link1", 0.9).frame_a)
    with pytest.raises(ModelError, match="'link1' in this model is not the block"):
        model.connect(end, fb.RigidLink("link1", 0.9).station(0.8))


def test_blocks_that_cannot_be_added(model):
    with pytest.raises(
        ModelError, match=r"already has a block named 'joint1' \(Revolute 'joint1'\); give Rotor 'joint1'"
    ):
        model.add(fb.Rotor("joint1", 1.0))
    with pytest.raises(ModelError, match=r"not a block; pass an instance, such as fb.Ground\('ground'\)"):
        model.add(fb.Ground)
    with pytest.raises(ModelError, match=r"Rotor 'a.b': a dot in the name is reserved for parts of composites"):
        model.add(fb.Rotor("a.b", 1.0))
    with pytest.raises(ModelError, match=r"Model: name = ' '; must be a non-empty string"):
        fb.Model(" ")


ROD, MASS = fb.RigidLink("link2", 1.0, mass=1.0), fb.LumpedMass("mass", 1.0)
JOINT, SPRING, MOTOR = fb.Revolute("joint2"), fb.TorsionalSpring("spring", 1.0), fb.TorqueSource("motor")
GEARS, ROTOR = (fb.Gear("gear2", 2.0), fb.Gear("gear3", 3.0)), fb.Rotor("rotor", 1.0)
STRUCTURES = {
    "second ground": (
        (fb.Ground("earth"),),
        (),
        "Model 'arm': has 2 grounds (ground, earth); needs exactly one: keep one and connect everything to it.",
    ),
    "floating": (
        (JOINT, ROD),
        (("joint2.frame_b", "link2.frame_a"),),
        "Revolute 'joint2': frame_a is open; it is not connected to the ground; connect it to the frame_b of the block",
    ),
    "floating ring": (
        (JOINT, ROD),
        (("joint2.frame_b", "link2.frame_a"), ("link2.frame_b", "joint2.frame_a")),
        "not connected to the ground: joint2, link2. Connect a chain of frames from 'ground.frame_b' to joint2.",
    ),
    "inlets only": (
        (ROD, MASS),
        (("link2.frame_a", "mass.frame_a"),),
        "Connection of link2.frame_a, mass.frame_a: not connected to the ground; all of them are inboard ends.",
    ),
    "reversed": (
        (ROD,),
        (("link1.frame_b", "link2.frame_b"),),
        "connect it to the frame_b of the block that carries it. Or the block is mounted the wrong way round: frame_a "
        "is the inboard end, frame_b the outboard end.",
    ),
    "open flange": (
        (MOTOR,),
        (),
        "TorqueSource 'motor': flange_b is open; connect it to another rotational flange, such as that of a rotor",
    ),
    "open spring": ((SPRING,), (("spring.flange_a", "joint1.axis"),), "TorsionalSpring 'spring': flange_b is open;"),
    "massless shaft": (
        (SPRING, MOTOR),
        (("spring.flange_b", "joint1.axis"), ("motor.flange_b", "spring.flange_a")),
        "Mass matrix singular: the shaft that joins spring, motor moves no mass; put a Rotor on it, connect it to",
    ),
    "gears side by side": (
        GEARS,
        (("gear2.flange_a", "gear3.flange_a"), ("gear2.flange_b", "gear3.flange_b", "joint1.axis")),
        "The gear ratios around gear2, gear3 contradict each other: gear2.angle = 1.5 gear3.angle one way round, "
        "1 gear3.angle the other way, so that nothing could turn; make the ratios agree or remove one connection.",
    ),
    "gears around a rotor": (
        (*GEARS, ROTOR),
        (
            ("gear2.flange_a", "rotor.flange_a"),
            ("rotor.flange_b", "gear3.flange_a"),
            ("gear2.flange_b", "gear3.flange_b", "joint1.axis"),
        ),
        "contradict each other: gear3.angle = 0.5 rotor.angle one way round, 0.333333 rotor.angle the other way",
    ),
    "gear short": (
        GEARS[:1],
        (("gear2.flange_a", "gear2.flange_b", "joint1.axis"),),
        "Connection gear2.flange_a -> gear2.flange_b: joins the two sides of one gear, which locks it; remove",
    ),
}


@pytest.mark.parametrize("case", STRUCTURES)
def test_structure(model, case):
    blocks, connections, message = STRUCTURES[case]
    extended(model, blocks, *connections)
    with pytest.raises(ModelError) as refusal:
        model.check()
    assert message in str(refusal.value)
    with pytest.raises(ModelError):
        fb.assemble(model)


def test_no_ground():
    with pytest.raises(ModelError, match=r"Model 'm': has no Ground; needs exactly one: add one with model.add"):
        fb.Model("m").check()


def test_gears_that_agree_are_no_error(model):
    alone = fb.assemble(model)
    gears = (fb.Gear("gear2", 2.0), fb.Gear("gear3", 3.0), fb.Gear("gear6", 6.0))
    extended(
        model,
        gears,
        ("gear6.flange_a", "gear3.flange_a"),
        ("gear3.flange_b", "gear2.flange_a"),
        ("gear2.flange_b", "gear6.flange_b", "joint1.axis"),
    )
    geared = fb.assemble(model)
    assert geared.q_names == alone.q_names
    assert geared.mass_matrix([0.3], []) == alone.mass_matrix([0.3], [])


SINGULAR = {
    "nothing outboard": ((fb.Revolute("wrist"),), (("link1.frame_b", "wrist.frame_a"),)),
    "mass on the axis": (
        (fb.Revolute("wrist", axis=(1, 0, 0)), MASS),
        (("link1.frame_b", "wrist.frame_a"), ("wrist.frame_b", "mass.frame_a")),
    ),
    "rotor without inertia": (
        (fb.Rotor("wrist", 0.0), SPRING),
        (("wrist.flange_b", "spring.flange_a"), ("spring.flange_b", "joint1.axis")),
    ),
}


@pytest.mark.parametrize("case", SINGULAR)
def test_coordinates_that_move_no_mass(model, case):
    blocks, connections = SINGULAR[case]
    with pytest.raises(
        SingularMassError, match=r"coordinate 'wrist.angle' moves no mass; add a Rotor, LumpedMass or link"
    ):
        fb.assemble(extended(model, blocks, *connections))


def test_coordinates_that_move_the_same_mass(model):
    slides = (fb.Prismatic("near", axis=(1, 0, 0)), fb.Prismatic("far", axis=(1, 0, 0)), MASS)
    extended(
        model,
        slides,
        ("link1.frame_b", "near.frame_a"),
        ("near.frame_b", "far.frame_a"),
        ("far.frame_b", "mass.frame_a"),
    )
    with pytest.raises(SingularMassError, match=r"coordinates .*'(near|far).displacement'.* together move no mass"):
        fb.assemble(model)


def test_symbolic_parameters_that_are_none(model):
    with pytest.raises(NameUnknownError, match=r"symbolic = 'link1.mas': not a number .*\. Did you mean link1.mass\?"):
        fb.assemble(model, symbolic=("link1.mas",))
    extended(
        model, (fb.Gear("gear", 2.0), ROTOR), ("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "joint1.axis")
    )
    with pytest.raises(NameUnknownError, match=r"'gear.ratio'"):
        fb.assemble(model, symbolic=("gear.ratio",))


def test_unknown_variables(model):
    dae = fb.assemble(model)
    with pytest.raises(NameUnknownError, match=r"no state 'joint.angle'\. Did you mean joint1.angle\? States are "):
        dae.x.index("joint.angle")
    with pytest.raises(ParameterError, match=r"joint1.angle = nan; must be a finite number"):
        dae.x.values({"joint1.angle": NAN})
    with pytest.raises(ParameterError, match="an array of 3 numbers; must have 2"):
        dae.x.values([1, 2, 3])


def test_words_of_messages():
    assert nearest("frame_c", ["frame_b", "frame_a", "axis"]) == " Did you mean frame_a?"
    assert nearest("mass", ["xyz"]) == ""
    assert listing([]) == "none"
    assert listing(map(str, range(14))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... (2 more)"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("px.position", "px.displacement"),  # not px.rotation_zx, which is spelled more like it
        ("px.displacment", "px.displacement"),
        ("px", "px.displacement"),
        ("joint1.theta", "joint1.angle"),
        ("joint1.angel", "joint1.angle"),
        ("jonit1.angle", "joint1.angle"),
        ("kq", "kp"),
        ("velocity of the moon", None),
    ],
)
def test_the_name_that_was_meant(name, meant):
    known = ["px.displacement", "joint1.angle", "px.x", "px.rotation_zx", "joint1.x", "kp"]
    assert nearest(name, known) == ("" if meant is None else f" Did you mean {meant}?")
